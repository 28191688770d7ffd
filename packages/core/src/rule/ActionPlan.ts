/** Checking and compiling of actions (enrichments E4). */
import * as Result from "effect/Result"
import type { FieldType } from "../record/DataType.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Cells } from "../filter/Cells.ts"
import { isEmpty } from "../filter/ValueTest.ts"
import { isCustomName, typeOf, writeProblem } from "./FieldAccess.ts"
import { faultText, type PatternEngine } from "../pattern/Pattern.ts"
import type { RuleAction } from "./RuleAction.ts"
import { compileTemplate, cutText } from "./Template.ts"
import { changeCase } from "../text/TitleCase.ts"

/** What is wrong with one key of an action. */
export interface ActionFault {
  readonly key: string
  readonly message: string
}

/** The value to write, `undefined` for no claim, `unusable` where the input was there but did not fit. */
export const unusable = Symbol("unusable")
export type Computed = FieldValue | undefined | typeof unusable
export type Compute = (cells: Cells) => Computed

const plainDecimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/u

/** The value of the field's type that the text stands for; `undefined` when it stands for none. */
export const coerce = (text: string, type: FieldType): FieldValue | undefined => {
  switch (type) {
    case "str":
      return text
    case "num":
      return plainDecimal.test(text) ? Decimal.parse(text) : undefined
    case "date":
      return CalendarDate.ofText(text)
    case "ts":
      return Timestamp.parse(text) ?? (CalendarDate.is(text) ? Timestamp.parse(`${text}T00:00:00Z`) : undefined)
    case "bool":
      return text === "true" ? true : text === "false" ? false : undefined
  }
}

export const meanings: Readonly<Record<FieldType, string>> = {
  str: "text",
  num: "a plain decimal such as -12.50",
  date: "a date of the form YYYY-MM-DD",
  ts: "a date or an instant of ISO 8601",
  bool: "true or false"
}

const setText = (value: string | number): string =>
  typeof value === "number" ? (Decimal.parse(String(value)) ?? String(value)) : value

/** The type an action gives to a field that nobody declared. */
const resultType = (action: RuleAction): FieldType =>
  action.kind === "math" || ((action.kind ?? "set") === "set" && "value" in action && typeof action.value === "number")
    ? "num"
    : "str"

/** The catalog with the custom fields that the actions add; a field written as text anywhere is text. */
export const declaredBy = (actions: Iterable<RuleAction>, catalog: FieldCatalog): FieldCatalog => {
  const added = new Map<string, FieldType>()
  for (const action of actions) {
    if (catalog.has(action.field) || !isCustomName(action.field)) continue
    const type = typeOf(action.field, catalog) ?? resultType(action)
    added.set(action.field, (added.get(action.field) ?? type) === type ? type : "str")
  }
  return added
}

export const checkAction = (
  action: RuleAction,
  catalog: FieldCatalog,
  patterns: PatternEngine
): ReadonlyArray<ActionFault> => {
  const faults: Array<ActionFault> = []
  const problem = writeProblem(action.field, catalog)
  if (problem !== undefined) faults.push({ key: "field", message: problem })
  const type = typeOf(action.field, catalog) ?? "str"
  switch (action.kind) {
    case undefined:
    case "set": {
      const text = setText(action.value)
      if (coerce(text, type) === undefined) faults.push({ key: "value", message: `must be ${meanings[type]}` })
      else if ([...text].length > limits.textLength)
        faults.push({ key: "value", message: `has more than ${limits.textLength} characters` })
      break
    }
    case "regexExtract": {
      const compiled = patterns.compile(action.pattern)
      const group = action.group ?? 1
      if (Result.isFailure(compiled)) faults.push({ key: "pattern", message: faultText(compiled.failure) })
      else if (group > compiled.success.groupCount)
        faults.push({ key: "group", message: `group ${group} does not exist` })
      break
    }
    case "math":
      if (type !== "num" && type !== "str") faults.push({ key: "field", message: "cannot hold a number" })
      break
    default:
  }
  return faults
}

/** Text that was worked out, as a value of the field: nothing when empty, `unusable` when it does not parse. */
const derived = (text: string, type: FieldType): Computed => {
  const trimmed = type === "str" ? cutText(text) : text.trim()
  if (trimmed === "") return undefined
  return coerce(trimmed, type) ?? unusable
}

const computeMath = (op: "abs" | "negate" | "round2", value: Decimal.Decimal): Decimal.Decimal =>
  op === "abs" ? Decimal.abs(value) : op === "negate" ? Decimal.negate(value) : Decimal.roundHalfAway(value, 2)

/** Units of work for each character whose case is changed. */
const caseWork = 4

/** For actions that were checked; dies on one that should not have been saved. */
export const compileAction = (
  action: RuleAction,
  catalog: FieldCatalog,
  patterns: PatternEngine,
  cells: Cells
): Compute => {
  const type = typeOf(action.field, catalog) ?? "str"
  switch (action.kind) {
    case undefined:
    case "set": {
      const text = setText(action.value)
      const value = text === "" && type === "str" ? null : coerce(text, type)
      if (value === undefined) throw new TypeError(`"${action.field}" cannot be set to "${text}"`)
      return () => value
    }
    case "template": {
      const render = compileTemplate(action.template, cells)
      return (given) => derived(render(given), type)
    }
    case "regexExtract": {
      const pattern = Result.getOrThrow(patterns.compile(action.pattern))
      const source = cells.slot(action.source)
      const group = action.group ?? 1
      return (given) => {
        const text = given.plainText(source)
        if (text === "") return undefined
        given.work.spend(pattern.work * text.length)
        const found = pattern.exec(text)?.[group]
        return found === undefined ? undefined : derived(found, type)
      }
    }
    case "case": {
      const source = cells.slot(action.source ?? action.field)
      return (given) => {
        if (isEmpty(given.value(source), true)) return undefined
        const text = given.plainText(source)
        given.work.spend(caseWork * text.length)
        return derived(changeCase(action.mode, text), type)
      }
    }
    default: {
      const source = cells.slot(action.source ?? action.field)
      return (given) => {
        const value = Decimal.parse(given.plainText(source).trim())
        return value === undefined ? unusable : computeMath(action.op, value)
      }
    }
  }
}

/** `creditAmount` and `debitAmount` of an amount: it is the first minus the second, and one of them is 0. */
export const sidesOf = (
  amount: FieldValue
): { readonly creditAmount: FieldValue; readonly debitAmount: FieldValue } => {
  const value = typeof amount === "string" ? Decimal.parse(amount) : undefined
  if (value === undefined) return { creditAmount: null, debitAmount: null }
  return Decimal.isNegative(value)
    ? { creditAmount: Decimal.zero, debitAmount: Decimal.negate(value) }
    : { creditAmount: value, debitAmount: Decimal.zero }
}
