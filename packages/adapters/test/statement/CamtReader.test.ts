import { Buffer } from "node:buffer"
import { Currency } from "@millrace/core"
import { describe, expect, it } from "vitest"
import { scanCamt } from "../../src/statement/CamtReader.ts"
import { account, balance, camt, details, document, entry, statement } from "./camt.ts"
import { faultOf, only, statementOf } from "./reading.ts"

const rowsOf = (file: string | Uint8Array) => only(statementOf(file).accounts).rows

const party = (name: string, role: string) => `<${role}><Nm>${name}</Nm></${role}>`
const parties = (debtor: string, creditor: string) =>
  `<RltdPties>${party(debtor, "Dbtr")}${party(creditor, "Cdtr")}</RltdPties>`
const purpose = (text: string) => `<RmtInf><Ustrd>${text}</Ustrd></RmtInf>`

const day = (opening: string, closing: string, amount: string, date: string) =>
  statement(entry(amount, "CRDT"), {
    balances: balance("OPBD", opening, date) + balance("CLBD", closing, date) + balance("CLAV", "7.00", date)
  })

const report = (status: string, more = "") =>
  statement(entry("5.00", "DBIT", "<AcctSvcrRef>R1</AcctSvcrRef>", status) + more, { message: "052" })

const bare = (more: string) =>
  camt(`<Ntry><Amt Ccy="EUR">1</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>PDNG</Sts>${more}</Ntry>`)

