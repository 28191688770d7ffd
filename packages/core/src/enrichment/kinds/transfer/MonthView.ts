/** One month as it follows from its records and what came before: what could be, before anything is chosen. */
import { judged as judgedPoints, type Judgement } from "./Calibration.ts"
import { Candidates } from "./Candidates.ts"
import type { CandidateInput } from "./Candidates.ts"
import type { Decision } from "./Decisions.ts"
import { groupsOf } from "./Groups.ts"
import type { MonthLegs } from "./MonthLegs.ts"
import { centibits, monthOf, type ScoredPair } from "./PairScore.ts"

export interface MonthView {
  readonly legs: MonthLegs
  readonly pairs: ReadonlyArray<ScoredPair>
  readonly groups: ReadonlyArray<ScoredPair>
  readonly judged: ReadonlyArray<Judgement>
  readonly candidates: Candidates
}

/** Points from which on a pair can be suggested. */
const floorOf = (suggestConfidence: number): number => centibits(Math.log2(suggestConfidence / (1 - suggestConfidence)))

/** What the pair was worth beside the others that could have been meant. */
const judgementOf = (candidates: Candidates, legs: MonthLegs, decision: Decision): Judgement | undefined => {
  const out = legs.placeOf(decision.out.recordId)
  const into = legs.placeOf(decision.in.recordId)
  const scoreOf = (left: number, arrived: number): number | undefined => {
    const fit = candidates.fit(left, arrived)
    return fit === undefined ? undefined : candidates.weigh(left, arrived, fit)
  }
  const own = out === undefined || into === undefined ? undefined : scoreOf(out, into)
  if (out === undefined || into === undefined || own === undefined) return undefined
  const { amounts } = legs
  let best = 0
  for (let other = amounts.arrivedLike(out); other >= 0; other = amounts.next(other)) {
    if (other !== into) best = Math.max(best, scoreOf(out, other) ?? 0)
  }
  for (let other = amounts.left(into); other >= 0; other = amounts.next(other)) {
    if (other !== out) best = Math.max(best, scoreOf(other, into) ?? 0)
  }
  const margin = Math.max(0, own - best)
  return { date: legs.leg(out).date, judged: judgedPoints(own, margin), accepted: decision.accepted }
}

export const monthView = (input: CandidateInput, decisions: ReadonlyArray<Decision>): MonthView => {
  const { apart, calendar, config, legs, strangers } = input
  const candidates = new Candidates(input)
  const floor = floorOf(config.suggestConfidence)
  const own = config.learn ? decisions.filter(({ out }) => monthOf(out.date) === legs.month) : []
  return {
    legs,
    candidates,
    pairs: candidates.scored(floor),
    groups: groupsOf({ legs, candidates, strangers, apart, calendar }, floor),
    judged: own.flatMap((decision) => judgementOf(candidates, legs, decision) ?? [])
  }
}
