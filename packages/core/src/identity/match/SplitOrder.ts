/** An order that was authorised as a whole and is booked in parts: together they are just its amount. */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as Decimal from "../../shared/Decimal.ts"
import { covers, isListed, isOfFile } from "./Coverage.ts"
import { settlementDays } from "./LateSettlement.ts"
import { earlyDays } from "./MatchCost.ts"
import type { HeldDetail, MatchDetails, MatchEvidence, MatchInput, Suggestion } from "./Matching.ts"
import { likeness, type MatchRow, type RowReader } from "./MatchRow.ts"
import type { Pairing } from "./Pairing.ts"
import { compareIds, compareObservations } from "./RowOrder.ts"

const mostParts = 4
/** Rows among which parts are looked for. */
const mostRows = 12
const leastLikeness = 0.6

const evidence: MatchEvidence = { tier: "cost", cost: 0, parts: { splitOrder: 0 } }

/** Whether a pair was made, or suggested, because the row is a part of the record. */
export const isSplitOrder = ({ parts }: MatchEvidence): boolean => parts?.["splitOrder"] !== undefined

interface Part {
  readonly at: number
  readonly row: MatchRow
}

export interface SplitInput {
  readonly input: MatchInput
  readonly pairing: Pairing
  readonly reader: RowReader
  readonly candidates: ReadonlyArray<IndexEntry>
  readonly detailOf: (entry: IndexEntry) => HeldDetail
  readonly isForbidden: MatchDetails["isForbidden"]
}

const isPart = (whole: MatchRow, { amount, currency, day }: MatchRow): boolean => {
  if (currency !== whole.currency || day === undefined || whole.day === undefined) return false
  const gap = day - whole.day
  return (
    gap >= -earlyDays &&
    gap <= settlementDays &&
    Decimal.sign(amount) === Decimal.sign(whole.amount) &&
    Decimal.compare(Decimal.abs(amount), Decimal.abs(whole.amount)) < 0
  )
}

/** All ways, up to two, in which some of the parts come to the whole. */
const waysTo = (whole: Decimal.Decimal, parts: ReadonlyArray<Part>): ReadonlyArray<ReadonlyArray<Part>> => {
  const ways: Array<ReadonlyArray<Part>> = []
  const search = (from: number, taken: ReadonlyArray<Part>, sum: Decimal.Decimal): void => {
    if (ways.length > 1) return
    if (taken.length > 1 && Decimal.compare(sum, whole) === 0) {
      ways.push(taken)
      return
    }
    if (taken.length === mostParts) return
    for (let at = from; at < parts.length; at++) {
      search(at + 1, [...taken, parts[at]!], Decimal.sum([sum, parts[at]!.row.amount]))
    }
  }
  search(0, [], Decimal.zero)
  return ways
}

const largestFirst = (a: Part, b: Part): number => Decimal.compare(Decimal.abs(b.row.amount), Decimal.abs(a.row.amount))

/**
 * Pairs pending records that are gone with the largest part, where only one choice of new rows of like text equals
 * their amount. Where people wrote on the record, they may move that to another part.
 */
export const pairSplitOrders = (problem: SplitInput): ReadonlyArray<Suggestion> => {
  const { candidates, detailOf, input, isForbidden, pairing, reader } = problem
  const { observations } = input
  const whole = candidates
    .filter(
      (entry) =>
        entry.pending &&
        entry.state === "live" &&
        !isOfFile(entry) &&
        !pairing.isTaken(entry) &&
        (isListed(input, entry) || covers(input, entry))
    )
    .toSorted(compareIds)
  if (whole.length === 0 || input.idTrust === "stable" || input.idTrust === "session") return []
  const fresh = pairing.open
    .toSorted((a, b) => compareObservations(observations[a]!, observations[b]!))
    .flatMap((at): ReadonlyArray<Part> => {
      const { date, fields, pending } = observations[at]!
      const row = pending || isOfFile(observations[at]!) ? undefined : reader.read(fields, date, pending)
      return row === undefined ? [] : [{ at, row }]
    })
  if (fresh.length < 2) return []
  return whole.flatMap((entry): ReadonlyArray<Suggestion> => {
    const detail = detailOf(entry)
    const row = reader.read(detail.fields, entry.date, entry.pending)
    if (row === undefined) return []
    const open = fresh.filter(({ at }) => pairing.entryOf(at) === undefined)
    const like = open.filter((part) => likeness(part.row, row) >= leastLikeness)
    if (like.some((part) => part.row.amount === row.amount)) return []
    const parts = like.filter((part) => isPart(row, part.row) && !isForbidden(entry.id, observations[part.at]!))
    if (parts.length > mostRows) return []
    const [way, another] = waysTo(row.amount, parts)
    if (way === undefined || another !== undefined) return []
    const [largest, ...rest] = way.toSorted(largestFirst)
    pairing.take(largest!.at, entry, evidence)
    return detail.edited ? rest.map(({ at }) => ({ observed: observations[at]!, recordId: entry.id, evidence })) : []
  })
}
