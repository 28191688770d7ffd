/**
 * Which observation is which record that we hold (enrichments D1).
 *
 * Matching is one-to-one: by the pending link, by an upstream id where ids can be trusted and the content does not
 * speak against it, by equal content with multiplicity, and what is then left by least cost. What remains on the one
 * side is new; on the other side it is missing.
 */
import { isDocumentType } from "../../record/DataType.ts"
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import type { Fields } from "../../record/FieldValue.ts"
import type { Observation } from "../../record/Observation.ts"
import { absences, needsDetail } from "./Absence.ts"
import { passesFileGuard, passesGuard, passesUnread, takesThePlace } from "./ContentGuard.ts"
import { pairShifted, shiftCandidates } from "./CommonShift.ts"
import { hasBankId, isListed, isOfFile, trusted } from "./Coverage.ts"
import { identifyDocuments } from "./DocumentIdentity.ts"
import { pairByIds, type WeakHit } from "./IdMatches.ts"
import { isOnlyLate, lateCandidates, lateSettlements } from "./LateSettlement.ts"
import type { HeldDetail, Match, MatchInput, MatchResult, OpenMatch, Suggestion } from "./Matching.ts"
import { learn, type LearntText } from "./LearntTexts.ts"
import { lessonsOf } from "./Lessons.ts"
import { RowReader } from "./MatchRow.ts"
import { readsFile, readingOf as readingOfFile, isWithin } from "./Reading.ts"
import { mayBeTwins, pairReadings } from "./ReadingPairs.ts"
import { pairByKeys } from "./NaturalKey.ts"
import { Pairing } from "./Pairing.ts"
import { candidateTest } from "./CandidateWindow.ts"
import { pairUnmatched } from "./Unmatched.ts"
import type { UnmatchedInput } from "./CandidateGraph.ts"
import { retoldCandidates, retoldRows } from "./RetoldRows.ts"
import { pairSplitOrders } from "./SplitOrder.ts"
import { pairExactContent } from "./ExactContent.ts"

/** An id that is renumbered from read to read is not worth a new version; one that takes the place of a file's is. */
const isSame = (observation: Observation, entry: IndexEntry, idsCount: boolean): boolean =>
  entry.state === "live" &&
  entry.hash === observation.hash &&
  entry.pending === observation.pending &&
  (entry.providerId === observation.providerId || (!idsCount && !isOfFile(entry)))

const detailsIn =
  <Detail>(records: ReadonlyMap<string, Detail>) =>
  (entry: IndexEntry): Detail => {
    const detail = records.get(entry.id)
    if (detail === undefined) throw new RangeError(`records: no details of ${entry.id}, which was asked for`)
    return detail
  }

/**
 * Pure: the same input gives the same pairs, whatever the order of `held` and of the observations. `finish` may be
 * called once; it throws a RangeError when the details of a wanted record are missing.
 */
