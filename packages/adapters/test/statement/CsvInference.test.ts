/** What a CSV file does not say in so many words: whose account, which way, what text, which currency. */
import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { faultOf, only, statementOf } from "./reading.ts"

const rowsOf = (...input: Parameters<typeof statementOf>) =>
  statementOf(...input).accounts.flatMap((account) => account.rows)
const amounts = (...input: Parameters<typeof statementOf>) => rowsOf(...input).map((row) => row.amount)
const warnings = (...input: Parameters<typeof statementOf>) => statementOf(...input).warnings.join("\n")
const file = (...lines: ReadonlyArray<string>) => `${lines.join("\n")}\n`

/** Rows of the first days of January 2024. */
const dated = (header: string, ...rows: ReadonlyArray<string>) =>
  file(header, ...rows.map((row, at) => `2024-01-0${at + 1},${row}`))
/** The text with its letters beyond ASCII as single bytes. */
const bytesOf = (word: string, high: Readonly<Record<string, number>>) =>
  Buffer.from([...german(word)].map((each) => high[each] ?? each.charCodeAt(0)))
const german = (word: string) => file("Datum;Text;Betrag", `05.01.2024;${word};-5,00`)

describe("the other side's account", () => {
  it("stands beside a payee", () => {
    const statement = statementOf(
      file("Datum;Empfänger;IBAN;Zweck;Betrag", "05.01.2024;Shop;DE12500105170648489890;Brot;-1,50")
    )
    expect(only(statement.accounts)).toMatchObject({ number: "" })
    expect(statement.assumed["columns"]).toContain("otherAccount=IBAN")
    expect(statement.warnings.join()).toContain("columns.account")
  })

  it("differs from row to row where the preamble or another column names the own one", () => {
    const preamble = file(
      "Kontonummer:;DE89370400440532013000",
      "Datum;Kontonummer;Zweck;Betrag",
      "05.01.2024;DE12500105170648489890;Brot;-1,50",
      "06.01.2024;DE02120300000000202051;Wein;-2,50"
    )
    expect(statementOf(preamble).accounts).toMatchObject([{ key: "DE89370400440532013000", rows: [{}, {}] }])
    const column = file(
      "Auftragskonto;Datum;Zweck;Kontonummer;Betrag",
      "111222333;05.01.2024;Brot;444555666;-1,50",
      "111222333;06.01.2024;Wein;777888999;-2,50"
    )
    expect(statementOf(column).accounts).toMatchObject([{ number: "111222333", rows: [{}, {}] }])
  })

  it("is the own one where `columns.account` says so, and none where it is blank", () => {
    const text = file("Date,Payee,IBAN,Amount", "2024-01-05,Shop,DE12500105170648489890,-1.50")
    expect(only(statementOf(text, { columns: { account: "IBAN" } }).accounts).key).toBe("DE12500105170648489890")
    const own = file("IBAN,Date,Text,Amount", "DE12500105170648489890,2024-01-05,Shop food,-1.50")
    expect(only(statementOf(own).accounts).key).toBe("DE12500105170648489890")
    expect(only(statementOf(own, { columns: { account: "" } }).accounts).number).toBe("")
  })
})

