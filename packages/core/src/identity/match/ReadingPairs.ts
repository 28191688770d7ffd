/**
 * Which booked rows of a reading are which that another reading of the account has shown: the one rule for files and the
 * connection, whichever came first (decision 54).
 *
 * Ids of the bank that last, and balances that follow from each other, say what is another row. Else counts decide on the
 * days that both show: one event has one row in each of them, in whatever words, and texts decide which with which. Where a
 * file may end in the middle of the day on which the other begins, an equal row is taken for the same, and a person is asked.
 */
import { assign } from "../../shared/Assignment.ts"
import { lowerBound } from "../../shared/LowerBound.ts"
import { proveByBalances } from "./BalanceProof.ts"
import type { UnmatchedInput } from "./CandidateGraph.ts"
import { hasBankId, isOfFile, sourceOf } from "./Coverage.ts"
import type { WeakHit } from "./IdMatches.ts"
import { KnownAmounts } from "./KnownAmounts.ts"
import { sourceDays } from "./MatchCost.ts"
import type { MatchEvidence, Suggestion } from "./Matching.ts"
import { likeness, type MatchRow } from "./MatchRow.ts"
import {
  earlierReadings,
  isWithin,
  meetOn,
  readingOf,
  readsFile,
  type DaySpan,
  type EarlierReading,
  type Reading
} from "./Reading.ts"
import {
  areConsecutive,
  areOfOtherBalances,
  haveOtherIds,
  idsLast,
  type RelatedRecord,
  type RelatedRow
} from "./ReadingRelation.ts"
import { compareObservations, compareOwners } from "./RowOrder.ts"
import { SharedWords } from "./SharedWords.ts"
import { sourceShift } from "./SourceShift.ts"

/** How alike texts are that say the same, and that say anything in common. */
const alikeEnough = 0.6
const leastAlike = 0.3

/** Points that support a pair, before its days and texts take some away. */
const pairPoints = 200
/** For each of the two readings that must have shown the other's row as well. */
const coveredPoints = 700
/** For an amount that is nowhere else near. */
const alonePoints = 700
const pointsOfDay = 120
const pointsOfText = 500
const pointsOfTombstone = 300
/** Days that both have to show before an amount that is alone at their edge says anything. */
const leastOverlap = 3

interface Seen extends RelatedRow {
  readonly at: number
  readonly day: number
}

interface Held extends RelatedRecord {
  readonly day: number
  readonly source: string | undefined
  readonly readings: ReadonlyArray<EarlierReading>
}

type Dated = Pick<Seen, "day" | "row">

interface Pair {
  readonly seen: Seen
  readonly held: Held
  /** Days by which the two are dated apart. */
  readonly gap: number
  readonly alike: number
  /** It could also be another row. */
  readonly mayBeTwin: boolean
  readonly points: number
}

/** Whether a pair was made of rows that may be two. */
export const mayBeTwins = ({ parts }: MatchEvidence): boolean => parts?.["mayBeTwin"] !== undefined

const groupKey = ({ amount, currency }: MatchRow): string => `${currency} ${amount}`

const evidenceOf = ({ alike, gap, mayBeTwin }: Pair): MatchEvidence => {
  const parts = { date: pointsOfDay * gap, text: Math.round(pointsOfText * (1 - alike)) }
  return { tier: "cost", cost: parts.date + parts.text, parts: { ...parts, ...(mayBeTwin ? { mayBeTwin: 0 } : {}) } }
}

/** Whether one of the rows says the same at most as many days apart as two sources date it. */
const hasLike = (one: Dated, rows: ReadonlyArray<Dated>): boolean =>
  rows.some(({ day, row }) => Math.abs(day - one.day) <= sourceDays && likeness(one.row, row) >= alikeEnough)

const single = (rows: ReadonlyArray<unknown>): ReadonlyArray<number> => rows.map(() => 1)

