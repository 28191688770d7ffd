import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { faultOf, only, statementOf } from "./reading.ts"

const rowsOf = (...input: Parameters<typeof statementOf>) => only(statementOf(...input).accounts).rows
const amounts = (...input: Parameters<typeof statementOf>) => rowsOf(...input).map((row) => row.amount)
const dates = (...input: Parameters<typeof statementOf>) => rowsOf(...input).map((row) => row.date)

const withMark = (bytes: ReadonlyArray<number>, body: Buffer) => Buffer.concat([Buffer.from(bytes), body])

const datesFile = (...days: ReadonlyArray<string>) =>
  `Date,Description,Amount\n${days.map((day) => `"${day}",x,1`).join("\n")}\n`

const amountsFile = (...cells: ReadonlyArray<string>) =>
  `Date;Description;Amount\n${cells.map((cell) => `2024-01-05;x;"${cell}"`).join("\n")}\n`

const sidesFile = (a: string, b: string) =>
  `Datum,Naam / Omschrijving,Af Bij,Bedrag (EUR)\n20240105,x,${a}\n20240106,y,${b}\n`

const idsFile = (second: string) =>
  `Date,Transaction ID,Description,Amount\n2024-01-05,a,x,-1\n2024-01-05,${second},x,-1\n`

const balancesFile = (...rows: ReadonlyArray<string>) => `Date,Description,Amount,Balance\n${rows.join("\n")}\n`

describe("CSV dialects", () => {
  it.each([",", ";", "\t", "|"])("finds the delimiter %j", (delimiter) => {
    const file = ["Date,Description,Amount", "2024-01-05,Shop,-1.50"].join("\n").replaceAll(",", delimiter)
    const statement = statementOf(file)
    expect(statement.assumed["delimiter"]).toBe(delimiter)
    expect(only(only(statement.accounts).rows)).toMatchObject({
      date: "2024-01-05",
      amount: "-1.5",
      amountText: "-1.50",
      line: 2
    })
  })

  it.each(["\n", "\r\n", "\r"])("reads line ends %j, blank lines and a file without a last one", (end) => {
    const file = ["", "Date,Description,Amount", "", "2024-01-05,A,1", "2024-01-06,B,2"].join(end)
    expect(rowsOf(file).map((row) => [row.line, row.amount])).toEqual([
      [4, "1"],
      [5, "2"]
    ])
  })

  it("reads quotes with doubled quotes, delimiters and line breaks inside", () => {
    const file =
      'Date,Description,Amount\n2024-01-05,"A ""B"",\nC","1,000.00"\n2024-01-06,5" pipe,-2\n="2024-01-07",x,3\n'
    expect(rowsOf(file).map((row) => [row.line, row.description, row.amount])).toEqual([
      [2, 'A "B",\nC', "1000"],
      [4, '5" pipe', "-2"],
      [5, "x", "3"]
    ])
    expect(faultOf('Date,Description,Amount\n2024-01-05,A,1\n2024-01-06,"B,2\n')).toMatchObject({ line: 3 })
  })

  it("tells UTF-8, UTF-16 and windows-1252 apart", () => {
    const file = "Date;Libellé;Montant\n05.01.2024;Café €;1,50\n"
    for (const [encoding, bytes] of [
      ["utf-8", Buffer.from(file)],
      ["utf-8", withMark([0xef, 0xbb, 0xbf], Buffer.from(file))],
      ["utf-16le", withMark([0xff, 0xfe], Buffer.from(file, "utf16le"))],
      ["utf-16be", withMark([0xfe, 0xff], Buffer.from(file, "utf16le").swap16())],
      ["windows-1252", Buffer.from(file.replace("€", "\u0080"), "latin1")]
    ] as const) {
      const statement = statementOf(bytes)
      expect(statement.assumed["encoding"]).toBe(encoding)
      expect(only(only(statement.accounts).rows)).toMatchObject({ description: "Café €", amount: "1.5" })
    }
    const bare = Buffer.from(file, "utf16le")
    expect(only(rowsOf(bare, { encoding: "utf-16le" })).description).toBe("Café €")
  })
})

