/** CSV files that come in parts, cut anywhere, give what the whole gives, and nobody has to keep their rows. */
import { Buffer } from "node:buffer"
import * as fs from "node:fs"
import * as path from "node:path"
import { Currency } from "@millrace/core"
import type { CsvOptions } from "@millrace/core/feed"
import { StatementFault, type StatementOptions } from "@millrace/core/upload"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { type ScannedCsv, readCsv, scanCsv } from "../../src/statement/CsvReader.ts"
import type { StatedRow } from "../../src/statement/StatedRow.ts"
import { writeCsv } from "./CsvWriter.ts"
import { cut, integersFrom, list, pick, type Random } from "./parts.ts"

const isLong = process.env["MILLRACE_LONG"] === "1"
const rounds = isLong ? 20_000 : 350

const optionsOf = (csv: CsvOptions | undefined): StatementOptions => ({
  fileName: "export.csv",
  baseCurrency: Currency.make("EUR"),
  ...(csv === undefined ? {} : { csv })
})

const faultOf = ({ message, ...place }: StatementFault) => ({ fault: { ...place, message } })

const wholeOf = (bytes: Uint8Array, options: StatementOptions) =>
  Result.match(readCsv(bytes, options), { onFailure: faultOf, onSuccess: (statement) => statement })

/** Whoever keeps the rows gets the accounts of the whole. */
const keptOf = (parts: ReadonlyArray<Uint8Array>, options: StatementOptions, least: number | undefined) => {
  const scanned = scanCsv(() => parts, options, undefined, least)
  if (scanned instanceof StatementFault) return faultOf(scanned)
  const { accounts, assumed, refused, warnings } = scanned
  return { format: "csv", accounts, assumed, warnings, ...(refused.length === 0 ? {} : { refused }) }
}

/** The rows in the order of the file, and what is said beside them. */
const takenOf = (parts: ReadonlyArray<Uint8Array>, options: StatementOptions, least: number | undefined) => {
  const rows: Array<StatedRow> = []
  const scanned = scanCsv(
    () => parts,
    options,
    (_, row) => rows.push(row),
    least
  )
  return { rows, scanned }
}

const compare = (
  bytes: Uint8Array,
  options: StatementOptions,
  random: Random,
  what: string,
  seen = new Set<string>()
) => {
  const whole = wholeOf(bytes, options)
  const least = pick(random, [20, 200, 3_000, undefined])
  const parts = cut(bytes, random)
  expect(keptOf(parts, options, least), what).toEqual(whole)
  const { rows, scanned } = takenOf(parts, options, least)
  if ("fault" in whole) {
    expect(scanned instanceof StatementFault && faultOf(scanned), what).toEqual(whole)
    seen.add(whole.fault.message)
    return 0
  }
  for (const warning of whole.warnings) seen.add(warning)
  const { assumed, drafts, refused, warnings } = scanned as ScannedCsv
  const expected = whole.accounts.flatMap((account) => account.rows).toSorted((a, b) => a.line - b.line)
  expect(rows, what).toEqual(expected)
  expect(drafts.map(({ name, number }) => [name, number])).toEqual(
    whole.accounts.map(({ name, number }) => [name, number])
  )
  expect(drafts.flatMap((draft) => [...draft.rows, ...draft.balances])).toEqual([])
  expect({ assumed, refused }, what).toEqual({ assumed: whole.assumed, refused: whole.refused ?? [] })
  // What the balances come to is said by whoever keeps the rows.
  expect(warnings, what).toEqual(whole.warnings.slice(0, warnings.length))
  return rows.length
}

const words = [
  "Café Zürich",
  "x",
  "a  b",
  "Москва",
  "Sale, big",
  'say "so"',
  "line\nbreak",
  "Payment received",
  "€",
  "fee"
]