describe("signs", () => {
  it.each([
    [
      "debit written as positive beside negative credits",
      "Date,Text,Type,Amount",
      ["a b,debit,5", "c d,credit,-9"],
      ["-5", "9"]
    ],
    [
      "the balance, against the word",
      "Date,Text,Type,Amount,Balance",
      ["a b,debit,5,105", "c d,debit,-9,96", "e f,debit,-1,95"],
      ["5", "-9", "-1"]
    ],
    [
      "the balance, against the sign",
      "Date,Text,Amount,Balance",
      ["a b,5,-105", "c d,9,-114", "e f,-14,-100"],
      ["-5", "-9", "14"]
    ],
    [
      "a negative credit among others, by the balance",
      "Date,Text,Debit,Credit,Balance",
      ["a b,5,,95", "c d,,-10,85", "e f,,20,105"],
      ["-5", "-10", "20"]
    ],
    ["negative credits alone", "Date,Text,Debit,Credit", ["a b,5,", "c d,,-10"], ["-5", "10"]],
    [
      "a card whose payments are negative",
      "Date,Description,Amount",
      ["Coffee,5.00", "PAYMENT - THANK YOU,-90.00", "Books,12.00"],
      ["-5", "90", "-12"]
    ],
    ["a debit column beside unsigned amounts", "Date,Text,Debit,Amount", ["a b,5,5", "c d,,9"], ["-5", "9"]]
  ])("follow %s, and say it with the line", (_, header, rows, expected) => {
    const text = dated(header, ...rows)
    expect(amounts(text)).toEqual(expected)
    expect(warnings(text)).toMatch(/line \d+: /)
  })

  it("of one contradiction among many rows stay, and are named", () => {
    const text = dated("Date,Text,Type,Amount", "a b,debit,-5", "c d,debit,-9", "e f,debit,3")
    expect(amounts(text)).toEqual(["-5", "-9", "3"])
    expect(warnings(text)).toContain("line 4: Type and the sign of the amount contradict each other")
    expect(amounts(text, { columns: { sign: "Type" } })).toEqual(["-5", "-9", "-3"])
    expect(warnings(text, { columns: { sign: "" } })).not.toContain("contradict")
  })

  it("of unsigned amounts follow the balances; the first row says that nothing does", () => {
    const text = dated("Date,Text,Amount,Balance", "a b,5,95", "c d,10,105", "e f,5.50,99.50")
    expect(amounts(text)).toEqual(["5", "10", "-5.5"])
    expect(warnings(text)).toContain("line 2: no balance before it says whether money leaves")
  })

  it("of a card whose balance is what is owed turn the balance too", () => {
    const text = file("Credit card 1234", "Date,Text,Amount,Balance", "2024-01-01,a b,5,105", "2024-01-02,c d,9,114")
    expect(only(statementOf(text).accounts)).toMatchObject({
      type: "credit_card",
      closingBalance: "-114",
      difference: "0"
    })
    expect(amounts(text)).toEqual(["-5", "-9"])
    expect(only(statementOf(text, { negate: false }).accounts)).toMatchObject({ closingBalance: "114" })
  })

  it("in side columns are kept or ignored as told", () => {
    const text = dated("Date,Text,Debit,Credit", "a b,5,", "c d,-7,", "e f,,9")
    expect(amounts(text)).toEqual(["-5", "-7", "9"])
    expect(warnings(text)).toContain("line 3: Debit holds a negative amount")
    expect(amounts(text, { sideSigns: "keep" })).toEqual(["-5", "7", "9"])
  })
})

describe("texts", () => {
  it("of an unknown header are the column that says most, with a warning; single letters are none", () => {
    const text = file("Date,Foo,Amount,Kind of", "2024-01-05,alpha shop,-5.00,D", "2024-01-06,beta market,-10.00,C")
    expect(rowsOf(text).map((row) => row.description)).toEqual(["alpha shop", "beta market"])
    expect(warnings(text)).toContain("no header names the descriptions: Foo read")
    const letters = file("Date,Text,Note,Amount", "2024-01-05,D,bread and wine,-5", "2024-01-06,D,a train ticket,-6")
    expect(rowsOf(letters).map((row) => row.description)).toEqual(["bread and wine", "a train ticket"])
  })

  it("of a row without a date and an amount belong to the row above", () => {
    const text = file("Date,Description,Amount", "2024-01-05,alpha,-5", ",and more,", ",at last,", "2024-01-06,beta,-6")
    expect(rowsOf(text).map((row) => row.description)).toEqual(["alpha and more at last", "beta"])
    expect(warnings(text)).toContain("line 3: text without a date and an amount, added to the row above")
  })

  it("tell the merchant from the holder of the account", () => {
    const both = file(
      "Buchungstag;Auftraggeber;Empfänger;Zweck;Betrag",
      "05.01.2024;Ada L;Shop AG;Brot;-5,00",
      "06.01.2024;Work AG;Ada L;Lohn;100,00"
    )
    expect(rowsOf(both).map((row) => row.merchantName)).toEqual(["Shop AG", "Work AG"])
    const one = file(
      "Date,Name,Text,Amount",
      ...["alpha x", "beta x", "gamma x"].map((t, at) => `2024-01-0${at + 1},Ada L,${t},-5`)
    )
    expect(rowsOf(one).map((row) => row.merchantName)).toEqual([undefined, undefined, undefined])
    expect(warnings(one)).toContain("Name holds one name in every row")
  })
})