describe("CSV dates", () => {
  it.each([
    [["13/01/2024", "02/03/2024"], ["2024-01-13", "2024-03-02"], "DD/MM/YYYY"],
    [["01/13/2024", "02/03/2024"], ["2024-01-13", "2024-02-03"], "MM/DD/YYYY"],
    [["1/13/24", "12/3/69"], ["2024-01-13", "2069-12-03"], "MM/DD/YY"],
    [["03.02.2024"], ["2024-02-03"], "DD.MM.YYYY"],
    [["2024/02/03 10:11:12"], ["2024-02-03"], "YYYY/MM/DD"],
    [["2024-02-03T10:11:12.5Z"], ["2024-02-03"], "YYYY-MM-DD"],
    [["20240203", "20241231"], ["2024-02-03", "2024-12-31"], "YYYYMMDD"],
    [["03022024", "31122024"], ["2024-02-03", "2024-12-31"], "DDMMYYYY"],
    [["3-Feb-24", "23-Dec-2023"], ["2024-02-03", "2023-12-23"], "DD-MMM-YY"],
    [["Feb 3, 2024"], ["2024-02-03"], "MMM DD YYYY"],
    [["3. März 2024", "4 août 2024", "5 de enero de 2024"], ["2024-03-03", "2024-08-04", "2024-01-05"], "DD.MMM.YYYY"]
  ])("reads %j", (days, expected) => {
    expect(dates(datesFile(...days))).toEqual(expected)
  })

  it.each([
    ["USD", "MM/DD/YYYY", "2024-05-03"],
    ["EUR", "DD/MM/YYYY", "2024-03-05"]
  ])("reads an ambiguous date in %s as %s and says so", (currency, pattern, date) => {
    const statement = statementOf(datesFile("05/03/2024"), undefined, currency)
    expect(only(only(statement.accounts).rows).date).toBe(date)
    expect(statement.assumed["dateFormat"]).toBe(pattern)
    expect(statement.warnings.join()).toContain("dateFormat ambiguous")
  })

  it("prefers the reading in which the rows follow each other", () => {
    expect(dates(datesFile("01/02/2024", "02/02/2024", "01/03/2024"), undefined, "USD")).toEqual([
      "2024-02-01",
      "2024-02-02",
      "2024-03-01"
    ])
  })

  it("refuses a date that the chosen order does not have, with line and column", () => {
    expect(faultOf(datesFile("13/01/2024", "01/13/2024"))).toMatchObject({ line: 3, element: "Date" })
    expect(faultOf(datesFile("2024-02-30"))).toMatchObject({ line: 2, element: "Date" })
    expect(faultOf(datesFile("2024-02-03", "soon"))).toMatchObject({ line: 3, element: "Date" })
    expect(faultOf(datesFile(""))).toMatchObject({ line: 2, element: "Date" })
  })

  it("takes an override", () => {
    expect(dates(datesFile("05/03/2024"), { dateFormat: "D/M/YYYY" }, "USD")).toEqual(["2024-03-05"])
    expect(faultOf(datesFile("05/03/2024"), { dateFormat: "weekly" })).toMatchObject({ element: "dateFormat" })
  })
})

