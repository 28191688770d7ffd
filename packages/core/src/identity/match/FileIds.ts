/** What ids that a bank gives to rows of its files say: evidence, beside which content decides. */
import { passesFileGuard } from "./ContentGuard.ts"
import { hasBankId } from "./Coverage.ts"
import type { WeakHit } from "./IdMatches.ts"
import type { Suggestion } from "./Matching.ts"
import type { MatchRow } from "./MatchRow.ts"
import type { UnmatchedInput } from "./CandidateGraph.ts"
import { daysShown, isWithin, readsFile } from "./SharedDays.ts"

/** A file of what is new has nothing to say of equal rows under other ids of the bank: they are left to a person. */
export const partNewIds = ({ input, isPart: isPartial, pairing }: UnmatchedInput): ReadonlyArray<Suggestion> =>
  !isPartial || !readsFile(input)
    ? []
    : input.observations.flatMap((observation, at): ReadonlyArray<Suggestion> => {
        const entry = pairing.entryOf(at)
        if (entry === undefined || entry.providerId === observation.providerId) return []
        if (pairing.evidenceOf(at)?.tier !== "equal" || !hasBankId(entry) || !hasBankId(observation)) return []
        pairing.release(at)
        return entry.state === "live"
          ? [{ observed: observation, recordId: entry.id, evidence: { tier: "equal" } }]
          : []
      })

/**
 * Pairs what ids say, and returns which observations that were. A row of the same amount and day is the same one; what
 * says another amount or day is a correction, once contents have found nothing better for it.
 */
export const pairWeakHits = (
  { detailOf, input, isForbidden, pairing, reader }: UnmatchedInput,
  hits: ReadonlyArray<WeakHit>,
  isSure: boolean
): ReadonlyArray<number> => {
  const shown = daysShown(input)
  return hits.flatMap(({ at, entry }) => {
    if (pairing.entryOf(at) !== undefined || pairing.isTaken(entry)) return []
    const observation = input.observations[at]!
    const observed = reader.read(observation.fields, observation.date, observation.pending)
    const held = reader.read(detailOf(entry).fields, entry.date, entry.pending)
    if (observed === undefined || held === undefined || isForbidden(entry.id, observation)) return []
    if (isSure ? !isSameDay(observed, held) : !passesFileGuard(observed, held, isWithin(held.day, shown))) return []
    return pairing.take(at, entry, { tier: "id" }) ? [at] : []
  })
}

const isSameDay = (a: MatchRow, b: MatchRow): boolean =>
  a.day !== undefined && a.day === b.day && a.amount === b.amount && a.currency === b.currency
