/**
 * Plans as generated JavaScript: one function in which every property, range and literal stands by itself, which
 * is what makes engines fast (performance 1). The text of the function is made of field keys, which have been
 * looked up among the fields there are, and of names of parameters; no value of a filter ever becomes code.
 */
import * as Result from "effect/Result"
import * as Decimal from "../shared/Decimal.ts"
import type { RowValues } from "./FilterField.ts"
import type { FilterPlan, Range, Test, TestNode } from "./FilterPlan.ts"
import { containing, equalsFolded, mayContain, oneOfFolded } from "./FoldedText.ts"
import type { Order } from "./Order.ts"
import { relatedOf, type RelatedRows, type RowTest } from "./RowTest.ts"
import { isEmpty, noPeriods, ownValue, textOf, valueTest, type Truth } from "./ValueTest.ts"

/** Keys that stand as a property in code; all others never get there. */
const property = /^[A-Za-z][A-Za-z0-9_]*$/

/** What the code calls by name. */
const library = { equalsFolded, isEmpty, noPeriods, ownValue, relatedOf, textOf, safeUnits: Decimal.safeUnits }

class Code {
  readonly constants: Array<unknown> = []
  private readonly variables: Array<string> = []

  constant(value: unknown): string {
    this.constants.push(value)
    return `c[${this.constants.length - 1}]`
  }

  variable(): string {
    const name = `v${this.variables.length}`
    this.variables.push(name)
    return name
  }

  read(field: string): string {
    return property.test(field) ? `row.${field}` : `row[${this.constant(field)}]`
  }

  get declarations(): string {
    const constants = this.constants.map((_, index) => `k${index} = c[${index}]`)
    return [...constants].length === 0 ? "" : `const ${constants.join(", ")};`
  }

  get locals(): string {
    return this.variables.length === 0 ? "" : `let ${this.variables.join(", ")};`
  }
}

const bounds = (code: Code, name: string, { low, high }: Range<string | number>): string => {
  const parts: Array<string> = []
  if (low !== undefined) parts.push(`${name} ${low.open ? ">" : ">="} ${code.constant(low.value)}`)
  if (high !== undefined) parts.push(`${name} ${high.open ? "<" : "<="} ${code.constant(high.value)}`)
  return parts.length === 0 ? "true" : parts.join(" && ")
}

const unitRange = (range: Extract<Test, { readonly tag: "number" }>["ranges"][number]): Range<number> | undefined => {
  const low = range.low && { value: Decimal.safeUnits(range.low.value), open: range.low.open }
  const high = range.high && { value: Decimal.safeUnits(range.high.value), open: range.high.open }
  return Number.isNaN(low?.value) || Number.isNaN(high?.value)
    ? undefined
    : { ...(low === undefined ? {} : { low }), ...(high === undefined ? {} : { high }) }
}

/** Whether text equals or contains literals. What decides most texts stands in the code itself: a call costs as much. */
const textual = (code: Code, value: string, { how, values }: Extract<Test, { readonly tag: "text" }>): string => {
  if (values.length > 1) {
    const known = new Map<string, boolean>()
    const answer = code.variable()
    const asked = code.constant(oneOfFolded(values, known))
    return `(${answer} = ${code.constant(known)}.get(${value})) !== undefined ? ${answer} : ${asked}(${value})`
  }
  const literal = values[0]!
  if (how === "equals") {
    const constant = code.constant(literal)
    return `${value} === ${constant} || equalsFolded(${value}, ${constant})`
  }
  const may = mayContain(literal)
  const asked = `${code.constant(containing(literal))}(${value})`
  return may === undefined ? asked : `${code.constant(may)}.test(${value}) && ${asked}`
}

