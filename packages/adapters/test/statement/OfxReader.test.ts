import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { faultOf, only, statementOf } from "./reading.ts"

const header =
  "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:USASCII\nCHARSET:1252\nCOMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n\n"

const signOn =
  "<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20240131<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1>"

interface Bank {
  readonly rows: string
  readonly balances?: string
  readonly currency?: string
  readonly head?: string
}

const bank = ({ rows, balances = "", currency = "USD", head = header }: Bank): string =>
  `${head}<OFX>${signOn}<BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STATUS><CODE>0<SEVERITY>INFO</STATUS><STMTRS><CURDEF>${currency}` +
  `<BANKACCTFROM><BANKID>0712<ACCTID>00 4711<ACCTTYPE>SAVINGS</BANKACCTFROM><BANKTRANLIST><DTSTART>20240101<DTEND>20240131\n${rows}` +
  `</BANKTRANLIST>${balances}</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n`

const row = (fields: string): string => `<STMTTRN>${fields}</STMTTRN>\n`
const simple = row("<TRNTYPE>DEBIT<DTPOSTED>20240105<TRNAMT>-1.50<FITID>a1<NAME>Bakery")
const firstRow = (file: string) => only(only(statementOf(file).accounts).rows)

const textsOf = (fields: string) => {
  const { description, originalDescription } = firstRow(bank({ rows: row(`<DTPOSTED>20240105<TRNAMT>1${fields}`) }))
  return [description, originalDescription]
}

const openingAndClosing = (opening: string) =>
  `<LEDGERBAL><BALAMT>98.50<DTASOF>20240131</LEDGERBAL><BALLIST><BAL><NAME>Opening Balance<DESC>x<BALTYPE>DOLLAR<VALUE>${opening}</BAL></BALLIST>`

const movement = (tag: string, inner: string, body: string): string =>
  `<${tag}>${inner === "" ? "" : `<${inner}>`}<INVTRAN><FITID>${tag}<DTTRADE>20240110<MEMO>memo</INVTRAN><SECID><UNIQUEID>US1</SECID>${body}${inner === "" ? "" : `</${inner}>`}</${tag}>`

const investments = (movements: string): string =>
  `${header}<OFX><INVSTMTMSGSRSV1><INVSTMTTRNRS><INVSTMTRS><DTASOF>20240131<CURDEF>USD<INVACCTFROM><BROKERID>b.example<ACCTID>77</INVACCTFROM>` +
  `<INVTRANLIST><DTSTART>20240101<DTEND>20240131${movements}</INVTRANLIST><INVBAL><AVAILCASH>12.30<BALLIST><BAL><NAME>Cash<VALUE>x</BAL></BALLIST></INVBAL>` +
  `</INVSTMTRS></INVSTMTTRNRS></INVSTMTMSGSRSV1><SECLISTMSGSRSV1><SECLIST><STOCKINFO><SECINFO><SECID><UNIQUEID>US1</SECID><SECNAME>Ore Inc</SECINFO></STOCKINFO></SECLIST></SECLISTMSGSRSV1></OFX>`

