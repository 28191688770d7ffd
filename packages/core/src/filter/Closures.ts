/** Plans as functions over cells: for sets of rules, and where code cannot be generated. */
import { ownValue, type Cells } from "./Cells.ts"
import { byCost, type FilterPlan, type RelatedNode, type TestNode, type UnrelatedNode } from "./FilterPlan.ts"
import { isEmpty, valueTest, type Truth } from "./ValueTest.ts"

export type Predicate = (cells: Cells) => boolean

const testPredicate = (node: TestNode, cells: Cells, wanted: Truth): Predicate => {
  const slot = cells.slot(node.field)
  const asked = valueTest(node)
  if (node.test.tag === "field") {
    const other = cells.slot(node.test.other)
    return (given) => asked(given.value(slot), given.period, given.value(other)) === wanted
  }
  return (given) => asked(given.value(slot), given.period) === wanted
}

/** Any row makes it true; it is false when there are rows and it is false of each. */
const relatedPredicate = (node: RelatedNode, cells: Cells, wanted: Truth): Predicate => {
  const slot = cells.slot(node.relation)
  const { field } = node.part
  const asked = valueTest(node.part)
  return (given) => {
    const rows = given.related(slot)
    return wanted === 1
      ? rows.some((row) => asked(ownValue(row[field]), given.period) === 1)
      : rows.length > 0 && rows.every((row) => asked(ownValue(row[field]), given.period) === 0)
  }
}

const unrelatedPredicate = (node: UnrelatedNode, cells: Cells, wanted: Truth): Predicate => {
  const slot = cells.slot(node.relation)
  return (given) => given.related(slot).every((row) => isEmpty(ownValue(row[node.field]), false)) === (wanted === 1)
}

/**
 * Whether the plan is true of a row, or with `wanted` 0 whether it is false; unknown is neither. Negations are
 * worked into the parts, so that nothing has three values when it runs.
 */
export const predicate = (plan: FilterPlan, cells: Cells, wanted: Truth = 1): Predicate => {
  switch (plan.tag) {
    case "constant": {
      const holds = plan.value === (wanted === 1)
      return () => holds
    }
    case "empty": {
      const slot = cells.slot(plan.field)
      const { blank } = plan
      return (given) => isEmpty(given.value(slot), blank) === (wanted === 1)
    }
    case "test":
      return testPredicate(plan, cells, wanted)
    case "related":
      return relatedPredicate(plan, cells, wanted)
    case "unrelated":
      return unrelatedPredicate(plan, cells, wanted)
    case "not":
      return predicate(plan.part, cells, wanted === 1 ? 0 : 1)
    case "and":
    case "or": {
      const parts = byCost(plan.parts).map((part) => predicate(part, cells, wanted))
      if (parts.length === 1) return parts[0]!
      // An "and" is false, and an "or" true, as soon as one part is.
      const decisive = (plan.tag === "or") === (wanted === 1)
      if (parts.length === 2) {
        const [first, second] = parts as [Predicate, Predicate]
        return decisive ? (given) => first(given) || second(given) : (given) => first(given) && second(given)
      }
      return (given) => {
        for (const part of parts) if (part(given) === decisive) return decisive
        return !decisive
      }
    }
  }
}
