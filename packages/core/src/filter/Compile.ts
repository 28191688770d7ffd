/** Filters as functions over rows (decisions 8.1). */
import { predicate, type Predicate } from "./Closures.ts"
import type { RowValues } from "./FilterField.ts"
import { partsOf, relationsOf, type FilterPlan } from "./FilterPlan.ts"
import { generate } from "./Generated.ts"
import { byCost, Selectivity, type Order } from "./Order.ts"
import { RowReading, type RowTest } from "./RowTest.ts"

export type { RelatedRows, RowTest } from "./RowTest.ts"

const closures = (plan: FilterPlan, order: Order): RowTest => {
  const reading = new RowReading()
  const holds = predicate(plan, reading, 1, order)
  if (relationsOf(plan).size === 0) return holds
  return (row, related) => {
    reading.current = related
    return holds(row)
  }
}

/** Every part of every group, with the function that tells whether it holds where it stands. */
const partsOfGroups = (
  plan: FilterPlan,
  reading: RowReading
): ReadonlyArray<readonly [FilterPlan, Predicate<RowValues>]> => {
  const found: Array<readonly [FilterPlan, Predicate<RowValues>]> = []
  const walk = (node: FilterPlan, wanted: 1 | 0): void => {
    const inner = node.tag === "not" ? (wanted === 1 ? 0 : 1) : wanted
    for (const part of partsOf(node)) {
      if (node.tag !== "not") found.push([part, predicate(part, reading, inner)])
      walk(part, inner)
    }
  }
  walk(plan, 1)
  return found
}

/**
 * Rows that are looked at closely: the first ones, and some of those that follow, since rows often come in order of
 * time and the first are not like the rest. After the first ones it is worth while to make code.
 */
const phases = [
  { every: 1, samples: 256 },
  { every: 64, samples: 256 }
] as const

/**
 * Whether a row passes: only rows that match the filter do. The first rows are asked by closures, and it is
 * noted which clauses decide; after that, in the order this tells, by generated code where the host allows it.
 * Whatever the order and the form, the answers are the same. One compiled filter serves one evaluation at a time.
 */
export const compile = (plan: FilterPlan, how: "generated" | "closures" = "generated"): RowTest => {
  const reading = new RowReading()
  const parts = partsOfGroups(plan, reading)
  const selectivity = new Selectivity()
  const ordered = (): RowTest =>
    (how === "generated" ? generate(plan, selectivity.order) : undefined) ?? closures(plan, selectivity.order)

  const inPhase = (phase: number, current: RowTest): RowTest => {
    const { every, samples } = phases[phase]!
    let left = every * samples
    return (row, related) => {
      left--
      if (left % every === 0) {
        reading.current = related
        selectivity.note(parts.map(([part, holds]) => [part, holds(row)]))
        if (left === 0) asked = phase + 1 < phases.length ? inPhase(phase + 1, ordered()) : ordered()
      }
      return current(row, related)
    }
  }

  let asked = inPhase(0, closures(plan, byCost))
  return (row, related) => asked(row, related)
}