/** Tables in which columns are sparse, signs and days in question, ids repeated, and rows are none. */
const strange = (random: Random): string => {
  const delimiter = pick(random, [",", ";", "\t", "|"])
  const end = pick(random, ["\n", "\n", "\r\n", "\r"])
  const comma = random(3) === 0
  const count = pick(random, [0, 1, 2, 5, 30, 120, 300])
  const cell = (text: string) =>
    random(6) === 0 || text.includes(delimiter) || /["\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  const line = (cells: ReadonlyArray<string>) => cells.map(cell).join(delimiter)
  const money = (cents: number) => {
    const text = (cents / 100).toFixed(2)
    return comma ? text.replace(".", ",") : text
  }
  const isSparse = random(3) === 0
  const order = random(3)
  const day = (n: number) => {
    const [y, m, d] = new Date(Date.UTC(2025, 0, 1 + (n >> 1))).toISOString().slice(0, 10).split("-")
    return order === 0 ? `${y}-${m}-${d}` : order === 1 ? `${d}.${m}.${y}` : `${m}/${d}/${y}`
  }
  const kind = pick(random, ["signed", "signed", "unsigned", "sides", "words", "contradicting"])
  const falls = random(2) === 0
  let balance = 100_000
  const amounts = list(count, () => random(9_999) + 1)
  const signs = list(count, () => (random(3) === 0 ? 1 : -1))
  const balances: Array<number> = []
  for (const [n, amount] of amounts.entries()) balances.push((balance += amount * signs[n]!))
  const columns: Array<readonly [string, (n: number) => string]> = [["Date", day]]
  const add = (name: string, of: (n: number) => string) => columns.splice(random(columns.length + 1), 0, [name, of])
  if (kind === "sides") {
    add("Debit", (n) => (signs[n]! < 0 ? money(random(40) === 0 ? -amounts[n]! : amounts[n]!) : ""))
    add("Credit", (n) => (signs[n]! > 0 ? money(amounts[n]!) : ""))
  } else {
    const isPlain = kind === "unsigned" || kind === "words"
    add(random(5) === 0 ? "Amount (USD)" : "Amount", (n) => money(amounts[n]! * (isPlain ? 1 : signs[n]!)))
  }
  if (kind === "words" || kind === "contradicting") {
    add("Type", (n) =>
      random(50) === 0 ? "" : signs[n]! < 0 === random(kind === "words" ? 1_000 : 9) > 0 ? "Debit" : "Credit"
    )
  }
  if (random(2) === 0) add("Balance", (n) => money(balances[n]! + (random(100) === 0 ? 1 : 0)))
  if (random(5) > 0) add("Description", () => pick(random, words))
  if (random(3) === 0) add("Payee", (n) => (isSparse && n % 9 > 0 ? "" : pick(random, words)))
  if (random(3) === 0) add("Transaction ID", (n) => (random(8) === 0 ? "" : `T${random(200) === 0 ? 1 : n}`))
  if (random(3) === 0) add("Currency", () => (random(30) === 0 ? "" : pick(random, ["EUR", "EUR", "CHF"])))
  if (random(3) === 0) add("IBAN", (n) => (isSparse && n % 7 > 0 ? "" : `DE8937040044053201${3_000 + (n % 5)}`))
  if (random(4) === 0) add("Account", (n) => pick(random, [`12345${n % 2}`, "123450"]))
  if (random(4) === 0) add("Status", () => pick(random, ["booked", "booked", "pending", "cancelled"]))
  if (random(4) === 0) add("Note", (n) => (n % 40 === 39 ? pick(random, words) : ""))
  if (random(5) === 0) {
    add("From", (n) => (signs[n]! < 0 ? "Me Myself" : pick(random, words)))
    add("To", (n) => (signs[n]! < 0 ? pick(random, words) : "Me Myself"))
  }
  const width = columns.length
  const rows = [...list(count, (n) => line(columns.map(([, of]) => of(n))))]
  if (falls) rows.reverse()
  const odd = (): string =>
    pick(random, [
      "",
      line(columns.map(([name]) => (name === "Description" ? "goes on" : ""))),
      line(columns.map(([name]) => (name === "Description" ? "goes on" : name === "Payee" ? "and on" : ""))),
      line(columns.map(([name]) => name)),
      line(["Total", money(12)]),
      line(list(width + 2, () => "more")),
      line(columns.map(([name, of]) => (name === "Date" ? "31/12/2025" : count === 0 ? "" : of(0)))),
      line(columns.map(([name, of]) => (name === "Date" ? "someday" : count === 0 ? "" : of(0)))),
      line(columns.map(([name, of]) => (name === "Amount" ? "" : count === 0 ? "" : of(0))))
    ])
  while (random(3) > 0) rows.splice(random(rows.length + 1), 0, odd())
  if (count > 0) {
    const named = (text: string) => line(columns.map(([name, of]) => (name === "Description" ? text : of(0))))
    if (random(6) === 0) rows.unshift(named("Opening balance"))
    if (random(6) === 0) rows.push(named("Closing balance"))
  }
  const above =
    random(3) === 0 ? list(random(5), () => pick(random, ["Account: 1234-567", "", "Saldo;1,00", "words"])) : []
  const header = random(8) === 0 ? [] : [line(columns.map(([name]) => name))]
  return [...above, ...header, ...rows].join(end) + pick(random, ["", end, `${end}${end}`])
}

const changed = (text: string, random: Random): string => {
  if (random(60) === 0) return pick(random, ["", "\n\n", "  ", "\ufeff \n"])
  const at = random(text.length + 1)
  switch (random(8)) {
    case 0:
      return (
        text.slice(0, at) +
        pick(random, ['"', ",", ";", "\n", "\r", "\u0000", "\ufeff", "Ж", "é", "-", "="]) +
        text.slice(at)
      )
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random(60))
    case 2:
      return text.slice(0, at)
    default:
      return text
  }
}

