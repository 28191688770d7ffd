/** How much memory the reading of a file takes beside its rows, as the file grows: the rows are reported one by one. */
import { scanCamt, scanCsv, scanMt940, scanOfx, scanQif } from "@millrace/adapters/statement"
import { Currency } from "@millrace/core"
import { StatementFault, type StatementOptions } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import { camtPieces, csvHead, csvRows, generate, ofxPieces, qifHead, qifRows, toMt940 } from "../generate.ts"

const options: StatementOptions = { fileName: "statement", baseCurrency: Currency.make("CHF") }
const megabyte = 1_000_000
/** Below so many megabytes code that is compiled meanwhile and what is kept of each statement tell more than the rows. */
const leastTold = 2
/** Rows of what is repeated. */
const rowsOfBlock = 1_000

/** A file of any size: what it begins with, what is repeated, and what it ends with. */
interface Growing {
  readonly name: string
  readonly head: string
  readonly block: string
  readonly tail: string
  readonly scan: (parts: () => Iterable<Uint8Array>, take: () => void) => unknown
}

const formats = (): ReadonlyArray<Growing> => {
  const accounts = generate({ seed: 9, transactions: rowsOfBlock, accounts: 1 })
  const account = accounts[0]!
  const [head = "", begin = "", balances = "", ...rest] = camtPieces(accounts)
  const [ofxHead = "", ofxBegin = "", ...ofxRest] = ofxPieces(accounts)
  return [
    {
      name: "CSV",
      head: csvHead,
      block: csvRows(account),
      tail: "",
      scan: (parts, take) => scanCsv(parts, options, take)
    },
    {
      name: "OFX",
      head: ofxHead + ofxBegin,
      block: ofxRest.slice(0, -2).join(""),
      tail: ofxRest.slice(-2).join(""),
      scan: (parts, take) => scanOfx(parts, options, take)
    },
    {
      name: "CAMT",
      head: head + begin + balances,
      block: rest.slice(0, -2).join(""),
      tail: rest.slice(-2).join(""),
      scan: (parts, take) => scanCamt(parts(), options, take)
    },
    {
      // Banks put many messages into one file.
      name: "MT940",
      head: "",
      block: toMt940(account),
      tail: "",
      scan: (parts, take) => scanMt940(parts(), options, take)
    },
    {
      name: "QIF",
      head: qifHead(account),
      block: qifRows(account),
      tail: "",
      scan: (parts, take) => scanQif(parts, options, take)
    }
  ]
}

const encoder = new TextEncoder()

/** The most that lives while a file is read whose rows nobody keeps, in megabytes. Nobody holds the file together. */
const peak = ({ block, head, name, scan, tail }: Growing, megabytes: number, collect: Effect.Effect<void>): number => {
  const repeated = encoder.encode(block)
  const times = Math.ceil((megabytes * megabyte) / repeated.length)
  let most = 0
  let rows = 0
  Effect.runSync(collect)
  const before = process.memoryUsage()
  const parts = function* (): Generator<Uint8Array> {
    yield encoder.encode(head)
    let next = 0
    for (let sent = 0; sent < times; sent++) {
      yield repeated
      if (sent * repeated.length < next) continue
      next = sent * repeated.length + 2 * megabyte
      Effect.runSync(collect)
      const now = process.memoryUsage()
      most = Math.max(most, now.heapUsed + now.arrayBuffers - before.heapUsed - before.arrayBuffers)
    }
    yield encoder.encode(tail)
  }
  const fault = scan(parts, () => {
    rows++
  })
  if (fault instanceof StatementFault) throw new Error(`${name}: ${fault.message}`)
  if (rows !== times * rowsOfBlock) throw new Error(`${name}: ${rows} of ${times * rowsOfBlock} rows were read`)
  return most / megabyte
}

/** Peaks for a file of 10 MB and for one of so many megabytes, as figures of each format. */
export const memoryGrowth = (megabytes: number, collect: Effect.Effect<void>) =>
  formats().flatMap((format) => {
    const small = Effect.sync(() => peak(format, 10, collect))
    const large = Effect.runSync(Effect.cached(Effect.sync(() => peak(format, megabytes, collect))))
    return [
      { name: `${format.name}: megabytes beside the rows while the largest file is read`, value: large },
      {
        name: `${format.name}: memory of the largest file to that of 10 MB, times`,
        value: Effect.map(
          Effect.all([small, small, large]),
          ([, few, many]) => Math.max(many, leastTold) / Math.max(few, leastTold)
        )
      }
    ]
  })
