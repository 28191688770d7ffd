/**
 * What follows from a condition by its form alone. Each comparison looks at two parts at a time and searches nothing:
 * `true` is certain for every record, `false` says nothing.
 */
import type { EmptyNode, FilterPlan, Range, Test, TestNode } from "../../filter/FilterPlan.ts"
import * as Decimal from "../../shared/Decimal.ts"

/** A question of a field, and the answer that is wanted. Questions with equal keys have equal answers. */
interface Literal {
  readonly tag: "literal"
  readonly node: FilterPlan
  readonly wanted: boolean
  readonly key: string
}

interface Group {
  readonly tag: "all" | "any"
  readonly parts: ReadonlyArray<Formula>
}

/** A condition with its negations in its literals. */
export type Formula = Literal | Group

const keyOf = (node: FilterPlan): string =>
  JSON.stringify(node, (name, value: unknown) => (name === "at" || name === "pattern" ? undefined : value))

/** That the plan is true, or with `wanted` false that it is false. */
export const formulaOf = (plan: FilterPlan, wanted = true): Formula => {
  if (plan.tag === "not") return formulaOf(plan.part, !wanted)
  if (plan.tag !== "and" && plan.tag !== "or") return { tag: "literal", node: plan, wanted, key: keyOf(plan) }
  const parts = plan.parts.map((part) => formulaOf(part, wanted))
  return parts.length === 1 ? parts[0]! : { tag: (plan.tag === "and") === wanted ? "all" : "any", parts }
}

type Order<A> = (a: A, b: A) => number

const textOrder: Order<string> = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

/** Whether everything in the first range is in the second one. */
const isInside = <A>(a: Range<A>, b: Range<A>, order: Order<A>): boolean => {
  const from = b.low === undefined ? 1 : a.low === undefined ? -1 : order(a.low.value, b.low.value)
  const to = b.high === undefined ? -1 : a.high === undefined ? 1 : order(a.high.value, b.high.value)
  return (
    (from > 0 || (from === 0 && (!b.low!.open || a.low!.open))) &&
    (to < 0 || (to === 0 && (!b.high!.open || a.high!.open)))
  )
}

/** Whether the first range ends before the second one begins. */
const isBefore = <A>({ high }: Range<A>, { low }: Range<A>, order: Order<A>): boolean => {
  if (high === undefined || low === undefined) return false
  const at = order(high.value, low.value)
  return at < 0 || (at === 0 && (high.open || low.open))
}

interface Comparison {
  /** Whether every value that makes the first test true makes the second one true. */
  readonly isWithin: boolean
  /** Whether no value makes both true. */
  readonly isApart: boolean
}

const unknown: Comparison = { isWithin: false, isApart: false }

const compareRanges = <A>(a: ReadonlyArray<Range<A>>, b: ReadonlyArray<Range<A>>, order: Order<A>): Comparison => ({
  isWithin: a.every((one) => b.some((other) => isInside(one, other, order))),
  isApart: a.every((one) => b.every((other) => isBefore(one, other, order) || isBefore(other, one, order)))
})

type TextTest = Extract<Test, { readonly tag: "text" }>

const compareTexts = (a: TextTest, b: TextTest): Comparison => {
  const isWithin = (one: string, other: string): boolean => {
    if (b.how === "contains") return one.includes(other)
    if (a.how !== b.how) return false
    return b.how === "equals" ? one === other : b.how === "startsWith" ? one.startsWith(other) : one.endsWith(other)
  }
  return {
    isWithin: a.values.every((one) => b.values.some((other) => isWithin(one, other))),
    isApart: a.how === "equals" && b.how === "equals" && !a.values.some((one) => b.values.includes(one))
  }
}

/** Days that move with the date of the run are compared by their wording alone. */
export const isMoving = (test: Test): boolean =>
  test.tag === "day" &&
  test.ranges.some(({ low, high }) => typeof low?.value === "object" || typeof high?.value === "object")

/** Of two tests of the same field. */
const compareTests = (a: Test, b: Test): Comparison => {
  if (a.tag === "text" && b.tag === "text") return compareTexts(a, b)
  if (a.tag === "number" && b.tag === "number") return compareRanges(a.ranges, b.ranges, Decimal.compare)
  if (a.tag === "day" && b.tag === "day" && !isMoving(a) && !isMoving(b))
    return compareRanges(a.ranges as ReadonlyArray<Range<string>>, b.ranges as ReadonlyArray<Range<string>>, textOrder)
  if (a.tag !== "truth" || b.tag !== "truth") return unknown
  return {
    isWithin: a.values.every((value) => b.values.includes(value)),
    isApart: !a.values.some((value) => b.values.includes(value))
  }
}

