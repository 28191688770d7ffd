/** Condition groups compiled to closures over cells (enrichments E1). */
import * as Result from "effect/Result"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import type { Cells } from "../filter/Cells.ts"
import { isGroup, type ConditionGroup, type Leaf } from "./ConditionGroup.ts"
import { compare as order } from "../shared/Decimal.ts"
import { leafTest, type DayBound, type DayRange, type LeafTest, type NumberRange } from "./LeafTest.ts"
import type { PatternEngine } from "./Pattern.ts"
import type { Decimal } from "../shared/Decimal.ts"

export type Predicate = (cells: Cells) => boolean

/** A tree with the meaning of every leaf worked out. */
export type Condition =
  | { readonly tag: "leaf"; readonly field: string; readonly test: LeafTest }
  | { readonly tag: "group"; readonly all: boolean; readonly parts: ReadonlyArray<Condition> }

/** For groups that were checked; dies on a leaf that should not have been saved. */
export const conditionOf = (group: ConditionGroup, catalog: FieldCatalog, patterns: PatternEngine): Condition => {
  const leafOf = (leaf: Leaf): Condition => {
    const test = leafTest(leaf, catalog, patterns)
    if (Result.isFailure(test)) throw new TypeError(`condition on "${leaf.field}": ${test.failure.message}`)
    return { tag: "leaf", field: leaf.field, test: test.success }
  }
  return {
    tag: "group",
    all: group.logic === "and",
    parts: group.conditions.map((node) => (isGroup(node) ? conditionOf(node, catalog, patterns) : leafOf(node)))
  }
}

const inNumbers = (value: Decimal, { low, high }: NumberRange): boolean => {
  if (low !== undefined) {
    const at = order(value, low.value)
    if (at < 0 || (at === 0 && low.open)) return false
  }
  if (high !== undefined) {
    const at = order(value, high.value)
    if (at > 0 || (at === 0 && high.open)) return false
  }
  return true
}

const dayOf = (bound: DayBound, cells: Cells): string =>
  typeof bound.value === "string" ? bound.value : cells.period(bound.value.token)[bound.value.end]

const inDays = (day: string, { low, high }: DayRange, cells: Cells): boolean => {
  if (low !== undefined) {
    const start = dayOf(low, cells)
    if (day < start || (day === start && low.open)) return false
  }
  if (high !== undefined) {
    const end = dayOf(high, cells)
    if (day > end || (day === end && high.open)) return false
  }
  return true
}

const textPredicate = (test: Extract<LeafTest, { readonly tag: "text" }>, slot: number): Predicate => {
  const { negate, values } = test
  const value = values[0]!
  switch (test.how) {
    case "equals":
      if (values.length > 1) {
        const set = new Set(values)
        return (cells) => (cells.isEmpty(slot) ? negate : set.has(cells.foldedText(slot).trim()) !== negate)
      }
      return (cells) => (cells.isEmpty(slot) ? negate : (cells.foldedText(slot).trim() === value) !== negate)
    case "contains":
      return (cells) => (cells.isEmpty(slot) ? negate : cells.foldedText(slot).includes(value) !== negate)
    case "startsWith":
      return (cells) => !cells.isEmpty(slot) && cells.foldedText(slot).startsWith(value)
    case "endsWith":
      return (cells) => !cells.isEmpty(slot) && cells.foldedText(slot).endsWith(value)
  }
}

const leafPredicate = (test: LeafTest, slot: number): Predicate => {
  switch (test.tag) {
    case "empty":
      return (cells) => cells.isEmpty(slot) !== test.negate
    case "text":
      return textPredicate(test, slot)
    case "number":
      return (cells) => {
        if (cells.isEmpty(slot)) return test.negate
        const value = cells.decimal(slot)
        return value !== undefined && test.ranges.some((range) => inNumbers(value, range)) !== test.negate
      }
    case "digits":
      return (cells) => {
        if (cells.isEmpty(slot)) return test.negate
        const value = cells.decimal(slot)
        return value !== undefined && value.includes(test.part) !== test.negate
      }
    case "day":
      return (cells) => {
        if (cells.isEmpty(slot)) return test.negate
        const day = cells.day(slot)
        return day !== undefined && test.ranges.some((range) => inDays(day, range, cells)) !== test.negate
      }
    case "passed":
      return (cells) => {
        const day = cells.isEmpty(slot) ? undefined : cells.day(slot)
        return day !== undefined && day <= cells.today === test.passed
      }
    case "truth":
      return (cells) => {
        if (cells.isEmpty(slot)) return test.negate
        const word = cells.plainText(slot).trim().toLowerCase()
        return (word === "true" || word === "false") && test.values.includes(word === "true") !== test.negate
      }
    case "pattern":
      return (cells) => (cells.isEmpty(slot) ? test.negate : test.pattern.test(cells.plainText(slot)) !== test.negate)
  }
}

/** What testing it costs, roughly; cheap parts are asked first. */
const costOf = (condition: Condition): number => {
  if (condition.tag === "group") return condition.parts.reduce((sum, part) => sum + costOf(part), 1)
  const { test } = condition
  return test.tag === "pattern"
    ? 20
    : test.tag === "text"
      ? test.how === "contains"
        ? 6
        : 4
      : test.tag === "empty"
        ? 1
        : 2
}

/** Two-valued: an empty field makes positive comparisons false and negative ones true. */
export const compile = (condition: Condition, cells: Cells): Predicate => {
  if (condition.tag === "leaf") return leafPredicate(condition.test, cells.slot(condition.field))
  const parts = condition.parts.toSorted((a, b) => costOf(a) - costOf(b)).map((part) => compile(part, cells))
  if (parts.length === 1) return parts[0]!
  const decisive = !condition.all
  return (given) => {
    for (const part of parts) if (part(given) === decisive) return decisive
    return !decisive
  }
}