describe("CSV amounts", () => {
  it.each([
    [["1.234,56", "-7,5"], ["1234.56", "-7.5"], ","],
    [["1,234.56", "-7.5"], ["1234.56", "-7.5"], "."],
    [["1'234.56", "1’000"], ["1234.56", "1000"], "."],
    [["1 234,56", "1\u00a0234,5", "12\u202f345,6"], ["1234.56", "1234.5", "12345.6"], ","],
    [["€ 1,50", "-2,50 €", "EUR -3,25", "4,75- EUR"], ["1.5", "-2.5", "-3.25", "-4.75"], ","],
    [["$20.00", "-$1,020.10", "($5.25)", "(7.5)"], ["20", "-1020.1", "-5.25", "-7.5"], "."],
    [["Fr. 5.20", "CHF 6.10", "−7.30", "8.10-", "+9.1"], ["5.2", "6.1", "-7.3", "-8.1", "9.1"], "."],
    [["100.10 CR", "50.25 DR"], ["100.1", "-50.25"], "."],
    [["50,-", "1.000,50"], ["50", "1000.5"], ","],
    [["12", "1234567"], ["12", "1234567"], "."]
  ])("reads %j", (cells, expected, decimal) => {
    expect(amounts(amountsFile(...cells))).toEqual(expected)
    expect(statementOf(amountsFile(...cells)).assumed["decimal"]).toBe(decimal)
  })

  it("warns where every amount could be thousands or thousandths", () => {
    const statement = statementOf(amountsFile("1,234"))
    expect(only(only(statement.accounts).rows).amount).toBe("1234")
    expect(statement.warnings.join()).toContain("decimal ambiguous")
    expect(amounts(amountsFile("1,234"), { decimal: "," })).toEqual(["1.234"])
  })

  it.each(["abc", "1.2.3,4", "1,23,4", "12-34", "--5", "5 apples"])("refuses %s with line and column", (cell) => {
    expect(faultOf(amountsFile("1.5", cell))).toMatchObject({ line: 3, element: "Amount" })
  })

  it("refuses a row without an amount", () => {
    expect(faultOf("Date,Description,Amount\n2024-01-05,x,\n")).toMatchObject({ line: 2, element: "Amount" })
    expect(faultOf("Date,Description,Amount\n2024-01-05,x\n")).toMatchObject({ line: 2, element: "Amount" })
  })

  it("takes debit out and credit in, whatever sign is printed", () => {
    const text =
      "Buchungstag;Verwendungszweck;Soll;Haben\n05.01.2024;a;1,50;\n06.01.2024;b;-2,50;0,00\n07.01.2024;c;;3,00\n08.01.2024;d;0,00;4,00\n"
    expect(amounts(text)).toEqual(["-1.5", "-2.5", "3", "4"])
  })

  it("lets a column of sides sign unsigned amounts only", () => {
    expect(amounts(sidesFile('Af,"1,50"', 'Bij,"2,50"'), undefined, "USD")).toEqual(["-1.5", "2.5"])
    expect(amounts(sidesFile('Af,"-1,50"', 'Bij,"2,50"'))).toEqual(["-1.5", "2.5"])
    expect(only(statementOf(sidesFile('Af,"1,50"', 'Bij,"2,50"'), undefined, "USD").accounts).currency).toBe("EUR")
  })

  it("keeps unsigned amounts and points to negate", () => {
    const text = "Date,Description,Amount\n2024-01-05,x,1\n2024-01-06,x,2\n"
    expect(statementOf(text).warnings.join()).toContain("negate")
    expect(amounts(text, { negate: true })).toEqual(["-1", "-2"])
  })

  it("knows card exports that write spending as positive", () => {
    const text =
      '"Merchant Name","Card Used For Transaction","Date","Time","Amount"\n"A","**** 1","01/20/2024","06:50 PM","3.50"\n'
    expect(only(statementOf(text).accounts)).toMatchObject({
      type: "credit_card",
      rows: [{ amount: "-3.5", amountText: "3.50" }]
    })
    expect(amounts(text, { negate: false })).toEqual(["3.5"])
  })
})