/** An expression for the commonest tests; `undefined` where the function for the value is as good. */
const inline = (code: Code, node: TestNode, wanted: Truth): string | undefined => {
  const { test } = node
  if (node.blank || node.json !== undefined) return undefined
  const value = code.variable()
  const load = code.read(node.field)
  // Text that is there, or a truth value by its word.
  const text = `(typeof (${value} = ${load}) === "string" || (${value} = textOf(${value})) !== undefined)`
  const is = wanted === 1 ? "" : "!"
  switch (test.tag) {
    case "text": {
      if ((test.how !== "equals" && test.how !== "contains") || test.trimmed) return undefined
      return `(${text} && ${is}(${textual(code, value, test)}))`
    }
    case "key": {
      if (test.values.length > 1) return undefined
      return `(${text} && ${value} ${wanted === 1 ? "===" : "!=="} ${code.constant(test.values[0])})`
    }
    case "number": {
      const range = test.ranges.length === 1 ? unitRange(test.ranges[0]!) : undefined
      if (range === undefined) return undefined
      const units = code.variable()
      const slow = `${code.constant(valueTest(node))}(${value}, noPeriods) === ${wanted}`
      return `(typeof (${value} = ${load}) === "string" && ((${units} = safeUnits(${value})) === ${units} ? ${is}(${bounds(code, units, range)}) : ${slow}))`
    }
    case "time":
      return test.ranges.length === 1 ? `(${text} && ${is}(${bounds(code, value, test.ranges[0]!)}))` : undefined
    case "truth": {
      if (test.values.length !== 1) return undefined
      const holds = test.values[0] === (wanted === 1)
      const slow = `${code.constant(valueTest(node))}(${value}, noPeriods) === ${wanted}`
      return `(typeof (${value} = ${load}) === "boolean" ? ${value} === ${holds} : ${slow})`
    }
    case "pattern":
      return `(${text} && ${is}${code.constant(test.pattern)}.test(${value}))`
    default:
      return undefined
  }
}

const empty = (code: Code, field: string, blank: boolean, wanted: Truth): string => {
  const value = code.variable()
  const asked = `isEmpty(ownValue(${value}), ${blank})`
  const is = blank ? asked : `(typeof (${value} = ${code.read(field)}) !== "string" && ${asked})`
  return `${wanted === 1 ? "" : "!"}${blank ? `(${value} = ${code.read(field)}, ${is})` : is}`
}

const tested = (code: Code, node: TestNode, wanted: Truth): string => {
  const short = inline(code, node, wanted)
  if (short !== undefined) return short
  const other = node.test.tag === "field" ? `, ownValue(${code.read(node.test.other)})` : ""
  return `${code.constant(valueTest(node))}(ownValue(${code.read(node.field)}), noPeriods${other}) === ${wanted}`
}

const expression = (code: Code, plan: FilterPlan, wanted: Truth, order: Order): string => {
  switch (plan.tag) {
    case "constant":
      return String(plan.value === (wanted === 1))
    case "empty":
      return empty(code, plan.field, plan.blank, wanted)
    case "test":
      return tested(code, plan, wanted)
    case "related": {
      const rows = `relatedOf(related, ${code.constant(plan.relation)}, ${code.read(plan.relation)})`
      const field = code.constant(plan.part.field)
      const asked = `${code.constant(valueTest(plan.part))}(ownValue(one[${field}]), noPeriods)`
      const found = code.variable()
      return wanted === 1
        ? `${rows}.some((one) => ${asked} === 1)`
        : `((${found} = ${rows}).length > 0 && ${found}.every((one) => ${asked} === 0))`
    }
    case "unrelated": {
      const rows = `relatedOf(related, ${code.constant(plan.relation)}, ${code.read(plan.relation)})`
      const field = code.constant(plan.field)
      return `${wanted === 1 ? "" : "!"}${rows}.every((one) => isEmpty(ownValue(one[${field}]), false))`
    }
    case "not":
      return expression(code, plan.part, wanted === 1 ? 0 : 1, order)
    case "and":
    case "or": {
      // An "and" is false when any part is.
      const all = (plan.tag === "and") === (wanted === 1)
      const parts = order(plan.parts, all).map((part) => expression(code, part, wanted, order))
      return parts.length === 0 ? String(all) : `(${parts.join(all ? " && " : " || ")})`
    }
  }
}

type Make = (
  c: ReadonlyArray<unknown>,
  l: typeof library
) => (row: RowValues, related: RelatedRows | undefined) => boolean

/** `undefined` where the host does not let code be made, as under a strict content security policy. */
export const generate = (plan: FilterPlan, order: Order): RowTest | undefined => {
  const code = new Code()
  const body = expression(code, plan, 1, order)
  const source = `"use strict";
const { ${Object.keys(library).join(", ")} } = l;
${code.declarations}
return (row, related) => { ${code.locals} return ${body.replaceAll(/c\[(\d+)\]/g, "k$1")} }`
  // oxlint-disable-next-line typescript/no-implied-eval -- the text holds keys of known fields and names, never a value
  const make = Result.try(() => new Function("c", "l", source) as Make)
  return Result.isFailure(make) ? undefined : make.success(code.constants, library)
}
