import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { faultOf, only, statementOf } from "./reading.ts"

const qif = (...records: ReadonlyArray<string>): string => records.map((record) => `${record}\n`).join("")
const record = (...lines: ReadonlyArray<string>): string => [...lines, "^"].join("\n")
const rowsOf = (file: string | Uint8Array, ...more: ReadonlyArray<Parameters<typeof statementOf>[1]>) =>
  only(statementOf(file, ...more).accounts).rows

const dates = (...days: ReadonlyArray<string>) =>
  qif("!Type:Bank", ...days.map((day) => record(`D${day}`, "T-1.50", "PShop")))

describe("QIF files", () => {
  it("give each record its day, amount, texts, category and reference", () => {
    const file = qif(
      "!Type:Bank",
      record("D12/19/2018", "T-1,100.58", "N1042", "POutlet", "MShoes", "LExpenses:Shopping", "C*")
    )
    expect(rowsOf(file)).toMatchObject([
      {
        line: 2,
        date: "2018-12-19",
        amount: "-1100.58",
        amountText: "-1,100.58",
        description: "Outlet",
        originalDescription: "Outlet Shoes",
        category: "Expenses:Shopping",
        reference: "1042",
        type: "CHECK",
        pending: false
      }
    ])
  })

  it.each([
    [
      ["12/19/18", "1/ 2/19"],
      ["2018-12-19", "2019-01-02"]
    ],
    [
      ["12/19/98", "1/ 2' 4", "6/30'19"],
      ["1998-12-19", "2004-01-02", "2019-06-30"]
    ],
    [
      ["19/12/2018", "02/01/2019"],
      ["2018-12-19", "2019-01-02"]
    ],
    [
      ["19.12.18", "2.1.2019"],
      ["2018-12-19", "2019-01-02"]
    ],
    [
      ["2018-12-19", "2019-01-02"],
      ["2018-12-19", "2019-01-02"]
    ],
    [
      ["12-19-2018", "01-02-2019"],
      ["2018-12-19", "2019-01-02"]
    ],
    [
      ["20181219", "20190102"],
      ["2018-12-19", "2019-01-02"]
    ]
  ])("tell the order of the days %j by all of them", (days, expected) => {
    expect(rowsOf(dates(...days)).map(({ date }) => date)).toEqual(expected)
  })

  it("say what they had to guess, and how to say it oneself", () => {
    const file = dates("01/02/2019")
    const { assumed, warnings } = statementOf(file)
    expect(assumed).toEqual({ decimal: ".", dateFormat: "DD/MM/YYYY", currency: "EUR" })
    expect(warnings).toEqual([
      "dateFormat ambiguous: read as DD/MM/YYYY, set sourceConfig.csv.dateFormat to override",
      "no currency is named: EUR assumed, set sourceConfig.csv.currency to override"
    ])
    expect(only(statementOf(file, undefined, "USD").accounts).rows[0]!.date).toBe("2019-01-02")
    const told = statementOf(file, {
      dateFormat: "MM/DD/YYYY",
      currency: "CHF",
      decimal: ".",
      negate: true,
      accountNumber: "CH9300762011623852957"
    })
    expect(told).toMatchObject({
      assumed: {},
      warnings: [],
      accounts: [{ key: "CH9300762011623852957", currency: "CHF", rows: [{ date: "2019-01-02", amount: "1.5" }] }]
    })
  })

  it("tell the decimal sign by all amounts", () => {
    const file = qif("!Type:Bank", record("D2019-01-02", "T1.234", "Pa"), record("D2019-01-02", "T-7,50", "Pb"))
    expect(rowsOf(file).map(({ amount }) => amount)).toEqual(["1234", "-7.5"])
  })

  it("hold several accounts, in lists and one by one", () => {
    const file = qif(
      "!Option:AutoSwitch",
      "!Account",
      record("NChecking Main", "TBank"),
      record("NVisa", "TCCard", "L5,000"),
      "!Clear:AutoSwitch",
      "!Option:AutoSwitch",
      "!Account",
      record("NChecking Main", "TBank"),
      "!Type:Bank",
      record("D2019-01-02", "T-1.00", "Pa"),
      "!Type:Cat",
      record("NFood", "E"),
      "!Account",
      record("NVisa", "TCCard"),
      "!Type:CCard",
      record("D2019-01-03", "T-2.00", "Pb"),
      "!Account",
      record("NChecking Main", "TBank"),
      "!Type:Bank",
      record("D2019-01-04", "T-3.00", "Pc")
    )
    expect(statementOf(file).accounts).toMatchObject([
      { name: "Checking Main", type: "checking", rows: [{ amount: "-1" }, { amount: "-3" }] },
      { name: "Visa", type: "credit_card", rows: [{ amount: "-2" }] }
    ])
  })

  it.each([
    ["Cash", "other"],
    ["Oth A", "other"],
    ["Oth L", "loan"],
    ["CCard", "credit_card"],
    ["Bank", "unknown"]
  ])("read accounts of type %s", (name, type) => {
    expect(statementOf(qif(`!Type:${name}`, record("D2019-01-02", "T-1.00"))).accounts).toMatchObject([{ type }])
  })

  it("take the opening balance for a balance and a name, and tie out what an account states", () => {
    const file = qif(
      "!Account",
      record("NHome", "TBank", "/1/31/2019", "$8.50"),
      "!Type:Bank",
      record("D1/1/2019", "T10.00", "POpening Balance", "L[Home]"),
      record("D1/30/2019", "T-1.50", "PShop")
    )
    expect(statementOf(file)).toMatchObject({
      accounts: [
        {
          name: "Home",
          openingBalance: "10",
          closingBalance: "8.5",
          balanceDate: "2019-01-31",
          difference: "0",
          rows: [{ amount: "-1.5" }]
        }
      ]
    })
    const bare = qif(
      "!Type:Bank",
      record("D1/13/2019", "T10.00", "POpening Balance", "L[Home]"),
      record("D1/30/2019", "T-1.50", "PShop")
    )
    expect(only(statementOf(bare).accounts)).toMatchObject({ name: "Home", openingBalance: "10" })
    // Of an earlier day: it says nothing of these rows.
    expect(only(statementOf(file.replace("/1/31/2019", "/1/3/2019")).accounts)).not.toHaveProperty("closingBalance")
  })

  it("keep a split row one row, check its parts, and know transfers", () => {
    const file = qif(
      "!Type:Bank",
      record("D1/13/2019", "T-10.00", "PMarket", "LFood", "SFood", "$-7.00", "SHome", "EBrush", "$-3.00"),
      record("D1/14/2019", "T-4.00", "PShop", "SFood", "$-1.00", "SFood", "$-3.00"),
      record("D1/15/2019", "T-4.00", "PWrong", "SFood", "$-1.00"),
      record("D1/16/2019", "T-4.00", "PSave", "L[Savings]")
    )
    const { accounts, warnings } = statementOf(file)
    expect(only(accounts).rows.map(({ amount, category, type }) => [amount, category, type])).toEqual([
      ["-10", undefined, "OTHER"],
      ["-4", "Food", "OTHER"],
      ["-4", "Food", "OTHER"],
      ["-4", undefined, "TRANSFER_OUTGOING"]
    ])
    expect(warnings.slice(0, 2)).toEqual([
      "line 20: the splits come to -1, the row to -4: the row counts",
      "1 rows are split over several categories: each is one row, without a category"
    ])
  })

  it("book what brokerage records do to the cash, and count what does nothing to it", () => {
    const file = qif(
      "!Account",
      record("NDepot", "TInvst"),
      "!Type:Invst",
      record("D1/13/2019", "NBuy", "YACME", "I10.50", "Q10", "T105.00", "O1.00"),
      record("D1/14/2019", "NSell", "YACME", "T50.00"),
      record("D1/15/2019", "NIntInc", "T1.25", "PInterest"),
      record("D1/16/2019", "NBuyX", "YACME", "T9.00", "L[Checking]", "$9.00"),
      record("D1/17/2019", "NReinvDiv", "YACME", "T9.00"),
      record("D1/18/2019", "NShrsIn", "YACME", "Q3"),
      record("D1/19/2019", "NXOut", "T20.00", "L[Checking]", "$20.00"),
      record("D1/20/2019", "NCash", "T-3.00", "PFee")
    )
    const { accounts, warnings } = statementOf(file)
    expect(only(accounts).type).toBe("investment")
    expect(only(accounts).rows.map(({ amount, description, type }) => [amount, description, type])).toEqual([
      ["-105", "Buy 10 ACME @ 10.50", "OTHER"],
      ["50", "Sell ACME", "OTHER"],
      ["1.25", "Interest", "INTEREST"],
      ["-20", "XOut", "TRANSFER_OUTGOING"],
      ["-3", "Fee", "OTHER"]
    ])
    expect(warnings[0]).toBe("3 movements of securities without cash effect give no row")
    expect(statementOf(`${file}${record("D1/20/2019", "NDance", "T-3.00")}`).refused).toEqual([
      { line: 52, element: "N", message: 'the action "Dance" is not known' }
    ])
  })

  it("begin without a header, end without a mark, and have any line ends", () => {
    const file = "D1/13/2019\nT-1.00\nPa\n^\nD1/14/2019\nT-2.00\nPb"
    const expected = rowsOf(file)
    expect(expected.map(({ amount }) => amount)).toEqual(["-1", "-2"])
    for (const end of ["\r\n", "\r"]) expect(rowsOf(file.replaceAll("\n", end))).toEqual(expected)
    const latin = Buffer.from(`!Type:Bank\n${record("D1/13/2019", "T-1.00", "PMüller Käserei")}`, "latin1")
    expect(rowsOf(latin)[0]!.description).toBe("Müller Käserei")
  })

  it("quarantine rows that cannot be read, unless they are as many as those that can", () => {
    const good = record("D1/13/2019", "T-1.00", "Pa")
    const bad = [
      record("Dsoon", "T-1.00"),
      record("T-1.00", "Px"),
      record("D1/13/2019", "T1.2.3x"),
      record("D1/13/2019", "T99999999999999")
    ]
    const { accounts, refused, warnings } = statementOf(
      qif("!Type:Bank", good, good, good, good, good, ...bad, record("D1/13/2019", "Pnote"))
    )
    expect(only(accounts).rows).toHaveLength(5)
    expect(refused).toEqual([
      { line: 22, element: "D", message: '"soon" is not a date' },
      { line: 25, element: "D", message: "the row has no date" },
      { line: 29, element: "T", message: '"1.2.3x" is not an amount' },
      { line: 32, element: "T", message: '"99999999999999" is too large: at most 13 digits' }
    ])
    expect(warnings).toContain("line 34: without an amount, row skipped")
    expect(faultOf(qif("!Type:Bank", good, ...bad)).message).toContain("(4 of 5 rows cannot be read)")
  })

  it("refuse days that contradict each other, binary data and lines without end", () => {
    expect(faultOf(dates("13/01/2019", "01/14/2019"))).toMatchObject({ line: 6, element: "D" })
    expect(faultOf("!Type:Bank\nD1/1/2019\u0000\n").message).toContain("binary data")
    expect(faultOf(`!Type:Bank\nP${"x".repeat(2_000_000)}`)).toMatchObject({ line: 2 })
  })

  it("say where a file has nothing but lists", () => {
    expect(statementOf(qif("!Type:Cat", record("NFood", "E")))).toMatchObject({
      accounts: [],
      warnings: ["the file holds no account with movements"]
    })
    expect(statementOf(qif("!Type:Invoice", record("D1/1/2019", "T5.00"))).warnings).toEqual([
      "!Type:Invoice holds no movements of an account: 1 records skipped",
      "the file holds no account with movements"
    ])
  })
})
