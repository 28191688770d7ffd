import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { faultOf, only, statementOf } from "./reading.ts"

/** One message of one movement. */
const message = (entry: string, details = "", more: Partial<Record<"account" | "opening" | "closing", string>> = {}) =>
  [
    ":20:STARTUMS",
    `:25:${more.account ?? "37040044/0532013000"}`,
    ":28C:00001/001",
    `:60F:${more.opening ?? "C260101EUR100,00"}`,
    `:61:${entry}`,
    ...(details === "" ? [] : [`:86:${details}`]),
    ...(more.closing === undefined ? [] : [`:62F:${more.closing}`]),
    "-",
    ""
  ].join("\r\n")

const rowOf = (entry: string, details = "", more = {}) =>
  only(only(statementOf(message(entry, details, more)).accounts).rows)

const withSums = (sum: string) =>
  `:20:X\n:25:0532013000\n:28C:1/1\n:34F:EUR0,\n:13D:2602031200+0100\n:61:260203D1,50NTRFNONREF\n:86:a\n:90D:1EUR${sum}\n:90C:0EUR0,00\n-\n`

describe("MT940 and MT942 messages", () => {
  it.each([
    ["2602030203C1,50NTRFNONREF", "2026-02-03", "1.5"],
    ["2602030203D1,50NTRFNONREF", "2026-02-03", "-1.5"],
    // The reversal of a credit takes it back.
    ["2602030203RC1,50NTRFNONREF", "2026-02-03", "-1.5"],
    ["2602030203RD1,50NTRFNONREF", "2026-02-03", "1.5"],
    // The third letter of the currency.
    ["2602030203CR1,50NTRFNONREF", "2026-02-03", "1.5"],
    ["2602030203RCR1,50NTRFNONREF", "2026-02-03", "-1.5"],
    ["2602030203DR1,NTRFNONREF", "2026-02-03", "-1"],
    ["260203D1234567890123,45NMSC", "2026-02-03", "-1234567890123.45"],
    ["260203    D1,00NTRFNONREF", "2026-02-03", "-1"],
    ["260203D7", "2026-02-03", "-7"],
    ["260203D7.25NTRF", "2026-02-03", "-7.25"],
    // Booked in the old year with a value date of the new one, and the other way round.
    ["2601011231D1,00NTRFNONREF", "2025-12-31", "-1"],
    ["2512310102D1,00NTRFNONREF", "2026-01-02", "-1"],
    // Months of 30 days, as calendars of interest have them.
    ["260230D1,00NTRFNONREF", "2026-02-28", "-1"],
    ["2402300301D1,00NTRFNONREF", "2024-03-01", "-1"],
    ["991231D1,00NTRFNONREF", "1999-12-31", "-1"]
  ])("read the movement %s", (entry, date, amount) => {
    expect(rowOf(entry)).toMatchObject({ date, amount, pending: false, line: 5 })
  })

  it("take what is expected as pending", () => {
    expect(rowOf("2602030203EC1,50NTRFNONREF")).toMatchObject({ amount: "1.5", pending: true })
    expect(rowOf("2602030203ED1,50NTRFNONREF")).toMatchObject({ amount: "-1.5", pending: true })
  })

  it("tell the holder's reference from the bank's own, and both from none", () => {
    expect(rowOf("260203D1,00NTRFRENT 2//B26020300001")).toMatchObject({
      reference: "RENT 2",
      providerId: "B26020300001"
    })
    expect(rowOf("260203D1,00NTRFNONREF//NONREF")).toMatchObject({ reference: "", providerId: "" })
  })

  it("read details in numbered parts: names, purpose and keys that are cut anywhere", () => {
    const details =
      "105?00BASISLASTSCHRIFT?10931?20EREF+RG-2026-0815?21MREF+M-1?22CRED+DE98ZZZ0\r\n9999999999?23SVWZ+Strom Abschlag Feb?24ruar 2026?30COBADEFFXXX?31DE8937040044\r\n0532013000?32Stadtwerke Musterstadt Gm?33bH?34992"
    expect(rowOf("260203DR49,90NDDTNONREF//X1", details)).toMatchObject({
      merchantName: "Stadtwerke Musterstadt Gm bH",
      description: "Strom Abschlag Feb ruar 2026",
      reference: "RG-2026-0815",
      type: "DIRECT_DEBIT"
    })
    // A part of 27 characters goes on in the next one.
    expect(rowOf("260203DR49,90NDDTNONREF", "116?00SEPA?20SVWZ+123456789012345678901?212345?32Ann")).toMatchObject({
      description: "123456789012345678901 2345",
      type: "TRANSFER_OUTGOING"
    })
    expect(rowOf("260203DR49,90NDDTNONREF", "116?00SEPA?20SVWZ+1234567890123456789012?213456?32Ann")).toMatchObject({
      description: "12345678901234567890123456"
    })
  })

  it("read the dialects of other banks: other marks, words between slashes, free text", () => {
    expect(rowOf("260203D1,00NTRFNONREF", "020<00PRZELEW<20Czynsz luty<32Jan Kowalski")).toMatchObject({
      merchantName: "Jan Kowalski",
      description: "Czynsz luty"
    })
    const slashed = "/EREF/E2E-9//CNTP/NL91ABNA0417164300/ABNANL2A/Albert Heijn///REMI/USTD//Boodschappen 12/"
    expect(rowOf("260203D1,00NTRFNONREF", slashed)).toMatchObject({
      merchantName: "Albert Heijn",
      description: "Boodschappen 12",
      reference: "E2E-9"
    })
    const free = `${"x".repeat(60)} Beta\r\naling\r\nan ICS`
    expect(rowOf("260203D1,00NTRFNONREF", free).description).toBe(`${"x".repeat(60)} Betaaling an ICS`)
    expect(rowOf("260203D1,00NTRFNONREF", "at 13\r\n:26:37 in Bern").description).toBe("at 13 :26:37 in Bern")
    expect(rowOf("260203D1,00NCHKNONREF\r\nCHEQUE 12")).toMatchObject({ description: "CHEQUE 12", type: "CHECK" })
  })

  it.each([
    ["DE89370400440532013000", "DE89370400440532013000", undefined],
    ["DE89370400440532013000EUR", "DE89370400440532013000", undefined],
    ["37040044/0532013000", "0532013000", "37040044"],
    ["37040044/0532013000EUR", "0532013000", "37040044"],
    ["UBRTHUHB/123456789150/EUR", "123456789150", "UBRTHUHB"],
    ["0532013000", "0532013000", undefined]
  ])("know the account of %s", (text, number, bankId) => {
    const account = only(statementOf(message("260203D1,00NTRF", "", { account: text })).accounts)
    expect([account.number, account.bankId, account.currency]).toEqual([number, bankId, "EUR"])
  })

  it("stand in SWIFT blocks, plain, with control characters and with any line ends", () => {
    const plain = message("260203D1,00NTRFNONREF//A", "free", { closing: "C260203EUR99,00" })
    const blocks = plain
      .replace(":20:", "{1:F01BANKDEFFXXXX0000000000}{2:O940BANKDEFFXXXXN}{3:{108:X}}{4:\r\n:20:")
      .replace("\r\n-\r\n", "\r\n-}{5:{CHK:1}}\r\n")
    const expected = only(statementOf(plain).accounts)
    expect(expected).toMatchObject({
      openingBalance: "100",
      closingBalance: "99",
      balanceDate: "2026-02-03",
      difference: "0"
    })
    const lines = (account: typeof expected) => ({ ...account, rows: account.rows.map((row) => ({ ...row, line: 0 })) })
    for (const file of [blocks, plain.replaceAll("\r\n", "\n"), plain.replaceAll("\r\n", "\r"), `\u0001\r\n${plain}`]) {
      expect(lines(only(statementOf(file).accounts))).toEqual(lines(expected))
    }
  })

  it("put the statements of an account together, and say what came between them", () => {
    const first = message("260203C5,00NTRFNONREF", "", { closing: "C260203EUR105,00" })
    const second = message("260204D2,00NTRFNONREF", "", { opening: "C260203EUR105,00", closing: "C260204EUR103,00" })
    const later = message("260206D2,00NTRFNONREF", "", { opening: "C260205EUR90,00", closing: "C260206EUR87,00" })
    expect(only(statementOf(first + second).accounts)).toMatchObject({ closingBalance: "103", difference: "0" })
    const { accounts, warnings } = statementOf(first + second + later)
    expect(only(accounts).difference).toBe("14")
    expect(warnings).toEqual([
      "line 16: the balances do not tie out: 1 is missing",
      "line 16: the statement begins with 90 and the one before it ends with 103: -13 came between them"
    ])
  })

  it("follow intermediate balances from page to page", () => {
    const pages =
      message("260203C5,00NTRFNONREF", "", { closing: "C260203EUR105,00" }).replace(":62F:", ":62M:") +
      message("260203D2,00NTRFNONREF", "", { opening: "C260203EUR105,00", closing: "C260203EUR103,00" }).replace(
        ":60F:",
        ":60M:"
      )
    expect(only(statementOf(pages).accounts)).toMatchObject({
      openingBalance: "100",
      closingBalance: "103",
      difference: "0"
    })
  })

  it("check the sums that MT942 states", () => {
    expect(statementOf(withSums("1,50"))).toMatchObject({ warnings: [], accounts: [{ currency: "EUR" }] })
    expect(statementOf(withSums("1,60")).warnings).toEqual([
      "line 8: :90D: states 1 rows of 1.6, the message has 1 of 1.5"
    ])
  })

  it("quarantine a movement that cannot be read, with its line", () => {
    const file = message(
      "260203C5,00NTRFNONREF\r\n:61:26AB03D1,00NTRF\r\n:61:260203X1,00NTRF\r\n:61:261303D1,00NTRF\r\n:61:260203D99999999999999,00NTRF"
    )
    expect(statementOf(file)).toMatchObject({
      accounts: [{ rows: [{ amount: "5" }] }],
      refused: [
        { line: 6, element: ":61:" },
        { line: 7, element: ":61:" },
        { line: 8, element: ":61:", message: '"261303" is not a date' },
        { line: 9, element: ":61:", message: '"99999999999999,00" is too large: at most 13 digits' }
      ]
    })
    expect(faultOf(message("26AB03D1,00NTRF"))).toMatchObject({ line: 5, element: ":61:" })
  })

  it("leave out balances that cannot be read, and say so", () => {
    const { accounts, warnings } = statementOf(
      message("260203C5,00NTRF", "", { opening: "C26EUR", closing: "D260203EUR1," })
    )
    expect(only(accounts)).toMatchObject({ closingBalance: "-1", currency: "EUR" })
    expect(warnings).toEqual(['line 4: :60F: "C26EUR" is not a balance: left out'])
  })

  it("guess an encoding that is not told, with a warning, unless it is told", () => {
    const bytes = Buffer.from(message("260203D1,00NTRF", "Müller Käse"), "latin1")
    expect(statementOf(bytes).assumed).toEqual({ encoding: "windows-1252" })
    expect(only(only(statementOf(bytes).accounts).rows).description).toBe("Müller Käse")
    expect(statementOf(bytes, { encoding: "windows-1252" })).toMatchObject({ assumed: {}, warnings: [] })
  })

  it.each([
    ["a field alone", ":62F:C260203EUR1,00\n", "the file holds no statement"],
    ["binary data", ":20:X\n:25:1\n\u0000\n", "binary data"],
    ["a line without end", `:20:X\n:25:12345\n:86:${"x".repeat(2_000_000)}`, "longer than any"]
  ])("refuse %s", (_, file, text) => {
    expect(faultOf(file).message).toContain(text)
    expect(faultOf(file).line).toBeGreaterThan(0)
  })
})
