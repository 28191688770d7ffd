/**
 * A filter with its meaning worked out: types known, words resolved, values of the right kind. Filter trees
 * and condition groups both become this, and every evaluator reads nothing else: closures, generated code,
 * SQL and the explanation cannot disagree about what a clause means.
 *
 * Three-valued (decisions 8.1): a test of a field without a value is neither true nor false.
 */
import type { CompiledPattern } from "../pattern/Pattern.ts"
import type { Decimal } from "../shared/Decimal.ts"
import type { JsonType } from "./JsonScalar.ts"
import type { RelativeDate } from "./RelativeDate.ts"

export interface Bound<A> {
  readonly value: A
  readonly open: boolean
}

/** Both ends inside unless they are open; without an end it has no limit there. */
export interface Range<A> {
  readonly low?: Bound<A>
  readonly high?: Bound<A>
}

/** A day, or an end of a period that moves with the calendar. */
export type Day = string | { readonly token: RelativeDate; readonly end: "start" | "end" }

/** Types of values that two fields of a row can be compared by. */
export type Comparable = "text" | "key" | "number" | "date" | "datetime" | "boolean"

/** What is asked of a value that is there; one that cannot be read as the type counts as none. */
export type Test =
  | {
      readonly tag: "text"
      readonly how: "equals" | "contains" | "startsWith" | "endsWith"
      /** Folded; one of them is enough. */
      readonly values: ReadonlyArray<string>
      /** White space around the value does not count. */
      readonly trimmed: boolean
    }
  /** Folded text in the order of its code points. */
  | { readonly tag: "order"; readonly range: Range<string> }
  /** Exactly one of these. */
  | { readonly tag: "key"; readonly values: ReadonlyArray<string> }
  /** Of a list: any of these is in it, or it is just this one. */
  | { readonly tag: "keys"; readonly how: "any" | "only"; readonly values: ReadonlyArray<string> }
  | { readonly tag: "number"; readonly ranges: ReadonlyArray<Range<Decimal>> }
  /** Part of the plain decimal text. */
  | { readonly tag: "digits"; readonly part: string }
  /** The day that a date or an instant begins with, where it begins with one. */
  | { readonly tag: "day"; readonly ranges: ReadonlyArray<Range<Day>> }
  /** Dates or instants in their one form, in which the order of the texts is that of time. */
  | { readonly tag: "time"; readonly ranges: ReadonlyArray<Range<string>> }
  | { readonly tag: "truth"; readonly values: ReadonlyArray<boolean> }
  | { readonly tag: "pattern"; readonly source: string; readonly pattern: CompiledPattern }
  /** Against another field of the same row. */
  | {
      readonly tag: "field"
      readonly other: string
      readonly as: Comparable
      readonly op: "eq" | "gt" | "gte" | "lt" | "lte"
    }

/** Where a part of a plan stands in the filter it was made of, such as `conditions[1].condition`. */
interface Placed {
  readonly at?: string
}

export interface TestNode extends Placed {
  readonly tag: "test"
  readonly field: string
  readonly test: Test
  /** Text of nothing but white space counts as no value. */
  readonly blank: boolean
  /** The field holds JSON text, and the test is of values of this JSON type. */
  readonly json?: JsonType
}

/** Two-valued: whether there is no value. */
export interface EmptyNode extends Placed {
  readonly tag: "empty"
  readonly field: string
  readonly blank: boolean
}

/** `null` is neither true nor false. */
export interface ConstantNode extends Placed {
  readonly tag: "constant"
  readonly value: boolean | null
}

export interface GroupNode extends Placed {
  readonly tag: "and" | "or"
  readonly parts: ReadonlyArray<FilterPlan>
}

export interface NotNode extends Placed {
  readonly tag: "not"
  readonly part: FilterPlan
}

/**
 * Asked of the rows that a relation leads to. True if it is of any of them, else unknown if it is of any of
 * them or there is none, else false.
 */
export interface RelatedNode extends Placed {
  readonly tag: "related"
  readonly relation: string
  readonly part: TestNode
}

/** Two-valued: whether no row that a relation leads to has a value in the field. */
export interface UnrelatedNode extends Placed {
  readonly tag: "unrelated"
  readonly relation: string
  readonly field: string
}

export type FilterPlan = TestNode | EmptyNode | ConstantNode | GroupNode | NotNode | RelatedNode | UnrelatedNode

export const always: ConstantNode = { tag: "constant", value: true }
export const never: ConstantNode = { tag: "constant", value: false }

export const and = (parts: ReadonlyArray<FilterPlan>): FilterPlan =>
  parts.length === 0 ? always : parts.length === 1 ? parts[0]! : { tag: "and", parts }
export const or = (parts: ReadonlyArray<FilterPlan>): FilterPlan =>
  parts.length === 0 ? never : parts.length === 1 ? parts[0]! : { tag: "or", parts }
export const not = (part: FilterPlan): FilterPlan => ({ tag: "not", part })

export const partsOf = (plan: FilterPlan): ReadonlyArray<FilterPlan> =>
  plan.tag === "and" || plan.tag === "or" ? plan.parts : plan.tag === "not" ? [plan.part] : []

export const some = (plan: FilterPlan, holds: (part: FilterPlan) => boolean): boolean =>
  holds(plan) || partsOf(plan).some((part) => some(part, holds))

/** Databases do not evaluate patterns: what they find is asked again (decisions 8.3). */
export const hasPattern = (plan: FilterPlan): boolean =>
  some(plan, (part) => {
    const inner = part.tag === "related" ? part.part : part
    return inner.tag === "test" && inner.test.tag === "pattern"
  })

/** The relations that a filter follows. */
export const relationsOf = (plan: FilterPlan): ReadonlySet<string> => {
  const found = new Set<string>()
  const walk = (part: FilterPlan): void => {
    if (part.tag === "related" || part.tag === "unrelated") found.add(part.relation)
    for (const inner of partsOf(part)) walk(inner)
  }
  walk(plan)
  return found
}

/** Measured on rows whose texts have to be fetched from memory: short texts are mostly told by their first letter. */
const testCosts: Readonly<Record<Test["tag"], number>> = {
  truth: 1,
  key: 2,
  keys: 4,
  number: 5,
  day: 3,
  time: 3,
  digits: 5,
  field: 6,
  text: 2,
  order: 6,
  pattern: 20
}

/** What asking costs, roughly. */
export const costOf = (plan: FilterPlan): number => {
  switch (plan.tag) {
    case "constant":
      return 0
    case "empty":
      return 1
    case "test":
      return plan.test.tag === "text" && plan.test.how === "contains" ? 7 : testCosts[plan.test.tag]
    case "not":
      return costOf(plan.part)
    case "and":
    case "or":
      return plan.parts.reduce((sum, part) => sum + costOf(part), 1)
    case "related":
    case "unrelated":
      return 100
  }
}
