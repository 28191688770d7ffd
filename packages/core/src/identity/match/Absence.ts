/** What is concluded from a record not being shown (enrichments D1.6). */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import * as Decimal from "../../shared/Decimal.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { amountRatio, comparePercent } from "./AmountRatio.ts"
import { coverageOf, covers, isGuarded, isListed, isUnread, isWellInside } from "./Coverage.ts"
import { settlementDays, type LateSettlement } from "./LateSettlement.ts"
import { earlyDays } from "./MatchCost.ts"
import type { HeldDetail, MatchInput, MatchResult } from "./Matching.ts"
import { likeness, type MatchRow, type RowReader } from "./MatchRow.ts"
import type { Pairing } from "./Pairing.ts"
import { oldestPosted, proofOf, shownFromOf } from "./Proof.ts"
import { compareIds } from "./RowOrder.ts"
import { isShownOnce, readsUntilGone } from "./ShownOnce.ts"

const dayMillis = 86_400_000

/** Days after which a pending record that nobody has shown is given up, whatever the reads cover. */
const forgottenDays = 30

export interface AbsenceInput {
  readonly input: MatchInput
  readonly pairing: Pairing
  readonly settledElsewhere: ReadonlySet<string>
  readonly late: ReadonlyArray<LateSettlement>
  readonly reader: RowReader
  /** `undefined` where no details were asked for. */
  readonly detailOf: (entry: IndexEntry) => HeldDetail | undefined
}

/** Whether the details of an absent record are needed to tell what follows. */
export const needsDetail = (input: MatchInput, entry: IndexEntry): boolean =>
  entry.state === "live" &&
  (entry.pending
    ? isOld(input, entry)
    : input.config.removeAfterMissing > 0 &&
      (input.shownBefore === undefined ? entry.missed > 0 && isWellInside(input, entry) : covers(input, entry)))

const isOld = ({ now }: MatchInput, { date }: IndexEntry): boolean =>
  date !== null && CalendarDate.daysBetween(date, now.slice(0, 10) as CalendarDate.CalendarDate) >= forgottenDays

const millisSince = (input: MatchInput, at: Timestamp.Timestamp): number =>
  Timestamp.toMillis(input.now) - Timestamp.toMillis(at)

/** Posted rows of this read that no record stands for: each explains one absence. */
const newPosted = ({ input, pairing, reader }: AbsenceInput): Array<MatchRow> =>
  pairing.open.flatMap((at) => {
    const { date, fields, pending } = input.observations[at]!
    return pending ? [] : (reader.read(fields, date, pending) ?? [])
  })

const explains = (observed: MatchRow, held: MatchRow): boolean => {
  if (observed.currency !== held.currency || observed.day === undefined || held.day === undefined) return false
  const gap = observed.day - held.day
  if (gap < -earlyDays || gap > settlementDays) return false
  const sign = Decimal.sign(held.amount)
  if (sign === 0 || Decimal.sign(observed.amount) !== sign) return false
  const ratio = amountRatio(observed.amount, held.amount)
  return comparePercent(ratio, 50) >= 0 && comparePercent(ratio, 200) <= 0 && likeness(observed, held) >= 0.6
}

/** Comparisons that are made to explain absences; what is then left waits until it is missing often enough. */
const mostComparisons = 1_000_000

/** Absent pending records that the same read explains by a new posted row, oldest record first. */
const explainedBy = (problem: AbsenceInput, absent: ReadonlyArray<IndexEntry>): ReadonlySet<string> => {
  const explained = new Set<string>()
  if (absent.length === 0) return explained
  const posted = newPosted(problem).toSorted((a, b) => (a.day ?? 0) - (b.day ?? 0))
  if (posted.length === 0) return explained
  let left = mostComparisons
  for (const entry of absent.toSorted(compareIds)) {
    left -= posted.length
    if (left < 0) break
    const detail = problem.detailOf(entry)
    const row = detail === undefined ? undefined : problem.reader.read(detail.fields, entry.date, entry.pending)
    const found = row === undefined ? -1 : posted.findIndex((one) => explains(one, row))
    if (found < 0) continue
    posted.splice(found, 1)
    explained.add(entry.id)
  }
  return explained
}

/** The next count of a record that this read should have shown, or `undefined` where it is too soon to count. */
const nextCount = ({ input, detailOf }: AbsenceInput, entry: IndexEntry): number | undefined => {
  if (entry.pending || entry.missed === 0) return entry.missed + 1
  const missedAt = detailOf(entry)?.missedAt ?? null
  return missedAt === null || millisSince(input, missedAt) >= dayMillis ? entry.missed + 1 : undefined
}

/** A pending record that no read has shown for long. An incomplete read tells nothing of what it does not show. */
const isForgotten = ({ input, detailOf }: AbsenceInput, entry: IndexEntry): boolean => {
  if (!isOld(input, entry)) return false
  const detail = detailOf(entry)
  if (detail === undefined) return false
  const { missedSince, updatedAt } = detail
  const coverage = coverageOf(input, entry)
  const incomplete = coverage.kind !== "delta" && !coverage.complete
  const since = missedSince ?? (incomplete ? undefined : updatedAt)
  return since !== undefined && millisSince(input, since) >= forgottenDays * dayMillis
}

