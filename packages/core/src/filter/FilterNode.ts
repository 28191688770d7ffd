/** Filter trees, shared by tables, dashboards and widgets (specification 2.3, decisions 8.1). */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { limits } from "../shared/Limits.ts"
import { isRawNumber, type RawNumber } from "../shared/RawNumber.ts"
import { decode, type Fault } from "../shared/StrictDecoding.ts"
import { filterOperators, takesNoValue, type FilterOperator } from "./FilterOperator.ts"
import { relativeDates, type RelativeDate } from "./RelativeDate.ts"

export type FilterNumber = number | RawNumber
export type FilterScalar = string | FilterNumber | boolean | null

export type FilterValue =
  | FilterScalar
  | ReadonlyArray<string | FilterNumber>
  /** Dates, both inside. */
  | { readonly start: string; readonly end: string }
  /** Numbers, both inside. */
  | { readonly min: string | FilterNumber; readonly max: string | FilterNumber }
  | { readonly rel: RelativeDate }
  /** Another field of the same row. */
  | { readonly $field: string }
  /** The current value of a filter of the dashboard. */
  | { readonly $filter: string }
  /** A parameter of the query. */
  | { readonly $param: string }

export interface FilterClause {
  /** Key of a field, or `relation.field`. */
  readonly field: string
  readonly op: FilterOperator
  readonly value?: FilterValue
  /** Bound by the server: no viewer can drop or widen it. Has no effect in filters that a viewer sends. */
  readonly security?: boolean
  /** A row that lacks the field passes. */
  readonly optional?: boolean
}

export interface FilterGroup {
  readonly logic: "and" | "or"
  readonly conditions: ReadonlyArray<FilterNode>
}

export interface FilterNot {
  readonly logic: "not"
  readonly condition: FilterNode
}

export type FilterNode = FilterClause | FilterGroup | FilterNot

// oxlint-disable-next-line no-control-regex -- NUL is what it looks for
const unstorable = /\0|\p{Surrogate}/u

/** Text that a row could hold: what is not must not reach a comparison, let alone a database. */
const Text = Schema.String.check(
  Schema.isMaxLength(limits.filterText, { message: `must have at most ${limits.filterText} characters` }),
  Schema.makeFilter((text: string) =>
    unstorable.test(text) ? "must not hold NUL or half a surrogate pair" : undefined
  )
)
const Name = Schema.NonEmptyString.check(Schema.isMaxLength(limits.mappingKeyLength))
const Amount = Schema.Union([Text, Schema.Finite]).annotate({ message: "must be a number" })

const forms =
  "must be text, a number, true, false, null, a list of texts or numbers, {start, end}, {min, max}, {rel}, {$field}, {$filter} or {$param}"

const Value: Schema.Codec<FilterValue> = Schema.Union([
  Text,
  Schema.Finite,
  Schema.Boolean,
  Schema.Null,
  Schema.Array(Schema.Union([Text, Schema.Finite]).annotate({ message: "must be text or a number" })).check(
    Schema.isMaxLength(limits.inListItems, { message: `must have at most ${limits.inListItems} items` })
  ),
  Schema.Struct({ start: Text, end: Text }),
  Schema.Struct({ min: Amount, max: Amount }),
  Schema.Struct({
    rel: Schema.Literals(relativeDates).annotate({ message: `must be one of ${relativeDates.join(", ")}` })
  }),
  Schema.Struct({ $field: Name }),
  Schema.Struct({ $filter: Name }),
  Schema.Struct({ $param: Name })
]).annotate({ message: forms })

const flag = Schema.optionalKey(Schema.Boolean)

const Clause = Schema.Struct({
  field: Name,
  op: Schema.Literals(filterOperators).annotate({ message: `must be one of ${filterOperators.join(", ")}` }),
  value: Schema.optionalKey(Value),
  security: flag,
  optional: flag
}).check(
  Schema.makeFilter((clause) =>
    takesNoValue(clause.op)
      ? clause.value === undefined
        ? undefined
        : { path: ["value"], issue: `is not taken by ${clause.op}` }
      : clause.value === undefined
        ? { path: ["value"], issue: "is missing" }
        : undefined
  )
)

const Node: Schema.Codec<FilterNode> = Schema.Union([
  Clause,
  Schema.Struct({
    logic: Schema.Literals(["and", "or"]).annotate({ message: "must be and, or or not" }),
    conditions: Schema.Array(Schema.suspend(() => Node))
  }),
  Schema.Struct({ logic: Schema.Literal("not"), condition: Schema.suspend(() => Node) })
]).annotate({
  identifier: "FilterNode",
  message: "must be a clause {field, op, value}, a group {logic, conditions} or {logic: not, condition}"
})

export const isClause = (node: FilterNode): node is FilterClause => !("logic" in node)

const childrenOf = (node: FilterNode): ReadonlyArray<FilterNode> =>
  isClause(node) ? [] : node.logic === "not" ? [node.condition] : node.conditions

interface Size {
  readonly nodes: number
  /** Length of the longest branch, the root included. */
  readonly depth: number
  /** Clauses that match a pattern. */
  readonly patterns: number
}

const sizeOf = (node: FilterNode): Size => {
  let nodes = 1
  let depth = 0
  let patterns = isClause(node) && node.op === "matches" ? 1 : 0
  for (const child of childrenOf(node)) {
    const size = sizeOf(child)
    nodes += size.nodes
    depth = Math.max(depth, size.depth)
    patterns += size.patterns
  }
  return { nodes, depth: depth + 1, patterns }
}

/** At most 256 nodes, 8 deep, with 16 patterns. The form of filters in JSON; `readFilter` reads them. */
export const FilterNode: Schema.Codec<FilterNode> = Node.check(
  Schema.makeFilter((node) => {
    const { depth, nodes, patterns } = sizeOf(node)
    if (nodes > limits.filterNodes) return `has ${nodes} clauses and groups; at most ${limits.filterNodes} are possible`
    if (depth > limits.filterDepth) return `is nested ${depth} deep; at most ${limits.filterDepth} are possible`
    return patterns > limits.filterPatterns
      ? `matches ${patterns} patterns; at most ${limits.filterPatterns} are possible`
      : undefined
  })
)

/** The same document with a double in the place of every raw number. */
const withDoubles = (json: unknown): unknown => {
  if (typeof json !== "object" || json === null) return json
  if (isRawNumber(json)) return 0
  if (Array.isArray(json)) return json.map(withDoubles)
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, withDoubles(value)]))
}

/** Reads a filter out of JSON whose numbers have all their digits, or tells every fault of its form. */
export const readFilter = (json: unknown): Result.Result<FilterNode, ReadonlyArray<Fault>> =>
  // The form does not depend on digits, and reading changes nothing: what is taken is the document itself.
  Result.map(decode(FilterNode, withDoubles(json)), () => json as FilterNode)
