/** Clauses that the server binds and no viewer can drop or widen (specification 2.3, decisions 8.1). */
import * as Result from "effect/Result"
import { pathText } from "../shared/StrictDecoding.ts"
import { bind, type FilterEnvironment } from "./Bind.ts"
import type { FilterFields } from "./FilterField.ts"
import type { FilterFault } from "./FilterFault.ts"
import { isClause, type FilterClause, type FilterNode } from "./FilterNode.ts"
import { and, type FilterPlan } from "./FilterPlan.ts"

interface Placed {
  readonly clause: FilterClause
  readonly path: ReadonlyArray<PropertyKey>
  /** Every row that passes has to obey it: only groups of "and" are above it. */
  readonly binding: boolean
}

const securityClauses = function* (
  node: FilterNode,
  path: ReadonlyArray<PropertyKey> = [],
  binding = true
): Generator<Placed> {
  if (isClause(node)) {
    if (node.security === true) yield { clause: node, path, binding }
  } else if (node.logic === "not") yield* securityClauses(node.condition, [...path, "condition"], false)
  else
    for (const [index, condition] of node.conditions.entries())
      yield* securityClauses(condition, [...path, "conditions", index], binding && node.logic === "and")
}

/** What is wrong with where the security clauses of a filter stand; asked when it is saved. */
export const misplacedSecurity = (node: FilterNode): ReadonlyArray<FilterFault> =>
  [...securityClauses(node)]
    .filter(({ binding }) => !binding)
    .map(({ path }) => ({
      field: pathText([...path, "security"]),
      message: "a security clause has to hold for every row: only groups of and may stand above it",
      code: "FILTER_INVALID"
    }))

/** The clauses in a form in which equal ones are equal texts, whatever the order of their keys. */
const canonical = (node: FilterNode): ReadonlyArray<string> =>
  [...securityClauses(node)]
    .map(({ clause: { field, op, value } }) =>
      JSON.stringify([
        field,
        op,
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
          : value
      ])
    )
    .toSorted()

/** Whether a change adds, drops or alters a security clause, which only admins may (`SECURITY_CLAUSE_PROTECTED`). */
export const changesSecurity = (before: FilterNode | undefined, after: FilterNode | undefined): boolean =>
  JSON.stringify(before === undefined ? [] : canonical(before)) !==
  JSON.stringify(after === undefined ? [] : canonical(after))

/**
 * A saved filter together with what a viewer adds to it. Every security clause stands as a term of its own beside
 * both, so nothing that a viewer sends, be it a filter, a parameter or the value of a dashboard filter, can let a
 * row through that a security clause keeps back. `bound` of the environment holds what the server alone knows.
 */
export const bindWithViewer = (
  saved: FilterNode,
  viewer: FilterNode | undefined,
  fields: FilterFields,
  environment: FilterEnvironment
): Result.Result<FilterPlan, ReadonlyArray<FilterFault>> =>
  Result.gen(function* () {
    const secured = { ...environment, secured: true, stored: true }
    const terms: Array<FilterPlan> = []
    for (const { clause } of securityClauses(saved)) terms.push(yield* bind(clause, fields, secured))
    terms.push(yield* bind(saved, fields, secured))
    // A flag in what a viewer sends has no effect.
    if (viewer !== undefined) terms.push(yield* bind(viewer, fields, { ...environment, secured: false }))
    return and(terms)
  })
