/** Which of the pairs that could be are: one to one, the most points in all, and how sure that is (enrichments D2.4, D2.5). */
import { assign } from "../../../../../src/shared/Assignment.ts"
import { comparePairs, compareText, type ScoredPair } from "../../../../../src/enrichment/kinds/transfer/PairScore.ts"

export interface ChosenPair {
  readonly pair: ScoredPair
  /** How many points fewer there are in all where this is no pair, in centibits. */
  readonly margin: number
  /** The record that would come next in the place of one of the two. */
  readonly rival?: string
  /** Others between the same accounts are equal to it: which goes with which makes no difference. */
  readonly interchangeable: boolean
}

/**
 * A pair that is this much worse than the best of both of its legs is none: it hardly ever is in the best choice, and without
 * it chains of equal transfers fall apart, so that what is new disturbs little of what is old. In centibits.
 */
const hopeless = 500

/** Records of a component from which on its weakest pairs are left out. */
const mostNodes = 400
const floorStep = 100

/** Pairs of a component up to which margins are found by solving it again. */
const mostSolved = 60

export const withoutHopeless = (pairs: ReadonlyArray<ScoredPair>): ReadonlyArray<ScoredPair> => {
  const best = new Map<string, number>()
  for (const { in: into, out, score } of pairs) {
    for (const { recordId } of [out, into]) best.set(recordId, Math.max(best.get(recordId) ?? -Infinity, score))
  }
  return pairs.filter(
    ({ in: into, out, score }) => score >= Math.min(best.get(out.recordId)!, best.get(into.recordId)!) - hopeless
  )
}

/** Connected parts, each in order, by their first pair. */
export const componentsOf = (pairs: ReadonlyArray<ScoredPair>): ReadonlyArray<ReadonlyArray<ScoredPair>> => {
  const parent = new Map<string, string>()
  const find = (id: string): string => {
    let at = id
    for (let up = parent.get(at); up !== undefined && up !== at; up = parent.get(at)) {
      const above = parent.get(up) ?? up
      parent.set(at, above)
      at = above
    }
    return at
  }
  for (const { in: into, out } of pairs) {
    const [a, b] = [find(out.recordId), find(into.recordId)]
    if (!parent.has(a)) parent.set(a, a)
    if (!parent.has(b)) parent.set(b, b)
    if (a !== b) parent.set(compareText(a, b) < 0 ? b : a, compareText(a, b) < 0 ? a : b)
  }
  const byRoot = new Map<string, Array<ScoredPair>>()
  for (const pair of pairs.toSorted(comparePairs)) {
    const root = find(pair.out.recordId)
    const list = byRoot.get(root)
    if (list === undefined) byRoot.set(root, [pair])
    else list.push(pair)
  }
  return [...byRoot.values()]
}

const nodesOf = (pairs: ReadonlyArray<ScoredPair>, side: "out" | "in"): ReadonlyArray<string> => {
  const dates = new Map(pairs.map((pair) => [pair[side].recordId, pair[side].date]))
  return [...dates]
    .toSorted(([a, on], [b, other]) => compareText(on, other) || compareText(a, b))
    .map(([recordId]) => recordId)
}

interface Solved {
  readonly total: number
  readonly chosen: ReadonlyArray<{ readonly pair: ScoredPair; readonly margin: number }>
}

const solve = (pairs: ReadonlyArray<ScoredPair>): Solved => {
  if (pairs.length === 1) return { total: pairs[0]!.score, chosen: [{ pair: pairs[0]!, margin: pairs[0]!.score }] }
  const outs = nodesOf(pairs, "out")
  const ins = nodesOf(pairs, "in")
  const leftOf = new Map(outs.map((id, n) => [id, n]))
  const rightOf = new Map(ins.map((id, n) => [id, n]))
  const alone = Math.max(...pairs.map(({ score }) => score)) + 1
  const byPlace = new Map<number, ScoredPair>()
  const candidates = pairs.map((pair) => {
    const [left, right] = [leftOf.get(pair.out.recordId)!, rightOf.get(pair.in.recordId)!]
    byPlace.set(left * ins.length + right, pair)
    return { left, right, cost: alone - pair.score }
  })
  const assigned = assign({ left: outs.map(() => 1), right: ins.map(() => 1), candidates, alone })
  const chosen = assigned.map(({ left, margin, right }) => ({ pair: byPlace.get(left * ins.length + right)!, margin }))
  return { total: chosen.reduce((sum, { pair }) => sum + pair.score, 0), chosen }
}

const isEqualSide = (a: ScoredPair["in"], b: ScoredPair["in"]): boolean =>
  a.accountId === b.accountId && a.amount === b.amount && a.currency === b.currency

/** Equal legs do not lower each other's margin: what counts is the next best choice that is another one. */
const marginOf = (
  pairs: ReadonlyArray<ScoredPair>,
  total: number,
  { margin, pair }: Solved["chosen"][number]
): Omit<ChosenPair, "pair"> => {
  const ownOut = pairs.filter(({ out }) => out.recordId === pair.out.recordId)
  const ownIn = pairs.filter(({ in: into }) => into.recordId === pair.in.recordId)
  const twinsIn = ownOut.filter((one) => isEqualSide(one.in, pair.in))
  const twinsOut = ownIn.filter((one) => isEqualSide(one.out, pair.out))
  const rivals = [...ownOut, ...ownIn].filter((one) => !twinsIn.includes(one) && !twinsOut.includes(one))
  const rival = rivals.toSorted((a, b) => b.score - a.score || comparePairs(a, b))[0]
  const interchangeable = twinsIn.length > 1 || twinsOut.length > 1
  const told = (points: number): Omit<ChosenPair, "pair"> => ({
    margin: points,
    ...(rival === undefined
      ? {}
      : { rival: rival.out.recordId === pair.out.recordId ? rival.in.recordId : rival.out.recordId }),
    interchangeable
  })
  if (!interchangeable) return told(margin)
  if (pairs.length > mostSolved) return told(Math.max(0, pair.score - Math.max(0, rival?.score ?? 0)))
  const without = (barred: ReadonlyArray<ScoredPair>) => {
    const rest = pairs.filter((one) => !barred.includes(one))
    return rest.length === 0 ? 0 : solve(rest).total
  }
  return told(total - Math.max(without(twinsIn), without(twinsOut)))
}

/** The pairs of one component, in order. */
export const chosenOf = (component: ReadonlyArray<ScoredPair>): ReadonlyArray<ChosenPair> => {
  const [only] = component
  if (component.length === 1) return [{ pair: only!, margin: only!.score, interchangeable: false }]
  const nodes = new Set(component.flatMap(({ in: into, out }) => [out.recordId, into.recordId]))
  if (nodes.size > mostNodes) {
    const floor = Math.min(...component.map(({ score }) => score)) + floorStep
    const rest = component.filter(({ score }) => score >= floor)
    return componentsOf(rest)
      .flatMap(chosenOf)
      .toSorted((a, b) => comparePairs(a.pair, b.pair))
  }
  const solved = solve(component)
  return solved.chosen
    .map((one) => ({ pair: one.pair, ...marginOf(component, solved.total, one) }))
    .toSorted((a, b) => comparePairs(a.pair, b.pair))
}
