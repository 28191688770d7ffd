/** The comparisons of a filter clause (specification 2.3, decisions 8.2). */

export const filterOperators = [
  "eq",
  "neq",
  "gt",
  "gte",
  "lt",
  "lte",
  "in",
  "nin",
  "contains",
  "starts-with",
  "ends-with",
  "between",
  "is-null",
  "is-not-null",
  "matches",
  "has-passed",
  "not-passed"
] as const
export type FilterOperator = (typeof filterOperators)[number]

/** Operators without a value; one that is sent is a mistake. */
export const takesNoValue = (op: FilterOperator): boolean =>
  op === "is-null" || op === "is-not-null" || op === "has-passed" || op === "not-passed"
