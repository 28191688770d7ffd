/** Downloads of statement files of one account, whose true rows are known: what each file shows, and what a ledger has in the end. */
import { Decimal, Timestamp } from "@millrace/core"
import type { Seeded } from "@millrace/testing/model"
import { dateOf } from "../../model/AccountHistory.ts"
import { amountOf, type BankRead, type TrueObservation } from "../../model/BankView.ts"
import { byIdentity, LedgerReplay } from "../../model/LedgerReplay.ts"
import type { Booking } from "./TwoSources.ts"

/** A format, as far as it matters for telling rows apart. */
export interface Layout {
  readonly name: string
  /** Six letters that all files of the layout share. */
  readonly tag: string
  /** Ids of the bank: of the row permanently, of the download, or none. */
  readonly ids: "stable" | "new" | "none"
  readonly balances: "both" | "closing" | "none"
}

export const layouts: ReadonlyArray<Layout> = [
  { name: "CSV", tag: "csvone", ids: "none", balances: "none" },
  { name: "CSV with balances", tag: "csvbal", ids: "none", balances: "both" },
  { name: "OFX, lasting ids", tag: "ofxids", ids: "stable", balances: "closing" },
  { name: "OFX, new ids", tag: "ofxnew", ids: "new", balances: "closing" },
  { name: "OFX, no ids", tag: "ofxnon", ids: "none", balances: "closing" },
  { name: "QIF", tag: "qifone", ids: "none", balances: "none" },
  { name: "MT940 NONREF", tag: "mt940n", ids: "none", balances: "both" },
  { name: "CAMT", tag: "camtid", ids: "stable", balances: "both" },
  { name: "CAMT, no references", tag: "camtno", ids: "none", balances: "both" }
]

/** Places in the list of all bookings, in the order of the bank. */
export interface Download {
  readonly layout: Layout
  readonly from: number
  /** Behind the last one. */
  readonly to: number
}

/** How a file writes the text of a booking. */
export type WriteText = (booking: Booking) => string

const nothing: ReadonlySet<string> = new Set()

const centsOf = (bookings: ReadonlyArray<Booking>): number => bookings.reduce((sum, { cents }) => sum + cents, 0)

/** What a file shows; `number` tells downloads apart. */
export const readOf = (
  bookings: ReadonlyArray<Booking>,
  { from, layout, to }: Download,
  number: number,
  textOf: WriteText,
  dayOf: (booking: Booking) => number = ({ day }) => day
): BankRead => {
  const equal = new Map<string, number>()
  const observations = bookings.slice(from, to).map((booking): TrueObservation => {
    const date = dateOf(dayOf(booking))
    const amount = amountOf(booking.cents)
    const text = textOf(booking)
    const fields = { date, description: text, originalDescription: text, amount, currency: "EUR", pending: false }
    const hash = JSON.stringify(fields)
    const nth = (equal.get(hash) ?? 0) + 1
    equal.set(hash, nth)
    const id = layout.ids === "new" ? `${number}:${booking.event}` : `${booking.event}`
    const providerId = layout.ids === "none" ? `file:${layout.tag}:${hash}:${nth}` : `file:id:${layout.tag}:${id}`
    return { providerId, pendingProviderId: "", date, pending: false, hash, fields, event: booking.event }
  })
  const opening = Decimal.add(amountOf(100_000), amountOf(centsOf(bookings.slice(0, from))))
  const closing = Decimal.add(amountOf(100_000), amountOf(centsOf(bookings.slice(0, to))))
  return {
    idTrust: "stable",
    coverage: { kind: "delta" },
    observations,
    removed: nothing,
    file: {
      ...(layout.balances === "both" ? { openingBalance: opening } : {}),
      ...(layout.balances === "none" ? {} : { closingBalance: closing })
    }
  }
}

/** Downloads one after the other until all is shown: each begins where the last one ended, or earlier, on any row of a day. */
export const downloadsOf = (
  random: Seeded,
  bookings: ReadonlyArray<Booking>,
  layoutOf: (number: number) => Layout
): ReadonlyArray<Download> => {
  const downloads: Array<Download> = []
  const firstOf = (day: number): number => bookings.findIndex((booking) => booking.day >= day)
  let from = 0
  while (from < bookings.length) {
    const size = 15 + random.below(40)
    const to = Math.min(bookings.length, from + size)
    downloads.push({ layout: layoutOf(downloads.length), from, to })
    if (to === bookings.length) break
    const last = bookings[to - 1]!.day
    const starts = [to, Math.max(from + 1, firstOf(last)), Math.max(from + 1, firstOf(last - 1 - random.below(8)))]
    from = random.pick(starts)
  }
  return downloads
}

export interface Outcome {
  rows: number
  doubled: number
  lost: number
  /** The same, without a suggestion. */
  doubledSilently: number
  lostSilently: number
  asked: number
}

export const noOutcome = (): Outcome => ({
  rows: 0,
  doubled: 0,
  lost: 0,
  doubledSilently: 0,
  lostSilently: 0,
  asked: 0
})

export const addOutcome = (a: Outcome, b: Outcome): Outcome => {
  const sum = { ...a }
  for (const key of Object.keys(b) as ReadonlyArray<keyof Outcome>) sum[key] += b[key]
  return sum
}

const keyOf = ({ cents, merchant }: Booking): string => `${merchant} ${cents}`

/** What a ledger has after the reads of one day, or of a day each, against what they showed. */
export const outcomeOf = (
  bookings: ReadonlyArray<Booking>,
  reads: ReadonlyArray<BankRead>,
  now: number | ReadonlyArray<number>
): Outcome => {
  const ledger = new LedgerReplay(byIdentity)
  const shown = new Set<number>()
  const asked = new Map<string, number>()
  let questions = 0
  for (const [at, read] of reads.entries()) {
    for (const { event } of read.observations) shown.add(event)
    const today = dateOf(typeof now === "number" ? now : now[at]!)
    for (const { observed } of ledger.take(read, Timestamp.make(`${today}T06:00:00.000Z`)).suggestions) {
      questions++
      const event = "event" in observed ? (observed as TrueObservation).event : undefined
      if (event === undefined) continue
      const key = keyOf(bookings[event]!)
      asked.set(key, (asked.get(key) ?? 0) + 1)
    }
  }
  const surplus = new Map<string, number>()
  const count = (event: number, by: number): void => {
    const key = keyOf(bookings[event]!)
    surplus.set(key, (surplus.get(key) ?? 0) + by)
  }
  for (const { entry, event } of ledger.records.values()) if (entry.state === "live") count(event, 1)
  for (const event of shown) count(event, -1)
  const outcome = { ...noOutcome(), rows: shown.size, asked: questions }
  for (const [key, by] of surplus) {
    const silent = Math.max(0, Math.abs(by) - (asked.get(key) ?? 0))
    if (by > 0) {
      outcome.doubled += by
      outcome.doubledSilently += silent
    } else {
      outcome.lost -= by
      outcome.lostSilently += silent
    }
  }
  return outcome
}
