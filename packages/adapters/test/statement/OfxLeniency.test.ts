/** What is wrong in an OFX file spoils as little as it can: a field, or a row, and the file only where that is not enough. */
import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { faultOf, only, statementOf } from "./reading.ts"

interface File {
  readonly rows?: string
  readonly balances?: string
  readonly period?: string
  readonly behind?: string
}

const row = (id: string, fields = "<DTPOSTED>20240105<TRNAMT>-1.50"): string =>
  `<STMTTRN>${fields}<FITID>${id}</STMTTRN>\n`

const [a, b] = [row("a"), row("b")]

/** Rows begin on line 4. */
const ofx = ({ balances = "", behind = "", period = "<DTSTART>20240101<DTEND>20240131", rows = a }: File): string =>
  "OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><BANKID>1<ACCTID>2</BANKACCTFROM>" +
  `<BANKTRANLIST>${period}\n${rows}</BANKTRANLIST>${balances}</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>${behind}`

const read = (file: File) => {
  const statement = statementOf(ofx(file))
  const account = only(statement.accounts)
  return {
    ids: account.rows.map(({ providerId }) => providerId),
    refused: (statement.refused ?? []).map(({ column, element, line, message }) => [line, column, element, message]),
    warnings: statement.warnings,
    account
  }
}

const totals = (opening: string, closing: string) =>
  `<LEDGERBAL><BALAMT>${closing}<DTASOF>20240131</LEDGERBAL><BALLIST><BAL><NAME>Opening Balance<VALUE>${opening}</BAL></BALLIST>`

describe("fields that an OFX file can do without", () => {
  it.each(["00000000", "20241301", "never"])(
    "leave out the date %s of a balance or a period, with a warning",
    (date) => {
      const { account, warnings } = read({
        balances: `<LEDGERBAL><BALAMT>5<DTASOF>${date}</LEDGERBAL>`,
        period: `<DTSTART>${date}<DTEND>${date}`
      })
      expect(account.closingBalance).toBe("5")
      for (const key of ["balanceDate", "from", "to"]) expect(account).not.toHaveProperty(key)
      expect(warnings).toEqual([
        `line 3: BANKTRANLIST.DTSTART "${date}" is not a date: left out`,
        `line 3: BANKTRANLIST.DTEND "${date}" is not a date: left out`,
        `line 5: LEDGERBAL.DTASOF "${date}" is not a date: left out`
      ])
    }
  )

  it("warn of a balance that has a date but no amount, or an amount but no date", () => {
    const { account, ids, warnings } = read({
      balances:
        "<LEDGERBAL><BALAMT> <DTASOF>20240131</LEDGERBAL><AVAILBAL><BALAMT>7</BALAMT><DTASOF></DTASOF></AVAILBAL>"
    })
    expect(account).not.toHaveProperty("closingBalance")
    expect([account.availableBalance, ids]).toEqual(["7", ["a"]])
    expect(warnings).toEqual([
      "line 5: LEDGERBAL.BALAMT is empty: a balance without an amount is left out",
      "line 5: AVAILBAL.DTASOF is empty: the balance has no day of its own"
    ])
  })

  it("take a balance without amount and date as absent", () => {
    const { account, warnings } = read({ balances: "<LEDGERBAL><BALAMT></BALAMT><DTASOF></DTASOF></LEDGERBAL>" })
    expect(account).not.toHaveProperty("closingBalance")
    expect(warnings).toEqual([])
  })

  it.each([
    ["$1,234.50", "1234.5"],
    ["1.234,50 EUR", "1234.5"],
    ["($5.00)", "-5"],
    ["USD 5.00", "5"],
    ["CHF -1'234.50", "-1234.5"]
  ])("read the formatted balance %s as %s, with a warning", (text, amount) => {
    const { account, warnings } = read({ balances: `<LEDGERBAL><BALAMT>${text}<DTASOF>20240131</LEDGERBAL>` })
    expect(account.closingBalance).toBe(amount)
    expect(warnings).toEqual([`line 5: LEDGERBAL.BALAMT "${text}" was read as ${amount}`])
  })

  it.each(["n/a", "$1,234", "1.2.3", "."])("leave out the balance %s, which says no amount", (text) => {
    const { account, warnings } = read({ balances: `<LEDGERBAL><BALAMT>${text}<DTASOF>20240131</LEDGERBAL>` })
    expect(account).not.toHaveProperty("closingBalance")
    expect(warnings).toEqual([`line 5: LEDGERBAL.BALAMT "${text}" is not an amount: left out`])
  })

  it("leave out a balance that is too large", () => {
    const { account, warnings } = read({ balances: "<AVAILBAL><BALAMT>12345678901234<DTASOF>20240131</AVAILBAL>" })
    expect(account).not.toHaveProperty("availableBalance")
    expect(warnings).toEqual([`line 5: AVAILBAL.BALAMT "12345678901234" is too large: left out`])
  })

  it("leave out the day on which a row was made", () => {
    const { account, ids, warnings } = read({ rows: row("a", "<DTPOSTED>20240105<DTUSER>00000000<TRNAMT>1") })
    expect(ids).toEqual(["a"])
    expect(account.rows[0]).not.toHaveProperty("authorizedDate")
    expect(warnings).toEqual([`line 4: STMTTRN.DTUSER "00000000" is not a date: left out`])
  })

  it.each(["\u0000", "\u0000\u0000\n", " \t\r\n", "\u001a"])("end a file with %j", (behind) => {
    expect(read({ behind })).toMatchObject({ ids: ["a"], warnings: [] })
  })

  it("give no row for a line that only states a balance", () => {
    const { ids, refused, warnings } = read({ rows: `${a}${row("x", "<DTPOSTED>20240105<TRNAMT>.")}${b}` })
    expect([ids, refused]).toEqual([["a", "b"], []])
    expect(warnings).toEqual([`line 5: STMTTRN.TRNAMT "." is no amount: a line without a movement gives no row`])
  })

  it("warn of what stands behind the end, and refuse rows there", () => {
    expect(read({ behind: "<NOTE>x</NOTE>" }).warnings).toEqual(["line 5: what stands behind </OFX> was not read"])
    expect(faultOf(ofx({ behind: `\n${b}` }))).toMatchObject({ line: 6, column: 1, element: "OFX" })
  })

  it("name fifty and count the others", () => {
    const { ids, warnings } = read({ rows: row("a", "<DTPOSTED>20240105<DTUSER>0<TRNAMT>1").repeat(60) })
    expect(ids).toHaveLength(60)
    expect(warnings).toHaveLength(51)
    expect(warnings.at(-1)).toBe("10 more warnings like these")
  })
})