/** Settled rows that the read would show: all or none, where it says anything of what it does not show. */
const coveredOf = ({ coverage, settled = [] }: MatchInput): number =>
  coverage.kind === "full" && coverage.complete ? settled.reduce((n, { pending }) => (pending ? n : n + 1), 0) : 0

/**
 * Whether the list that the upstream shows has become longer than the one of the read before. One that ends after so many
 * rows would have pushed out others instead: so what it lacked then was not pushed out. Whether pending rows count for
 * its end is not known: both it and its posted part must have become longer.
 */
const hasGrown = (
  { input, pairing }: AbsenceInput,
  vanished: { readonly all: number; readonly posted: number }
): boolean =>
  pairing.open.length > vanished.all &&
  pairing.open.filter((at) => !input.observations[at]!.pending).length > vanished.posted &&
  input.held.every((entry) => entry.state !== "live" || entry.missed === 0 || !pairing.isTaken(entry))

export const absences = (
  problem: AbsenceInput
): Pick<MatchResult, "gone" | "missed" | "shownFrom" | "coverageSuspect"> => {
  const { input, late, pairing, settledElsewhere } = problem
  const { atOnce, config } = input
  const proof = proofOf(input)
  const isTold = (entry: IndexEntry): boolean =>
    isListed(input, entry) || (entry.pending && settledElsewhere.has(entry.providerId))
  const lately = new Set(late.map(({ entry }) => entry.id))
  const gone: Array<IndexEntry> = late.flatMap(({ entry, keep }) => (keep === undefined ? [] : [entry]))
  const missed: Array<{ readonly entry: IndexEntry; readonly missed: number }> = []
  const absent: Array<IndexEntry> = []
  const edge: Array<IndexEntry> = []
  let covered = coveredOf(input)
  const vanished = { all: 0, posted: 0 }
  let vanishedPosted = 0
  for (const entry of input.held) {
    if (entry.state !== "live") continue
    const within = covers(input, entry)
    if (lately.has(entry.id)) continue
    if (pairing.isTaken(entry)) {
      if (within && !entry.pending) covered++
    } else if (isTold(entry)) gone.push(entry)
    else if (!isUnread(input, entry)) {
      const says = within ? proof(entry) : "nothing"
      if (says !== "nothing" && entry.missed === 0) {
        vanished.all++
        if (!entry.pending) vanished.posted++
      }
      if (says === "gone" && !entry.pending) {
        covered++
        vanishedPosted++
      }
      if (says === "edge") edge.push(entry)
      else if (says === "gone" || (entry.pending && input.keyed !== true)) absent.push(entry)
    }
  }
  const coverageSuspect = isGuarded(input) && vanishedPosted > 3 && vanishedPosted * 20 > covered

  const miss = (entry: IndexEntry, after: number): void => {
    const count = after === 0 ? undefined : nextCount(problem, entry)
    if (count === undefined) return
    if (count >= after) gone.push(entry)
    else missed.push({ entry, missed: count })
  }
  /** Of a read that is not believed: what one read alone has shown may go, and not before it lies well inside. */
  const missOnce = (entry: IndexEntry): void => {
    const detail = problem.detailOf(entry)
    if (detail === undefined || !isShownOnce(input.shownBefore ?? [], entry, detail)) return
    const isInside = isWellInside(input, entry)
    if (input.reset === true && isInside) gone.push(entry)
    else miss(entry, config.removeAfterMissing === 0 ? 0 : isInside ? readsUntilGone(detail) : Infinity)
  }
  const pendingCovered = absent.filter((entry) => entry.pending && covers(input, entry))
  const explained = atOnce || input.byIdOnly ? new Set<string>() : explainedBy(problem, pendingCovered)
  for (const entry of absent) {
    if (!entry.pending && coverageSuspect) {
      missOnce(entry)
      continue
    }
    if (atOnce && covers(input, entry)) gone.push(entry)
    else if (explained.has(entry.id) || (entry.pending && isForgotten(problem, entry))) gone.push(entry)
    else if (entry.pending) {
      if (covers(input, entry)) miss(entry, config.dropAfterMissing)
    } else if (isWellInside(input, entry)) miss(entry, config.removeAfterMissing)
  }
  // Of the oldest day a first read is only noted, and then the list has to become longer without the record.
  const grown = edge.some(({ missed: count }) => count > 0) && hasGrown(problem, vanished)
  for (const entry of edge) {
    if (!isWellInside(input, entry) || config.removeAfterMissing === 0) continue
    if (entry.missed === 0) missed.push({ entry, missed: 1 })
    else if (grown) miss(entry, config.removeAfterMissing)
  }
  // Near the ends of a window a record is neither shown nor counted as missed.
  const isOpen = coverageSuspect || (!atOnce && absent.some((entry) => !entry.pending && !isWellInside(input, entry)))
  const shownFrom = isOpen
    ? undefined
    : shownFromOf(input, oldestPosted(input.observations, input.settled ?? []), edge.length > 0)
  return { gone, missed, shownFrom, coverageSuspect }
}
