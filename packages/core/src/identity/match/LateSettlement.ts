/**
 * Pending records whose booked form is a record of its own already, because the bank showed both for a while. Once
 * the pending one is no longer shown, the two are one again: what people put on it follows, and nothing stands twice.
 */
import type { IdTrust } from "../../provider/Capabilities.ts"
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { Observation } from "../../record/Observation.ts"
import { assign, type Candidate } from "../../shared/Assignment.ts"
import { covers, isListed, isOfFile, isUnread } from "./Coverage.ts"
import { KnownAmounts } from "./KnownAmounts.ts"
import { earlyDays, unmatchedCost } from "./MatchCost.ts"
import type { HeldDetail, Join, MatchDetails, MatchEvidence, MatchInput } from "./Matching.ts"
import { likeness, type MatchRow, type RowReader } from "./MatchRow.ts"
import type { Pairing } from "./Pairing.ts"
import { compareIds } from "./RowOrder.ts"
import type { Days } from "./Days.ts"

const dayMillis = 86_400_000

/** Days for which a booked record that is new may turn out to be the form of a pending one. */
const youngDays = 3
/** Days from a pending record to its booked form, and for which one of an amount like no other counts as new. */
export const settlementDays = 14
/** How alike their texts have to be, unless no other row has the amount. */
const leastLikeness = 0.6

/** A pending record, and the record that it was booked as. */
export interface LateSettlement extends Join {
  /** The booked record is the one that goes on, because people wrote on it; `ask` where they did on both. */
  readonly keep?: "booked" | "ask"
}

/** Ids that last from the first showing on would have told of the booking themselves. */
const applies = ({ atOnce, byIdOnly, dataType, idTrust }: MatchInput): boolean =>
  dataType === "transactions" && !byIdOnly && !atOnce && idTrust !== "stable" && idTrust !== "session"

/** Whether the read says that a pending record is not there any more. */
const isOver = (input: MatchInput, pairing: Pairing, entry: IndexEntry): boolean =>
  entry.pending &&
  entry.state === "live" &&
  !isOfFile(entry) &&
  !pairing.isTaken(entry) &&
  !isUnread(input, entry) &&
  (isListed(input, entry) || covers(input, entry))

const isBooked = (input: MatchInput, pairing: Pairing, entry: IndexEntry): boolean =>
  !entry.pending &&
  entry.state === "live" &&
  entry.missed === 0 &&
  !isOfFile(entry) &&
  !isListed(input, entry) &&
  (pairing.isTaken(entry) || !covers(input, entry))

const dayOf = (date: CalendarDate.CalendarDate | null): number | undefined =>
  date === null ? undefined : CalendarDate.toEpochDay(date)

/** Some banks date what is pending again each day, so that it is from before its date. */
const mostRedated = settlementDays
/** Days before the date of a pending record on which its booked form may be dated. */
export const lateReachDays = earlyDays + mostRedated

const mayBeNear = (pending: number, booked: number | undefined): boolean =>
  booked !== undefined && booked - pending >= -lateReachDays && booked - pending <= settlementDays

/** Records whose details tell whether any settled late, before it is known what else the read means. */
export const lateCandidates = (
  input: MatchInput,
  pairing: Pairing,
  links: ReadonlyArray<LateLink>
): ReadonlyArray<IndexEntry> => {
  if (!applies(input)) return []
  const linked = links.flatMap(({ booked, entry }) => [entry, booked])
  const over = input.held.filter((entry) => isOver(input, pairing, entry))
  if (over.length === 0) return linked
  const days = over.flatMap(({ date }) => dayOf(date) ?? [])
  const booked = input.held.filter(
    (entry) => isBooked(input, pairing, entry) && days.some((day) => mayBeNear(day, dayOf(entry.date)))
  )
  return booked.length === 0 ? linked : [...new Set([...linked, ...over, ...booked])]
}

/** A pending record, and the one that says, by a link that came late, that it is its booked form. */
export interface LateLink {
  readonly entry: IndexEntry
  readonly booked: IndexEntry
}

/** Days in which pending records that a read of everything does not show by their ids may have been booked before. */
export const lateDays = (
  idTrust: IdTrust,
  held: ReadonlyArray<IndexEntry>,
  observations: ReadonlyArray<Observation>
): ReadonlyArray<Days> => {
  if (idTrust !== "perStatus") return []
  const shown = new Set(observations.map(({ providerId }) => providerId))
  return held.flatMap(({ date, pending, providerId, state }) =>
    pending && state === "live" && date !== null && !shown.has(providerId)
      ? [{ from: CalendarDate.addDays(date, -lateReachDays), to: CalendarDate.addDays(date, settlementDays) }]
      : []
  )
}

const one = (): number => 1

export interface LateInput {
  readonly input: MatchInput
  readonly pairing: Pairing
  readonly reader: RowReader
  readonly candidates: ReadonlyArray<IndexEntry>
  readonly links: ReadonlyArray<LateLink>
  readonly detailOf: (entry: IndexEntry) => HeldDetail
  readonly isForbidden: MatchDetails["isForbidden"]
}

interface Held {
  readonly entry: IndexEntry
  readonly row: MatchRow
  readonly detail: HeldDetail
}

/** Days from when a pending record was there first to its booked form; `undefined` where that is too far. */
const gapOf = (pending: Held, booked: Held): number | undefined => {
  const [shown, day] = [pending.row.day, booked.row.day]
  if (shown === undefined || day === undefined || day - shown > settlementDays) return undefined
  const made = CalendarDate.toEpochDay(pending.detail.createdAt.slice(0, 10) as CalendarDate.CalendarDate)
  const gap = day - Math.min(shown, Math.max(made, shown - mostRedated))
  return gap < -earlyDays ? undefined : gap
}