describe("currencies", () => {
  const row = "2024-01-05,alpha shop,-5.00"
  it.each([
    ["a header", file("Date,Text,CAD$", row), "CAD", false],
    ["a preamble", file("Currency:,SEK", "Date,Text,Amount", row), "SEK", false],
    ["a cell", file("Date,Text,Amount", "2024-01-05,alpha shop,-5.00 DKK"), "DKK", false],
    ["an old one in a column", file("Date,Text,Amount,Currency", `${row},DEM`), "DEM", false],
    ["the country of the account", file("IBAN:,CH9300762011623852957", "Date,Text,Amount", row), "CHF", true],
    ["the language", file("Data operacji;Opis;Kwota", "2024-01-05;zakup;-5,00"), "PLN", true],
    ["a decimal comma", file("Date;Text;Amount", "2024-01-05;alpha shop;-5,00"), "EUR", true],
    ["the workspace", file("Date,Text,Amount", row), "USD", true]
  ])("come from %s, before anything less certain", (_, text, currency, guess) => {
    expect(only(rowsOf(text, undefined, "USD")).currency).toBe(currency)
    expect(/currency/.test(warnings(text, undefined, "USD"))).toBe(guess)
  })

  it("of two amount columns are those of their headers", () => {
    const text = file("Date,Text,CAD$,USD$", "2024-01-05,alpha shop,-5.00,", "2024-01-06,beta shop,,-6.00")
    expect(rowsOf(text).map((each) => [each.amount, each.currency])).toEqual([
      ["-5", "CAD"],
      ["-6", "USD"]
    ])
  })
})

describe("columns that no header names", () => {
  it.each([
    [
      "Gross and Net beside a balance",
      file("Date,Name,Gross,Fee,Net,Balance", "2024-01-05,A b,-10,0,-10,90", "2024-01-06,C d,50,-2,48,138"),
      ["-10", "48"]
    ],
    [
      "Outflow and Inflow",
      file("Date,Payee,Outflow,Inflow", "2024-01-05,A b,$5.00,$0.00", "2024-01-06,C d,$0.00,$9.00"),
      ["-5", "9"]
    ],
    [
      "Amount (total)",
      file(
        "Datetime,Note,Amount (total),Amount (tip)",
        "2024-01-05T10:00:00,dinner,- $20.00,",
        "2024-01-06T10:00:00,rent,+ $9.00,"
      ),
      ["-20", "9"]
    ],
    ["net", file("Day,what,net", "2024-01-05,A b,-5.00"), ["-5"]],
    ["Run Date", file("Run Date,Action,Amount ($)", "04/17/2023 as of 04/15/2023,DIVIDEND RECEIVED,-5.00"), ["-5"]],
    ["datum verrichting", file("datum verrichting;omschrijving;bedrag", "05/01/2024;brood;-5,00"), ["-5"]],
    ["words that nobody knows", file("Qqq,Www,Eee", "2024-01-05,alpha shop,-5.00"), ["-5"]]
  ])("are told by what they hold: %s", (_, text, expected) => {
    expect(amounts(text)).toEqual(expected)
  })

  it("reads dates with a full stop, another day behind, and a word for pending", () => {
    const text = file("Date,Text,Amount", "2019.04.19.,a b,-1", "Pending,c d,-2", "2019.04.20.,e f,-3")
    expect(rowsOf(text).map((each) => each.date)).toEqual(["2019-04-19", "2019-04-20"])
    const asOf = file("Date,Text,Amount", "04/17/2023 as of 04/15/2023,a b,-1")
    expect(only(rowsOf(asOf)).date).toBe("2023-04-17")
  })

  it("skips rows without an amount, each by its line and all counted", () => {
    const text = file(
      "Date,Text,Amount",
      "2024-01-05,a b,-1",
      "2024-01-05,part one,",
      "2024-01-05,part two,-",
      "2024-01-06,c d,-2"
    )
    expect(amounts(text)).toEqual(["-1", "-2"])
    expect(warnings(text)).toContain("line 3: without an amount, row skipped")
    expect(warnings(text)).toContain("2 rows without an amount skipped in all")
  })

  it("refuses what is not certain, with the columns that were seen and what to set", () => {
    const fault = faultOf(file("Date,One,Two", "2024-01-05,1.50,2.50"))
    expect(fault.message).toContain('The columns seen are "Date", "One", "Two"')
    expect(fault.message).toContain("sourceConfig.csv.columns.amount")
    expect(amounts(file("Date,One,Two", "2024-01-05,1.50,2.50"), { columns: { amount: "Two" }, negate: true })).toEqual(
      ["-2.5"]
    )
  })
})