describe("CSV columns", () => {
  it.each([
    [
      "German",
      "Buchungstag;Wertstellung;Auftraggeber/Empfänger;Verwendungszweck;Betrag;Währung\n05.01.2024;06.01.2024;Bäcker;Brot;-1,50;EUR\n"
    ],
    [
      "French",
      "Date opération;Date valeur;Tiers;Libellé;Montant;Devise\n05/01/2024;06/01/2024;Bäcker;Brot;-1,50;EUR\n"
    ],
    [
      "Spanish",
      "Fecha operación;Fecha valor;Beneficiario;Concepto;Importe;Divisa\n05/01/2024;06/01/2024;Bäcker;Brot;-1,50;EUR\n"
    ],
    [
      "Italian",
      "Data operazione;Data valuta;Controparte;Descrizione;Importo;Valuta\n05/01/2024;06/01/2024;Bäcker;Brot;-1,50;EUR\n"
    ],
    [
      "Dutch",
      "Boekdatum;Rentedatum;Tegenpartij;Omschrijving;Bedrag;Munt\n05-01-2024;06-01-2024;Bäcker;Brot;-1,50;EUR\n"
    ],
    [
      "Portuguese",
      "Data movimento;Data valor;Contraparte;Descrição;Montante;Moeda\n05/01/2024;06/01/2024;Bäcker;Brot;-1,50;EUR\n"
    ],
    ["English", "Booking Date;Value Date;Payee;Details;Amount;Currency\n05/01/2024;06/01/2024;Bäcker;Brot;-1,50;EUR\n"]
  ])("reads %s headers", (_, file) => {
    expect(only(rowsOf(file, undefined, "USD"))).toMatchObject({
      date: "2024-01-05",
      amount: "-1.5",
      currency: "EUR",
      merchantName: "Bäcker",
      description: "Brot",
      originalDescription: "Bäcker Brot"
    })
  })

  it("reads the preamble, joins descriptions and finds reference, category, type and status", () => {
    const file =
      "My Bank\nIBAN;DE89 3704 0044 0532 0130 00\nWährung;CHF\n\n" +
      "Datum;Text 1;Text 2;Umsatzart;Kategorie;Kundenreferenz;Status;Betrag\n" +
      "05.01.2024;Miete;Januar;Lastschrift;Wohnen;R1;gebucht;-1,50\n06.01.2024;x;;Zinsen;;0;vorgemerkt;2,00\n"
    const account = only(statementOf(file).accounts)
    expect(account).toMatchObject({
      key: "DE89370400440532013000",
      number: "DE89370400440532013000",
      currency: "CHF"
    })
    expect(account.rows).toMatchObject([
      {
        line: 6,
        description: "Miete Januar",
        type: "DIRECT_DEBIT",
        category: "Wohnen",
        reference: "R1",
        pending: false
      },
      { line: 7, description: "x", type: "INTEREST", reference: "", pending: true }
    ])
  })

  it("splits accounts, and keeps the currency of each row", () => {
    const file =
      "Account Number,Account Name,Date,Description,Amount,Currency\n111222,Savings,2024-01-05,a,1,eur\n333444,Girokonto,2024-01-05,b,2,USD\n111222,Savings,2024-01-06,c,3,EUR\n"
    expect(statementOf(file).accounts).toMatchObject([
      { key: ":111222:savings", name: "Savings", currency: "EUR", rows: [{ description: "a" }, { description: "c" }] },
      { key: ":333444:checking", name: "Girokonto", currency: "USD", rows: [{ description: "b" }] }
    ])
    expect(statementOf(file.replace("USD", "XXL")).refused).toMatchObject([{ line: 3, element: "Currency" }])
    expect(only(statementOf(file.replace("USD", "EUR"), { accountNumber: "9" }).accounts)).toMatchObject({
      number: "9"
    })
  })

  it("keeps an id that repeats as reference only", () => {
    expect(rowsOf(idsFile("b")).map((row) => [row.providerId, row.reference])).toEqual([
      ["a", ""],
      ["b", ""]
    ])
    expect(rowsOf(idsFile("a")).map((row) => [row.providerId, row.reference])).toEqual([
      ["", "a"],
      ["", "a"]
    ])
  })

  it("takes columns by name or number, and names what is missing", () => {
    const file = "When,What,How much,Left\n2024-01-05,x,-1,-2\n"
    expect(faultOf(file)).toMatchObject({ line: 1, element: "amount" })
    expect(faultOf(file).message).toContain('The columns seen are "When", "What", "How much", "Left"')
    expect(faultOf(file).message).toContain("sourceConfig.csv.columns.amount")
    expect(only(rowsOf(file, { columns: { date: "When", description: "2", amount: "how much" } }))).toMatchObject({
      description: "x",
      amount: "-1"
    })
    expect(faultOf(file, { columns: { date: "Wann" } }).message).toContain('no column "Wann"')
    expect(faultOf(file, { columns: { dated: "When" } }).message).toContain("columns.dated")
    expect(faultOf("Date,Description\n2024-01-05,x\n").message).toContain("columns.amount")
  })

  it("reads a file without header by its content", () => {
    const file = "2024-01-05,Shop,-1.50,EUR\n2024-01-06,Work,20.00,EUR\n"
    const statement = statementOf(file)
    expect(statement.assumed["header"]).toBe("none")
    expect(only(statement.accounts).rows).toMatchObject([
      { line: 1, description: "Shop", amount: "-1.5" },
      { line: 2, description: "Work", amount: "20" }
    ])
    expect(faultOf("2024-01-05,1.50,2.50,3.50\n").message).toContain("columns.amount")
    expect(faultOf("hello world\n").message).toContain("columns.date")
  })

  it("skips what is no movement and says which line", () => {
    const file =
      "Date,Description,Amount,Status\n2024-01-05,a,1.00,booked\npending,b,2.00,\n2024-01-06,c,3.00,declined\n,,,\n" +
      "Date,Description,Amount,Status\n2024-01-07,d,4.00,pending\n,Total,5.00,\nEnd of file\n"
    const statement = statementOf(file)
    expect(only(statement.accounts).rows).toMatchObject([
      { description: "a", pending: false },
      { description: "d", pending: true }
    ])
    expect(
      statement.warnings.filter((warning) => warning.endsWith("row skipped")).map((warning) => warning.split(":")[0])
    ).toEqual(["line 3", "line 4", "line 8", "line 9"])
    expect(faultOf("Date,Description,Amount\n2024-01-05,a,1\n,b,2\n")).toMatchObject({ line: 3, element: "Date" })
    expect(faultOf("Date,Description,Amount\n2024-01-05,a,b,1\n")).toMatchObject({ line: 2 })
  })

  it("gives no account for a table without rows", () => {
    expect(statementOf("Date,Description,Amount\n")).toMatchObject({ accounts: [] })
    expect(statementOf("Date,Description,Amount\n").warnings).toContain("the file holds no rows")
  })
})

