/** Rates between currencies from a file, which is read again when it changes (enrichments A12.4). */
import { createHash } from "node:crypto"
import { readFile, stat } from "node:fs/promises"
import { RateTable } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readRates } from "./RateText.ts"

/** The file cannot be used; what is wrong with it. */
export type RateFault = string

const faultOf = (cause: unknown): RateFault => {
  const { code } = cause as { readonly code?: unknown }
  return `cannot be read (${typeof code === "string" ? code : "unknown"})`
}

/** Reads the file whole. */
export const readRateFile = Effect.fnUntraced(function* (path: string) {
  const text = yield* Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: faultOf })
  const version = createHash("sha256").update(text).digest("base64url").slice(0, 22)
  return yield* Effect.fromResult(readRates(text, version))
})

/**
 * The rates of a file. One that was replaced is read by the next run; one that cannot be used any more is reported in the log, and
 * the rates that were there before go on.
 */
export const makeRateFile = Effect.fnUntraced(function* (path: string) {
  let known: RateTable.RateTable = RateTable.noRates
  let looks = ""
  const look = Effect.tryPromise({ try: () => stat(path), catch: faultOf }).pipe(
    Effect.map(({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`)
  )
  const read = Effect.gen(function* () {
    const now = yield* Effect.result(look)
    const state = Result.isSuccess(now) ? now.success : now.failure
    if (state === looks) return known
    const table = yield* Effect.result(readRateFile(path))
    if (Result.isSuccess(table)) known = table.success
    else yield* Effect.logWarning(`Rates of currencies: ${path} ${table.failure}; the former ones are used on`)
    looks = state
    return known
  })
  yield* read
  return { read }
})
