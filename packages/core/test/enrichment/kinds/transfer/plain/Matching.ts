/**
 * Which pairs of some months are chosen, where months share components (enrichments C8): what did not change keeps its
 * choice, and only components that hold something new or lost something are solved.
 */
import { chosenOf, type ChosenPair, componentsOf, withoutHopeless } from "./PairAssignment.ts"
import { comparePairs, monthOf, type ScoredPair } from "../../../../../src/enrichment/kinds/transfer/PairScore.ts"

const nodes = ({ in: into, out }: ScoredPair): readonly [string, string] => [out.recordId, into.recordId]

const touches = (pairs: ReadonlyArray<ScoredPair>, ids: ReadonlySet<string>): boolean =>
  pairs.some((pair) => nodes(pair).some((id) => ids.has(id)))

/**
 * The months that components of `seeds` reach beyond `months`. `pairsOf` knows the pairs of all of `months` and of their
 * neighbours.
 */
export const reached = (
  months: ReadonlySet<string>,
  all: ReadonlyArray<ScoredPair>,
  seeds: ReadonlySet<string>
): ReadonlySet<string> => {
  const further = new Set<string>()
  for (const component of componentsOf(withoutHopeless(all))) {
    if (!touches(component, seeds)) continue
    for (const { out } of component) {
      const month = monthOf(out.date)
      if (!months.has(month)) further.add(month)
    }
  }
  return further
}

/** Records whose component has to be solved: those of all pairs that there are or were. */
export const seedsOf = (pairs: Iterable<ReadonlyArray<ScoredPair>>): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (const some of pairs) for (const pair of some) for (const id of nodes(pair)) ids.add(id)
  return ids
}

/** The choice of each of the months, by month. `all`: the pairs of these months and of their neighbours. */
export const chosenByMonth = (
  months: ReadonlySet<string>,
  all: ReadonlyArray<ScoredPair>,
  seeds: ReadonlySet<string>,
  before: (month: string) => ReadonlyArray<ChosenPair>,
  /** Months of which nothing stays. */
  anew: ReadonlySet<string>
): ReadonlyMap<string, ReadonlyArray<ChosenPair>> => {
  const solved = new Set<string>(seeds)
  const chosen = new Map<string, Array<ChosenPair>>([...months].map((month) => [month, []]))
  for (const component of componentsOf(withoutHopeless(all))) {
    if (!touches(component, seeds)) continue
    for (const pair of component) for (const id of nodes(pair)) solved.add(id)
    for (const one of chosenOf(component)) chosen.get(monthOf(one.pair.out.date))?.push(one)
  }
  for (const month of months) {
    if (anew.has(month)) continue
    for (const one of before(month)) if (!nodes(one.pair).some((id) => solved.has(id))) chosen.get(month)!.push(one)
  }
  for (const list of chosen.values()) list.sort((a, b) => comparePairs(a.pair, b.pair))
  return chosen
}
