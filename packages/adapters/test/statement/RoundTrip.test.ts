import { describe, expect, it } from "vitest"
import { CalendarDate } from "@millrace/core"
import type { StatementRow } from "@millrace/core/upload"
import * as Result from "effect/Result"
import { only, randomFrom, read, statementOf } from "./reading.ts"

interface Movement {
  readonly date: CalendarDate.CalendarDate
  readonly cents: number
  readonly description: string
  readonly id: string
}

const words = ["Bäcker", "O'Neil", "A&B", "x < y", "café €", "Nr. 5", "Ö", "rent", "REF/7", "tab"]

const movements = (seed: number, count: number): ReadonlyArray<Movement> => {
  const random = randomFrom(seed)
  const pick = (limit: number) => Math.floor(random() * limit)
  return Array.from({ length: count }, (_, index) => ({
    date: CalendarDate.addDays(CalendarDate.make("2023-01-01"), pick(700)),
    cents: (pick(2) === 0 ? -1 : 1) * (1 + pick(pick(3) === 0 ? 99_999_999 : 99_999)),
    description: Array.from({ length: 1 + pick(4) }, () => words[pick(words.length)]!).join(" "),
    id: `id-${index}`
  }))
}

const decimalOf = (cents: number): string => {
  const digits = Math.abs(cents).toString().padStart(3, "0")
  const text = `${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.?0+$/, "")
  return cents < 0 ? `-${text}` : text
}

const grouped = (cents: number, point: string, group: string): string => {
  const digits = Math.abs(cents).toString().padStart(3, "0")
  return `${digits.slice(0, -2).replace(/\B(?=(?:\d{3})+$)/g, group)}${point}${digits.slice(-2)}`
}

const seen = (rows: ReadonlyArray<StatementRow>) =>
  rows.map((row) => ({ date: row.date, amount: row.amount, description: row.description }))
const meant = (all: ReadonlyArray<Movement>) =>
  all.map((each) => ({ date: each.date, amount: decimalOf(each.cents), description: each.description }))

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const ofx = (all: ReadonlyArray<Movement>, xml: boolean, end: string): string => {
  const leaf = (tag: string, value: string) => (xml ? `<${tag}>${value}</${tag}>` : `<${tag}>${value}${end}`)
  const head = xml
    ? `<?xml version="1.0" encoding="UTF-8"?>${end}<?OFX OFXHEADER="200"?>${end}`
    : `OFXHEADER:100${end}ENCODING:UTF-8${end}${end}`
  const rows = all.map(
    (each) =>
      `<STMTTRN>${leaf("TRNTYPE", each.cents < 0 ? "DEBIT" : "CREDIT")}${leaf("DTPOSTED", `${each.date.replaceAll("-", "")}120000[0:GMT]`)}` +
      `${leaf("TRNAMT", (each.cents < 0 ? "-" : "+") + grouped(each.cents, ".", ""))}${leaf("FITID", each.id)}${leaf("NAME", escape(each.description))}</STMTTRN>${end}`
  )
  return `${head}<OFX>${end}<BANKMSGSRSV1><STMTTRNRS><STMTRS>${leaf("CURDEF", "EUR")}<BANKACCTFROM>${leaf("BANKID", "1")}${leaf("ACCTID", "2")}</BANKACCTFROM><BANKTRANLIST>${end}${rows.join("")}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>${end}`
}

const dialects = [",", ";", "\t", "|"].flatMap((delimiter) =>
  [
    { point: ".", group: "" },
    { point: ".", group: "," },
    { point: ",", group: "." },
    { point: ",", group: "\u00a0" },
    { point: ".", group: "'" }
  ].flatMap((numbers) => ["\n", "\r\n", "\r"].map((end) => ({ delimiter, ...numbers, end })))
)

/** Each style is written in 20 of the 60 dialects, and each dialect in 4 of the 12 styles; MILLRACE_LONG=1 takes all of them. */
const stylesOf = (dialect: number): ReadonlyArray<number> =>
  process.env["MILLRACE_LONG"] === "1"
    ? Array.from({ length: 12 }, (_, style) => style)
    : Array.from({ length: 4 }, (_, n) => (dialect + 5 * n) % 12)

const csv = (all: ReadonlyArray<Movement>, dialect: (typeof dialects)[number], style: number): string => {
  const cell = (text: string) =>
    style % 2 === 0 || /["\r\n,;\t|]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  const number = (cents: number) => grouped(cents, dialect.point, dialect.group)
  let balance = 500_000
  const lines = all.map((each) => {
    balance += each.cents
    const [year, month, day] = each.date.split("-")
    const date = style % 3 === 0 ? each.date : style % 3 === 1 ? `${day}.${month}.${year}` : `${year}${month}${day}`
    const sides =
      style % 4 < 2
        ? [`${each.cents < 0 ? "-" : ""}${number(each.cents)}`]
        : each.cents < 0
          ? [number(each.cents), ""]
          : ["", number(each.cents)]
    const after = `${balance < 0 ? "-" : ""}${number(balance)}`
    return [date, each.id, each.description, ...sides, after].map(cell).join(dialect.delimiter)
  })
  const header = [
    "Date",
    "Transaction ID",
    "Description",
    ...(style % 4 < 2 ? ["Amount"] : ["Debit", "Credit"]),
    "Balance"
  ]
  return [header.map(cell).join(dialect.delimiter), ...lines, ""].join(dialect.end)
}

const side = (cents: number) => (cents < 0 ? "DBIT" : "CRDT")
const camtBalance = (type: string, cents: number) =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${grouped(cents, ".", "")}</Amt><CdtDbtInd>${side(cents)}</CdtDbtInd><Dt><Dt>2025-01-01</Dt></Dt></Bal>`
const mtBalance = (cents: number) => `${cents < 0 ? "D" : "C"}250101EUR${grouped(cents, ",", "")}`

/** Written as the banks that are known do: one message, balances before and behind. */
const camt = (all: ReadonlyArray<Movement>, version: string, end: string): string => {
  const total = all.reduce((sum, each) => sum + each.cents, 0)
  const entries = all.map((each) =>
    [
      `  <Ntry>`,
      `    <Amt Ccy="EUR">${grouped(each.cents, ".", "")}</Amt>`,
      `    <CdtDbtInd>${side(each.cents)}</CdtDbtInd>`,
      `    <Sts>${Number(version) > 6 ? "<Cd>BOOK</Cd>" : "BOOK"}</Sts>`,
      `    <BookgDt><Dt>${each.date}</Dt></BookgDt>`,
      `    <AcctSvcrRef>${each.id}</AcctSvcrRef>`,
      `    <NtryDtls><TxDtls><RmtInf><Ustrd>${escape(each.description)}</Ustrd></RmtInf></TxDtls></NtryDtls>`,
      `  </Ntry>`
    ].join(end)
  )
  return `<?xml version="1.0" encoding="UTF-8"?>${end}<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></Acct>${camtBalance("OPBD", 50_000)}${camtBalance("CLBD", 50_000 + total)}${end}${entries.join(end)}</Stmt></BkToCstmrStmt></Document>${end}`
}

/** Booked in the year that the value date has, or not named at all. */
const mt940 = (all: ReadonlyArray<Movement>, structured: boolean, end: string): string => {
  const total = all.reduce((sum, each) => sum + each.cents, 0)
  const lines = all.flatMap((each, n) => {
    const day = each.date.replaceAll("-", "").slice(2)
    const mark = n % 5 === 0 ? (each.cents < 0 ? "RC" : "RD") : each.cents < 0 ? "D" : "C"
    const parts = structured
      ? `166?00X?20SVWZ+${(each.description.match(/.{1,27}/gu) ?? []).map((part, at) => (at === 0 ? part.slice(0, 22) + `?21${part.slice(22)}` : `?${21 + at}${part}`)).join("")}`
      : each.description
    return [
      `:61:${day}${n % 2 === 0 ? day.slice(2) : ""}${mark}${n % 3 === 0 ? "R" : ""}${grouped(each.cents, ",", "")}NTRFNONREF//${each.id}`,
      `:86:${parts}`
    ]
  })
  return [
    ":20:X",
    ":25:37040044/0532013000",
    `:60F:${mtBalance(50_000)}`,
    ...lines,
    `:62F:${mtBalance(50_000 + total)}`,
    "-",
    ""
  ].join(end)
}

const qif = (all: ReadonlyArray<Movement>, style: number, end: string): string => {
  const lines = all.flatMap((each) => {
    const [year = "", month = "", day = ""] = each.date.split("-")
    const date = [
      `${month}/${day}/${year}`,
      `${day}.${month}.${year}`,
      each.date,
      `${Number(month)}/${Number(day)}'${year.slice(2)}`
    ][style % 4]!
    const amount = style % 4 === 1 ? grouped(each.cents, ",", ".") : grouped(each.cents, ".", ",")
    return [`D${date}`, `T${each.cents < 0 ? "-" : ""}${amount}`, `P${each.description}`, "^"]
  })
  return ["!Account", "NGiro", "TBank", "^", "!Type:Bank", ...lines, ""].join(end)
}

const plain = (text: string) => text.replace(/\s/g, "")

describe("round trip", () => {
  it.each(["02", "08"])("reads back what it wrote as CAMT, version %s", (version) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const all = movements(seed, 200)
      for (const end of ["\n", "\r\n", ""]) {
        const { accounts, warnings } = statementOf(camt(all, version, end))
        const account = only(accounts)
        expect(seen(account.rows)).toEqual(meant(all))
        expect(account.rows.map((row) => row.providerId)).toEqual(all.map((each) => each.id))
        expect([account.openingBalance, account.difference, warnings]).toEqual(["500", "0", []])
      }
    }
  })

  it.each([true, false])("reads back what it wrote as MT940, in numbered parts: %s", (structured) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const all = movements(seed, 200)
      for (const end of ["\n", "\r\n", "\r"]) {
        const { accounts, warnings } = statementOf(mt940(all, structured, end))
        const account = only(accounts)
        const texts = account.rows.map((row) => ({ ...row, description: plain(row.description) }))
        expect(seen(texts)).toEqual(meant(all).map((row) => ({ ...row, description: plain(row.description) })))
        expect(account.rows.map((row) => row.providerId)).toEqual(all.map((each) => each.id))
        expect([account.openingBalance, account.difference, warnings]).toEqual(["500", "0", []])
      }
    }
  })

  it.each([0, 1, 2, 3])("reads back what it wrote as QIF (style %i)", (style) => {
    for (const seed of [1, 2, 3]) {
      const all = movements(seed, 200)
      for (const end of ["\n", "\r\n", "\r"]) {
        const account = only(statementOf(qif(all, style, end)).accounts)
        expect(seen(account.rows)).toEqual(meant(all))
      }
    }
  })

  it.each([1, 2, 3, 4, 5])("reads back what it wrote as OFX (seed %i)", (seed) => {
    const all = movements(seed, 200)
    for (const end of ["\n", "\r\n", "\r"]) {
      for (const xml of [false, true]) {
        const account = only(statementOf(ofx(all, xml, end)).accounts)
        expect(seen(account.rows)).toEqual(meant(all))
        expect(account.rows.map((row) => row.providerId)).toEqual(all.map((each) => each.id))
      }
    }
  })

  it.each(dialects.map((dialect, index) => [JSON.stringify(dialect), dialect, index] as const))(
    "reads back what it wrote as CSV %s",
    (_, dialect, index) => {
      for (const style of stylesOf(index)) {
        const all = movements(1_000 + index * 12 + style, 60)
        const account = only(statementOf(csv(all, dialect, style)).accounts)
        expect(seen(account.rows)).toEqual(meant(all))
        expect(account.rows.map((row) => row.providerId)).toEqual(all.map((each) => each.id))
        expect(account).toMatchObject({ openingBalance: "5000", difference: "0" })
      }
    }
  )
})