describe("tags that are missing or wrong", () => {
  const noEnd = (id: string) => row(id).replace("</STMTTRN>", "")

  it.each([
    ["the end of a row before the next row", `${noEnd("a")}${b}`, "<STMTTRN> has no end tag: it ends before <STMTTRN>"],
    [
      "the end of a row at the end of the list",
      `${a}${noEnd("b")}`,
      "<STMTTRN> has no end tag: it ends before </BANKTRANLIST>"
    ],
    [
      "a wrong end of a leaf",
      `${a}${row("b").replace("<FITID>", "</NAME><FITID>")}`,
      "closing tag </NAME> without an open element was read over"
    ],
    ["an end of an unknown element", `${a}</EXT>${b}`, "closing tag </EXT> without an open element was read over"]
  ])("spoil nothing: %s", (_, rows, warning) => {
    const { ids, refused, warnings } = read({ rows })
    expect([ids, refused]).toEqual([["a", "b"], []])
    expect(warnings).toEqual([expect.stringContaining(warning)])
  })

  it.each([
    ["BANKTRANLIST", "</BANKTRANLIST>"],
    ["BANKACCTFROM", "</BANKACCTFROM>"],
    ["STMTRS", "</STMTRS>"],
    ["LEDGERBAL", "</LEDGERBAL>"]
  ])("are made clear by the parents where %s has no end", (name, tag) => {
    const whole = ofx({ rows: a + b, balances: totals("10", "7") })
    const account = only(statementOf(whole).accounts)
    const statement = statementOf(whole.replace(tag, ""))
    expect(only(statement.accounts)).toEqual(account)
    expect(statement.warnings).toEqual([expect.stringContaining(`<${name}> has no end tag`)])
  })

  it("take two statements apart where the first has no end", () => {
    const second = ofx({ rows: b })
      .replace("<ACCTID>2", "<ACCTID>3")
      .replace("OFXHEADER:100\n\n<OFX><BANKMSGSRSV1>", "")
    const both = ofx({}).replace("</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>", second)
    expect(statementOf(both).accounts.map(({ number, rows }) => [number, rows.length])).toEqual([
      ["2", 1],
      ["3", 1]
    ])
  })

  it("close a leaf behind a comment without a word", () => {
    expect(read({ rows: a.replace("<FITID>a", "<FITID>a</FITID><MEMO>m<!-- x --></MEMO>") }).warnings).toEqual([])
  })

  it("refuse the file where its account or the bank's answer is in doubt", () => {
    for (const tag of ["<BANKACCTFROM>", "<STMTRS>"]) {
      expect(faultOf(ofx({}).replace(tag, "")).message).toMatch(/without an open element|outside any statement/)
    }
    expect(faultOf(ofx({}).replace("<BANKTRANLIST>", "</STMTRS><BANKTRANLIST>")).message).toContain(
      "a row outside any statement"
    )
  })
})

