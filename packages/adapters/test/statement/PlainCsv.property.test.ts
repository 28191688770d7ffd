/** The short way through plain tables gives what the long way gives, and leaves alone what is not plain. */
import { Currency } from "@millrace/core"
import type { CsvOptions } from "@millrace/core/feed"
import type { Statement } from "@millrace/core/upload"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { readAnyCsv, readCsv } from "../../src/statement/CsvReader.ts"
import { readPlainCsv } from "../../src/statement/PlainCsv.ts"
import { randomFrom } from "./reading.ts"

/** Integers from 0 to below `n`. */
type Random = (n: number) => number

const integersFrom = (seed: number): Random => {
  const next = randomFrom(seed)
  return (n) => Math.floor(next() * n)
}

const rounds = process.env["MILLRACE_LONG"] === "1" ? 400 : 60

const pick = <A>(random: Random, values: ReadonlyArray<A>): A => values[random(values.length)]!

const words = [
  "Café",
  "Migros",
  "Zürich",
  "x",
  "Grüße",
  "Coop 12",
  "ACME",
  "a  b",
  "Ünïcode & <friends>",
  "12",
  "A,B;C"
]

const sentence = (random: Random): string =>
  Array.from({ length: random(5) }, () => pick(random, words)).join(pick(random, [" ", " ", "  ", "-"]))

interface Column {
  readonly name: string
  readonly cell: (random: Random, row: number) => string
}

const dayOf = (format: number) => (_: Random, row: number) => {
  const day = new Date(Date.UTC(2024, 0, 1 + Math.floor(row / 7))).toISOString().slice(0, 10)
  const [year, month, date] = day.split("-")
  return format === 0 ? day : format === 1 ? `${date}.${month}.${year}` : `${month}/${date}/${year}`
}

const amountOf = (comma: boolean) => (random: Random) => {
  const sign = random(3) === 0 ? "" : "-"
  const cents = random(pick(random, [100, 10_000, 99_999_999]))
  const digits = String(cents).padStart(3, "0")
  const [whole, fraction] = [digits.slice(0, -2), digits.slice(-2)]
  const written = random(20) === 0 ? whole : `${whole}.${random(9) === 0 ? fraction.slice(0, 1) : fraction}`
  return `${sign}${comma ? written.replace(".", ",") : written}`
}

/** Columns of a table that may be plain, in some order. */
const columnsOf = (random: Random): ReadonlyArray<Column> => {
  const comma = random(3) === 0
  let balance = 100_000
  const all: Array<Column> = [
    { name: "Date", cell: dayOf(random(3)) },
    { name: "Amount", cell: amountOf(comma) }
  ]
  const some: ReadonlyArray<Column> = [
    { name: "Description", cell: sentence },
    { name: "Memo", cell: (r) => (r(3) === 0 ? "" : sentence(r)) },
    { name: "Payee", cell: sentence },
    { name: "Currency", cell: (r) => pick(r, ["CHF", "CHF", "CHF", "EUR"]) },
    { name: "Reference", cell: (r, row) => (r(4) === 0 ? "0000" : `R${row}`) },
    { name: "Transaction ID", cell: (r, row) => `T${r(2_000) === 0 ? 1 : row}` },
    { name: "Category", cell: (r) => pick(r, ["", "Food", "Rent"]) },
    { name: "Type", cell: (r) => pick(r, ["Payment", "Fee", "Transfer"]) },
    { name: "Account Number", cell: (_, row) => (row % 3 === 0 ? "CH93 0076 2011 6238 5295 7" : "12345678") },
    { name: "Balance", cell: (r) => ((balance += r(2_000) - 1_000) / 100).toFixed(2) },
    { name: "Value Date", cell: dayOf(0) }
  ]
  const order = some.filter(() => random(3) > 0)
  for (const column of order) all.splice(random(all.length + 1), 0, column)
  // Columns of texts stand beside each other most of the time.
  return random(2) === 0
    ? all
    : all.toSorted((a, b) => Number(/Desc|Memo|Payee/.test(a.name)) - Number(/Desc|Memo|Payee/.test(b.name)))
}

const quoted = (random: Random, text: string, delimiter: string): string =>
  text.includes(delimiter) || text.includes('"') || text.includes("\n") || random(4) === 0
    ? `"${text.replaceAll('"', '""')}"`
    : text