describe("OFX bank statements", () => {
  it("reads SGML with open leaf tags", () => {
    const account = only(
      statementOf(
        bank({
          rows: row(
            "<TRNTYPE>POS\n<DTPOSTED>20240105120000.000[-5:EST]\n<DTUSER>20240104\n<TRNAMT>-0012.50\n<FITID> a1 \n<CHECKNUM>0\n<REFNUM>R-9\n<NAME>Bakery\n<MEMO>Card 12\n"
          ),
          balances:
            "<LEDGERBAL><BALAMT>+1,234.50<DTASOF>20240131</LEDGERBAL><AVAILBAL><BALAMT>1000<DTASOF>20240131</AVAILBAL>"
        })
      ).accounts
    )
    expect(account).toMatchObject({
      key: "0712:004711:savings",
      number: "00 4711",
      type: "savings",
      currency: "USD",
      from: "2024-01-01",
      to: "2024-01-31",
      closingBalance: "1234.5",
      availableBalance: "1000",
      balanceDate: "2024-01-31"
    })
    expect(account).not.toHaveProperty("difference")
    expect(only(account.rows)).toEqual({
      line: 12,
      providerId: "a1",
      date: "2024-01-05",
      authorizedDate: "2024-01-04",
      amount: "-12.5",
      amountText: "-0012.50",
      currency: "USD",
      description: "Bakery",
      originalDescription: "Bakery Card 12",
      type: "CARD",
      reference: "R-9",
      pending: false
    })
  })

  it("reads XML with attributes, comments, CDATA, self-closed tags and lower case", () => {
    const file =
      '<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="211"?>\n<ofx xmlns="http://ofx.net"><!-- <STMTTRN> -->\n' +
      "<creditcardmsgsrsv1><ccstmttrnrs><ccstmtrs><curdef>EUR</curdef><ccacctfrom><acctid>4111</acctid></ccacctfrom><banktranlist>" +
      "<stmttrn><trntype>CREDIT</trntype><dtposted>20240105</dtposted><trnamt>5</trnamt><fitid>x</fitid><checknum/>" +
      "<name><![CDATA[A & B <shop> &amp;]]></name></stmttrn></banktranlist></ccstmtrs></ccstmttrnrs></creditcardmsgsrsv1></ofx>"
    const account = only(statementOf(file).accounts)
    expect(account).toMatchObject({ key: ":4111:credit_card", type: "credit_card", currency: "EUR" })
    expect(only(account.rows)).toMatchObject({ line: 4, amount: "5", description: "A & B <shop> &amp;", type: "OTHER" })
  })

  it.each([
    ["CRLF", "\r\n"],
    ["CR", "\r"],
    ["CR CR LF", "\r\r\n"]
  ])("reads %s line ends and junk before the header", (_, end) => {
    const file = `\n\n  junk\n${bank({ rows: simple })}`.replaceAll("\n", end)
    expect(firstRow(file)).toMatchObject({ amount: "-1.5", line: 15 })
  })

  it.each([
    ["&amp; &lt;b&gt; &#233; &#xE9; &nbsp;x &quot;q&quot;", '& <b> é é  x "q"'],
    ["AT&T &unknown; 5 < 6", "AT&T &unknown; 5 < 6"],
    ["1 <2 and <3", "1 <2 and <3"]
  ])("decodes entities and keeps what is none: %s", (text, expected) => {
    expect(firstRow(bank({ rows: row(`<DTPOSTED>20240105<TRNAMT>1<MEMO>${text}`) })).originalDescription).toBe(expected)
  })

  it("decodes windows-1252, and UTF-8 whatever the header says", () => {
    const file = bank({ rows: row("<DTPOSTED>20240105<TRNAMT>1<NAME>Caf\u00e9 \u0080 bar") })
    expect(only(only(statementOf(Buffer.from(file, "latin1")).accounts).rows).description).toBe("Café € bar")
    const utf8 = statementOf(bank({ rows: row("<DTPOSTED>20240105<TRNAMT>1<NAME>Café") }))
    expect(only(only(utf8.accounts).rows).description).toBe("Café")
    expect(utf8.assumed).toEqual({ encoding: "utf-8" })
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(file.replaceAll("\u0080", "€"), "utf16le")])
    expect(only(only(statementOf(utf16).accounts).rows).description).toBe("Café € bar")
  })

  it.each([
    ["+1", "1"],
    ["-00000000001500.0000", "-1500"],
    ["1234,56", "1234.56"],
    ["-1.234,56", "-1234.56"],
    ["1,234.56", "1234.56"],
    ["1.234.567,8", "1234567.8"],
    [".5", "0.5"],
    ["0,125", "0.125"],
    ["-0.00", "0"]
  ])("reads the amount %s as %s", (text, amount) => {
    expect(firstRow(bank({ rows: row(`<DTPOSTED>20240105<TRNAMT>${text}<FITID>1`) }))).toMatchObject({
      amount,
      amountText: text
    })
  })

  it("warns where a comma before three digits was read as grouping", () => {
    const statement = statementOf(bank({ rows: row("<DTPOSTED>20240105<TRNAMT>1,234<FITID>1") }))
    expect(only(only(statement.accounts).rows).amount).toBe("1234")
    expect(statement.warnings).toEqual([`line 12: "1,234" was read as 1234`])
    const dinar = statementOf(bank({ currency: "KWD", rows: row("<DTPOSTED>20240105<TRNAMT>1,234<FITID>1") }))
    expect(only(only(dinar.accounts).rows).amount).toBe("1.234")
  })

  it.each(["20240229", "20240229120000.123[-5:EST]", "20240229093914:014", "202402291200[+5.5:IST]"])(
    "reads the day of %s",
    (text) => {
      expect(firstRow(bank({ rows: row(`<DTPOSTED>${text}<TRNAMT>1<FITID>1`) })).date).toBe("2024-02-29")
    }
  )

  it.each([
    ["XFER", "-1", "TRANSFER_OUTGOING"],
    ["XFER", "1", "TRANSFER_INCOMING"],
    ["DIRECTDEP", "1", "DIRECT_CREDIT"],
    ["DIRECTDEBIT", "-1", "DIRECT_DEBIT"],
    ["POS", "-1", "CARD"],
    ["POS", "1", "REFUND"],
    ["ATM", "-1", "ATM"],
    ["CHECK", "-1", "CHECK"],
    ["SRVCHG", "-1", "FEE"],
    ["INT", "1", "INTEREST"],
    ["REPEATPMT", "-1", "PAYMENT"],
    ["Credit", "1", "OTHER"],
    ["SOMETHING", "1", "OTHER"]
  ])("calls %s of %s %s", (code, amount, type) => {
    expect(firstRow(bank({ rows: row(`<TRNTYPE>${code}<DTPOSTED>20240105<TRNAMT>${amount}<FITID>1`) })).type).toBe(type)
  })

  it("joins name and memo unless one contains the other", () => {
    expect(textsOf("<NAME>Shop  1<MEMO>paid by card")).toEqual(["Shop 1", "Shop  1 paid by card"])
    expect(textsOf("<NAME>Shop<MEMO>Shop paid")).toEqual(["Shop", "Shop paid"])
    expect(textsOf("<NAME>Shop paid<MEMO>Shop")).toEqual(["Shop paid", "Shop paid"])
    expect(textsOf("<NAME><MEMO>only memo")).toEqual(["only memo", "only memo"])
    expect(textsOf("<PAYEE><NAME>Plumber<CITY>Bonn</PAYEE><MEMO>pipe")).toEqual(["Plumber", "Plumber pipe"])
  })

  it("takes the currency of a row, but not that of an amount already converted", () => {
    const rows =
      row("<DTPOSTED>20240105<TRNAMT>1<FITID>1<CURRENCY><CURRATE>1.1<CURSYM>CHF</CURRENCY>") +
      row("<DTPOSTED>20240105<TRNAMT>1<FITID>2<ORIGCURRENCY><CURRATE>1.1<CURSYM>CHF</ORIGCURRENCY>")
    expect(only(statementOf(bank({ rows })).accounts).rows.map((each) => each.currency)).toEqual(["CHF", "USD"])
  })

  it("assumes the base currency where the file names none", () => {
    const statement = statementOf(bank({ rows: simple, currency: "" }), undefined, "CHF")
    expect(only(statement.accounts).currency).toBe("CHF")
    expect(only(only(statement.accounts).rows).currency).toBe("CHF")
    expect(statement.assumed).toEqual({ currency: "CHF" })
  })

  it("reads pending rows of OFX 2", () => {
    const rows = `${simple}</BANKTRANLIST><BANKTRANLISTP><DTASOF>20240131<STMTTRNP><TRNTYPE>POS<DTTRAN>20240130<TRNAMT>-3<NAME>Fuel</STMTTRNP></BANKTRANLISTP><BANKTRANLIST>`
    expect(only(statementOf(bank({ rows })).accounts).rows).toMatchObject([
      { pending: false },
      { pending: true, date: "2024-01-30", amount: "-3" }
    ])
  })

  it("ties out when the file states an opening balance", () => {
    expect(only(statementOf(bank({ rows: simple, balances: openingAndClosing("100.00") })).accounts).difference).toBe(
      "0"
    )
    expect(only(statementOf(bank({ rows: simple, balances: openingAndClosing("110.00") })).accounts).difference).toBe(
      "10"
    )
  })

  it("ignores unknown elements, closed or not", () => {
    const fields = "<DTPOSTED>20240105<X.FLAG>\n<TRNAMT>1<EXT><TRNAMT>99<NAME>no</EXT><Y>\n<FITID>1"
    expect(firstRow(bank({ rows: row(fields) }))).toMatchObject({ amount: "1", description: "", providerId: "1" })
  })

  it("puts two statements of one account together", () => {
    const one = bank({ rows: simple, balances: "<LEDGERBAL><BALAMT>5<DTASOF>20240131</LEDGERBAL>" })
    const two = one
      .replaceAll("202401", "202402")
      .replaceAll("20240231", "20240229")
      .replace("<BALAMT>5", "<BALAMT>7")
      .replace(header, "")
    const account = only(statementOf(`${one}${two}`).accounts)
    expect(account).toMatchObject({ from: "2024-01-01", to: "2024-02-29", closingBalance: "7" })
    expect(account.rows.map((each) => each.date)).toEqual(["2024-01-05", "2024-02-05"])
  })
})

