/** What the index tells of the records that a read can mean, and the former ids that lead to them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { IdTrust } from "../provider/Capabilities.ts"
import type { Coverage } from "../provider/Provider.ts"
import type { IndexEntry } from "../record/LedgerRecord.ts"
import { type RecordScope, RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import type { Observation } from "../record/Observation.ts"
import { trusted } from "./match/Coverage.ts"
import { IdentityStore } from "./IdentityStore.ts"
import { lateReachDays } from "./match/LateSettlement.ts"
import type { Days } from "./match/Days.ts"

/** A read, as far as it decides what can be meant. */
export interface ReadScope {
  readonly scope: RecordScope
  readonly observations: ReadonlyArray<Observation>
  readonly removed: ReadonlySet<string>
  readonly coverage: Coverage
  /** As in `MatchInput`. */
  readonly pendingCoverage?: Coverage
  readonly idTrust: IdTrust
  /** As in `MatchInput`. */
  readonly keyed?: true
  /** Of a full read only the records of these days can be meant, besides undated ones and tombstones. */
  readonly days?: ReadonlyArray<Days>
}

/** Days before what is read that a record may be dated and still be meant. */
const reachDays = 14
/** The same before a window: long enough that a pending record that left it is known until it is forgotten. */
const windowReachDays = 45

/** Ids that the read names, and which are not in `known`; `""` stands for rows without one. */
const idsNamed = ({ observations, removed }: ReadScope, known: ReadonlySet<string>): ReadonlyArray<string> => {
  const named = new Set(removed)
  for (const { pendingProviderId, providerId } of observations) {
    named.add(providerId)
    if (pendingProviderId !== "") named.add(pendingProviderId)
  }
  return [...named].filter((id) => !known.has(id))
}

const without = (entries: ReadonlyArray<IndexEntry>, held: ReadonlyArray<IndexEntry>): ReadonlyArray<IndexEntry> => {
  const known = new Set(held.map(({ id }) => id))
  return entries.filter(({ id }) => !known.has(id))
}

const firstDay = (rows: ReadonlyArray<Pick<Observation, "date">>): CalendarDate.CalendarDate | undefined =>
  rows.reduce<CalendarDate.CalendarDate | undefined>(
    (first, { date }) => (date === null || (first !== undefined && first <= date) ? first : date),
    undefined
  )

/** Days of posted and of pending rows together. */
const widest = (posted: Coverage, pending: Coverage | undefined): Coverage => {
  if (pending === undefined || posted.kind === "full" || pending.kind === "delta") return posted
  if (pending.kind === "full" || posted.kind === "delta") return pending
  return { ...posted, from: CalendarDate.min(posted.from, pending.from) }
}

const make = Effect.gen(function* () {
  const records = yield* RecordStore
  const identity = yield* IdentityStore

  const byRead = Effect.fnUntraced(function* (read: ReadScope) {
    const { days, idTrust, observations, pendingCoverage, scope } = read
    const byId = trusted(idTrust)
    const coverage = widest(read.coverage, pendingCoverage)
    if (coverage.kind === "full") return yield* records.index(scope, days === undefined ? {} : { days })
    if (coverage.kind === "delta" && !byId) return yield* records.index(scope, {})
    if (coverage.kind === "delta") {
      const named = idsNamed(read, new Set())
      if (named.length === 0) return []
      const found = yield* records.index(scope, { providerIds: named })
      if (read.keyed === true) return found
      const known = new Set(found.map(({ providerId }) => providerId))
      // What comes under a new id may settle a pending record, or may be known from another source.
      const unknown = firstDay(observations.filter(({ providerId }) => !known.has(providerId)))
      // What is gone may have been booked before, as a record of its own.
      const over = firstDay(
        found.filter(({ pending, providerId, state }) => pending && state === "live" && read.removed.has(providerId))
      )
      const starts = [
        ...(unknown === undefined ? [] : [CalendarDate.addDays(unknown, -reachDays)]),
        ...(over === undefined ? [] : [CalendarDate.addDays(over, -lateReachDays)])
      ]
      const from = starts.length === 0 ? undefined : starts.reduce(CalendarDate.min)
      const around = from === undefined ? [] : yield* records.index(scope, { from })
      const near = [...found, ...without(around, found)]
      // What is listed as removed may have been told again before, as a record of its own of the same day.
      const removedDays = new Set(
        found.flatMap(({ date, pending, providerId, state }) => {
          const isRemoved = !pending && state === "live" && date !== null && read.removed.has(providerId)
          return isRemoved && (from === undefined || date < from) ? [date] : []
        })
      )
      if (removedDays.size === 0) return near
      const ofDays = {
        from: [...removedDays].reduce(CalendarDate.min),
        days: Array.from(removedDays, (day) => ({ from: day, to: day }))
      }
      return [...near, ...without(yield* records.index(scope, ofDays), near)]
    }
    // Rows may have been booked some days before the window they are now seen in; with an id that counts they
    // are found wherever they were.
    const near = yield* records.index(scope, { from: CalendarDate.addDays(coverage.from, -windowReachDays) })
    const far = byId ? idsNamed(read, new Set(near.map(({ providerId }) => providerId)).add("")) : []
    return far.length === 0 ? near : [...near, ...without(yield* records.index(scope, { providerIds: far }), near)]
  })

  /** Former ids are asked for where nobody has the id now, and only if there are any at all. */
  const around = Effect.fnUntraced(function* (read: ReadScope, hasAliases: boolean) {
    const held = yield* byRead(read)
    const unknown =
      hasAliases && trusted(read.idTrust)
        ? idsNamed({ ...read, removed: new Set() }, new Set(held.map(({ providerId }) => providerId)).add(""))
        : []
    const aliases = yield* identity.aliases(read.scope, unknown)
    if (aliases.size === 0) return { held, aliases }
    const known = new Set(held.map(({ id }) => id))
    const ids = [...new Set(aliases.values())].filter((id) => !known.has(id))
    return { held: ids.length === 0 ? held : [...held, ...(yield* records.index(read.scope, { ids }))], aliases }
  })

  return { around }
})

/** Finds the records of the ledger that a read may mean. */
export class HeldIndex extends Context.Service<HeldIndex>()("@millrace/core/identity/HeldIndex", { make }) {
  static readonly layer: Layer.Layer<HeldIndex, never, RecordStore | IdentityStore> = Layer.effect(HeldIndex, make)
}