export const identify = (input: MatchInput): OpenMatch => {
  const { dataType, held, observations } = input
  if (isDocumentType(dataType)) return identifyDocuments(input, dataType)
  const pairing = new Pairing(observations.length)
  const ids = pairByIds(input, pairing)
  pairExactContent(input, pairing)

  // Only money has a content that says whether an id can be right; a holding or an order may change in all of it.
  const doubtful = input.dataType === "transactions" && input.keyed !== true ? ids.doubtful : []
  const candidates = candidatesOf(input, pairing, doubtful)
  const wanted = new Set(candidates.map(({ id }) => id))
  for (const { entry } of ids.weak) if (!pairing.isTaken(entry)) wanted.add(entry.id)
  for (const at of doubtful) wanted.add(pairing.entryOf(at)!.id)
  for (const entry of held) if (!pairing.isTaken(entry) && needsDetail(input, entry)) wanted.add(entry.id)
  for (const [at, { pending }] of observations.entries()) {
    const entry = pairing.entryOf(at)
    if (!pending && entry?.pending === true && pairing.evidenceOf(at)?.tier === "link") wanted.add(entry.id)
  }
  const mayBeShifted = shiftCandidates(input, pairing)
  for (const { id } of mayBeShifted) wanted.add(id)
  const waiting = candidates.length === 0 ? [] : waitingOf(input, pairing)
  for (const { id } of waiting) wanted.add(id)
  const mayBeLate = lateCandidates(input, pairing, ids.lateLinks)
  for (const { id } of mayBeLate) wanted.add(id)
  const mayBeRetold = retoldCandidates(input, pairing)
  for (const { id } of mayBeRetold) wanted.add(id)

  // What is decided by ids alone moves nothing that a person wrote to another event.
  const mayMove =
    pairing.open.length + ids.weak.length + ids.lateLinks.length > 0 ||
    mayBeShifted.length + mayBeLate.length + mayBeRetold.length > 0 ||
    readsFile(input)
  const reader = new RowReader(input.learnt)
  let parted: ReadonlyArray<number> | undefined
  const contradictions = (records: ReadonlyMap<string, Pick<HeldDetail, "fields">>): ReadonlyArray<number> => {
    const detailOf = detailsIn(records)
    return (parted ??= doubtful.filter((at) => {
      const entry = pairing.entryOf(at)!
      return contradicts(input, at, entry, detailOf(entry).fields, reader)
    }))
  }

  return {
    wanted: [...wanted].toSorted(),
    editsCount: (records) => mayMove || (records !== undefined && contradictions(records).length > 0),
    finish: (details) => {
      const detailOf = detailsIn(details.records)
      const idContradictions = contradictions(details.records).map((at) => {
        const entry = pairing.entryOf(at)!
        pairing.release(at)
        return entry
      })
      if (idContradictions.length > 0) pairExactContent(input, pairing)
      const shift = pairShifted(input, pairing, mayBeShifted, detailOf)
      // Rows that a shift pairs again leave other records free than were asked for before: those are known as well.
      const possible = shift === 0 ? [...candidates, ...idContradictions] : mayBeShifted
      const { isForbidden, rates } = details
      const lateInput = { input, pairing, reader, detailOf, isForbidden }
      const surelyLate = [
        ...retoldRows({ ...lateInput, candidates: mayBeRetold }),
        ...lateSettlements({ ...lateInput, candidates: mayBeLate, links: ids.lateLinks }).filter(isOnlyLate(lateInput))
      ]
      const settled = new Set(surelyLate.flatMap(({ booked, entry }) => [entry.id, booked.id]))
      const free = possible.filter((entry) => !pairing.isTaken(entry) && !settled.has(entry.id))
      let suggestions: ReadonlyArray<Suggestion> = []
      const corrected = new Set<number>()
      if (input.dataType === "transactions") {
        const problem: UnmatchedInput = {
          input,
          shift,
          pairing,
          reader,
          candidates: free,
          waiting,
          detailOf,
          isForbidden,
          rates
        }
        const ofReadings = pairReadings({ ...problem, candidates: [...free, ...namedBy(ids.weak, free)] }, ids.weak)
        for (const at of filledTexts(input, pairing, details.records)) corrected.add(at)
        const split = pairSplitOrders(problem)
        const left = free.filter((entry) => !pairing.isTaken(entry))
        if (left.length > 0 && pairing.open.length > 0)
          suggestions = pairUnmatched({ ...problem, candidates: left, isLearnt: ofReadings.isLearnt })
        for (const at of pairCorrections(problem, ids.weak)) corrected.add(at)
        suggestions = [
          ...split,
          ...ofReadings.suggestions.filter(({ evidence }) => mayBeTwins(evidence)),
          ...stillOpen(pairing, observations, [...suggestions, ...ofReadings.suggestions])
        ]
      } else if (free.length > 0 && pairing.open.length > 0) {
        pairByKeys(input, dataType, pairing, free, (entry) => detailOf(entry).fields)
      }
      const late = [
        ...surelyLate,
        ...lateSettlements({
          ...lateInput,
          candidates: mayBeLate.filter(({ id }) => !settled.has(id)),
          links: ids.lateLinks.filter(({ entry }) => !settled.has(entry.id))
        })
      ]
      const asked = late.filter(({ keep }) => keep === "ask")
      const absent = absences({
        input,
        late,
        pairing,
        reader,
        settledElsewhere: ids.settledElsewhere,
        detailOf: (entry) => details.records.get(entry.id)
      })
      return {
        ...resultsOf(input, pairing, corrected),
        ...absent,
        paired: readsFile(input) ? observations.map((_, at) => pairing.entryOf(at)?.id) : [],
        suggestions: [
          ...suggestions,
          ...asked.map(({ booked, entry, evidence }) => ({ observed: booked, recordId: entry.id, evidence }))
        ],
        learnt: learn(
          input.learnt ?? noneLearnt,
          lessonsOf({ input, pairing, reader, detailOf: (entry) => details.records.get(entry.id) })
        ),
        joined: late.filter(({ keep }) => keep === undefined),
        idMatches: ids.hits.length + (input.settled?.length ?? 0),
        idContradictions: idContradictions.length
      }
    }
  }
}