describe("OFX investment statements", () => {
  it("gives the cash movements and counts the others", () => {
    const statement = statementOf(
      investments(
        movement("BUYSTOCK", "INVBUY", "<UNITS>2<TOTAL>-20.10") +
          movement("SELLMF", "INVSELL", "<TOTAL>30") +
          movement("INCOME", "", "<INCOMETYPE>INTEREST<TOTAL>1") +
          movement("INVEXPENSE", "", "<TOTAL>-2") +
          movement("RETOFCAP", "", "<TOTAL>3") +
          movement("MARGININTEREST", "", "<TOTAL>-4") +
          movement("REINVEST", "", "<TOTAL>-9") +
          movement("TRANSFER", "", "<UNITS>1") +
          movement("TRANSFER", "", "<UNITS>1") +
          "<INVBANKTRAN><STMTTRN><TRNTYPE>DEP<DTPOSTED>20240111<TRNAMT>+0005.00<FITID>d</STMTTRN><SUBACCTFUND>CASH</INVBANKTRAN>"
      )
    )
    const account = only(statement.accounts)
    expect(account).toMatchObject({
      key: "BEXAMPLE:77:investment",
      availableBalance: "12.3",
      balanceDate: "2024-01-31"
    })
    expect(account.rows.map((each) => [each.providerId, each.amount, each.type])).toEqual([
      ["BUYSTOCK", "-20.1", "OTHER"],
      ["SELLMF", "30", "OTHER"],
      ["INCOME", "1", "INTEREST"],
      ["INVEXPENSE", "-2", "FEE"],
      ["RETOFCAP", "3", "OTHER"],
      ["MARGININTEREST", "-4", "INTEREST"],
      ["d", "5", "OTHER"]
    ])
    expect(account.rows[0]).toMatchObject({
      description: "memo",
      originalDescription: "memo Ore Inc",
      date: "2024-01-10"
    })
    expect(statement.warnings).toEqual([
      "3 movements of securities without cash effect give no row: 1 REINVEST, 2 TRANSFER"
    ])
  })

  it("refuses a movement without its total", () => {
    expect(faultOf(investments(movement("BUYSTOCK", "INVBUY", "<UNITS>2")))).toMatchObject({
      element: "BUYSTOCK.TOTAL",
      line: 11
    })
  })
})

