/** Plans as functions that call each other: for sets of rules, for few rows, and where code cannot be made. */
import { byCost, type Order } from "./Order.ts"
import type { RowValues } from "./FilterField.ts"
import type { FilterPlan, RelatedNode, TestNode, UnrelatedNode } from "./FilterPlan.ts"
import { isEmpty, ownValue, valuePredicate, valueTest, type Periods, type ValuePredicate } from "./ValueTest.ts"

/** How rows of some kind are read. */
export interface Reading<Row> {
  readonly value: (field: string) => (row: Row) => unknown
  /** Asks the value of a field. */
  readonly ask: (field: string, asked: ValuePredicate) => Predicate<Row>
  /** The rows that a relation leads to. */
  readonly related: (relation: string) => (row: Row) => ReadonlyArray<RowValues>
  readonly periods: Periods
}

export type Predicate<Row> = (row: Row) => boolean

const testPredicate = <Row>(node: TestNode, reading: Reading<Row>, wanted: 1 | 0): Predicate<Row> => {
  const { periods } = reading
  if (node.test.tag !== "field") return reading.ask(node.field, valuePredicate(node, wanted, periods))
  const asked = valueTest(node)
  const read = reading.value(node.field)
  const readOther = reading.value(node.test.other)
  return (row) => asked(ownValue(read(row)), periods, ownValue(readOther(row))) === wanted
}

/** Any row makes it true; it is false when there are rows and it is false of each. */
const relatedPredicate = <Row>(node: RelatedNode, reading: Reading<Row>, wanted: 1 | 0): Predicate<Row> => {
  const related = reading.related(node.relation)
  const { field } = node.part
  const { periods } = reading
  const asked = valueTest(node.part)
  return wanted === 1
    ? (row) => related(row).some((one) => asked(ownValue(one[field]), periods) === 1)
    : (row) => {
        const rows = related(row)
        return rows.length > 0 && rows.every((one) => asked(ownValue(one[field]), periods) === 0)
      }
}

const unrelatedPredicate = <Row>(node: UnrelatedNode, reading: Reading<Row>, wanted: 1 | 0): Predicate<Row> => {
  const related = reading.related(node.relation)
  return (row) => related(row).every((one) => isEmpty(ownValue(one[node.field]), false)) === (wanted === 1)
}

type Parts<Row> = readonly [Predicate<Row>, Predicate<Row>, Predicate<Row>, Predicate<Row>]

/** Written out for few parts: a call of its own for each part is what engines inline. */
const allOf = <Row>(parts: ReadonlyArray<Predicate<Row>>): Predicate<Row> => {
  const [a, b, c, d] = parts as Parts<Row>
  switch (parts.length) {
    case 2:
      return (row) => a(row) && b(row)
    case 3:
      return (row) => a(row) && b(row) && c(row)
    case 4:
      return (row) => a(row) && b(row) && c(row) && d(row)
    default: {
      const rest = parts.length === 5 ? parts[4]! : allOf(parts.slice(4))
      return (row) => a(row) && b(row) && c(row) && d(row) && rest(row)
    }
  }
}

const anyOf = <Row>(parts: ReadonlyArray<Predicate<Row>>): Predicate<Row> => {
  const [a, b, c, d] = parts as Parts<Row>
  switch (parts.length) {
    case 2:
      return (row) => a(row) || b(row)
    case 3:
      return (row) => a(row) || b(row) || c(row)
    case 4:
      return (row) => a(row) || b(row) || c(row) || d(row)
    default: {
      const rest = parts.length === 5 ? parts[4]! : anyOf(parts.slice(4))
      return (row) => a(row) || b(row) || c(row) || d(row) || rest(row)
    }
  }
}

/**
 * Whether the plan is true of a row, or with `wanted` 0 whether it is false; unknown is neither. Negations are
 * worked into the parts, so that nothing has three values when it runs.
 */
export const predicate = <Row>(
  plan: FilterPlan,
  reading: Reading<Row>,
  wanted: 1 | 0 = 1,
  order: Order = byCost
): Predicate<Row> => {
  switch (plan.tag) {
    case "constant": {
      const holds = plan.value === (wanted === 1)
      return () => holds
    }
    case "empty": {
      const read = reading.value(plan.field)
      const { blank } = plan
      return (row) => isEmpty(ownValue(read(row)), blank) === (wanted === 1)
    }
    case "test":
      return testPredicate(plan, reading, wanted)
    case "related":
      return relatedPredicate(plan, reading, wanted)
    case "unrelated":
      return unrelatedPredicate(plan, reading, wanted)
    case "not":
      return predicate(plan.part, reading, wanted === 1 ? 0 : 1, order)
    case "and":
    case "or": {
      // An "and" is false, and an "or" true, as soon as one part is.
      const all = (plan.tag === "and") === (wanted === 1)
      const parts = order(plan.parts, all).map((part) => predicate(part, reading, wanted, order))
      if (parts.length === 0) return () => all
      if (parts.length === 1) return parts[0]!
      if (parts.length <= 8) return all ? allOf(parts) : anyOf(parts)
      return all
        ? (row) => {
            for (let at = 0; at < parts.length; at++) if (!parts[at]!(row)) return false
            return true
          }
        : (row) => {
            for (let at = 0; at < parts.length; at++) if (parts[at]!(row)) return true
            return false
          }
    }
  }
}