const noneLearnt: ReadonlyArray<LearntText> = []

/** Records that ids name and that are dated too far away to be candidates otherwise. */
const namedBy = (hits: ReadonlyArray<WeakHit>, candidates: ReadonlyArray<IndexEntry>): ReadonlyArray<IndexEntry> => {
  const known = new Set(candidates.map(({ id }) => id))
  return [...new Map(hits.map(({ entry }) => [entry.id, entry])).values()].filter(({ id }) => !known.has(id))
}

const hasText = ({ description, originalDescription }: Fields): boolean =>
  [description, originalDescription].some((text) => typeof text === "string" && text.trim() !== "")

/** Rows of a file that have a text where the file before had none. */
const filledTexts = (
  { observations }: MatchInput,
  pairing: Pairing,
  records: ReadonlyMap<string, Pick<HeldDetail, "fields">>
): ReadonlyArray<number> =>
  observations.flatMap((observation, at) => {
    const entry = pairing.entryOf(at)
    if (entry === undefined || !isOfFile(entry) || !isOfFile(observation) || !hasText(observation.fields)) return []
    const held = records.get(entry.id)
    return held === undefined || hasText(held.fields) ? [] : [at]
  })

/** Pairs what an id of the bank says of rows whose amount or day is another now, once contents have found nothing better. */
const pairCorrections = (
  { detailOf, input, isForbidden, pairing, reader }: UnmatchedInput,
  hits: ReadonlyArray<WeakHit>
): ReadonlyArray<number> => {
  if (hits.length === 0) return []
  const { days } = readingOfFile(input)
  return hits.flatMap(({ at, entry }) => {
    const observation = input.observations[at]!
    if (!hasBankId(observation) || pairing.entryOf(at) !== undefined || pairing.isTaken(entry)) return []
    const observed = reader.read(observation.fields, observation.date, observation.pending)
    const held = reader.read(detailOf(entry).fields, entry.date, entry.pending)
    if (observed === undefined || held === undefined || isForbidden(entry.id, observation)) return []
    if (!passesFileGuard(observed, held, isWithin(held.day, days))) return []
    return pairing.take(at, entry, { tier: "id" }) ? [at] : []
  })
}

/** Neither has found its counterpart after all. */
const stillOpen = (
  pairing: Pairing,
  observations: ReadonlyArray<Observation>,
  suggestions: ReadonlyArray<Suggestion>
): ReadonlyArray<Suggestion> => {
  if (suggestions.length === 0) return suggestions
  const open = new Set<Suggestion["observed"]>(pairing.open.map((at) => observations[at]!))
  return suggestions.filter(({ observed, recordId }) => open.has(observed) && !pairing.isTaken({ id: recordId }))
}

