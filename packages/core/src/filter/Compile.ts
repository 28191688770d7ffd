/** Filters as functions over rows (decisions 8.1). */
import { Cells } from "./Cells.ts"
import { predicate } from "./Closures.ts"
import type { FilterPlan } from "./FilterPlan.ts"
import { generate, type RowTest } from "./Generated.ts"

export type { RelatedRows } from "./Cells.ts"
export type { RowTest } from "./Generated.ts"

const closures = (plan: FilterPlan): RowTest => {
  const cells = new Cells()
  const holds = predicate(plan, cells)
  return (row, related) => {
    cells.load(row, undefined, related)
    return holds(cells)
  }
}

/**
 * Whether a row passes: only rows of which the filter is true do. Generated code where the host allows it, else
 * closures; both answer the same. One compiled filter serves one evaluation at a time.
 */
export const compile = (plan: FilterPlan, how: "generated" | "closures" = "generated"): RowTest =>
  (how === "generated" ? generate(plan) : undefined) ?? closures(plan)