describe("OFX faults", () => {
  it.each([
    ["no date", row("<TRNAMT>1<FITID>1"), "STMTTRN.DTPOSTED", 12],
    ["an empty date", row("<DTPOSTED></DTPOSTED><TRNAMT>1<FITID>1"), "STMTTRN.DTPOSTED", 12],
    ["a day that does not exist", row("\n<DTPOSTED>20120231<TRNAMT>1"), "STMTTRN.DTPOSTED", 13],
    ["a month that does not exist", row("<DTPOSTED>201120000000<TRNAMT>1"), "STMTTRN.DTPOSTED", 12],
    ["no amount", row("<DTPOSTED>20240105<TRNAMT>\n<FITID>1"), "STMTTRN.TRNAMT", 12],
    ["a currency sign", row("<DTPOSTED>20240105<TRNAMT>$120<FITID>1"), "STMTTRN.TRNAMT", 12],
    ["words for an amount", row("<DTPOSTED>20240105<TRNAMT>null<FITID>1"), "STMTTRN.TRNAMT", 12],
    ["two decimal points", row("<DTPOSTED>20240105<TRNAMT>1.2.3<FITID>1"), "STMTTRN.TRNAMT", 12]
  ])("names line and element of %s", (_, rows, element, line) => {
    expect(faultOf(bank({ rows }))).toMatchObject({ element, line })
  })

  it("repeats the code and message of a failed status", () => {
    const failed = bank({ rows: simple }).replace(
      "<CODE>0<SEVERITY>INFO</STATUS><DTSERVER>",
      "<CODE>15500\n<SEVERITY>ERROR<MESSAGE>Wrong &amp; bad</STATUS><DTSERVER>"
    )
    expect(faultOf(failed)).toMatchObject({
      element: "STATUS",
      line: 11,
      message: "STATUS: the bank answered with status 15500: Wrong & bad (get the file from the bank again)"
    })
    expect(faultOf(bank({ rows: simple }).replace("<CODE>0", "<CODE>2000")).message).toContain("2000")
  })

  it("gives no account and a warning when there is no statement", () => {
    expect(statementOf(`${header}<OFX></OFX>`)).toMatchObject({
      format: "ofx",
      accounts: [],
      warnings: ["the file holds no statement"]
    })
    expect(statementOf(`${header}<OFX>${signOn}</OFX>`)).toMatchObject({ accounts: [] })
  })

  it("refuses files that end early and says where", () => {
    const whole = bank({ rows: simple })
    expect(faultOf(whole.slice(0, whole.indexOf("</STMTTRN>"))).message).toContain("ends inside <STMTTRN>")
    expect(faultOf(whole.slice(0, whole.indexOf("</OFX>")))).toMatchObject({ element: "OFX", line: 13 })
    expect(faultOf(header)).toMatchObject({ element: "OFX", line: 1 })
  })

  it("refuses rows beyond the limit", () => {
    const fault = faultOf(bank({ rows: "<STMTTRN><DTPOSTED>20240105<TRNAMT>1</STMTTRN>".repeat(200_001) }))
    expect(fault.message).toContain("more than 200000 rows")
  })

  it("refuses elements nested without end", () => {
    const deep = "<A>".repeat(5_000) + "</A>".repeat(5_000)
    expect(faultOf(bank({ rows: deep })).message).toBe("elements are nested too deep")
  })
})
