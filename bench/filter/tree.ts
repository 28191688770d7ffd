/** The filter that all contenders ask: eight clauses below and, or and not, about 3 % of the rows pass. */
import type { FilterNode } from "@millrace/core/filter"

export const categories = ["Groceries", "Restaurants"] as const
export const since = "2023-09-01"
export const purchase = "^POS .*[0-9]{4}$"

/** Text is compared without regard to case, except by the pattern. */
const conjuncts: ReadonlyArray<FilterNode> = [
  { field: "type", op: "eq", value: "Debit" },
  {
    logic: "or",
    conditions: [
      { field: "category", op: "in", value: categories },
      { field: "description", op: "contains", value: "Coffee" }
    ]
  },
  { field: "amount", op: "between", value: { min: "-110", max: "-5" } },
  { field: "date", op: "gte", value: since },
  {
    logic: "or",
    conditions: [
      { field: "merchantName", op: "is-null" },
      { field: "description", op: "matches", value: purchase }
    ]
  },
  { logic: "not", condition: { field: "currency", op: "eq", value: "usd" } }
]

/**
 * People write the parts of a filter in any order, and hand-written code asks them in that order. So every contender
 * is asked the same filter in three written orders: from the first part on, from the third and from the fifth.
 */
export const rotations = [0, 2, 4] as const

export const rotated = <A>(parts: ReadonlyArray<A>, by: number): ReadonlyArray<A> => [
  ...parts.slice(by),
  ...parts.slice(0, by)
]

export const trees = rotations.map((by): FilterNode => ({ logic: "and", conditions: rotated(conjuncts, by) }))
