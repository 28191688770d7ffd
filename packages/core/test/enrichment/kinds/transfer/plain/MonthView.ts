/** One month as it follows from its records and what came before: what could be, before anything is chosen. */
import { judged as judgedPoints, type Judgement } from "../../../../../src/enrichment/kinds/transfer/Calibration.ts"
import { Candidates } from "./Candidates.ts"
import type { CandidateInput } from "./Candidates.ts"
import type { Decision } from "../../../../../src/enrichment/kinds/transfer/Decisions.ts"
import { groupsOf } from "./Groups.ts"
import type { Leg } from "./Leg.ts"
import type { MonthLegs } from "./MonthLegs.ts"
import { centibits, monthOf, type ScoredPair } from "../../../../../src/enrichment/kinds/transfer/PairScore.ts"

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
  const out = legs.byId.get(decision.out.recordId)
  const into = legs.byId.get(decision.in.recordId)
  const fit = out === undefined || into === undefined ? undefined : candidates.fit(out, into)
  if (out === undefined || into === undefined || fit === undefined) return undefined
  const own = candidates.score(out, into, fit)
  const scored = (pairs: ReadonlyArray<readonly [Leg, Leg]>) =>
    pairs.flatMap(([a, b]) => {
      const other = candidates.fit(a, b)
      return other === undefined ? [] : [candidates.score(a, b, other)]
    })
  const rivals = [
    ...scored(legs.inflows.equal(out).flatMap((one) => (one === into ? [] : [[out, one] as const]))),
    ...scored(legs.outflows.equal(into).flatMap((one) => (one === out ? [] : [[one, into] as const])))
  ]
  const worth = (points: (pair: ScoredPair) => number) =>
    judgedPoints(points(own), Math.max(0, points(own) - Math.max(0, ...rivals.map(points))))
  return {
    date: out.date,
    out: decision.out.recordId,
    in: decision.in.recordId,
    base: worth(({ parts, score }) => score - parts.pair),
    judged: worth(({ score }) => score),
    accepted: decision.accepted
  }
}

export const monthView = (input: CandidateInput, decisions: ReadonlyArray<Decision>): MonthView => {
  const { apart, calendar, config, legs, lessons, strangers } = input
  const candidates = new Candidates(input)
  const floor = floorOf(config.suggestConfidence)
  const own = config.learn ? decisions.filter(({ out }) => monthOf(out.date) === legs.month) : []
  const judgements = () => own.flatMap((decision) => judgementOf(candidates, legs, decision) ?? [])
  lessons.hear(judgements())
  return {
    legs,
    candidates,
    pairs: candidates.scored(floor),
    groups: groupsOf({ legs, candidates, strangers, apart, calendar }, floor),
    judged: judgements()
  }
}