describe("damaged files", () => {
  const whole = movements(77, 6)
  const files = [
    ["SGML", ofx(whole, false, "\r\n")],
    ["XML", ofx(whole, true, "\n")],
    ["quoted CSV", csv(whole, dialects[4]!, 2)],
    ["plain CSV", csv(whole, dialects[20]!, 1)],
    ["CAMT", camt(whole, "08", "\n")],
    ["MT940", mt940(whole, true, "\r\n")],
    ["QIF", qif(whole, 0, "\n")]
  ] as const

  it.each(files)("reads or refuses with a line every beginning of %s", (_, file) => {
    for (let length = 0; length <= file.length; length++) {
      const result = read(file.slice(0, length))
      if (Result.isFailure(result)) expect(result.failure.line).toBeGreaterThan(0)
    }
  })

  it.each(files.slice(0, 2))("never reads a part of %s", (_, file) => {
    const complete = file.indexOf("</OFX>") + "</OFX>".length
    for (let length = file.indexOf("<OFX>") + 5; length < complete; length++) {
      expect(Result.isFailure(read(file.slice(0, length)))).toBe(true)
    }
  })

  it.each(files)("reads or refuses %s with bytes changed at random", (_, file) => {
    const random = randomFrom(file.length)
    const marks = "<>/\"',;.\n\r\t -0Z&\u0000\u00e9[]="
    for (let round = 0; round < 2_000; round++) {
      let text = file
      for (let change = 0; change < 1 + random() * 4; change++) {
        const at = Math.floor(random() * text.length)
        const mark = marks[Math.floor(random() * marks.length)]!
        text = text.slice(0, at) + mark + text.slice(at + Math.floor(random() * 3))
      }
      const result = read(text)
      if (Result.isFailure(result)) expect(result.failure.line).toBeGreaterThan(0)
    }
  })

  it.each([
    ["tags that never close", "<OFX>" + "<STMTTRN>".repeat(200_000)],
    ["signs without tags", "<OFX><MEMO>" + "<".repeat(1_000_000)],
    ["unknown names", `<OFX>${Array.from({ length: 50_000 }, (_, index) => `<U${index}>`).join("")}`],
    ["quotes", `Date,Description,Amount\n${'"'.repeat(1_000_001)}`],
    ["delimiters", `Date,Description,Amount\n${",".repeat(2_000_000)}`],
    ["elements that never close", `<?xml version="1.0"?><Document xmlns="camt.053">${"<Ntry>".repeat(200_000)}`],
    ["comments that never end", `<?xml version="1.0"?><Document xmlns="camt.053"><!--${"-".repeat(1_000_000)}`],
    ["movements without a letter", `:20:X\n:25:1\n${":61:\n".repeat(200_000)}`],
    ["records without a day", `!Type:Bank\n${"T1\n^\n".repeat(150_000)}`],
    ["digits", `Date,Description,Amount\n2024-01-01,x,${"9".repeat(2_000_000)}\n`],
    ["one line", "x".repeat(5_000_000)],
    ["blanks", `${" \n".repeat(500_000)}Date,Description,Amount\n2024-01-01,x,x`]
  ])("refuses %s of a megabyte or more", (_, file) => {
    // How the time grows is measured by the test of growth; square, this would not end.
    expect(Result.isFailure(read(file))).toBe(true)
  })
})