/**
 * A unique amount says which row is meant for longer. In other words it does so only where the booked row came after the
 * pending one, by its date and by when it was first shown: two purchases of one price are as likely otherwise.
 */
const costOf = (
  pending: Held,
  booked: Held,
  young: Timestamp.Timestamp,
  isUnique: (row: MatchRow) => boolean
): Candidate["cost"] | undefined => {
  if (pending.row.amount !== booked.row.amount || pending.row.currency !== booked.row.currency) return undefined
  const gap = gapOf(pending, booked)
  if (gap === undefined || booked.detail.createdAt < pending.detail.createdAt) return undefined
  const alike = likeness(booked.row, pending.row)
  const isAlike = alike >= leastLikeness
  if (!isAlike && (gap < 0 || booked.detail.createdAt === pending.detail.createdAt)) return undefined
  if ((!isAlike || booked.detail.createdAt < young) && !isUnique(booked.row)) return undefined
  return Math.min(unmatchedCost - 1, Math.round(700 * (1 - alike)) + (gap >= 0 ? 15 * gap : -80 * gap))
}

/** Who goes on: the pending record, unless people wrote on the booked one. */
const settlementOf = (
  pending: Pick<Held, "entry" | "detail">,
  booked: Pick<Held, "entry" | "detail">,
  evidence: MatchEvidence
): LateSettlement => ({
  entry: pending.entry,
  booked: booked.entry,
  evidence,
  ...(booked.detail.edited ? { keep: pending.detail.edited ? "ask" : "booked" } : {})
})

/** The pairs, each record in one at most; in the order of the pending ones. */
export const lateSettlements = (problem: LateInput): ReadonlyArray<LateSettlement> => {
  const { candidates, detailOf, input, isForbidden, links, pairing, reader } = problem
  const taken = new Set<string>()
  const linked = links.flatMap(({ booked, entry }): ReadonlyArray<LateSettlement> => {
    if (!applies(input) || pairing.isTaken(entry) || taken.has(entry.id) || taken.has(booked.id)) return []
    const [pending, other] = [detailOf(entry), detailOf(booked)]
    if (pending.alone || other.alone) return []
    taken.add(entry.id).add(booked.id)
    return [settlementOf({ entry, detail: pending }, { entry: booked, detail: other }, { tier: "link" })]
  })

  const before = (days: number) => Timestamp.fromMillis(Timestamp.toMillis(input.now) - days * dayMillis)
  const [young, oldest] = [before(youngDays), before(settlementDays)]
  const over: Array<Held> = []
  const booked: Array<Held> = []
  const byAmount = new Map<string, Array<number>>()
  for (const entry of candidates.toSorted(compareIds)) {
    const [waits, stands] = [isOver(input, pairing, entry), isBooked(input, pairing, entry)]
    if (taken.has(entry.id) || !(waits || stands)) continue
    const detail = detailOf(entry)
    // A booked record that was pending before is the form of that one already.
    if (detail.alone || (stands && (detail.createdAt < oldest || detail.version > 1))) continue
    const row = reader.read(detail.fields, entry.date, entry.pending)
    if (row === undefined) continue
    if (waits) over.push({ entry, row, detail })
    else {
      const list = byAmount.get(row.amount)
      if (list === undefined) byAmount.set(row.amount, [booked.length])
      else list.push(booked.length)
      booked.push({ entry, row, detail })
    }
  }
  let known: KnownAmounts | undefined
  /** No other row that is known has the amount. A change feed does not show the others again. */
  const isUnique = (row: MatchRow): boolean => {
    const isDelta = input.coverage.kind === "delta"
    known ??= new KnownAmounts([
      ...[...input.observations, ...(input.settled ?? [])].flatMap(
        ({ date, fields, pending }) => reader.read(fields, date, pending) ?? []
      ),
      ...(isDelta ? [...over, ...booked].map((held) => held.row) : [])
    ])
    return known.near(row) <= (isDelta ? 2 : 1)
  }
  const edges: Array<Candidate> = []
  for (const [left, pending] of over.entries()) {
    for (const right of byAmount.get(pending.row.amount) ?? []) {
      const cost = costOf(pending, booked[right]!, young, isUnique)
      if (cost === undefined || isForbidden(pending.entry.id, booked[right]!.entry)) continue
      edges.push({ left, right, cost })
    }
  }
  const pairs = assign({ left: over.map(one), right: booked.map(one), candidates: edges, alone: unmatchedCost })
  const found = pairs.map(({ approximate, cost, left, margin, right }) =>
    settlementOf(over[left]!, booked[right]!, {
      tier: "cost",
      cost,
      parts: { bookedBefore: cost },
      margin,
      ...(approximate ? { approximate: true as const } : {})
    })
  )
  return [...linked, ...found]
}

/** Whether no open row of the read has the amount: then the record that was booked before is meant, and no other row. */
export const isOnlyLate = ({
  detailOf,
  input,
  pairing
}: Pick<LateInput, "detailOf" | "input" | "pairing">): ((late: LateSettlement) => boolean) => {
  // Most reads have nothing that was booked before, and a large account is not to be unpacked for it.
  let amounts: ReadonlySet<string> | undefined
  return ({ entry }) => {
    const { fields } = detailOf(entry)
    amounts ??= new Set(
      pairing.open
        .map((at) => input.observations[at]!)
        .map((row) => `${row.fields["currency"]} ${row.fields["amount"]}`)
    )
    return !amounts.has(`${fields["currency"]} ${fields["amount"]}`)
  }
}
