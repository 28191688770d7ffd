/** Filter trees with their meaning worked out, or every mistake in them (decisions 8.1). */
import * as Result from "effect/Result"
import { limits } from "../shared/Limits.ts"
import { pathText } from "../shared/StrictDecoding.ts"
import type { PatternEngine } from "../pattern/Pattern.ts"
import { applies, clauseTest, inapplicable, type PlainValue, type Positive } from "./ClauseTest.ts"
import type { FilterField, FilterFields } from "./FilterField.ts"
import { refuse, type ClauseFault, type FilterFault } from "./FilterFault.ts"
import { isClause, type FilterClause, type FilterNode, type FilterValue } from "./FilterNode.ts"
import { takesNoValue } from "./FilterOperator.ts"
import * as Plan from "./FilterPlan.ts"
import type { FilterPlan, TestNode } from "./FilterPlan.ts"
import { isOrder, type Moment } from "./ValueRange.ts"

/** Values that parameters and dashboard filters have; `undefined` where there is none at the moment. */
export type Given = ReadonlyMap<string, PlainValue | undefined>

export interface FilterEnvironment extends Moment {
  readonly patterns: PatternEngine
  /** Declared parameters of the query. */
  readonly params?: Given
  /** Parameters whose values the server knows, such as who is asking. They win over those a viewer sends. */
  readonly bound?: Given
  /** Filters of the dashboard. A clause on one without a value is left out. */
  readonly filters?: Given
  /** The filter was saved before the fields changed: a clause on a field that is gone is unknown. */
  readonly stored?: boolean
  /** Flags of security count: the filter was written by an admin. */
  readonly secured?: boolean
}

/** `undefined`: the clause is left out. */
type Bound = Result.Result<FilterPlan | undefined, ClauseFault>

interface Target {
  readonly field: FilterField
  readonly key: string
  readonly relation?: string
}

const targetOf = (name: string, fields: FilterFields): Target | string => {
  const plain = fields.get(name)
  if (plain !== undefined) return { field: plain, key: name }
  const dot = name.indexOf(".")
  if (dot < 0) return `"${name}" is no field`
  const relation = name.slice(0, dot)
  const key = name.slice(dot + 1)
  const related = fields.get(relation)?.related
  if (related === undefined) return fields.has(relation) ? `"${relation}" is no relation` : `"${relation}" is no field`
  const field = related.get(key)
  return field === undefined ? `"${relation}" leads to rows without a field "${key}"` : { field, key, relation }
}

const isNothing = ({ key, relation }: Target): FilterPlan =>
  relation === undefined ? { tag: "empty", field: key, blank: false } : { tag: "unrelated", relation, field: key }

const asked = ({ key, relation }: Target, test: Pick<TestNode, "test" | "json">): FilterPlan => {
  const part: TestNode = { tag: "test", field: key, blank: false, ...test }
  return relation === undefined ? part : { tag: "related", relation, part }
}

const comparables: ReadonlySet<string> = new Set(["text", "key", "number", "date", "datetime", "boolean"])

const fieldTest = (target: Target, op: Positive, name: string, fields: FilterFields): Bound => {
  if (target.relation !== undefined) return refuse("value", "{$field} cannot be used with a field of a relation")
  const other = fields.get(name)
  if (other === undefined) return refuse("value", `"${name}" is no field of the same row`)
  if ((op !== "eq" && !isOrder(op)) || !applies(op, target.field.type))
    return refuse("op", `${op} does not compare two fields`)
  if (other.type !== target.field.type || !comparables.has(other.type))
    return refuse("value", `"${name}" and "${target.key}" are of types that cannot be compared`)
  return Result.succeed(asked(target, { test: { tag: "field", other: name, as: other.type as Plan.Comparable, op } }))
}

const positives = { neq: "eq", nin: "in" } as const

/** Without negation, `optional` and security. */
const plain = (target: Target, op: Positive, value: PlainValue, environment: FilterEnvironment): Bound => {
  if (value === null && !takesNoValue(op)) return refuse("value", `${op} takes no null`)
  if (Array.isArray(value) && value.length === 0 && op === "in") return Result.succeed(Plan.never)
  return Result.map(clauseTest(target.field, op, value, environment, environment.patterns), (tests) =>
    Plan.or(tests.map((test) => asked(target, test)))
  )
}

/** The value in place of a parameter or dashboard filter; `undefined` where a filter of the dashboard has none. */
const resolve = (
  value: FilterValue | undefined,
  environment: FilterEnvironment
): Result.Result<
  { readonly value: Exclude<FilterValue, { $param: string } | { $filter: string }> } | undefined,
  ClauseFault
> => {
  if (typeof value === "object" && value !== null) {
    if ("$param" in value) {
      const name = value.$param
      const given = environment.bound?.get(name) ?? environment.params?.get(name)
      return given === undefined
        ? refuse("value", `parameter "${name}" has no value`, "PARAM_REQUIRED")
        : Result.succeed({ value: given })
    }
    if ("$filter" in value) {
      const { filters } = environment
      if (filters === undefined || !filters.has(value.$filter))
        return refuse("value", `"${value.$filter}" is no filter of a dashboard`)
      const given = filters.get(value.$filter)
      return Result.succeed(given === undefined ? undefined : { value: given })
    }
  }
  return Result.succeed({ value: value ?? null })
}

