/** A statement file beside a connection that dates rows up to three days otherwise, in quiet and in busy accounts. */
import type { Coverage } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { Seeded } from "@millrace/testing/model"
import { dateOf } from "../../model/AccountHistory.ts"
import { amountOf, type BankRead, type TrueObservation } from "../../model/BankView.ts"
import { sizeOf, type Effort, type Figure, type Scene, type Size } from "./Scene.ts"
import { addOutcome, noOutcome, outcomeOf, readOf, type Layout, type Outcome } from "./StatementFiles.ts"
import { bookingsOf, type Booking } from "./TwoSources.ts"
import { merchantName } from "./World.ts"

/** Few merchants, who take the same amount every few weeks. */
const quietBookings = (random: Seeded, days: number): ReadonlyArray<Booking> => {
  const all: Array<Omit<Booking, "event">> = []
  for (let merchant = 0; merchant < 3; merchant++) {
    const cents = -450 - 100 * random.below(3)
    for (let day = random.below(10); day < days; day += 7 + random.below(21)) all.push({ merchant, day, cents })
  }
  return all.toSorted((a, b) => a.day - b.day).map((booking, event) => ({ ...booking, event }))
}

const layout: Layout = { name: "CSV", tag: "csvcsv", ids: "none", balances: "none" }
const nothing: ReadonlySet<string> = new Set()

interface World {
  readonly isQuiet: boolean
  /** Days by which the file dates rows later. */
  readonly days: (random: Seeded) => () => number
}

const textOf = ({ merchant }: Booking): string => merchantName(merchant)

/** A history of one account through a connection and its monthly files. */
export const playedApart = (seed: number, { days: daysOf, isQuiet }: World): Outcome => {
  const random = new Seeded(seed)
  const days = 120
  const bookings = isQuiet ? quietBookings(random, days) : bookingsOf(random, { days })
  const apart = daysOf(random)
  const later = new Map(bookings.map(({ event }) => [event, apart()]))
  const reads: Array<BankRead> = []
  const connected = (from: number, day: number): BankRead => {
    const coverage: Coverage = { kind: "window", from: dateOf(from), to: dateOf(day), complete: true }
    const observations = bookings
      .filter((booking) => booking.day >= from && booking.day <= day)
      .map((booking): TrueObservation => {
        const date = dateOf(booking.day)
        const text = textOf(booking)
        const amount = amountOf(booking.cents)
        const fields = { date, description: text, originalDescription: text, amount, currency: "EUR", pending: false }
        const hash = JSON.stringify(fields)
        return {
          providerId: `${booking.event}`,
          pendingProviderId: "",
          date,
          pending: false,
          hash,
          fields,
          event: booking.event
        }
      })
    return { idTrust: "stable", coverage, observations, removed: nothing }
  }
  const statement = (from: number, to: number): BankRead => {
    const dated = bookings.filter(({ day, event }) => day + later.get(event)! >= from && day + later.get(event)! <= to)
    const first = { from: 0, layout, to: dated.length }
    return readOf(dated, first, reads.length, textOf, ({ day, event }) => day + later.get(event)!)
  }
  let told = -1
  const fileFirst = random.once(4)
  if (fileFirst) reads.push(statement(5, 60))
  for (let day = 0; day < days; day++) {
    if (day % 3 === 0 && !(fileFirst && day < 66)) {
      reads.push(connected(told < 0 ? 0 : Math.max(0, day - 30), day))
      told = day
    }
    if (day % 30 === 29 && !(fileFirst && day < 66)) reads.push(statement(day - 40, day - 6))
  }
  return outcomeOf(bookings, reads, days)
}

const histories: Readonly<Record<Size, number>> = { small: 2, quick: 20, full: 150 }

const sumOf = (effort: Effort, world: World): Outcome =>
  Array.from({ length: sizeOf(effort, histories) }, (_, n) => playedApart(effort.seed + n, world)).reduce(
    addOutcome,
    noOutcome()
  )

const upTo =
  (most: number): World["days"] =>
  (random) =>
  () =>
    random.below(most + 1)

const all =
  (days: number): World["days"] =>
  () =>
  () =>
    days

const figuresOf = (name: string, { asked, doubled, lost, rows }: Outcome, most: number): ReadonlyArray<Figure> => {
  const per = (count: number): number => (1_000 * count) / rows
  return [
    { name: `${name}: doubled per 1,000`, value: per(doubled), goal: { max: most } },
    { name: `${name}: lost per 1,000`, value: per(lost), goal: { max: 1 } },
    { name: `${name}: questions per 1,000`, value: per(asked) }
  ]
}

export const datedApart: Scene = {
  name: "dated-apart",
  title: "statement files date rows of a connection 0 to 3 days later, all alike or each otherwise",
  play: (effort) =>
    Effect.sync(() =>
      [true, false].flatMap((isQuiet) => {
        const account = isQuiet ? "quiet" : "busy"
        const most = isQuiet ? 0 : 1
        return [
          ...[0, 1, 2, 3].flatMap((days) =>
            figuresOf(`${account}, ${days} days later`, sumOf(effort, { isQuiet, days: all(days) }), most)
          ),
          ...[1, 2, 3].flatMap((days) =>
            figuresOf(`${account}, 0 to ${days} days later`, sumOf(effort, { isQuiet, days: upTo(days) }), most)
          )
        ]
      })
    )
}