describe("rows of an OFX file that cannot be read", () => {
  it.each([
    ["no date", "<TRNAMT>1", 1, "STMTTRN.DTPOSTED", "the row has no date"],
    ["a day that does not exist", "<DTPOSTED>20240231<TRNAMT>1", 10, "STMTTRN.DTPOSTED", `"20240231" is not a date`],
    ["no amount", "<DTPOSTED>20240105", 1, "STMTTRN.TRNAMT", "the row has no amount"],
    ["words for an amount", "<DTPOSTED>20240105<TRNAMT>null", 28, "STMTTRN.TRNAMT", `"null" is not an amount`],
    [
      "an amount that is too large",
      "<DTPOSTED>20240105<TRNAMT>-12345678901234.5",
      28,
      "STMTTRN.TRNAMT",
      `"-12345678901234.5" is too large: at most 13 digits`
    ],
    [
      "no currency",
      "<DTPOSTED>20240105<TRNAMT>1<CURRENCY><CURSYM>US$</CURRENCY>",
      47,
      "CURRENCY.CURSYM",
      `"US$" is not a currency`
    ],
    ["two amounts", "<DTPOSTED>20240105<TRNAMT>1<TRNAMT>2", 37, "STMTTRN.TRNAMT", "the row has two amounts"],
    ["two dates", "<DTPOSTED>20240105<DTPOSTED>20240106<TRNAMT>1", 28, "STMTTRN.DTPOSTED", "the row has two dates"],
    ["two ids", "<DTPOSTED>20240105<TRNAMT>1<FITID>y", 45, "STMTTRN.FITID", "the row has two ids"],
    [
      "an end of a part that has no beginning",
      "<DTPOSTED>20240105<TRNAMT>1<CURSYM>CHF</CURRENCY>",
      48,
      "STMTTRN",
      "closing tag </CURRENCY> without an open element"
    ]
  ])("are left out one by one, with line and column: %s", (_, fields, column, element, message) => {
    const { ids, refused, warnings } = read({ rows: `${a}${row("x", fields)}${b}` })
    expect([ids, warnings]).toEqual([["a", "b"], []])
    expect(refused).toEqual([[5, column, element, message]])
  })

  it("are those of which the beginning is lost", () => {
    const { ids, refused } = read({ rows: `${a}${row("x").replace("<STMTTRN>", "")}${b}` })
    expect(ids).toEqual(["a", "b"])
    expect(refused).toEqual([[5, 40, "STMTTRN", "the row has an end but no beginning"]])
  })

  it("are the two that were run together, of which one would be lost", () => {
    const { ids, refused } = read({ rows: `${a}${row("x")}${row("y")}${b}`.replace("x</STMTTRN>\n<STMTTRN>", "x\n") })
    expect(ids).toEqual(["a", "b"])
    expect(refused).toEqual([[6, 32, "STMTTRN.FITID", "the row has two ids"]])
  })

  it("refuse the file where no other row is left", () => {
    expect(faultOf(ofx({ rows: row("x", "<TRNAMT>1") + row("y", "<DTPOSTED>20240105") }))).toMatchObject({
      line: 4,
      column: 1,
      element: "STMTTRN.DTPOSTED",
      message: expect.stringContaining("the row has no date; none of the 2 rows can be read") as string
    })
  })

  it("refuse the file where its own balances then do not tie out", () => {
    const rows = `${a}${row("x", "<DTPOSTED>0<TRNAMT>-2")}`
    expect(read({ rows, balances: totals("10", "8.50") }).ids).toEqual(["a"])
    expect(faultOf(ofx({ rows, balances: totals("10", "6.50") }))).toMatchObject({
      line: 5,
      message: expect.stringContaining("the balances do not tie out, 2 is missing") as string
    })
  })

  it("have nothing to do with balances that do not tie out without them", () => {
    const { account, warnings } = read({ balances: totals("10", "6.50") })
    expect(account.difference).toBe("2")
    expect(warnings).toEqual(["the balances do not tie out: 2 is missing"])
  })

  it("count among the rows of a file", () => {
    const rows = row("x", "<DTPOSTED>20240105").repeat(200_000) + a
    expect(faultOf(ofx({ rows }))).toMatchObject({
      line: 200_004,
      message: expect.stringContaining("more than 200000 rows in one file: split the file by period") as string
    })
  })
})

describe("binary data", () => {
  it("is named with its place", () => {
    expect(faultOf(Buffer.from(ofx({ rows: a.replace("<FITID>", "\u0000<FITID>") })))).toMatchObject({
      line: 4,
      column: 41,
      message: "the file holds binary data: get it from the bank again"
    })
  })
})