type Leaf = TestNode | EmptyNode

const isLeaf = (node: FilterPlan): node is Leaf => node.tag === "test" || node.tag === "empty"

/** Conditions ask like this: of plain values; blank ones are none. */
const isPlain = (node: Leaf): boolean => node.blank && (node.tag === "empty" || node.json === undefined)

const literalImplies = (a: Literal, b: Literal): boolean => {
  if (a.key === b.key) return a.wanted === b.wanted
  if (!isLeaf(a.node) || !isLeaf(b.node) || a.node.field !== b.node.field) return false
  if (!isPlain(a.node) || !isPlain(b.node) || a.node.tag === "empty") return false
  // A test is true or false only of a field that is filled.
  if (b.node.tag === "empty") return !b.wanted
  if (a.wanted) {
    const { isApart, isWithin } = compareTests(a.node.test, b.node.test)
    return b.wanted ? isWithin : isApart
  }
  return !b.wanted && compareTests(b.node.test, a.node.test).isWithin
}

const negate = (literal: Literal): Literal => ({ ...literal, wanted: !literal.wanted })

/** Compares conditions until its steps are used up; from then on nothing is certain. */
export class Implication {
  private steps: number

  constructor(steps = 2_000_000) {
    this.steps = steps
  }

  /** Whether the second holds wherever the first one does. */
  implies(a: Formula, b: Formula): boolean {
    if (this.steps-- <= 0) return false
    if (a.tag === "any") return a.parts.every((part) => this.implies(part, b))
    if (b.tag === "all") return b.parts.every((part) => this.implies(a, part))
    if (a.tag === "literal" && b.tag === "literal") return literalImplies(a, b)
    return (
      (a.tag === "all" && a.parts.some((part) => this.implies(part, b))) ||
      (b.tag === "any" && b.parts.some((part) => this.implies(a, part)))
    )
  }

  /** Whether no record can make both hold. */
  private contradicts(a: Formula, b: Formula): boolean {
    if (this.steps-- <= 0) return false
    if (a.tag === "any") return a.parts.every((part) => this.contradicts(part, b))
    if (b.tag === "any") return b.parts.every((part) => this.contradicts(a, part))
    if (a.tag === "all") return a.parts.some((part) => this.contradicts(part, b))
    if (b.tag === "all") return b.parts.some((part) => this.contradicts(a, part))
    if (a.tag !== "literal" || b.tag !== "literal") return false
    return literalImplies(a, negate(b)) || literalImplies(b, negate(a))
  }

  /** Whether it holds for no record. */
  isNever(formula: Formula): boolean {
    if (formula.tag === "literal") return false
    const { parts } = formula
    if (formula.tag === "any") return parts.every((part) => this.isNever(part))
    return parts.some(
      (part, at) => this.isNever(part) || parts.slice(0, at).some((other) => this.contradicts(part, other))
    )
  }

  /** Whether it holds for every record. */
  isAlways(formula: Formula): boolean {
    if (formula.tag === "literal") return false
    const { parts } = formula
    if (formula.tag === "all") return parts.every((part) => this.isAlways(part))
    return parts.some((part) => this.isAlways(part)) || this.covers(literalsOf(formula))
  }

  /** Whether one of the answers is right of every record: a field is empty, or filled, or unlike one of two texts. */
  private covers(literals: ReadonlyArray<Literal>): boolean {
    const isEmpty = (field: string): boolean =>
      literals.some(({ node, wanted }) => node.tag === "empty" && node.blank && wanted && node.field === field)
    return literals.some((a, at) => {
      if (a.wanted || !isLeaf(a.node) || !isPlain(a.node) || !isEmpty(a.node.field)) return false
      if (a.node.tag === "empty") return true
      return literals.slice(0, at).some((b) => {
        // All that is filled can be read as text.
        if (this.steps-- <= 0 || b.wanted || b.node.tag !== "test" || b.node.test.tag !== "text") return false
        return literalImplies(negate(a), b)
      })
    })
  }
}

/** The answers where one is enough. */
const literalsOf = (formula: Formula): ReadonlyArray<Literal> =>
  formula.tag === "literal" ? [formula] : formula.tag === "any" ? formula.parts.flatMap(literalsOf) : []
