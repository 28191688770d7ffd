/**
 * Which pairs of some months are chosen, where months share components (enrichments C8): what did not change keeps its
 * choice, and only components that hold something new or lost something are solved.
 */
import { chosenOf, type ChosenPair } from "./PairAssignment.ts"
import { comparePairs, monthOf, type ScoredPair } from "./PairScore.ts"

type Parts = ReadonlyArray<ReadonlyArray<ScoredPair>>

const nodes = ({ in: into, out }: ScoredPair): readonly [string, string] => [out.recordId, into.recordId]

/** The months that components reach beyond `months`. */
export const reached = (months: ReadonlySet<string>, parts: Parts): ReadonlySet<string> => {
  const further = new Set<string>()
  let known = ""
  for (const part of parts) {
    for (const { out } of part) {
      // Those of a day lie together.
      if (out.date === known) continue
      known = out.date
      const month = monthOf(known)
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

/** The choice of each of the months, by month. `parts`: the components that are solved, which hold `seeds`. */
export const chosenByMonth = (
  months: ReadonlySet<string>,
  parts: Parts,
  seeds: ReadonlySet<string>,
  before: (month: string) => ReadonlyArray<ChosenPair>,
  /** Months that keep nothing. */
  changed: ReadonlySet<string>
): ReadonlyMap<string, ReadonlyArray<ChosenPair>> => {
  const chosen = new Map<string, Array<ChosenPair>>([...months].map((month) => [month, []]))
  let known = ""
  let list: Array<ChosenPair> | undefined
  for (const part of parts) {
    for (const one of chosenOf(part)) {
      const { date } = one.pair.out
      if (date !== known) {
        known = date
        list = chosen.get(monthOf(date))
      }
      list?.push(one)
    }
  }
  const others = [...months].filter((month) => !changed.has(month))
  if (others.length > 0) {
    const solved = new Set<string>(seeds)
    for (const part of parts) for (const pair of part) for (const id of nodes(pair)) solved.add(id)
    for (const month of others) {
      for (const one of before(month)) if (!nodes(one.pair).some((id) => solved.has(id))) chosen.get(month)!.push(one)
    }
  }
  for (const all of chosen.values()) all.sort((a, b) => comparePairs(a.pair, b.pair))
  return chosen
}
