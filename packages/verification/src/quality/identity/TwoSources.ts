/** Two sources of one account that write every merchant in other words: a file beside a connection, or two files. */
import type { Coverage, IdTrust } from "@millrace/core/provider"
import { Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import { dateOf, type AccountHistory } from "../../model/AccountHistory.ts"
import { amountOf, type BankRead, type TrueObservation } from "../../model/BankView.ts"
import { perThousand, type Quality } from "../../model/IdentityQuality.ts"
import { byIdentity, LedgerReplay, type Matcher } from "../../model/LedgerReplay.ts"
import { Seeded } from "@millrace/testing/model"
import { sizeOf, type Effort, type Figure, type Scene, type Size } from "./Scene.ts"
import { anAccount, merchantName, playWorlds } from "./World.ts"

const nothing: ReadonlySet<string> = new Set()

/** What was booked once. */
export interface Booking {
  readonly event: number
  readonly merchant: number
  readonly day: number
  readonly cents: number
}

export interface AccountOptions {
  readonly days: number
  /** Prices of everything; without them every merchant has some of its own, and most amounts are unique. */
  readonly prices?: ReadonlyArray<number>
}

const merchants = 40

/** The bookings of an account, oldest first. */
export const bookingsOf = (random: Seeded, { days, prices }: AccountOptions): ReadonlyArray<Booking> => {
  const own = Array.from({ length: merchants }, () => random.list(1, 3, () => 180 + random.below(60) * 10))
  const bookings: Array<Booking> = []
  for (let day = 0; day < days; day++) {
    for (let n = random.below(6); n > 0; n--) {
      const merchant = random.below(merchants)
      const usual = prices ?? (random.below(10) < 4 ? own[merchant]! : [300 + random.below(20_000)])
      const cents = -random.pick(usual)
      // Sometimes just the same again.
      for (let times = random.once(30) ? 2 : 1; times > 0; times--) {
        bookings.push({ event: bookings.length, merchant, day, cents })
      }
    }
  }
  return bookings
}

/** How a source tells of bookings. */
export interface Teller {
  /** Number of the first of its names of merchants. */
  readonly words: number
  /** One in so many is dated a day later. */
  readonly late?: number
  /** One in so many is not shown at all. */
  readonly hides?: number
  readonly idOf: (booking: Booking, nth: number) => string
}

/** A source that tells the same of a booking each time. */
export const teller = (random: Seeded, bookings: ReadonlyArray<Booking>, { hides, idOf, late, words }: Teller) => {
  const all = bookings.flatMap((booking): ReadonlyArray<TrueObservation> => {
    const later = late !== undefined && random.once(late) ? 1 : 0
    if (hides !== undefined && random.once(hides)) return []
    const date = dateOf(booking.day + later)
    const amount = amountOf(booking.cents)
    const text = merchantName(words + booking.merchant)
    const fields = { date, description: text, originalDescription: text, amount, currency: "EUR", pending: false }
    const hash = JSON.stringify(fields)
    return [{ providerId: "", pendingProviderId: "", date, pending: false, hash, fields, event: booking.event }]
  })
  const equal = new Map<string, number>()
  return (from: number, to: number): ReadonlyArray<TrueObservation> => {
    equal.clear()
    return all
      .filter(({ date }) => date! >= dateOf(from) && date! <= dateOf(to))
      .map((row) => {
        const nth = (equal.get(row.hash) ?? 0) + 1
        equal.set(row.hash, nth)
        return {
          ...row,
          providerId: idOf(bookings[row.event]!, nth) || (words > 0 ? `file:csvcsv:${row.hash}:${nth}` : "")
        }
      })
  }
}

export interface Kept {
  rows: number
  /** Records beside the first of an event. */
  doubled: number
  /** Events without a record, although a source shows them. */
  lost: number
  /**
   * Times that a row was taken for the record of another merchant's event of another day. Rows of one source with one day and
   * amount are interchangeable (decision 54): days that pair as the truth pairs them count as right, whichever of the rows it is.
   */
  mixed: number
  /** Questions to a person. */
  asked: number
}

interface Taken {
  /** Day of the row, day of the record, and amount. */
  readonly key: string
  readonly isMixed: boolean
}

const countsOf = (keys: Iterable<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** Rows that were taken for another event's record, of days that do not pair so in truth. */
const mixedOf = (taken: ReadonlyArray<Taken>, truth: ReadonlyArray<string>): number => {
  const [all, right] = [countsOf(taken.map(({ key }) => key)), countsOf(truth)]
  const mixed = countsOf(taken.filter(({ isMixed }) => isMixed).map(({ key }) => key))
  return [...mixed].reduce(
    (sum, [key, count]) => sum + Math.min(count, Math.max(0, all.get(key)! - (right.get(key) ?? 0))),
    0
  )
}

/** What a ledger is after some reads of sources. */
export const keep = (
  bookings: ReadonlyArray<Booking>,
  reads: Iterable<readonly [day: number, read: BankRead]>,
  match: Matcher = byIdentity
): Kept => {
  const ledger = new LedgerReplay(match)
  const shown = new Set<number>()
  let [mixed, asked] = [0, 0]
  const areMixed = (one: Booking, other: Booking): boolean => one.merchant !== other.merchant && one.day !== other.day
  for (const [day, read] of reads) {
    for (const { event } of read.observations) shown.add(event)
    const before = new Map(Array.from(ledger.records, ([id, { entry, event }]) => [id, { date: entry.date, event }]))
    const dateOfEvent = new Map(Array.from(before.values(), (record) => [record.event, record.date]))
    const result = ledger.take(read, Timestamp.make(`${dateOf(day)}T06:00:00.000Z`))
    asked += result.suggestions.length
    const taken: Array<Taken> = []
    const truth: Array<string> = []
    for (const { entry, observation } of [...result.changed, ...result.confirmed]) {
      const { event } = observation as TrueObservation
      const keyOf = (date: string | null): string => `${observation.date} ${date} ${bookings[event]!.cents}`
      if (dateOfEvent.has(event)) truth.push(keyOf(dateOfEvent.get(event)!))
      const held = entry === undefined ? undefined : before.get(entry.id)
      if (held === undefined) continue
      taken.push({ key: keyOf(held.date), isMixed: areMixed(bookings[held.event]!, bookings[event]!) })
    }
    mixed += mixedOf(taken, truth)
  }
  const live = [...ledger.records.values()].filter(({ entry }) => entry.state === "live")
  const kept = new Map<string, number>()
  const key = ({ cents, merchant }: Booking): string => `${merchant} ${cents}`
  for (const { event } of live) kept.set(key(bookings[event]!), (kept.get(key(bookings[event]!)) ?? 0) + 1)
  let [doubled, lost] = [0, 0]
  const really = new Map<string, number>()
  for (const event of shown) really.set(key(bookings[event]!), (really.get(key(bookings[event]!)) ?? 0) + 1)
  for (const one of new Set([...kept.keys(), ...really.keys()])) {
    const more = (kept.get(one) ?? 0) - (really.get(one) ?? 0)
    if (more > 0) doubled += more
    else lost -= more
  }
  return { rows: shown.size, doubled, lost, mixed, asked }
}

type Connection = "ids" | "no ids" | "change feed"
const connections: ReadonlyArray<Connection> = ["ids", "no ids", "change feed"]

const trustOf: Readonly<Record<Connection, IdTrust>> = { ids: "stable", "no ids": "none", "change feed": "perStatus" }

interface World extends AccountOptions {
  readonly late?: number
  readonly hides?: number
}

/** A connection that is read every third day, with a statement of the last five weeks once a month. */
export const besideConnection = (seed: number, connection: Connection, world: World) => {
  const random = new Seeded(seed)
  const bookings = bookingsOf(random, world)
  const { days, hides, late } = world
  const common = { ...(hides === undefined ? {} : { hides }), ...(late === undefined ? {} : { late }) }
  const bank = teller(random, bookings, {
    ...(hides === undefined ? {} : { hides }),
    words: 0,
    idOf: ({ event }) => (connection === "no ids" ? "" : `${event}`)
  })
  const file = teller(random, bookings, { ...common, words: merchants, idOf: () => "" })
  const connectedOn = random.once(2) ? 0 : 40
  const reads: Array<readonly [number, BankRead]> = []
  let told = -1
  for (let day = 0; day < days; day++) {
    if (day >= connectedOn && day % 3 === 0) {
      const coverage: Coverage =
        connection === "change feed" && told >= 0
          ? { kind: "delta" }
          : { kind: "window", from: dateOf(Math.max(0, told < 0 ? 0 : day - 30)), to: dateOf(day), complete: true }
      const from = coverage.kind === "delta" ? told + 1 : Math.max(0, told < 0 ? 0 : day - 30)
      const observations = bank(from, day)
      reads.push([day, { idTrust: trustOf[connection], coverage, observations, removed: nothing }])
      told = day
    }
    if (day % 30 === 29) {
      const observations = file(day - 35, day - 1)
      reads.push([day, { idTrust: "stable", coverage: { kind: "delta" }, observations, removed: nothing }])
    }
  }
  return { bookings, reads }
}

/** Statements of two formats, each of five weeks, in any order and some of them again. */
export const twoFormats = (seed: number, world: World) => {
  const random = new Seeded(seed)
  const bookings = bookingsOf(random, world)
  const { days, hides, late } = world
  const common = { ...(hides === undefined ? {} : { hides }), ...(late === undefined ? {} : { late }) }
  const reissues = random.once(3)
  let download = 0
  const ofx = teller(random, bookings, {
    words: 0,
    ...(hides === undefined ? {} : { hides }),
    idOf: ({ event }) => `file:id:ofxofx:${reissues ? download : ""}:${event}`
  })
  const csv = teller(random, bookings, { ...common, words: merchants, idOf: () => "" })
  const reads = Array.from({ length: Math.floor(days / 30) }, (_, month) => [ofx, csv].map((of) => ({ month, of })))
    .flat()
    .flatMap((one) => (random.once(4) ? [one, one] : [one]))
    .map((one) => ({ ...one, at: random.below(1_000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ month, of }, n): readonly [number, BankRead] => {
      download = n
      const observations = of(month * 30 - 3, month * 30 + 32)
      return [n, { idTrust: "stable", coverage: { kind: "delta" }, observations, removed: nothing }]
    })
  return { bookings, reads }
}

const histories: Readonly<Record<Size, number>> = { small: 1, quick: 20, full: 60 }

const sum = (all: ReadonlyArray<Kept>): Kept =>
  all.reduce(
    (a, b) => ({
      rows: a.rows + b.rows,
      doubled: a.doubled + b.doubled,
      lost: a.lost + b.lost,
      mixed: a.mixed + b.mixed,
      asked: a.asked + b.asked
    }),
    { rows: 0, doubled: 0, lost: 0, mixed: 0, asked: 0 }
  )

const worlds = (effort: Effort, of: (seed: number) => ReturnType<typeof twoFormats>): Kept =>
  sum(
    Array.from({ length: sizeOf(effort, histories) }, (_, n) => {
      const { bookings, reads } = of(effort.seed + n)
      return keep(bookings, reads)
    })
  )

const figures = (name: string, kept: Kept, limits: { readonly doubled?: number; readonly merged?: number }) => {
  const per = (count: number): number => (1_000 * count) / kept.rows
  return [
    {
      name: `${name}: doubled per 1,000`,
      value: per(kept.doubled),
      ...(limits.doubled === undefined ? {} : { goal: { max: limits.doubled } })
    },
    {
      name: `${name}: false merges per 1,000`,
      value: per(kept.lost + kept.mixed),
      ...(limits.merged === undefined ? {} : { goal: { max: limits.merged } })
    },
    { name: `${name}: questions per 1,000`, value: per(kept.asked) }
  ] satisfies ReadonlyArray<Figure>
}

/** A history through a connection and its files, where the files write every merchant in other words. */
const livedInOtherWords = (effort: Effort, hasIds: boolean): Quality => {
  let history: AccountHistory | undefined
  const account = anAccount(120)
  const through = () => (read: BankRead) => ({
    ...read,
    ...(hasIds || read.idTrust !== "stable" || read.coverage.kind === "delta" ? {} : { idTrust: "none" as const }),
    observations: read.observations.map((row) => {
      if (!row.providerId.startsWith("file:")) return hasIds ? row : { ...row, providerId: "" }
      const text = merchantName(40 + history!.events[row.event]!.merchant)
      const fields = { ...row.fields, description: text, originalDescription: text }
      return { ...row, fields, hash: JSON.stringify(fields) }
    })
  })
  const options = { through, plain: true }
  return playWorlds(effort, histories, ["overlap"], (random) => (history = account(random)), options)
}

export const otherWords: Scene = {
  name: "other-words",
  title: "statement files write every merchant in other words than the connection beside them, or than other files",
  play: (effort) =>
    Effect.sync(() => {
      const [withIds, withoutIds] = [livedInOtherWords(effort, true), livedInOtherWords(effort, false)]
      const plain = { days: 120 }
      const shifted = { days: 120, late: 10, hides: 400 }
      return [
        {
          name: "histories, with ids: doubled per 1,000",
          value: perThousand(withIds.duplicate, withIds),
          goal: { max: 5 }
        },
        { name: "histories, with ids: lost per 1,000", value: perThousand(withIds.missing, withIds), goal: { max: 1 } },
        {
          name: "histories, without ids: doubled per 1,000",
          value: perThousand(withoutIds.duplicate, withoutIds),
          goal: { max: 5 }
        },
        {
          name: "histories, without ids: lost per 1,000",
          value: perThousand(withoutIds.missing, withoutIds),
          goal: { max: 1 }
        },
        ...connections.flatMap((one) =>
          figures(
            `beside a connection, ${one}`,
            worlds(effort, (seed) => besideConnection(seed, one, plain)),
            {
              doubled: 5,
              merged: 1
            }
          )
        ),
        ...connections.flatMap((one) =>
          figures(
            `some days off and rows hidden, ${one}`,
            worlds(effort, (seed) => besideConnection(seed, one, shifted)),
            { doubled: 5, merged: 1 }
          )
        ),
        ...figures(
          "two formats",
          worlds(effort, (seed) => twoFormats(seed, plain)),
          { doubled: 5, merged: 1 }
        ),
        ...figures(
          "two formats, some days off",
          worlds(effort, (seed) => twoFormats(seed, shifted)),
          {
            doubled: 5,
            merged: 1
          }
        )
      ]
    })
}

/** One in so many rows is not shown by a source. */
const hidesOf = 400

/**
 * Without a word, an id or an amount of its own, a row that one source hides is taken for an equal one that the other hides. Only a
 * rule that keeps every other row twice avoids that (it kept 300 of 1,000), so false merges may come to what one source hides.
 */
const mostMerged = 1_000 / hidesOf

export const otherWordsRound: Scene = {
  name: "other-words-round",
  title:
    "the same where everything has one of five round prices: rows of a day are interchangeable, rows of different days are not",
  play: (effort) =>
    Effect.sync(() => {
      const prices = [500, 1_000, 2_000, 5_000, 10_000]
      const plain = { days: 120, prices }
      const shifted = { days: 120, prices, late: 10, hides: hidesOf }
      return [
        ...connections.flatMap((one) =>
          figures(
            `beside a connection, ${one}`,
            worlds(effort, (seed) => besideConnection(seed, one, plain)),
            { merged: 1 }
          )
        ),
        ...figures(
          "two formats",
          worlds(effort, (seed) => twoFormats(seed, plain)),
          { merged: 1 }
        ),
        ...connections.flatMap((one) =>
          figures(
            `some days off and rows hidden, ${one}`,
            worlds(effort, (seed) => besideConnection(seed, one, shifted)),
            { merged: mostMerged }
          )
        ),
        ...figures(
          "two formats, some days off",
          worlds(effort, (seed) => twoFormats(seed, shifted)),
          { merged: mostMerged }
        )
      ]
    })
}