describe("CSV balances", () => {
  const rising = ["2024-01-05,a,1.00,11.00", "2024-01-06,b,-2.00,9.00", "2024-01-07,c,5.00,14.00"]

  it.each([
    ["rising", rising],
    ["falling", rising.toReversed()]
  ])("ties out %s rows", (_, rows) => {
    expect(only(statementOf(balancesFile(...rows)).accounts)).toMatchObject({
      openingBalance: "10",
      closingBalance: "14",
      balanceDate: "2024-01-07",
      difference: "0"
    })
  })

  it("ties out rows of one day in any order", () => {
    const day = ["2024-01-07,b,-2.00,9.00", "2024-01-07,c,5.00,14.00", "2024-01-07,d,1.00,15.00"]
    for (const order of [
      [0, 1, 2],
      [1, 0, 2],
      [2, 0, 1],
      [1, 2, 0]
    ]) {
      const rows = order.map((index) => day[index]!)
      expect(only(statementOf(balancesFile("2024-01-05,a,1.00,11.00", ...rows)).accounts)).toMatchObject({
        openingBalance: "10",
        closingBalance: "15",
        difference: "0"
      })
    }
  })

  it("reports what is missing, and where", () => {
    const statement = statementOf(balancesFile(rising[0]!, rising[2]!))
    expect(only(statement.accounts).difference).toBe("2")
    expect(statement.warnings.join()).toContain("line 3")
  })

  it("uses balance lines around the rows, and bridges rows without a balance", () => {
    const lines = balancesFile("2024-01-05,Opening balance,,10.00", ...rising, "2024-01-07,Closing balance,,14.00")
    expect(only(statementOf(lines).accounts)).toMatchObject({
      openingBalance: "10",
      closingBalance: "14",
      difference: "0"
    })
    expect(only(statementOf(balancesFile(rising[0]!, "2024-01-06,b,-2.00,", rising[2]!)).accounts).difference).toBe("0")
  })

  it("stays exact beyond the safe integers", () => {
    const rows = ["2024-01-05,a,0.00000001,9999999999999.00000001", "2024-01-06,b,-0.00000002,9999999999998.99999999"]
    expect(only(statementOf(balancesFile(...rows)).accounts).difference).toBe("0")
  })
})

describe("format detection", () => {
  it.each([
    ["!Type:Bank\nD1/1/24\n", "qif"],
    ["!Account\nNChecking\nTBank\n^\n!Type:Bank\nD1/1/24\nT-1.00\n^\n", "qif"],
    ["\ufeff\n!Option:AutoSwitch\n!Account\n", "qif"],
    ["D1/1/24\nT-1.00\nPShop\n^\n", "qif"],
    ['<?xml version="1.0"?><Document><BkToCstmrStmt><Stmt/></BkToCstmrStmt></Document>', "camt"],
    ["<Document><BkToCstmrAcctRpt><Rpt/></BkToCstmrAcctRpt></Document>", "camt"],
    ["<n:Document><n:BkToCstmrDbtCdtNtfctn><n:Ntfctn/></n:BkToCstmrDbtCdtNtfctn></n:Document>", "camt"],
    [":20:STARTUMS\n:25:12345678\n", "mt940"],
    ["{1:F01X}{2:O940X}{4:\r\n:20:X\r\n:25:12345678\r\n-}", "mt940"],
    ["\u0001\r\n:20:X\r\n:25:12345678\r\n", "mt940"],
    ["OFXHEADER:100\n\n<OFX></OFX>", "ofx"],
    ["Date,Description,Amount\n2024-01-01,x,1\n", "csv"]
  ])("tells %j as %s", (file, format) => {
    expect(statementOf(file).format).toBe(format)
  })

  it.each([
    ["%PDF-1.7 ...", "PDF"],
    ["PK\u0003\u0004...", "ZIP"],
    ["<!DOCTYPE html><html></html>", "web page"],
    ['<?xml version="1.0"?><pain.001/>', "XML"],
    ["<OFC>\n<DTD>2\n<CPAGE>1252\n<ACCTSTMT>", "OFC"],
    ["\n  %PDF-1.4 ...", "PDF"],
    ['{"a": 1}', "JSON"],
    ["", "empty"],
    [" \n ", "empty"],
    ["a\u0000b\u0000", "binary"]
  ])("refuses %j", (file, name) => {
    expect(faultOf(file)).toMatchObject({ line: 1, message: expect.stringContaining(name) as string })
  })

  it("goes by content: a cell that mentions <OFX> is still a table", () => {
    expect(only(rowsOf("Date,Description,Amount\n2024-01-05,<OFX> download fee,-1\n")).amount).toBe("-1")
  })
})