const write = (random: Random): string => {
  const columns = columnsOf(random)
  const delimiter = pick(random, [",", ",", ";", "\t", "|"])
  const end = pick(random, ["\n", "\n", "\r\n"])
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((cell) => (random(60) === 0 ? ` ${cell} ` : cell))
      .map((cell) => quoted(random, cell, delimiter))
      .join(delimiter)
  const strange = pick(random, ["", "", "", "quotes", "lines"])
  const cellOf = (column: Column, row: number) => {
    const cell = column.cell(random, row)
    if (strange === "quotes" && column.name === "Memo" && random(9) === 0) return `${cell} "so" said`
    if (strange === "lines" && column.name === "Memo" && random(9) === 0) return `${cell}\nmore`
    return cell
  }
  const rows = Array.from({ length: 420 }, (_, row) => line(columns.map((column) => cellOf(column, row))))
  if (random(5) === 0) rows.splice(random(rows.length), 0, "")
  const table = [line(columns.map(({ name }) => name)), ...rows].join(end)
  return `${random(6) === 0 ? "\ufeff" : ""}${random(4) === 0 ? `Account: Checking 1234-567${end}` : ""}${table}${random(3) === 0 ? "" : end}`
}

/** What may be wrong with a file, put somewhere into it. */
const changes: ReadonlyArray<(text: string, at: number, random: Random) => string> = [
  (text) => text,
  (text, at, random) =>
    text.slice(0, at) +
    pick(random, [
      '"',
      ",",
      ";",
      "\n",
      "\r",
      "\t",
      " ",
      "\u0000",
      "Ж",
      "\u00a0",
      '="',
      "-",
      "0",
      "€",
      "\u0085",
      "é",
      "'"
    ]) +
    text.slice(at),
  (text, at, random) => text.slice(0, at) + text.slice(at + 1 + random(40)),
  (text, at, random) => text.slice(0, at) + text.slice(Math.max(0, at - random(300)), at) + text.slice(at),
  (text) => `${text}\nTotal,,1\n`,
  (text, at) => `${text.slice(0, at)}${text.slice(at).replace(/\d\d\d\d-\d\d-\d\d/, "pending")}`,
  (text, at) => `${text.slice(0, at)}${text.slice(at).replace(/-?\d+\.\d\d/, "1,234.50")}`,
  (text, at) => `${text.slice(0, at)}${text.slice(at).replace(/-?\d+\.\d\d/, "(12.50)")}`
]

const optionsOf = (random: Random): CsvOptions | undefined =>
  pick<CsvOptions | undefined>(random, [
    undefined,
    undefined,
    undefined,
    { decimal: "." },
    { currency: "USD" },
    { dateFormat: "DD.MM.YYYY" },
    { accountNumber: "77" }
  ])

const sizes = { head: 42_000, chunk: 0 }

const resultOf = (statement: Statement) => JSON.parse(JSON.stringify(statement)) as unknown

describe("plain tables", () => {
  it("are read in one pass as they are read by looking at everything, whole and changed", () => {
    let plain = 0
    for (let seed = 1; seed <= rounds; seed++) {
      const random = integersFrom(seed)
      let text = write(random)
      // The beginning tells how the file is read; what it says is needed.
      while (text.length < sizes.head * 2 + 2_000) text += text.slice(text.indexOf("\n", text.length >> 1) + 1)
      for (const change of changes) {
        const changed = change(text, random(text.length), random)
        const bytes = random(12) === 0 ? Buffer.from(changed, "latin1") : Buffer.from(changed, "utf8")
        const csv = optionsOf(random)
        const options = {
          fileName: "export.csv",
          baseCurrency: Currency.make("CHF"),
          ...(csv === undefined ? {} : { csv })
        }
        const fast = readPlainCsv(bytes, options, { ...sizes, chunk: pick(random, [200, 3_000, 40_000]) })
        if (fast === undefined) continue
        plain++
        const slow = readAnyCsv(bytes, options)
        expect(Result.isSuccess(slow), `seed ${seed}`).toBe(true)
        expect(resultOf(fast), `seed ${seed}`).toEqual(resultOf(Result.getOrThrow(slow)))
      }
    }
    // A short way that nobody goes proves nothing.
    expect(plain).toBeGreaterThan(rounds)
  }, 600_000)

  it("are left to the long way where any row is no plain movement", () => {
    const row = "2024-01-02,coffee,-4.50\n"
    const file = (odd: string) => Buffer.from(`Date,Description,Amount\n${row.repeat(3_000)}${odd}${row.repeat(3_000)}`)
    const options = { fileName: "export.csv", baseCurrency: Currency.make("CHF") }
    expect(readPlainCsv(file(""), options)).toBeDefined()
    const odd = [
      "2024-01-02,no amount,\n",
      ",no date,1\n",
      "2024-01-02,too,many,1\n",
      "2024-01-02,few\n",
      "2024-01-02,Москва,1\n",
      '2024-01-02,"open,1\n',
      "2024-01-02,nul\u0000,1\n",
      "02/13/2024,other,1\n",
      "Total,,5\n",
      '2024-01-02,"a"b,1\n',
      '2024-01-02,="1",1\n',
      "2024-01-02,x,12345678901234\n"
    ]
    for (const line of odd) {
      expect(readPlainCsv(file(line), options), line).toBeUndefined()
      expect(readCsv(file(line), options), line).toEqual(readAnyCsv(file(line), options))
    }
  })
})
