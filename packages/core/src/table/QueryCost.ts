/** What a filter costs at most, before any row is read (decisions 1.8). */
import type { Detail } from "../failure/Failure.ts"
import { partsOf, type FilterPlan } from "../filter/FilterPlan.ts"
import { limits } from "../shared/Limits.ts"
import type { LookupHint } from "./Facet.ts"
import type { Table } from "./Table.ts"

/** Looking up rows that a relation leads to costs about as much as so many comparisons with cells of the row. */
const relatedCost = 25

/** Comparisons that are made for one row, at most. */
export const comparisonsOf = (plan: FilterPlan): number => {
  switch (plan.tag) {
    case "constant":
      return 0
    case "related":
    case "unrelated":
      return relatedCost
    case "test":
    case "empty":
      return 1
    default:
      return partsOf(plan).reduce((sum, part) => sum + comparisonsOf(part), 0)
  }
}

/** What is wrong with a query that could keep the database too long; of one that looks its rows up nothing is. */
export const tooBroad = (
  { rowCount }: Pick<Table, "rowCount">,
  plan: FilterPlan,
  hint: LookupHint | undefined
): Detail | undefined => {
  if (hint?.exact === true) return undefined
  const perRow = comparisonsOf(plan)
  if (perRow * rowCount <= limits.queryComparisons) return undefined
  return {
    field: "filter",
    message:
      `asks ${perRow} things (one of related rows counts as ${relatedCost}) of ${rowCount} rows; ` +
      `at most ${Math.max(1, Math.floor(limits.queryComparisons / rowCount))} are possible for so many. ` +
      `Ask less, or compare an indexed field with eq in a group of and`
  }
}