const comparison = (
  target: Target,
  clause: FilterClause,
  fields: FilterFields,
  environment: FilterEnvironment
): Bound => {
  const { op } = clause
  if (op === "is-null") return Result.succeed(isNothing(target))
  if (op === "is-not-null") return Result.succeed(Plan.not(isNothing(target)))
  return Result.flatMap(resolve(clause.value, environment), (resolved): Bound => {
    if (resolved === undefined) return Result.succeed(undefined)
    const { value } = resolved
    if (value === null && op === "eq") return Result.succeed(isNothing(target))
    if (value === null && op === "neq") return Result.succeed(Plan.not(isNothing(target)))
    const negated = op === "neq" || op === "nin"
    const positive = op === "neq" || op === "nin" ? positives[op] : op
    if (!applies(positive, target.field.type)) return inapplicable(op, target.field.type)
    // A period is something to be inside of, with `in` as well as with `eq`.
    const inside = typeof value === "object" && value !== null && "rel" in value && positive === "in" ? "eq" : positive
    const bound =
      typeof value === "object" && value !== null && "$field" in value
        ? fieldTest(target, inside, value.$field, fields)
        : plain(target, inside, value, environment)
    return negated ? Result.map(bound, (plan) => plan && Plan.not(plan)) : bound
  })
}

const reads = (value: FilterValue | undefined, key: "$param" | "$filter" | "$field"): boolean =>
  typeof value === "object" && value !== null && key in value

/** Bound by the server: what cannot be resolved lets nothing through. */
const securedClause = (clause: FilterClause, fields: FilterFields, environment: FilterEnvironment): Bound => {
  if (reads(clause.value, "$filter") || reads(clause.value, "$field"))
    return refuse("value", "of a security clause must be a constant or a parameter bound by the server")
  const target = targetOf(clause.field, fields)
  if (typeof target === "string")
    return environment.stored === true ? Result.succeed(Plan.never) : refuse("field", target)
  const { params: _, ...server } = environment
  const bound = comparison(target, clause, fields, server)
  return Result.isFailure(bound) && bound.failure.code === "PARAM_REQUIRED" ? Result.succeed(Plan.never) : bound
}

const clausePlan = (clause: FilterClause, fields: FilterFields, environment: FilterEnvironment): Bound => {
  if (clause.security === true && environment.secured === true) return securedClause(clause, fields, environment)
  const target = targetOf(clause.field, fields)
  const optional = clause.optional === true
  if (typeof target === "string")
    return environment.stored === true
      ? Result.succeed({ tag: "constant", value: optional ? true : null })
      : refuse("field", target)
  const bound = comparison(target, clause, fields, environment)
  return optional ? Result.map(bound, (plan) => plan && Plan.or([isNothing(target), plan])) : bound
}

/** Items of all lists that are compared with; a parameter counts wherever it stands. */
const itemsOf = (node: FilterNode, environment: FilterEnvironment): number => {
  if (isClause(node)) {
    const resolved = resolve(node.value, environment)
    const value = Result.isSuccess(resolved) ? resolved.success?.value : undefined
    return Array.isArray(value) ? value.length : 0
  }
  if (node.logic === "not") return itemsOf(node.condition, environment)
  return node.conditions.reduce((sum, condition) => sum + itemsOf(condition, environment), 0)
}

class Binder {
  readonly faults: Array<FilterFault> = []
  private readonly fields: FilterFields
  private readonly environment: FilterEnvironment

  constructor(fields: FilterFields, environment: FilterEnvironment) {
    this.fields = fields
    this.environment = environment
  }

  bind(node: FilterNode, path: ReadonlyArray<PropertyKey>): FilterPlan | undefined {
    if (isClause(node)) {
      const bound = clausePlan(node, this.fields, this.environment)
      if (Result.isSuccess(bound)) return bound.success && { ...bound.success, at: pathText(path) }
      const { part, message, code } = bound.failure
      this.faults.push({ field: pathText(part === "" ? path : [...path, part]), message, code })
      return undefined
    }
    if (node.logic === "not") {
      const part = this.bind(node.condition, [...path, "condition"])
      return part && { tag: "not", part, at: pathText(path) }
    }
    const parts = node.conditions.flatMap(
      (condition, index) => this.bind(condition, [...path, "conditions", index]) ?? []
    )
    // Nothing is left of a group whose every part was left out; one that was empty from the start has a meaning.
    if (parts.length === 0 && node.conditions.length > 0) return undefined
    return { tag: node.logic, parts, at: pathText(path) }
  }
}

/**
 * The plan of a filter over these fields, or all that is wrong with it. Relative dates, parameters and dashboard
 * filters are resolved once, here. `field` of a fault is its path in the tree: `conditions[0].value`.
 */
export const bind = (
  node: FilterNode,
  fields: FilterFields,
  environment: FilterEnvironment
): Result.Result<FilterPlan, ReadonlyArray<FilterFault>> => {
  const items = itemsOf(node, environment)
  if (items > limits.filterItems) {
    const message = `has ${items} items in its lists; at most ${limits.filterItems} are possible`
    return Result.fail([{ field: "", message, code: "FILTER_INVALID" }])
  }
  const binder = new Binder(fields, environment)
  const plan = binder.bind(node, [])
  return binder.faults.length > 0 ? Result.fail(binder.faults) : Result.succeed(plan ?? Plan.always)
}