class PairRule {
  readonly #problem: UnmatchedInput
  readonly #reading: Reading
  readonly #seen: ReadonlyArray<Seen>
  readonly #held: ReadonlyArray<Held>
  /** Files with no row in this one. */
  readonly #apart: ReadonlySet<EarlierReading>
  /** Files that give a row the same id as this one. */
  readonly #lasting: ReadonlySet<EarlierReading>
  /** Files that do not have a row, as balances say. */
  readonly #without = new Map<number, Set<EarlierReading>>()
  readonly #words = new SharedWords()
  readonly #claims = new Map<number, string>()
  readonly #shifts: ReadonlyMap<string | undefined, number>
  #known: KnownAmounts | undefined

  constructor(problem: UnmatchedInput, claims: ReadonlyArray<WeakHit>) {
    this.#problem = problem
    const { input, pairing, reader } = problem
    this.#reading = readingOf(input)
    const rows = input.observations.flatMap((observation, at): ReadonlyArray<Seen> => {
      const { date, fields, pending } = observation
      const row = pending ? undefined : reader.read(fields, date, pending)
      return row?.day === undefined ? [] : [{ at, day: row.day, observation, row }]
    })
    this.#seen = rows
      .filter(({ at, observation }) => pairing.entryOf(at) === undefined && isOfFile(observation) === readsFile(input))
      .toSorted((a, b) => a.day - b.day || compareObservations(a.observation, b.observation))
    for (const { at, entry } of claims) this.#claims.set(at, entry.id)
    const readings = earlierReadings(input).filter(({ days }) => days !== undefined)
    this.#held = this.#heldOf(readings)
    const related = this.#reading.ofFile ? readings.filter(({ ofFile }) => ofFile) : []
    const own = { reading: this.#reading, amounts: rows.map(({ row }) => row.amount) }
    const amountsOf = ({ shows }: EarlierReading) =>
      this.#held.filter(({ entry }) => shows(entry)).map(({ row }) => row.amount)
    this.#apart = new Set(
      related.filter(
        (earlier) =>
          areConsecutive(this.#reading, earlier) ||
          areOfOtherBalances(own, { reading: earlier, amounts: amountsOf(earlier) })
      )
    )
    this.#lasting = new Set(related.filter((earlier) => idsLast(this.#reading, earlier, rows, this.#held)))
    this.#shifts = this.#shiftsOf()
    this.#teach()
  }

  #heldOf(readings: ReadonlyArray<EarlierReading>): ReadonlyArray<Held> {
    const { candidates, detailOf, input, pairing, reader } = this.#problem
    const { ofFile } = this.#reading
    return candidates
      .filter((entry) => !entry.pending && (ofFile || isOfFile(entry)) && !pairing.isTaken(entry))
      .toSorted(compareOwners)
      .flatMap((entry): ReadonlyArray<Held> => {
        const row = reader.read(detailOf(entry).fields, entry.date, entry.pending)
        if (row?.day === undefined) return []
        const ids = [entry.providerId, ...(input.formerIds?.get(entry.id) ?? [])]
        const shown = readings.filter(({ shows }) => shows(entry))
        return [{ day: row.day, entry, ids, readings: shown, row, source: sourceOf(entry) }]
      })
  }