const bytesOf = (text: string, random: Random): Uint8Array => {
  const form = pick(random, ["utf8", "utf8", "utf8", "latin1", "utf16le"] as const)
  return Buffer.from((random(6) === 0 ? "\ufeff" : "") + text, form)
}

const someOptions = (random: Random): CsvOptions | undefined =>
  pick<CsvOptions | undefined>(random, [
    undefined,
    undefined,
    undefined,
    undefined,
    { headerLine: random(4) },
    { encoding: "windows-1252" },
    { decimal: "." },
    { negate: true },
    { columns: { sign: "" } },
    { dateFormat: "DD.MM.YYYY" },
    { accountNumber: "77" },
    { delimiter: ";" }
  ])

/** A file of many ids, and the last one. */
const withIds = (last: string) =>
  Buffer.from(
    `Date,Description,Amount,Transaction ID\n${list(20_000, (n) => `2026-01-03,shop,-2.00,T${n === 19_999 ? last : n}\n`).join("")}`
  )

/** A header that names another number of columns than rows have: one of some hundred files has it. */
const rareSeed = 587

/** What files are said to be like. */
const kinds = [
  /a balance, not a movement/,
  /added to the row above, as in/,
  /repeats: it is kept as reference/,
  /contradict each other/,
  /the balances say which leave/,
  /no balance before it says/,
  /holds a negative amount/,
  /encoding guessed/,
  /cells, the header names/,
  /a summary line/,
  /without an amount/,
  /some rows name no currency/,
  /the balance does not follow/,
  /dateFormat ambiguous/,
  /is read as the other side's account/,
  /every amount is positive/,
  /neither a sign nor a word/,
  /a quoted cell never ends/,
  /binary data/,
  /no column holds/,
  /the file is empty/,
  /day first/,
  /rows cannot be read/
]

