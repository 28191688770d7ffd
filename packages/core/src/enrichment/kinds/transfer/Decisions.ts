/** What people decided about pairs, and what follows from it for others (enrichments D2.2, D2.3, D2.8). */
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { textKey } from "../../../text/TextKey.ts"
import type { EnrichmentFact } from "../EnrichmentFact.ts"
import { type Leg, legText } from "./Leg.ts"
import { compareText } from "./PairScore.ts"

/** A record that somebody decided about, as it is now. */
export const Located = Schema.Struct({
  recordId: Schema.String,
  accountId: Schema.String,
  date: CalendarDate.CalendarDate,
  out: Schema.Boolean,
  amount: Schema.String,
  units: Schema.Finite,
  currency: Schema.String,
  /** What is left of its text when numbers and days are taken away. */
  pattern: Schema.String
})
export type Located = typeof Located.Type

export const located = (leg: Leg): Located => ({
  recordId: leg.recordId,
  accountId: leg.accountId,
  date: leg.date,
  out: leg.out,
  amount: leg.amount,
  units: leg.units,
  currency: leg.currency,
  pattern: textKey(legText(leg.record.fields)).slice(0, 120)
})

export const pairKey = (a: string, b: string): string => (a < b ? `${a} ${b}` : `${b} ${a}`)

/** What people said, without regard to which records are there. */
export interface Words {
  /** Pairs that belong together, the latest word first, and the record that was named first. */
  readonly together: ReadonlyArray<readonly [recordId: string, otherId: string]>
  readonly apart: ReadonlySet<string>
  /** Records about which the enrichment is silent. */
  readonly silent: ReadonlySet<string>
  /** All records that pairs name. */
  readonly named: ReadonlySet<string>
}

/** The latest word about a pair counts. */
export const wordsOf = (facts: ReadonlyArray<EnrichmentFact>): Words => {
  const latest = new Map<string, readonly [accepted: boolean, recordId: string, otherId: string]>()
  const silent = new Set<string>()
  for (const { field, kind, otherId, recordId } of facts) {
    if (recordId === undefined) continue
    if (kind === "suppress" && field === undefined) silent.add(recordId)
    if (otherId === undefined || otherId === recordId) continue
    const accepted = kind === "confirm" || kind === "accept"
    if (!accepted && kind !== "forbid" && kind !== "reject") continue
    const key = pairKey(recordId, otherId)
    latest.delete(key)
    latest.set(key, [accepted, recordId, otherId])
  }
  const all = [...latest.values()].toReversed()
  return {
    together: all.flatMap(([accepted, a, b]) => (accepted ? [[a, b] as const] : [])),
    apart: new Set(all.flatMap(([accepted, a, b]) => (accepted ? [] : [pairKey(a, b)]))),
    silent,
    named: new Set(all.flatMap(([, a, b]) => [a, b]))
  }
}

export interface Decision {
  readonly out: Located
  readonly in: Located
  readonly accepted: boolean
}

/** A pair that a person made, with one record gone. */
export interface Broken {
  readonly left: Located
  readonly goneId: string
}

/** A link that stands. */
export interface Fixed extends Decision {
  /** A second record of one side, of the same account and day as the first. */
  readonly second?: Located & { readonly role: "out" | "in" }
}

export interface Decided {
  /** By the day of the outflow. */
  readonly all: ReadonlyArray<Decision>
  /** Links that stand, whatever the amounts: each record is in one at most. */
  readonly fixed: ReadonlyArray<Fixed>
  readonly broken: ReadonlyArray<Broken>
}

const decisionOf = (a: Located, b: Located, accepted: boolean): Decision => {
  // Of two with the same sign the one that was named first.
  const [out, into] = a.out === b.out || a.out ? [a, b] : [b, a]
  return { out, in: into, accepted }
}

const byDay = (a: Decision, b: Decision): number =>
  compareText(a.out.date, b.out.date) ||
  compareText(a.out.recordId, b.out.recordId) ||
  compareText(a.in.recordId, b.in.recordId)

const isBeside = (a: Located, b: Located) =>
  a.recordId !== b.recordId && a.accountId === b.accountId && a.date === b.date && a.currency === b.currency

/** The link with one more record, where one of its sides has come in two. */
const withSecond = (fixed: Fixed, one: Decision): Fixed | undefined => {
  if (fixed.second !== undefined) return undefined
  if (fixed.out.recordId === one.out.recordId && isBeside(fixed.in, one.in)) {
    return { ...fixed, second: { ...one.in, role: "in" } }
  }
  if (fixed.in.recordId === one.in.recordId && isBeside(fixed.out, one.out)) {
    return { ...fixed, second: { ...one.out, role: "out" } }
  }
  return undefined
}

/** Of two that could each come first, the one with the smaller id does. */
const ordered = (fixed: Fixed): Fixed => {
  const { second } = fixed
  const first = second === undefined ? undefined : fixed[second.role]
  if (second === undefined || first === undefined || first.recordId < second.recordId) return fixed
  const { role, ...rest } = second
  return { ...fixed, [role]: rest, second: { ...first, role } }
}

export const decided = (words: Words, at: ReadonlyMap<string, Located>): Decided => {
  const all: Array<Decision> = []
  const fixed: Array<Fixed> = []
  const broken: Array<Broken> = []
  const taken = new Set<string>()
  for (const [a, b] of words.together) {
    const [left, right] = [at.get(a), at.get(b)]
    if (left !== undefined && right !== undefined) {
      const decision = decisionOf(left, right, true)
      all.push(decision)
      if (!taken.has(a) && !taken.has(b)) fixed.push(decision)
      else if (taken.has(a) && taken.has(b)) continue
      else {
        const place = fixed.findIndex(({ in: into, out }) =>
          [into.recordId, out.recordId].some((id) => id === a || id === b)
        )
        const both = place < 0 ? undefined : withSecond(fixed[place]!, decision)
        if (both === undefined) continue
        fixed[place] = both
      }
      taken.add(a).add(b)
    } else if (left !== undefined) broken.push({ left, goneId: b })
    else if (right !== undefined) broken.push({ left: right, goneId: a })
  }
  for (const key of words.apart) {
    const [a, b] = key.split(" ") as [string, string]
    const [left, right] = [at.get(a), at.get(b)]
    if (left !== undefined && right !== undefined) all.push(decisionOf(left, right, false))
  }
  return {
    all: all.toSorted(byDay),
    fixed: fixed.map(ordered).toSorted(byDay),
    broken: broken.toSorted((a, b) => compareText(a.left.recordId, b.left.recordId))
  }
}

/** Text that is equal where the same follows. */
export const decisionsText = ({ all }: Decided): ReadonlyArray<readonly [date: string, text: string]> =>
  all.map((one) => [one.out.date, JSON.stringify(one)])

/** The share of what left that a fee takes at most. */
export const largestFee = 0.25

/** Whether it was accepted although a fee was missing from what arrived. */
export const showsFee = ({ accepted, in: into, out }: Decision): boolean => {
  const missing = out.units - into.units
  return accepted && out.currency === into.currency && missing > 0 && missing <= largestFee * out.units
}