  get #open(): { readonly seen: ReadonlyArray<Seen>; readonly held: ReadonlyArray<Held> } {
    const { pairing } = this.#problem
    return {
      seen: this.#seen.filter(({ at }) => pairing.entryOf(at) === undefined),
      held: this.#held.filter(({ entry }) => !pairing.isTaken(entry))
    }
  }

  get #source(): string | undefined {
    return this.#seen.length === 0 ? undefined : sourceOf(this.#seen[0]!.observation)
  }

  /** Days by which this reading dates everything later than each of the other sources. */
  #shiftsOf(): ReadonlyMap<string | undefined, number> {
    const sources = new Set(this.#held.map(({ source }) => source))
    sources.delete(this.#source)
    return new Map(
      [...sources].map((source) => [
        source,
        sourceShift(
          this.#seen,
          this.#held.filter((one) => one.source === source)
        )
      ])
    )
  }

  /** What amounts that both have once near a day teach about the words of the two. */
  #teach(): void {
    const { held, seen } = this.#open
    const groups = Map.groupBy(held, ({ row }) => groupKey(row))
    for (const [key, rows] of Map.groupBy(seen, ({ row }) => groupKey(row))) {
      for (const one of rows) {
        const near = (other: { readonly day: number }): boolean => Math.abs(other.day - one.day) <= 1
        const known = groups.get(key) ?? []
        const others = known.filter(near)
        if (others.length !== 1 || rows.filter(near).length !== 1) continue
        const [other] = others
        if (other!.source === this.#source) continue
        // What has a row of its own words near is not the same as one of other words.
        const hasOwn = hasLike(one, known) || hasLike(other!, rows)
        if (likeness(one.row, other!.row) >= alikeEnough || !hasOwn) this.#words.add([worded(one), worded(other!)])
      }
    }
  }

  isLearnt(seen: MatchRow, held: MatchRow): boolean {
    return this.#words.isLearnt([worded({ row: seen }), worded({ row: held })])
  }

  /** Whether a file has shown just this row before. Ids of the bank are given out again, and say no day. */
  #isClaimed({ at, observation }: Seen, { entry }: Held): boolean {
    return !hasBankId(observation) && this.#claims.get(at) === entry.id
  }

  /** Whether something says that the two are not one. */
  #isBarred(seen: Seen, held: Held): boolean {
    const { input, isForbidden } = this.#problem
    if (isForbidden(held.entry.id, input.observations[seen.at]!)) return true
    const without = this.#without.get(seen.at)
    return held.readings.some(
      (earlier) =>
        this.#apart.has(earlier) ||
        without?.has(earlier) === true ||
        (this.#lasting.has(earlier) && haveOtherIds(seen.observation, held))
    )
  }

  /** Days of this reading, as a source dates them that dates everything so many days earlier. */
  #daysAs(shift: number): DaySpan | undefined {
    const { days } = this.#reading
    return days === undefined ? undefined : [days[0] - shift, days[1] - shift]
  }

  /** Whether the day is shown by both, and neither may show only another part of it than the other. */
  #isShared(day: number, days: DaySpan | undefined, earlier: EarlierReading): boolean {
    const mayMeet = this.#reading.ofFile && earlier.ofFile
    return isWithin(day, days) && isWithin(day, earlier.days) && !(mayMeet && meetOn(day, days!, earlier.days!))
  }

  /** Whether the row may be of another part of the day than the file before shows. */
  #meets({ readings }: Held, day: number, shift: number): boolean {
    const days = this.#daysAs(shift)
    return (
      this.#reading.ofFile &&
      readings.some((earlier) => earlier.ofFile && days !== undefined && meetOn(day, days, earlier.days!))
    )
  }

  /** How many of the two readings must have shown the row of the other. */
  #covered({ day: heldDay, readings }: Held, day: number, gap: number, shift: number, margin = gap): number {
    const days = this.#daysAs(shift)
    if (gap === 0) {
      if (readings.some((earlier) => this.#isShared(day, days, earlier))) return 2
      return days === undefined && readings.some((earlier) => isWithin(day, earlier.days)) ? 1 : 0
    }
    const inEarlier = readings.some((earlier) => isWithin(day, earlier.days, margin))
    return Number(inEarlier) + Number(isWithin(heldDay, days, margin))
  }

  /** Whether both show at least so many days. */
  #overlaps({ readings }: Held, least: number): boolean {
    const { days } = this.#reading
    if (days === undefined) return false
    const shared = readings.map((one) => Math.min(days[1], one.days![1]) - Math.max(days[0], one.days![0]) + 1)
    return shared.some((count) => count >= least)
  }

  /** Whether no other row of the amount is known near. */
  #isAlone({ row }: Seen): boolean {
    const { candidates, detailOf, input, reader } = this.#problem
    this.#known ??= new KnownAmounts([
      ...[...input.observations, ...(input.settled ?? [])].flatMap(
        ({ date, fields, pending }) => reader.read(fields, date, pending) ?? []
      ),
      ...candidates
        .filter(({ state }) => state !== "removed")
        .flatMap((entry) => reader.read(detailOf(entry).fields, entry.date, entry.pending) ?? [])
    ])
    return this.#known.near(row) <= 2
  }

  /** The pair as far as it is possible. */
  #pair(seen: Seen, held: Held): Pair | undefined {
    const { config } = this.#problem.input
    const isClaimed = this.#isClaimed(seen, held)
    const shift = isClaimed ? 0 : (this.#shifts.get(held.source) ?? 0)
    const day = seen.day - shift
    const gap = isClaimed ? 0 : Math.abs(day - held.day)
    if (gap > sourceDays || this.#isBarred(seen, held)) return undefined
    const isOneSource = held.source === this.#source
    const isLearnt = isClaimed || (!isOneSource && this.#words.isLearnt([worded(seen), worded(held)]))
    const alike = isLearnt ? 1 : likeness(seen.row, held.row)
    if (config.crossSource === "off" && (gap > 0 || alike < 1)) return undefined
    const isTombstone = held.entry.state === "removed"
    if (isTombstone && (gap > 0 || alike < alikeEnough)) return undefined
    // A zero says nothing about which event it is.
    if (seen.row.units === 0 && (gap > 0 || alike < alikeEnough)) return undefined
    const covered = this.#covered(held, day, gap, shift)
    const isOpen = covered === 0 && this.#reading.ofFile && held.readings.every(({ ofFile }) => ofFile)
    const isUnlike = alike < leastAlike
    // At the edge of a file, two rows of one day and other texts must not count for more than two like rows dated apart.
    const margin = alike >= alikeEnough ? 0 : gap
    let points = pairPoints + coveredPoints * this.#covered(held, day, gap, shift, margin)
    if (gap > 0) {
      // A source dates an event the same way each time, unless it was corrected.
      if (isOneSource && (covered < 2 || alike < alikeEnough)) return undefined
      if (isUnlike && gap > 1) return undefined
      if (covered === 0 || (isUnlike && this.#words.isRefuted([worded(seen), worded(held)]))) {
        // At the edge of what both show, an amount that is nowhere else near belongs together as well.
        const isLikely = alike >= alikeEnough || (gap === 1 && this.#overlaps(held, leastOverlap))
        if (!isLikely || !this.#isAlone(seen)) return undefined
        points += alonePoints
      }
      // Two files that have no day in common may each show a payment of its own.
      if (isOpen && !this.#overlaps(held, 1)) return undefined
    }
    const mayBeTwin = gap > 0 ? isOpen : covered === 0 && this.#meets(held, day, shift)
    if (gap === 0 && covered < 2 && (isUnlike || (mayBeTwin && alike < alikeEnough))) return undefined
    points -=
      pointsOfDay * gap + Math.round(pointsOfText * (1 - alike)) + (isTombstone && !isClaimed ? pointsOfTombstone : 0)
    if (mayBeTwin) points = Math.max(points, 1)
    return points <= 0 ? undefined : { alike, gap, held, mayBeTwin, points, seen }
  }

  /** The pairs for which most speaks, one-to-one. */
  best(): ReadonlyArray<Pair> {
    const open = this.#open
    const groups = Map.groupBy(open.held, ({ row }) => groupKey(row))
    const byId = new Map(open.held.map((held) => [held.entry.id, held]))
    return [...Map.groupBy(open.seen, ({ row }) => groupKey(row))].flatMap(([key, seen]) => {
      const held = (groups.get(key) ?? []).toSorted((a, b) => a.day - b.day || compareOwners(a.entry, b.entry))
      return held.length === 0 ? [] : this.#bestOf(seen, held, byId)
    })
  }

  #bestOf(seen: ReadonlyArray<Seen>, held: ReadonlyArray<Held>, byId: ReadonlyMap<string, Held>): ReadonlyArray<Pair> {
    const days = held.map(({ day }) => day)
    const reach = sourceDays + Math.max(0, ...Array.from(this.#shifts.values(), Math.abs))
    const placeOf = new Map(held.map((one, place) => [one, place]))
    const pairs: Array<Pair & { readonly left: number; readonly right: number }> = []
    for (const [left, one] of seen.entries()) {
      const last = lowerBound(days, one.day + reach + 1)
      const claimed = byId.get(this.#claims.get(one.at) ?? "")
      const others = held.slice(lowerBound(days, one.day - reach), last)
      if (claimed !== undefined && !others.includes(claimed) && placeOf.has(claimed)) others.push(claimed)
      for (const other of others) {
        const pair = this.#pair(one, other)
        if (pair !== undefined) pairs.push({ ...pair, left, right: placeOf.get(other)! })
      }
    }
    if (pairs.length === 0) return []
    const most = pairPoints + 2 * coveredPoints + alonePoints + 1
    const candidates = pairs.map(({ left, points, right }) => ({ left, right, cost: most - points }))
    const byPlace = new Map(pairs.map((pair) => [pair.left * held.length + pair.right, pair]))
    return assign({ left: single(seen), right: single(held), candidates, alone: most }).map(({ left, right }) =>
      byPlace.get(left * held.length + right)!
    )
  }

  /** What balances say of the pairs: which rows are others, and which are surely the same. */
  prove(
    pairs: ReadonlyArray<Pair>,
    named: ReadonlyArray<Pair>
  ): { readonly isChanged: boolean; readonly sure: ReadonlySet<Pair> } {
    const sure = new Set<Pair>()
    let isChanged = false
    const { days, ofFile } = this.#reading
    const files = new Set(this.#held.flatMap(({ readings }) => readings.filter((one) => one.ofFile)))
    if (!ofFile || days === undefined) return { isChanged, sure }
    for (const earlier of files) {
      if (earlier.closingBalance === undefined) continue
      const shared = [...named, ...pairs]
        .filter(({ held }) => held.readings.includes(earlier))
        .map((pair) => {
          const { held, seen } = pair
          const isEdge = [...days, ...earlier.days!].includes(seen.day)
          const isNamed = hasBankId(seen.observation) && held.ids.includes(seen.observation.providerId)
          return { amount: seen.row.amount, isOpen: isEdge && !isNamed, pair }
        })
        .toSorted((a, b) => a.pair.alike - b.pair.alike)
      const proof = proveByBalances(this.#reading, earlier, shared)
      if (proof === undefined) continue
      const parted = new Set(proof.parted.map(({ pair }) => pair))
      for (const { pair } of shared) if (!parted.has(pair)) sure.add(pair)
      for (const { seen } of parted) {
        const others = this.#without.get(seen.at) ?? new Set()
        this.#without.set(seen.at, others.add(earlier))
        isChanged = true
      }
    }
    return { isChanged, sure }
  }

  /** Pairs that may be one all the same, after all that is certain was made. */
  possible(): ReadonlyArray<Pair> {
    if (this.#problem.input.config.crossSource === "off") return []
    const { held, seen } = this.#open
    const live = Map.groupBy(
      held.filter(({ entry }) => entry.state === "live"),
      ({ row }) => groupKey(row)
    )
    const pairs = seen.flatMap((one) =>
      (live.get(groupKey(one.row)) ?? []).flatMap((other): ReadonlyArray<Pair> => {
        const gap = Math.abs(one.day - (this.#shifts.get(other.source) ?? 0) - other.day)
        if (gap > sourceDays || this.#isBarred(one, other)) return []
        const alike = likeness(one.row, other.row)
        const isLikely = alike >= alikeEnough || (gap <= 1 && other.source !== this.#source) || gap === 0
        return isLikely ? [{ alike, gap, held: other, mayBeTwin: false, points: 0, seen: one }] : []
      })
    )
    const taken = new Set<unknown>()
    return pairs
      .toSorted((a, b) => a.gap - b.gap || b.alike - a.alike)
      .filter(({ held: other, seen: one }) => {
        if (taken.has(one) || taken.has(other)) return false
        taken.add(one).add(other)
        return true
      })
  }

  /** Rows whose id of the bank says which record they are, though their day may be another: they correct it. */
  named(): ReadonlyArray<Pair> {
    const byId = new Map(this.#held.map((held) => [held.entry.id, held]))
    return this.#open.seen.flatMap((seen): ReadonlyArray<Pair> => {
      const held = byId.get(this.#claims.get(seen.at) ?? "")
      if (held === undefined || !hasBankId(seen.observation) || held.row.amount !== seen.row.amount) return []
      const gap = Math.abs(held.day - seen.day)
      if (gap > correctionDays || held.row.currency !== seen.row.currency || this.#isBarred(seen, held)) return []
      // Ids that are places in the list start again in each file.
      const isSure = isWithin(held.day, this.#reading.days) || held.readings.some((one) => this.#lasting.has(one))
      return [{ alike: 1, gap, held, mayBeTwin: !isSure, points: 0, seen }]
    })
  }
}

/** Days by which a bank moves a row that it corrects. */
const correctionDays = 5

const worded = ({ row }: { readonly row: MatchRow }) => ({ row, text: row.texts[0]! })

const suggestionOf = (pair: Pair): Suggestion => ({
  observed: pair.seen.observation,
  recordId: pair.held.entry.id,
  evidence: evidenceOf(pair)
})

export interface PairedReadings {
  /** What is left to a person. */
  readonly suggestions: ReadonlyArray<Suggestion>
  /** Whether rows of two sources have taught that their texts mean the same. */
  readonly isLearnt: (seen: MatchRow, held: MatchRow) => boolean
}

/** Makes the pairs of the rule. `claims`: rows whose id is known as a record's. */
export const pairReadings = (problem: UnmatchedInput, claims: ReadonlyArray<WeakHit>): PairedReadings => {
  const { input, pairing } = problem
  if (input.byIdOnly) return { suggestions: [], isLearnt: () => false }
  const rule = new PairRule(problem, claims)
  const named = rule
    .named()
    .filter((pair) => pairing.take(pair.seen.at, pair.held.entry, pair.mayBeTwin ? evidenceOf(pair) : { tier: "id" }))
  let pairs = rule.best()
  let proof = rule.prove(pairs, named)
  for (let round = 0; proof.isChanged && round < mostRounds; round++) {
    pairs = rule.best()
    proof = rule.prove(pairs, named)
  }
  const asked: Array<Suggestion> = named.filter(({ mayBeTwin }) => mayBeTwin).map(suggestionOf)
  const isAsked = input.config.crossSource === "suggest"
  for (const found of pairs) {
    const pair = proof.sure.has(found) ? { ...found, mayBeTwin: false } : found
    if (isAsked && (pair.gap > 0 || pair.alike < 1)) continue
    const isSame = pair.held.entry.hash === pair.seen.observation.hash && !pair.mayBeTwin
    const evidence: MatchEvidence = isSame ? { tier: "equal" } : evidenceOf(pair)
    if (pairing.take(pair.seen.at, pair.held.entry, evidence) && pair.mayBeTwin) asked.push(suggestionOf(pair))
  }
  return {
    suggestions: [...asked, ...rule.possible().map(suggestionOf)],
    isLearnt: (seen, held) => rule.isLearnt(seen, held)
  }
}

/** Times that balances are asked again after a row was parted. */
const mostRounds = 8