/** Free records that may be meant by what is open, or by what the guard may part. */
const candidatesOf = (
  input: MatchInput,
  pairing: Pairing,
  doubtful: ReadonlyArray<number>
): ReadonlyArray<IndexEntry> => {
  if (input.byIdOnly || input.held.length === 0) return []
  const open = [...pairing.open, ...doubtful]
  if (open.length === 0) return []
  if (input.dataType !== "transactions") {
    // A change feed with ids of its own names what it means.
    const named = trusted(input.idTrust) && input.coverage.kind === "delta"
    return named ? [] : input.held.filter((entry) => !pairing.isTaken(entry))
  }
  const mayBeMeant = candidateTest(input, open)
  return input.held.filter((entry) => !pairing.isTaken(entry) && mayBeMeant(entry))
}

/** Pending records that a change feed does not mention: they are still there. */
const waitingOf = (input: MatchInput, pairing: Pairing): ReadonlyArray<IndexEntry> =>
  input.dataType === "transactions" && (input.pendingCoverage ?? input.coverage).kind === "delta"
    ? input.held.filter(
        (entry) => entry.pending && entry.state === "live" && !isListed(input, entry) && !pairing.isTaken(entry)
      )
    : []

/** Whether contents say that a pair by id cannot be one event. */
const contradicts = (
  input: MatchInput,
  at: number,
  entry: IndexEntry,
  heldFields: Fields,
  reader: RowReader
): boolean => {
  const { date, fields, pending } = input.observations[at]!
  if (passesUnread({ fields, date, pending }, { fields: heldFields, date: entry.date, pending: entry.pending }))
    return false
  const observed = reader.read(fields, date, pending)
  const held = reader.read(heldFields, entry.date, entry.pending)
  if (observed === undefined || held === undefined || passesGuard(observed, held)) return false
  const isOfChangeFeed = input.atOnce || input.coverage.kind === "delta"
  return !(isOfChangeFeed && entry.state === "live" && takesThePlace(observed, held))
}

/**
 * Whether a row of a file only confirms what another source told: the record stays as it is. What a file corrects under
 * an id of the bank, and what it has booked of another file's, is news.
 */
const confirms = (observation: Observation, entry: IndexEntry, isCorrected: boolean): boolean => {
  if (!isOfFile(observation)) return false
  if (!isOfFile(entry) || (observation.pending && !entry.pending)) return true
  if (entry.providerId === observation.providerId || isCorrected || entry.pending) return false
  return entry.hash !== observation.hash || !hasBankId(observation)
}

const resultsOf = (
  { aliases, idTrust, observations, settled = [] }: MatchInput,
  pairing: Pairing,
  corrected: ReadonlySet<number>
): Pick<MatchResult, "changed" | "unchanged" | "seenAgain" | "absorbed" | "confirmed"> => {
  const idsCount = trusted(idTrust)
  const changed: Array<Match> = []
  const seenAgain: Array<IndexEntry> = []
  const absorbed: Array<Match> = []
  const confirmed: Array<Match> = []
  for (const [at, observation] of observations.entries()) {
    const entry = pairing.entryOf(at)
    if (entry === undefined) {
      changed.push({ observation, entry })
      continue
    }
    const evidence = pairing.evidenceOf(at)
    const match: Match = evidence === undefined ? { observation, entry } : { observation, entry, evidence }
    if (entry.state === "deleted") absorbed.push(match)
    else if (evidence !== undefined && mayBeTwins(evidence)) confirmed.push(match)
    else if (confirms(observation, entry, corrected.has(at))) {
      const { providerId } = observation
      if (entry.providerId !== providerId && aliases.get(providerId) !== entry.id) confirmed.push(match)
    } else if (isSame(observation, entry, idsCount)) {
      if (entry.missed > 0) seenAgain.push(entry)
    } else changed.push(match)
  }
  const unchanged = settled.length + observations.length - changed.length
  return { changed, unchanged, seenAgain, absorbed, confirmed }
}
