/** One month as it follows from its records and what came before: what could be, before anything is chosen. */
import { judged as judgedPoints, type Judgement } from "./Calibration.ts"
import { Candidates } from "./Candidates.ts"
import type { CandidateInput } from "./Candidates.ts"
import type { Decision } from "./Decisions.ts"
import { groupsOf } from "./Groups.ts"
import type { MonthLeg, MonthLegs } from "./MonthLegs.ts"
import { centibits, monthOf, type ScoredPair } from "./PairScore.ts"

export interface MonthView {
  readonly pairs: ReadonlyArray<ScoredPair>
  readonly groups: ReadonlyArray<ScoredPair>
  readonly judged: ReadonlyArray<Judgement>
  /** What it was seen in: of months alone that more is asked about, since there is much of it. */
  readonly seen?: { readonly legs: MonthLegs; readonly candidates: Candidates }
}

/** Points from which on a pair can be suggested. */
const floorOf = (suggestConfidence: number): number => centibits(Math.log2(suggestConfidence / (1 - suggestConfidence)))

/** Points of a pair without what was learnt of earlier decisions, and with it. */
interface Worth {
  readonly base: number
  readonly score: number
}

/** What the pair was worth beside the others that could have been meant. */
const judgementOf = (candidates: Candidates, legs: MonthLegs, decision: Decision): Judgement | undefined => {
  const out = legs.find(decision.out.recordId)
  const into = legs.find(decision.in.recordId)
  const worthOf = (left: MonthLeg, arrived: MonthLeg): Worth | undefined => {
    const fit = candidates.fit(left, arrived)
    if (fit === undefined) return undefined
    const score = candidates.weigh(left, arrived, fit)
    return { score, base: score - candidates.learnt }
  }
  const own = out === undefined || into === undefined ? undefined : worthOf(out, into)
  if (out === undefined || into === undefined || own === undefined) return undefined
  const { amounts } = legs
  let best: Worth = { base: 0, score: 0 }
  const beside = (rival: Worth | undefined): void => {
    if (rival === undefined) return
    best = { base: Math.max(best.base, rival.base), score: Math.max(best.score, rival.score) }
  }
  for (const other of amounts.arrived(out)) if (other !== into) beside(worthOf(out, other))
  for (const other of amounts.left(into)) if (other !== out) beside(worthOf(other, into))
  return {
    date: out.date,
    out: decision.out.recordId,
    in: decision.in.recordId,
    base: judgedPoints(own.base, Math.max(0, own.base - best.base)),
    judged: judgedPoints(own.score, Math.max(0, own.score - best.score)),
    accepted: decision.accepted
  }
}

/** `watched`: whether more is asked about the month. */
export const monthView = (input: CandidateInput, decisions: ReadonlyArray<Decision>, watched: boolean): MonthView => {
  const { apart, calendar, config, legs, lessons, strangers } = input
  const candidates = new Candidates(input)
  const floor = floorOf(config.suggestConfidence)
  const own = config.learn ? decisions.filter(({ out }) => monthOf(out.date) === legs.month) : []
  const judgements = () => own.flatMap((decision) => judgementOf(candidates, legs, decision) ?? [])
  // What is worth so much without lessons is one for what comes later, in the same month too.
  if (own.length > 0) lessons.hear(judgements())
  return {
    ...(watched ? { seen: { legs, candidates } } : {}),
    pairs: candidates.scored(floor),
    groups: groupsOf({ legs, candidates, strangers, apart, calendar }, floor),
    judged: judgements()
  }
}
