/** What the statement tests share: reading text, and a small random source with a seed. */
import { Buffer } from "node:buffer"
import { Currency } from "@millrace/core"
import type { CsvOptions } from "@millrace/core/feed"
import type { Statement, StatementFault } from "@millrace/core/upload"
import * as Result from "effect/Result"
import { readStatement } from "../../src/statement/StatementReader.ts"

export const read = (
  file: string | Uint8Array,
  csv?: CsvOptions,
  baseCurrency = "EUR"
): Result.Result<Statement, StatementFault> =>
  readStatement(typeof file === "string" ? Buffer.from(file, "utf8") : file, {
    fileName: "upload.bin",
    baseCurrency: Currency.make(baseCurrency),
    ...(csv === undefined ? {} : { csv })
  })

export const statementOf = (file: string | Uint8Array, csv?: CsvOptions, baseCurrency = "EUR"): Statement =>
  Result.getOrThrowWith(read(file, csv, baseCurrency), (fault) => fault)

export const faultOf = (file: string | Uint8Array, csv?: CsvOptions): StatementFault => {
  const result = read(file, csv)
  if (Result.isSuccess(result))
    throw new TypeError(`read without a fault: ${JSON.stringify(result.success).slice(0, 300)}`)
  return result.failure
}

export const only = <A>(values: ReadonlyArray<A>): A => {
  if (values.length !== 1) throw new RangeError(`expected one, got ${values.length}`)
  return values[0]!
}

/** Numbers from 0 to 1 that depend on the seed alone. */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
