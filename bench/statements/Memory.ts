/** How much memory the reading of a file takes beside its rows, as the file grows. */
import { scanCamt } from "@millrace/adapters/statement"
import { Currency } from "@millrace/core"
import { StatementFault } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import { camtPieces, generate } from "../generate.ts"

const options = { fileName: "statement.xml", baseCurrency: Currency.make("CHF") }
const megabyte = 1_000_000

/** A message of about so many megabytes in pieces that nobody holds together, and how far it was read. */
function* pieces(megabytes: number, reached: (bytes: number) => void): Generator<Uint8Array> {
  const [head = "", account = "", balances = "", ...rest] = camtPieces(
    generate({ seed: 9, transactions: 1_000, accounts: 1 })
  )
  const encoder = new TextEncoder()
  const entries = encoder.encode(rest.slice(0, -2).join(""))
  yield encoder.encode(head + account + balances)
  for (let sent = 0; sent < megabytes * megabyte; sent += entries.length) {
    yield entries
    reached(sent)
  }
  yield encoder.encode(rest.slice(-2).join(""))
}

/** The most that lives while a file is read whose rows nobody keeps, in megabytes. */
const peak = (megabytes: number, collect: Effect.Effect<void>): number => {
  let most = 0
  let next = 0
  let rows = 0
  Effect.runSync(collect)
  const before = process.memoryUsage()
  const fault = scanCamt(
    pieces(megabytes, (bytes) => {
      if (bytes < next) return
      next = bytes + 2 * megabyte
      Effect.runSync(collect)
      const now = process.memoryUsage()
      most = Math.max(most, now.heapUsed + now.arrayBuffers - before.heapUsed - before.arrayBuffers)
    }),
    options,
    () => {
      rows++
    }
  )
  if (fault instanceof StatementFault || rows < megabytes * 500) throw new Error("the message was not read")
  return most / megabyte
}

/** Peaks for a file of 10 MB and for one `times` as large, as figures. */
export const memoryGrowth = (megabytes: number, collect: Effect.Effect<void>) => {
  const small = Effect.sync(() => peak(10, collect))
  const large = Effect.sync(() => peak(megabytes, collect))
  return [
    {
      name: "CAMT: megabytes beside the rows while the largest file is read",
      value: large
    },
    {
      name: "CAMT: memory of the largest file to that of 10 MB, times",
      value: Effect.map(Effect.all([small, small, large]), ([, few, many]) => many / Math.max(few, 0.5))
    }
  ]
}