describe("CAMT messages", () => {
  it("give a booking its sign, day, texts, references and the bank's id", () => {
    const more = `<ValDt><Dt>2026-02-04</Dt></ValDt><AcctSvcrRef>REF-1</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RDDT</Cd><SubFmlyCd>ESDD</SubFmlyCd></Fmly></Domn></BkTxCd>${details(
      `<Refs><EndToEndId>E2E-7</EndToEndId></Refs>${parties("Me", "Stadtwerke &amp; Co")}${purpose("Strom  Februar")}<RltdDts><AccptncDtTm>2026-02-01T23:59:59Z</AccptncDtTm></RltdDts>`
    )}`
    expect(only(statementOf(camt(entry("12.50", "DBIT", more))).accounts)).toMatchObject({
      key: "NL91ABNA0417164300",
      currency: "EUR",
      rows: [
        {
          line: 6,
          date: "2026-02-03",
          authorizedDate: "2026-02-01",
          amount: "-12.5",
          amountText: "12.50",
          currency: "EUR",
          merchantName: "Stadtwerke & Co",
          description: "Strom Februar",
          originalDescription: "Stadtwerke & Co Strom  Februar",
          reference: "E2E-7",
          providerId: "REF-1",
          type: "DIRECT_DEBIT",
          pending: false
        }
      ]
    })
  })

  it.each(["052", "053", "054"] as const)(
    "are read as camt.%s in every version, with and without a namespace",
    (message) => {
      for (const version of ["01", "02", "03", "04", "06", "08", "10", "13"]) {
        const status = Number(version) < 7 ? "<Sts>BOOK</Sts>" : "<Sts><Cd>BOOK</Cd></Sts>"
        const file = camt(entry("1.00", "CRDT", "", status), { message, version })
        expect(rowsOf(file)).toMatchObject([{ amount: "1", pending: false }])
        expect(rowsOf(file.replace(/ xmlns="[^"]*"/, ""))).toEqual(rowsOf(file))
        const prefixed = file.replace(/<(\/?)(?=[A-Za-z])/g, "<$1ns2:").replace(" xmlns=", " xmlns:ns2=")
        expect(rowsOf(prefixed)).toEqual(rowsOf(file))
      }
    }
  )

  it("stand in envelopes, and several in one file", () => {
    const one = camt(entry("1.00", "CRDT", "<AcctSvcrRef>A</AcctSvcrRef>"))
    const other = camt(entry("2.00", "CRDT", "<AcctSvcrRef>B</AcctSvcrRef>"))
    const body = one.slice(one.indexOf("<Document"))
    const wrapped = `<?xml version="1.0"?><Envelope><AppHdr><Fr>x</Fr></AppHdr>${body}</Envelope>`
    expect(rowsOf(wrapped).map(({ amount }) => amount)).toEqual(["1"])
    expect(rowsOf(one + other).map(({ amount }) => amount)).toEqual(["1", "2"])
  })

  it("tell what is pending, what is booked and what is mere information", () => {
    const entries =
      entry("1.00", "DBIT", "", "<Sts>PDNG</Sts>") +
      entry("2.00", "DBIT", "", "<Sts><Cd>BOOK</Cd></Sts>") +
      entry("3.00", "DBIT", "", "<Sts><Cd>INFO</Cd></Sts>") +
      entry("4.00", "DBIT", "", "<Sts><Cd>FUTR</Cd></Sts>")
    const { accounts, warnings } = statementOf(camt(entries))
    expect(only(accounts).rows.map(({ amount, pending }) => [amount, pending])).toEqual([
      ["-1", true],
      ["-2", false],
      ["-4", true]
    ])
    expect(warnings).toEqual(["line 5: 1 entries of status INFO are no bookings: they give no row"])
  })

  it("count a reversal on the side that it states, and name whose payment came back", () => {
    const more = `<RvslInd>true</RvslInd>${details(parties("Me", "Gym"))}`
    expect(rowsOf(camt(entry("9.99", "CRDT", more)))).toMatchObject([{ amount: "9.99", merchantName: "Gym" }])
    expect(rowsOf(camt(entry("9.99", "CRDT", details(parties("Employer", "Me")))))).toMatchObject([
      { amount: "9.99", merchantName: "Employer" }
    ])
  })

  it("give a batch one row, with the texts of its payments", () => {
    const batch = `<AcctSvcrRef>B1</AcctSvcrRef><NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch><TxDtls>${parties("Me", "Ann")}${purpose("Wages Ann")}</TxDtls><TxDtls>${parties("Me", "Bob")}${purpose("Wages Bob")}</TxDtls></NtryDtls>`
    const [row] = rowsOf(camt(entry("300.00", "DBIT", batch)))
    expect(row).toMatchObject({ amount: "-300", description: "Wages Ann Wages Bob", providerId: "B1", reference: "" })
    expect(row).not.toHaveProperty("merchantName")
  })

  it("use NtryRef as an id only where it is more than a place in the list", () => {
    expect(rowsOf(camt(entry("1.00", "CRDT", "<NtryRef>12</NtryRef>")))).toMatchObject([{ providerId: "" }])
    expect(rowsOf(camt(entry("1.00", "CRDT", "<NtryRef>2026020312345</NtryRef>")))).toMatchObject([
      { providerId: "2026020312345" }
    ])
    expect(
      rowsOf(
        camt(
          entry(
            "1.00",
            "CRDT",
            details("<Refs><AcctSvcrRef>NOTPROVIDED</AcctSvcrRef><EndToEndId>NOTPROVIDED</EndToEndId></Refs>")
          )
        )
      )
    ).toMatchObject([{ providerId: "", reference: "" }])
  })

  it("tie out statement by statement, and from one to the next", () => {
    const whole = statementOf(
      document(day("10.00", "15.00", "5.00", "2026-02-03") + day("15.00", "17.50", "2.50", "2026-02-04"))
    )
    expect(only(whole.accounts)).toMatchObject({
      openingBalance: "10",
      closingBalance: "17.5",
      availableBalance: "7",
      balanceDate: "2026-02-04",
      difference: "0"
    })
    expect(whole.warnings).toEqual([])
    const gap = statementOf(
      document(day("10.00", "15.00", "5.00", "2026-02-03") + day("16.00", "18.00", "2.50", "2026-02-04"))
    )
    expect(only(gap.accounts).difference).toBe("-0.5")
    expect(gap.warnings).toEqual([
      "line 7: the balances do not tie out: 0.5 is missing",
      "line 7: the statement begins with 16 and the one before it ends with 15: 1 came between them"
    ])
  })

  it("take PRCD for the opening and ITBD for the closing balance, where there are no better ones, and debts as negative", () => {
    const file = camt(entry("5.00", "DBIT"), {
      message: "052",
      balances: balance("PRCD", "1.00", "2026-02-02", "DBIT") + balance("ITBD", "6.00", "2026-02-03", "DBIT")
    })
    expect(only(statementOf(file).accounts)).toMatchObject({
      openingBalance: "-1",
      closingBalance: "-6",
      difference: "0"
    })
  })

  it("hold several accounts, told by their numbers", () => {
    const other =
      "<Acct><Id><Othr><Id>4711</Id></Othr></Id><Tp><Cd>SVGS</Cd></Tp><Ccy>EUR</Ccy><Nm>Saved</Nm><Svcr><FinInstnId><BICFI>BANKDEFF</BICFI></FinInstnId></Svcr></Acct>"
    const { accounts } = statementOf(
      document(statement(entry("1.00", "CRDT")) + statement(entry("2.00", "CRDT"), { account: other }))
    )
    expect(accounts).toMatchObject([
      { number: "NL91ABNA0417164300", rows: [{ amount: "1" }] },
      { number: "4711", bankId: "BANKDEFF", type: "savings", name: "Saved", rows: [{ amount: "2" }] }
    ])
  })

  it("count a row once that several reports of the day show, as booked where one says so", () => {
    const file = document(
      report("<Sts><Cd>PDNG</Cd></Sts>") +
        report("<Sts><Cd>BOOK</Cd></Sts>", entry("6.00", "DBIT", "<AcctSvcrRef>R2</AcctSvcrRef>")),
      { message: "052" }
    )
    const { accounts, warnings } = statementOf(file)
    expect(only(accounts).rows.map(({ amount, pending }) => [amount, pending])).toEqual([
      ["-5", false],
      ["-6", false]
    ])
    expect(warnings).toEqual(["1 rows stand in several statements of one account: each counts once"])
  })

  it("date what has no day of booking by its value date, else by the message, and say so", () => {
    expect(rowsOf(bare("<ValDt><DtTm>2026-02-09T10:00:00Z</DtTm></ValDt>"))).toMatchObject([{ date: "2026-02-09" }])
    expect(rowsOf(bare(""))).toMatchObject([{ date: "2026-02-05" }])
    expect(statementOf(bare("")).warnings).toEqual([
      "line 6: the entry has neither BookgDt nor ValDt: 2026-02-05 assumed, the day of the message"
    ])
  })

  it("quarantine a row that cannot be read, with its element, and read the others", () => {
    const broken = [
      entry("1,50", "DBIT"),
      entry("99999999999999.00", "DBIT"),
      entry("1.00", "DBIT").replace("2026-02-03", "2026-02-30"),
      entry("1.00", "DBIT").replace(/<CdtDbtInd>.*?<\/CdtDbtInd>/, ""),
      entry("1.00", "DBIT").replace('Ccy="EUR"', 'Ccy="EURO"')
    ]
    const { accounts, refused } = statementOf(camt([entry("7.00", "CRDT"), ...broken].join("\n")))
    expect(only(accounts).rows).toHaveLength(1)
    expect(refused).toEqual([
      { line: 7, element: "Ntry.Amt", message: '"1,50" is not an amount' },
      { line: 8, element: "Ntry.Amt", message: '"99999999999999.00" is too large: at most 13 digits' },
      { line: 9, element: "Ntry.BookgDt", message: '"2026-02-30" is not a date' },
      { line: 10, element: "Ntry.CdtDbtInd", message: "the entry does not say whether it is a credit or a debit" },
      { line: 11, element: "Ntry.Amt", message: '"EURO" is not a currency' }
    ])
  })

  it("refuse the file where no row can be read, or the balances lack what cannot", () => {
    expect(faultOf(camt(entry("x", "DBIT")))).toMatchObject({ line: 6, element: "Ntry.Amt" })
    const balances = balance("OPBD", "0.00", "2026-02-02") + balance("CLBD", "9.00", "2026-02-03")
    expect(faultOf(camt(entry("7.00", "CRDT") + entry("x", "CRDT"), { balances })).message).toContain(
      "the balances do not tie out, -2 is missing"
    )
  })

  it("keep amounts exact, whatever their length", () => {
    const amounts = ["0.10", "9999999999999.99", "0.00001", "1000", "+1.5", "007.250"]
    expect(rowsOf(camt(amounts.map((amount) => entry(amount, "CRDT")).join(""))).map(({ amount }) => amount)).toEqual([
      "0.1",
      "9999999999999.99",
      "0.00001",
      "1000",
      "1.5",
      "7.25"
    ])
  })

  it("take CDATA, comments and characters by number as the text they stand for", () => {
    const text = purpose("a<!-- no -->b &#x20AC; &lt;c&gt; <![CDATA[<d> & e]]> &unknown;")
    expect(rowsOf(camt(entry("1.00", "CRDT", details(text))))).toMatchObject([
      { description: "ab € <c> <d> & e &unknown;" }
    ])
  })

  it("are read in other encodings than UTF-8, and across the borders of what is read at once", () => {
    const long = Array.from({ length: 900 }, (_, n) => entry(`${n}.01`, "CRDT", details(purpose(`Überweisung ${n}`))))
    const file = camt(long.join("\n"))
    const expected = rowsOf(file)
    expect(expected).toHaveLength(900)
    expect(expected.map(({ description }) => description)).toEqual(long.map((_, n) => `Überweisung ${n}`))
    expect(expected.at(-1)!.line).toBe(905)
    const latin = Buffer.from(file.replace("UTF-8", "ISO-8859-1"), "latin1")
    expect(rowsOf(latin)).toEqual(expected)
    expect(rowsOf(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(file, "utf16le")]))).toEqual(expected)
    expect(rowsOf(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(file)]))).toEqual(expected)
  })

  it.each([
    [
      "a DOCTYPE",
      camt("").replace("<Document", '<!DOCTYPE x [<!ENTITY e "boom">]>\n<Document'),
      2,
      "declares a DOCTYPE"
    ],
    [
      "a file that was cut off",
      camt(entry("1.00", "CRDT")).slice(0, -30),
      undefined,
      "the file ends inside <Document>"
    ],
    ["an end tag of something else", camt("<Ntry></Stmt>"), 6, "</Stmt> closes what is not open"],
    ["a sign that begins no tag", camt("< Ntry>"), 6, 'a "<" that begins no tag'],
    ["a message without a statement", document(""), 1, "holds no statement"],
    ["another XML document", "<?xml version='1.0'?><a>camt.053</a>", 1, "the file is an XML document"],
    ["XML of no bank", "<?xml version='1.0'?><a/>", 1, "the file is an XML document, not a bank statement"],
    ["elements without end", camt("<a>".repeat(200)), 6, "nested too deep"]
  ])("refuse %s", (_, file, line, message) => {
    const fault = faultOf(file)
    expect(fault.message).toContain(message)
    if (line !== undefined) expect(fault.line).toBe(line)
  })

  it("warn where the statement counts other entries than it has", () => {
    const balances = "<TxsSummry><TtlNtries><NbOfNtries>3</NbOfNtries></TtlNtries></TxsSummry>"
    expect(statementOf(camt(entry("1.00", "CRDT"), { balances })).warnings).toEqual([
      "line 5: TxsSummry states 3 entries, the statement has 1"
    ])
  })

  it("are not confused by accounts of other people and elements of their own", () => {
    const foreign = `<Splmtry><Amt Ccy="USD">66</Amt><BookgDt><Dt>1999-01-01</Dt></BookgDt></Splmtry>`
    const more =
      foreign +
      details(
        `<Amt Ccy="USD">55</Amt><RltdPties>${party("x", "Dbtr")}<DbtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id></DbtrAcct></RltdPties>`
      )
    expect(
      only(statementOf(camt(entry("1.00", "CRDT", more), { account: account("NL91ABNA0417164300") })).accounts)
    ).toMatchObject({
      number: "NL91ABNA0417164300",
      rows: [{ amount: "1", currency: "EUR", date: "2026-02-03" }]
    })
  })

  it("hand on their rows as they are read, in parts of any size, and keep none", () => {
    const bytes = Buffer.from(camt(Array.from({ length: 300 }, (_, n) => entry(`${n}.01`, "DBIT")).join("\n")))
    const parts = Array.from({ length: Math.ceil(bytes.length / 997) }, (_, n) =>
      bytes.subarray(n * 997, (n + 1) * 997)
    )
    const taken: Array<string> = []
    const scanned = scanCamt(parts, { fileName: "x.xml", baseCurrency: Currency.make("EUR") }, (draft, row) => {
      taken.push(`${draft.number} ${row.amount} ${row.line}`)
    })
    const expected = rowsOf(bytes).map(({ amount, line }) => `NL91ABNA0417164300 ${amount} ${line}`)
    expect(taken).toEqual(expected)
    expect("statement" in scanned && scanned.statement.drafts.map(({ rows }) => rows.length)).toEqual([0])
  })
})
