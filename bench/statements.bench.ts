/** Statement files into typed rows, against the parsers of npm and against merely looking at every byte. */
import { readCamt, readCsv, readOfx } from "@millrace/adapters/statement"
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import type { Statement, StatementFault } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { XMLParser } from "fast-xml-parser"
import { parseSync as parseOfx } from "ofx-js"
import Papa from "papaparse"
import { generate, toCamt, toCsv, toOfx } from "./generate.ts"
import { type Bench, type Comparison, contender } from "./harness/Bench.ts"
import { memoryGrowth } from "./statements/Memory.ts"

const options = { fileName: "statement", baseCurrency: Currency.make("CHF") }

const outcome = (count: number, amounts: Iterable<string>): string => {
  let cents = 0
  for (const amount of amounts) cents += Math.round(Number(amount) * 100)
  return `${count} rows, ${cents} cents`
}

const ours = (result: Result.Result<Statement, StatementFault>): string => {
  const rows = Result.getOrThrow(result).accounts.flatMap((account) => account.rows)
  return outcome(
    rows.length,
    rows.map((row) => row.amount)
  )
}

const decoder = new TextDecoder()

const megabytes = (bytes: Uint8Array): number => bytes.length / 1e6

/** Counts lines: no reader can do less than find where they end. */
const countLines = (bytes: Uint8Array): number => {
  const text = decoder.decode(bytes)
  let lines = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

const csvComparison = (rows: number): Comparison => {
  const bytes = new TextEncoder().encode(toCsv(generate({ seed: 6, transactions: rows, accounts: 1 })[0]!))
  return {
    name: "CSV",
    time: "processor",
    amount: megabytes(bytes),
    unit: "MB",
    contenders: [
      contender("millrace, typed rows", () => readCsv(bytes, options), ours),
      contender(
        "papaparse, arrays of text",
        () => Papa.parse<ReadonlyArray<string>>(decoder.decode(bytes), { skipEmptyLines: true }).data,
        ([, ...lines]) =>
          outcome(
            lines.length,
            lines.map((line) => line[3]!)
          )
      ),
      contender(
        "papaparse, rows of dates and exact amounts",
        () =>
          Papa.parse<ReadonlyArray<string>>(decoder.decode(bytes), { skipEmptyLines: true })
            .data.slice(1)
            .map(([date, name, memo, amount, currency, reference]) => ({
              date: CalendarDate.parse(date!),
              text: memo === "" ? name : `${name} ${memo}`,
              amount: Decimal.parse(amount!),
              currency: Currency.parse(currency!),
              reference
            })),
        (read) =>
          outcome(
            read.length,
            read.map((row) => row.amount!)
          )
      ),
      contender(
        "papaparse, objects of text",
        () =>
          Papa.parse<Readonly<Record<string, string>>>(decoder.decode(bytes), { header: true, skipEmptyLines: true })
            .data,
        (lines) =>
          outcome(
            lines.length,
            lines.map((line) => line["Amount"]!)
          )
      ),
      // It reads no rows, so there is nothing to compare.
      contender(
        "limit: decode, find line ends",
        () => countLines(bytes),
        () => undefined
      )
    ],
    ratios: [
      { name: "CSV against papaparse arrays", of: "millrace, typed rows", by: "papaparse, arrays of text" },
      {
        name: "CSV against papaparse with dates and amounts",
        of: "millrace, typed rows",
        by: "papaparse, rows of dates and exact amounts"
      },
      { name: "CSV against papaparse objects", of: "millrace, typed rows", by: "papaparse, objects of text" },
      { name: "CSV against finding line ends", of: "millrace, typed rows", by: "limit: decode, find line ends" }
    ]
  }
}

type Tree = Readonly<Record<string, unknown>>
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null
const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((tree, key) => (isTree(tree) ? tree[key] : undefined), value)
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

const treeAmounts = (tree: unknown): ReadonlyArray<string> =>
  list(at(tree, "OFX", "BANKMSGSRSV1", "STMTTRNRS"))
    .flatMap((statement) => list(at(statement, "STMTRS", "BANKTRANLIST", "STMTTRN")))
    .map((row) => String(at(row, "TRNAMT")))

/** One pass over all tags by hand, keeping the four texts of each row: nothing is checked or converted. */
const scanTags = (bytes: Uint8Array): ReadonlyArray<ReadonlyArray<string>> => {
  const text = decoder.decode(bytes)
  const rows: Array<ReadonlyArray<string>> = []
  let row: Array<string> = []
  for (let less = text.indexOf("<"); less >= 0;) {
    const greater = text.indexOf(">", less)
    const next = text.indexOf("<", greater)
    const tag = text.slice(less + 1, greater)
    if (tag === "STMTTRN") row = []
    else if (tag === "/STMTTRN") rows.push(row)
    else if (tag === "DTPOSTED" || tag === "TRNAMT" || tag === "FITID" || tag === "NAME") {
      row.push(text.slice(greater + 1, next).trim())
    }
    less = next
  }
  return rows
}

const ofxComparison = (rows: number): Comparison => {
  const bytes = new TextEncoder().encode(toOfx(generate({ seed: 6, transactions: rows, accounts: 5 })))
  return {
    name: "OFX",
    time: "processor",
    amount: megabytes(bytes),
    unit: "MB",
    contenders: [
      contender("millrace, typed rows", () => readOfx(bytes, options), ours),
      contender(
        "ofx-js, tree of text",
        () => parseOfx(decoder.decode(bytes)),
        (tree) => {
          const amounts = treeAmounts(tree)
          return outcome(amounts.length, amounts)
        }
      ),
      contender(
        "limit: one pass over the tags",
        () => scanTags(bytes),
        (found) =>
          outcome(
            found.length,
            found.map((row) => row[1]!)
          )
      )
    ],
    ratios: [
      { name: "OFX against ofx-js", of: "millrace, typed rows", by: "ofx-js, tree of text" },
      { name: "OFX against one pass over the tags", of: "millrace, typed rows", by: "limit: one pass over the tags" }
    ]
  }
}

const xml = new XMLParser({ ignoreAttributes: false, parseTagValue: false })

const camtComparison = (rows: number): Comparison => {
  const bytes = new TextEncoder().encode(toCamt(generate({ seed: 6, transactions: rows, accounts: 5 })))
  return {
    name: "CAMT.053",
    time: "processor",
    amount: megabytes(bytes),
    unit: "MB",
    contenders: [
      contender("millrace, typed rows", () => readCamt(bytes, options), ours),
      contender(
        "fast-xml-parser, tree of text",
        () => xml.parse(decoder.decode(bytes)),
        (tree: unknown) => {
          const entries = list(at(tree, "Document", "BkToCstmrStmt", "Stmt")).flatMap((own) => list(at(own, "Ntry")))
          return outcome(
            entries.length,
            entries.map((entry) => {
              const amount = String(at(entry, "Amt", "#text"))
              return at(entry, "CdtDbtInd") === "DBIT" ? `-${amount}` : amount
            })
          )
        }
      )
    ],
    ratios: [{ name: "CAMT against fast-xml-parser", of: "millrace, typed rows", by: "fast-xml-parser, tree of text" }]
  }
}

export const bench: Bench = {
  name: "statements",
  title: "Statement files into typed rows",
  make: ({ collect, quick }) =>
    Effect.sync(() => ({
      comparisons: [
        csvComparison(quick ? 20_000 : 60_000),
        ofxComparison(quick ? 5_000 : 20_000),
        camtComparison(quick ? 2_000 : 8_000)
      ],
      figures: memoryGrowth(quick ? 50 : 200, collect)
    }))
}