describe("CSV in parts", () => {
  it("gives the rows, the notes, the accounts and the faults of the whole", () => {
    let rows = 0
    const seen = new Set<string>()
    for (const seed of [...list(rounds, (n) => n + 1), rareSeed]) {
      const random = integersFrom(seed)
      const text = random(3) === 0 ? writeCsv(seed).text : strange(random)
      rows += compare(
        bytesOf(changed(text, random), random),
        optionsOf(someOptions(random)),
        random,
        `seed ${seed}`,
        seen
      )
    }
    expect(rows).toBeGreaterThan(rounds * 10)
    // What is not met proves nothing.
    for (const kind of kinds) expect([kind, [...seen].some((said) => kind.test(said))]).toEqual([kind, true])
  }, 600_000)

  it("gives of large files what the whole gives", () => {
    for (let seed = 1; seed <= (isLong ? 40 : 10); seed++) {
      const random = integersFrom(seed)
      const [header = "", ...rows] = strange(random).split(/(?<=\n)/)
      const row = rows.find((each) => each.length > 20) ?? "\n"
      const bytes = Buffer.from(header + rows.join("") + row.repeat(Math.ceil(300_000 / row.length)))
      const size = 1_000 + random(90_000)
      const parts = list(Math.ceil(bytes.length / size), (n) => bytes.subarray(n * size, (n + 1) * size))
      const options = optionsOf(undefined)
      expect(keptOf(parts, options, undefined), `seed ${seed}`).toEqual(wholeOf(bytes, options))
    }
  })

  it.each([
    ["a text", "2026-01-03,#,1.00\n"],
    ["a quoted text", '2026-01-03,"#",1.00\n'],
    ["a quote that nothing closes", '2026-01-03,"#'],
    ["a row that nothing ends", "2026-01-03,#"],
    ["many columns", "2026-01-03,#,1.00,,,,,,,,,,\n"],
    ["blanks", " #\n"]
  ])("takes %s of up to a megabyte, wherever the file is cut", (_, written) => {
    const longest = 1_048_576
    for (const length of [longest - 400, longest - 17, longest - 16, longest - 12, longest + 1, longest * 3]) {
      const filler = written.startsWith(" ") ? " " : "x"
      const row = "2026-01-03,shop,-2.00\n"
      const bytes = Buffer.from(
        `Date,Description,Amount\n${row.repeat(9)}${written.replace("#", filler.repeat(length))}${row}`
      )
      const whole = wholeOf(bytes, optionsOf(undefined))
      expect(
        Result.match(readCsv(bytes, optionsOf(undefined)), { onFailure: faultOf, onSuccess: (all) => all })
      ).toEqual(whole)
      for (const size of [70_000, 1_000_003]) {
        const parts = list(Math.ceil(bytes.length / size), (n) => bytes.subarray(n * size, (n + 1) * size))
        expect(keptOf(parts, optionsOf(undefined), undefined), `${length} in ${size}`).toEqual(whole)
      }
    }
  })

  it("has more rows handed on than are kept of a file", () => {
    const block = Buffer.from("2026-01-03,shop,-2.00\n".repeat(1_000))
    const parts = [Buffer.from("Date,Description,Amount\n"), ...list(211, () => block)]
    const { rows, scanned } = takenOf(parts, optionsOf(undefined), undefined)
    expect([scanned instanceof StatementFault, rows.length]).toEqual([false, 211_000])
    const fault = { message: "more than 200000 rows in one file: split it by period" }
    expect(wholeOf(Buffer.concat(parts), optionsOf(undefined))).toMatchObject({ fault })
    expect(keptOf(parts, optionsOf(undefined), undefined)).toEqual(wholeOf(Buffer.concat(parts), optionsOf(undefined)))
  })

  it("tells ids that repeat far from each other, and none that do not", () => {
    for (const [last, id] of [
      ["unique", "T0"],
      ["3", ""]
    ] as const) {
      const { rows } = takenOf([withIds(last)], optionsOf(undefined), undefined)
      expect(rows[0]!.providerId).toBe(id)
      expect(rows).toEqual(Result.getOrThrow(readCsv(withIds(last), optionsOf(undefined))).accounts[0]!.rows)
    }
  })

  it.each([
    ["binary data", "Date,Amount\n2026-01-03,1\u0000\n", undefined, 1],
    ["a table without dates", "Name,Amount\nx,1.00\n", undefined, 1],
    ["days that contradict each other", "Date,Amount\n13/01/2026,1.00\n01/13/2026,1.00\n", undefined, 2],
    ["many accounts", "", list(2_001, (n) => `2026-01-03,1.00,1234${n}\n`).join(""), 4]
  ])("is let go of: %s", (_, text, rows, times) => {
    let open = 0
    let opened = 0
    const scanned = scanCsv(
      function* () {
        open++
        opened++
        try {
          yield Buffer.from(rows === undefined ? text : `Date,Amount,Account\n${rows}`)
          for (let n = 0; n < 30; n++) yield Buffer.from("\n".repeat(10_000))
        } finally {
          open--
        }
      },
      optionsOf(rows === undefined ? undefined : { columns: { account: "Account" } }),
      () => undefined
    )
    expect([scanned instanceof StatementFault, open, opened]).toEqual([true, 0, times])
  })
})

const folder = path.resolve(import.meta.dirname, "../../../../../shared/data/csv")

describe.skipIf(!fs.existsSync(folder))("CSV of real banks in parts", () => {
  it("gives what the whole gives", () => {
    const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.csv$/i.test(name))
    expect(names.length).toBeGreaterThan(20)
    for (const name of names) {
      const bytes = fs.readFileSync(path.join(folder, name))
      for (let seed = 0; seed < 10; seed++) compare(bytes, optionsOf(undefined), integersFrom(seed), name)
    }
  })
})
