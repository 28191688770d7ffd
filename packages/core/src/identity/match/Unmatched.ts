/** What ids and equal contents leave open, assigned one-to-one at least cost (enrichments D1, tier 2). */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import { assign, type AssignedPair } from "../../shared/Assignment.ts"
import { unmatchedCost } from "./MatchCost.ts"
import type { MatchEvidence, Suggestion } from "./Matching.ts"
import { graphOf, type Apart, type Edge, type Graph, type UnmatchedInput } from "./CandidateGraph.ts"

interface Made {
  readonly pair: AssignedPair
  readonly edge: Edge
}

/** A pair of rows: the place of an observation, and a record. */
interface RowPair {
  readonly at: number
  readonly entry: IndexEntry
  readonly evidence: MatchEvidence
}

const evidenceOf = ({ edge: { cost, parts }, pair: { approximate, margin } }: Made): MatchEvidence => ({
  tier: "cost",
  cost,
  parts,
  margin,
  ...(approximate ? { approximate } : {})
})

/** The rows of pairs of nodes, in the order of the nodes, then of their members. */
const rowPairs = ({ held, seen }: Graph, made: ReadonlyArray<Made>): ReadonlyArray<RowPair> => {
  const usedLeft = seen.map(() => 0)
  const usedRight = held.map(() => 0)
  return made.flatMap((one) => {
    const { count, left, right } = one.pair
    const evidence = evidenceOf(one)
    return Array.from({ length: count }, () => ({
      at: seen[left]!.members[usedLeft[left]!++]!,
      entry: held[right]!.members[usedRight[right]!++]!,
      evidence
    }))
  })
}

/** Pairs that only a person can make, of rows that have no other. */
const openPairs = ({ edges, held, seen }: Graph, made: ReadonlyArray<Made>): ReadonlyArray<Made> => {
  const lefts = new Set(made.map(({ pair }) => pair.left))
  const rights = new Set(made.map(({ pair }) => pair.right))
  const open = edges.filter(({ isOpen, left, right }) => isOpen === true && !lefts.has(left) && !rights.has(right))
  if (open.length === 0) return []
  return assign({
    left: seen.map(({ members }) => members.length),
    right: held.map(({ members }) => members.length),
    candidates: open,
    alone: unmatchedCost
  }).map((pair) => ({ pair, edge: open.find(({ left, right }) => left === pair.left && right === pair.right)! }))
}

interface Solution {
  readonly pairs: ReadonlyArray<RowPair>
  /** Pairs that are left to a person. */
  readonly withheld: ReadonlyArray<RowPair>
}

const solve = ({ input: { config } }: UnmatchedInput, graph: Graph): Solution => {
  const { edges, held, seen } = graph
  const keyOf = (left: number, right: number) => left * held.length + right
  const left = seen.map(({ members }) => members.length)
  const right = held.map(({ members }) => members.length)
  const withheld: Array<RowPair> = []
  let open = edges.filter(({ isOpen }) => isOpen !== true)
  for (;;) {
    const byPair = new Map(open.map((edge) => [keyOf(edge.left, edge.right), edge]))
    const edited = new Set(open.flatMap((edge) => (held[edge.right]!.edited ? [edge.left] : [])))
    const isUnsure = ({ edge, pair }: Made): boolean =>
      // Which of several look-alikes a second source means changes nothing: amounts are equal, and all of them are
      // there. What counts is whether it is any of them.
      edge.crossesSources
        ? config.crossSource === "suggest" || unmatchedCost - edge.cost < config.reviewMargin
        : edge.amountChanged && pair.margin < config.reviewMargin && edited.has(edge.left)
    const made = assign({ left, right, candidates: open, alone: unmatchedCost }).map((pair): Made => ({
      pair,
      edge: byPair.get(keyOf(pair.left, pair.right))!
    }))
    const unsure = made.filter(isUnsure)
    if (unsure.length === 0) {
      return { pairs: rowPairs(graph, made), withheld: [...withheld, ...rowPairs(graph, openPairs(graph, made))] }
    }
    withheld.push(...rowPairs(graph, unsure))
    const parted = new Set(unsure.map(({ pair }) => pair.left))
    open = open.filter((edge) => !parted.has(edge.left))
  }
}

/** Pairs what costs least; returns which pairs are left to a person. */
export const pairUnmatched = (problem: UnmatchedInput): ReadonlyArray<Suggestion> => {
  const { input, isForbidden, pairing } = problem
  const apart: Apart = { observations: new Set(), records: new Set() }
  const isParted = ({ at, entry }: RowPair): boolean => isForbidden(entry.id, input.observations[at]!)
  for (;;) {
    const { pairs, withheld } = solve(problem, graphOf(problem, apart))
    const parted = pairs.filter(isParted)
    for (const { at, entry } of parted) {
      apart.observations.add(at)
      apart.records.add(entry.id)
    }
    if (parted.length > 0) continue
    for (const { at, entry, evidence } of pairs) pairing.take(at, entry, evidence)
    // A record that found its counterpart after all needs no suggestion.
    return withheld
      .filter((pair) => !pairing.isTaken(pair.entry) && !isParted(pair))
      .map(({ at, entry, evidence }) => ({ observed: input.observations[at]!, recordId: entry.id, evidence }))
  }
}
