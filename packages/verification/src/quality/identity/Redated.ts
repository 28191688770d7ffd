/** Accounts of few rows whose rows have no ids, and come again under another day. */
import * as Effect from "effect/Effect"
import { Seeded } from "@millrace/testing/model"
import { dateOf } from "../../model/AccountHistory.ts"
import { amountOf, type BankRead, type TrueObservation } from "../../model/BankView.ts"
import { sizeOf, type Effort, type Scene, type Size } from "./Scene.ts"
import { addOutcome, noOutcome, outcomeOf, type Outcome } from "./StatementFiles.ts"
import { bookingsOf, type Booking } from "./TwoSources.ts"
import { merchantName } from "./World.ts"

const histories: Readonly<Record<Size, number>> = { small: 4, quick: 30, full: 200 }

const nothing: ReadonlySet<string> = new Set()
const days = 60
/** Days that a read shows: a handful of rows. */
const windowDays = 10
/** Days after which nothing is dated otherwise any more. */
const quietDays = 20

/** Days by which a read dates a row later. */
type Dating = (random: Seeded, bookings: ReadonlyArray<Booking>) => (booking: Booking, day: number) => number

/** Three reads of ten date every row one day off, always in the same direction. */
const wholeReads: Dating = (random) => {
  const later = random.once(2) ? 1 : -1
  const isOff = Array.from({ length: days }, () => random.below(10) < 3)
  return (_, day) => (isOff[day] === true ? later : 0)
}

/** One row of five is dated a day later permanently, two days after it was first shown. */
const rowsForGood: Dating = (random, bookings) => {
  const moved = new Set(bookings.filter(() => random.once(5)).map(({ event }) => event))
  return (booking, day) => (moved.has(booking.event) && day >= booking.day + 2 ? 1 : 0)
}

/** An account that is read every day. */
const played = (seed: number, datingOf: Dating): Outcome => {
  const random = new Seeded(seed)
  const bookings = bookingsOf(random, { days })
    .filter(() => random.once(4))
    .map((booking, event) => ({ ...booking, event }))
  if (bookings.length === 0) return noOutcome()
  const laterOf = datingOf(random, bookings)
  const nows = Array.from({ length: days + quietDays }, (_, day) => day)
  const reads = nows.map((day): BankRead => {
    const from = day < days ? Math.max(0, day - windowDays) : 0
    const observations = bookings.flatMap((booking): ReadonlyArray<TrueObservation> => {
      const dated = booking.day + laterOf(booking, day)
      if (booking.day > day || dated < from) return []
      const date = dateOf(dated)
      const text = merchantName(booking.merchant)
      const amount = amountOf(booking.cents)
      const fields = { date, description: text, originalDescription: text, amount, currency: "EUR", pending: false }
      const hash = JSON.stringify(fields)
      return [{ providerId: "", pendingProviderId: "", date, pending: false, hash, fields, event: booking.event }]
    })
    return {
      idTrust: "none",
      coverage: { kind: "window", from: dateOf(from), to: dateOf(day + 1), complete: true },
      observations,
      removed: nothing
    }
  })
  return outcomeOf(bookings, reads, nows)
}

const ways: Readonly<Record<string, Dating>> = {
  "three reads of ten a day off": wholeReads,
  "one row of five a day later permanently": rowsForGood
}

export const redated: Scene = {
  name: "redated-rows",
  title: "an account of few rows without ids is read every day, and rows come again under another day",
  play: (effort: Effort) =>
    Effect.sync(() => {
      // One row of the small form is almost 3 of 1,000.
      const mostDoubled = sizeOf(effort, { small: 12, quick: 2, full: 2 })
      return Object.entries(ways).flatMap(([way, dating]) => {
        const outcome = Array.from({ length: sizeOf(effort, histories) }, (_, n) =>
          played(effort.seed + n, dating)
        ).reduce(addOutcome, noOutcome())
        const per = (count: number): number => (1_000 * count) / outcome.rows
        return [
          { name: `${way}: doubled per 1,000`, value: per(outcome.doubled), goal: { max: mostDoubled } },
          { name: `${way}: lost per 1,000`, value: per(outcome.lost), goal: { max: 0.5 } }
        ]
      })
    })
}
