/** Files of every make, read back: the truth, or a sentence that says what was not certain. */
import { Decimal } from "@millrace/core"
import type { Statement } from "@millrace/core/upload"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { type CsvFile, writeCsv } from "./CsvWriter.ts"
import { read } from "./reading.ts"

const decimalOf = (cents: number): string => Decimal.fromUnits(BigInt(cents), 2)

/** What is wrong in a reading and was not said; nothing of it may be. */
const silentFaults = (file: CsvFile, statement: Statement): ReadonlyArray<string> => {
  const said = (pattern: RegExp) => statement.warnings.some((warning) => pattern.test(warning))
  const rows = statement.accounts.flatMap((account) => account.rows).toSorted((a, b) => a.line - b.line)
  const faults: Array<string> = []
  if (rows.length + (statement.refused?.length ?? 0) !== file.movements.length) faults.push(`${rows.length} rows`)
  const differs = (seen: (at: number) => unknown, meant: (at: number) => unknown) =>
    file.movements.findIndex((_, at) => seen(at) !== meant(at))
  const sizes = differs(
    (at) => rows[at] && Decimal.abs(rows[at].amount),
    (at) => decimalOf(Math.abs(file.movements[at]!.cents))
  )
  if (sizes >= 0 && !said(/decimal ambiguous/)) faults.push(`amount ${rows[sizes]?.amount}`)
  const signs = differs(
    (at) => rows[at] && Decimal.isNegative(rows[at].amount),
    (at) => file.movements[at]!.cents < 0
  )
  if (signs >= 0 && !said(/columns\.sign|csv\.negate|sideSigns/)) faults.push(`sign of ${rows[signs]?.amount}`)
  const days = differs(
    (at) => rows[at]?.date,
    (at) => file.movements[at]!.date
  )
  if (days >= 0 && !said(/dateFormat ambiguous/)) faults.push(`day ${rows[days]?.date}`)
  const described = differs(
    (at) => rows[at]?.description,
    (at) => file.movements[at]!.description
  )
  if (described >= 0 && !said(/csv\.columns\.description|added to the row above/))
    faults.push(`text ${rows[described]?.description}`)
  if (rows.some((row) => row.currency !== file.currency) && !said(/no currency is named/)) faults.push("currency")
  const numbers = statement.accounts.map((account) => account.number.replaceAll(" ", ""))
  if (numbers.length !== 1 || numbers[0] !== file.own) {
    if (!said(/csv\.columns\.account/)) faults.push(`accounts ${numbers.join()}`)
  }
  return faults
}

const rounds = process.env["MILLRACE_LONG"] === "1" ? 40_000 : 1_500

describe("CSV files of random languages, orders and conventions", () => {
  it("are read as they were meant, or what is not certain is said", () => {
    const failed: Array<string> = []
    const count = { right: 0, refused: 0 }
    for (let seed = 1; seed <= rounds; seed++) {
      const file = writeCsv(seed)
      const result = read(file.text, undefined, file.base)
      if (Result.isFailure(result)) {
        count.refused++
        if (!/sourceConfig\.csv/.test(result.failure.message)) failed.push(`${file.story}: ${result.failure.message}`)
        continue
      }
      const faults = silentFaults(file, result.success)
      if (faults.length === 0) count.right++
      else
        failed.push(
          `${file.story}: ${faults.join(", ")}\n${file.text}\n${JSON.stringify(result.success.warnings)} ${result.success.assumed["columns"]}`
        )
    }
    expect(failed.slice(0, 6)).toEqual([])
    // A reader that refuses everything is never wrong either.
    expect(count.refused / rounds).toBeLessThan(0.05)
  }, 600_000)
})