describe("rows that cannot be read", () => {
  it("are named with line and column, and the others are read", () => {
    const text = file(
      "Date,Text,Amount",
      "2024-01-05,a b,-1",
      "2024-01-06,c d,many",
      "2024-02-31,e f,-2",
      "2024-01-07,g h,-99999999999999",
      ...[8, 9, 10].map((day) => `2024-01-${day},i j,-3`)
    )
    const statement = statementOf(text)
    expect(only(statement.accounts).rows).toHaveLength(4)
    expect(statement.refused).toMatchObject([
      { line: 3, element: "Amount", message: '"many" is not an amount' },
      { line: 4, element: "Date", message: '"2024-02-31" is not a date' },
      { line: 5, element: "Amount", message: '"-99999999999999" is too large: amounts are below 10,000,000,000,000' }
    ])
  })

  it("refuse the file where they are as many as the others", () => {
    expect(faultOf(file("Date,Text,Amount", "2024-01-05,a b,-1", "2024-01-06,c d,many"))).toMatchObject({
      line: 3,
      element: "Amount",
      message: expect.stringContaining("1 of 2 rows cannot be read") as string
    })
  })
})

describe("encodings", () => {
  it.each([
    [
      "windows-1250",
      "Příliš žluťoučký kůň",
      { ř: 0xf8, í: 0xed, š: 0x9a, ž: 0x9e, ť: 0x9d, č: 0xe8, ý: 0xfd, ů: 0xf9, ň: 0xf2 }
    ],
    [
      "windows-1250",
      "Zażółć gęślą jaźń",
      { ż: 0xbf, ó: 0xf3, ł: 0xb3, ć: 0xe6, ę: 0xea, ś: 0x9c, ą: 0xb9, ź: 0x9f, ń: 0xf1 }
    ],
    ["windows-1251", "оплата", { о: 0xee, п: 0xef, л: 0xeb, а: 0xe0, т: 0xf2 }],
    ["koi8-u", "оплата", { о: 0xcf, п: 0xd0, л: 0xcc, а: 0xc1, т: 0xd4 }],
    ["windows-1254", "İşlem ağaç", { İ: 0xdd, ş: 0xfe, ğ: 0xf0, ç: 0xe7 }],
    ["windows-1257", "mokėjimas už šį", { ė: 0xeb, ž: 0xfe, š: 0xf0, į: 0xe1 }],
    ["windows-1252", "Bäcker Größe", { ä: 0xe4, ö: 0xf6, ß: 0xdf }]
  ])("are guessed by the letters they give, with a warning: %s", (encoding, word, high) => {
    const statement = statementOf(bytesOf(word, high))
    expect([statement.assumed["encoding"], only(only(statement.accounts).rows).description]).toEqual([encoding, word])
    expect(statement.warnings.join()).toContain(`encoding guessed: ${encoding}`)
  })

  it("are any that the platform knows, where the options name them", () => {
    const bytes = Buffer.concat([
      Buffer.from("Date,Text,Amount\n2024-01-05,"),
      Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
      Buffer.from(",-5\n")
    ])
    expect(only(rowsOf(bytes, { encoding: "shift_jis" })).description).toBe("日本")
  })

  it("are told for UTF-16 without a mark", () => {
    expect(only(rowsOf(Buffer.from(german("Brot und Wein"), "utf16le"))).description).toBe("Brot und Wein")
  })
})

describe("a header line", () => {
  it("is the one that the options name, or none", () => {
    const text = file("Date,Amount", "a,b", "Date,Text,Amount", "2024-01-05,alpha shop,-5.00")
    expect(only(rowsOf(text, { headerLine: 3 })).description).toBe("alpha shop")
    expect(faultOf(text, { headerLine: 9 })).toMatchObject({ line: 9, element: "headerLine" })
    expect(only(rowsOf(file("2024-01-05,alpha shop,-5.00"), { headerLine: 0 })).amount).toBe("-5")
  })
})
