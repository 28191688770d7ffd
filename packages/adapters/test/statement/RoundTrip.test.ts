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

describe("round trip", () => {
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
      for (let style = 0; style < 12; style++) {
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
    ["plain CSV", csv(whole, dialects[20]!, 1)]
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
    ["digits", `Date,Description,Amount\n2024-01-01,x,${"9".repeat(2_000_000)}\n`],
    ["one line", "x".repeat(5_000_000)],
    ["blanks", `${" \n".repeat(500_000)}Date,Description,Amount\n2024-01-01,x,x`]
  ])("refuses %s of a megabyte or more", (_, file) => {
    // How the time grows is measured by the test of growth; square, this would not end.
    expect(Result.isFailure(read(file))).toBe(true)
  })
})
