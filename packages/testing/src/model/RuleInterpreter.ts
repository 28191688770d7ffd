/**
 * Rules run the plain way: every condition asked of every record, in order, with nothing kept in between.
 * The engine of the kernel must agree with it on every claim (enrichments C5).
 */
import type { FieldCatalog, Fields, FieldType, FieldValue } from "@millrace/core/record"
import type { ConditionGroup, ConditionNode, Leaf, RuleAction } from "@millrace/core/rule"
import { CalendarDate, Decimal } from "@millrace/core"

export interface PlainRule {
  readonly id: string
  readonly conditions: ConditionGroup
  readonly actions: ReadonlyArray<RuleAction>
}

export interface PlainClaim {
  readonly field: string
  readonly value: FieldValue
  readonly path: string
}

/** `(?i)` at the front is the only construct of RE2 that the host's engine does not read the same way. */
export const plainPattern = (pattern: string): RegExp =>
  pattern.startsWith("(?i)") ? new RegExp(pattern.slice(4), "iu") : new RegExp(pattern, "u")

/** Text without regard to case, composition and runs of white space, the long way. */
export const plainFold = (text: string): string =>
  [...text.normalize("NFC").replaceAll("ẞ", "SS")]
    .map((point) => [...point.toUpperCase()].map((upper) => upper.toLowerCase()).join(""))
    .join("")
    .normalize("NFC")
    .replaceAll(/\s+/gu, " ")

const read = (fields: Fields, name: string): FieldValue => (Object.hasOwn(fields, name) ? (fields[name] ?? null) : null)

const isEmpty = (value: FieldValue): boolean => value === null || (typeof value === "string" && value.trim() === "")

const dayOf = (value: FieldValue): number | undefined => {
  const day = typeof value === "string" ? CalendarDate.parse(value.slice(0, 10)) : undefined
  return day === undefined ? undefined : CalendarDate.toEpochDay(day)
}

const first = (date: string): number => CalendarDate.toEpochDay(CalendarDate.make(date))

/** First and last day of a date or a relative word, as days since 1970. */
export const plainPeriod = (text: string, today: CalendarDate.CalendarDate): readonly [number, number] => {
  const end = CalendarDate.toEpochDay(today)
  switch (text) {
    case "today":
      return [end, end]
    case "yesterday":
      return [end - 1, end - 1]
    case "7d":
      return [end - 6, end]
    case "30d":
      return [end - 29, end]
    case "90d":
      return [end - 89, end]
    case "12m": {
      const year = Number(today.slice(0, 4)) - 1
      const month = Number(today.slice(5, 7))
      const day = Math.min(Number(today.slice(8)), CalendarDate.daysInMonth(year, month))
      return [first(`${year}-${today.slice(5, 7)}-${String(day).padStart(2, "0")}`) + 1, end]
    }
    case "mtd":
      return [first(`${today.slice(0, 7)}-01`), end]
    case "qtd": {
      const month = Math.floor((Number(today.slice(5, 7)) - 1) / 3) * 3 + 1
      return [first(`${today.slice(0, 4)}-${String(month).padStart(2, "0")}-01`), end]
    }
    case "ytd":
      return [first(`${today.slice(0, 4)}-01-01`), end]
    default: {
      const day = first(text)
      return [day, day]
    }
  }
}

const items = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let item = ""
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\" && text[at + 1] === ",") {
      item += ","
      at++
    } else if (text[at] === ",") {
      found.push(item)
      item = ""
    } else item += text[at]!
  }
  return [...found, item].map((part) => part.trim()).filter((part) => part !== "")
}

const negatives: Readonly<Record<string, Leaf["operator"]>> = {
  notEquals: "equals",
  notContains: "contains",
  notIn: "in",
  notMatches: "matches"
}

/** `undefined` where the value cannot be read as the type. */
const compareTyped = (
  operator: Leaf["operator"],
  value: FieldValue,
  wanted: string,
  type: FieldType,
  today: CalendarDate.CalendarDate
): boolean | undefined => {
  if (type === "bool") {
    const word = String(value).trim().toLowerCase()
    if (word !== "true" && word !== "false") return undefined
    return (operator === "in" ? items(wanted) : [wanted]).some((item) => item.trim().toLowerCase() === word)
  }
  if (type === "num") {
    const number = typeof value === "string" ? Decimal.parse(value.trim()) : undefined
    if (number === undefined) return undefined
    const at = (text: string): number => Decimal.compare(number, Decimal.make(text.trim()))
    switch (operator) {
      case "contains":
        return number.includes(plainFold(wanted.trim()))
      case "in":
        return items(wanted).some((item) => at(item) === 0)
      case "between": {
        const [low = "", high = ""] = wanted.split("..")
        return (low.trim() === "" || at(low) >= 0) && (high.trim() === "" || at(high) <= 0)
      }
      case "gt":
        return at(wanted) > 0
      case "gte":
        return at(wanted) >= 0
      case "lt":
        return at(wanted) < 0
      case "lte":
        return at(wanted) <= 0
      default:
        return at(wanted) === 0
    }
  }
  const day = dayOf(value)
  if (day === undefined) return undefined
  const range = (text: string): readonly [number, number] => plainPeriod(text.trim(), today)
  const inside = (text: string): boolean => day >= range(text)[0] && day <= range(text)[1]
  switch (operator) {
    case "in":
      return items(wanted).some(inside)
    case "between": {
      const [low = "", high = ""] = wanted.split("..")
      return (low.trim() === "" || day >= range(low)[0]) && (high.trim() === "" || day <= range(high)[1])
    }
    case "gt":
      return day > range(wanted)[1]
    case "gte":
      return day >= range(wanted)[0]
    case "lt":
      return day < range(wanted)[0]
    case "lte":
      return day <= range(wanted)[1]
    default:
      return inside(wanted)
  }
}

const leafHolds = (leaf: Leaf, fields: Fields, catalog: FieldCatalog, today: CalendarDate.CalendarDate): boolean => {
  const value = read(fields, leaf.field)
  const wanted = String(leaf.value ?? "")
  const positive = negatives[leaf.operator]
  switch (leaf.operator) {
    case "isEmpty":
      return isEmpty(value)
    case "isNotEmpty":
      return !isEmpty(value)
    case "hasPassed":
    case "notPassed": {
      const day = isEmpty(value) ? undefined : dayOf(value)
      return day !== undefined && day < CalendarDate.toEpochDay(today) === (leaf.operator === "hasPassed")
    }
    default:
  }
  if (isEmpty(value)) return positive !== undefined
  const operator = positive ?? leaf.operator
  const type = catalog.get(leaf.field) ?? "str"
  if (type !== "str") {
    const result = compareTyped(operator, value, wanted, type, today)
    return result !== undefined && result === (positive === undefined)
  }
  const text = String(value)
  const folded = plainFold(text)
  const holds =
    operator === "matches"
      ? plainPattern(wanted).test(text)
      : operator === "in"
        ? items(wanted).some((item) => plainFold(item) === plainFold(text.trim()))
        : operator === "equals"
          ? plainFold(wanted.trim()) === plainFold(text.trim())
          : operator === "contains"
            ? folded.includes(plainFold(wanted))
            : operator === "startsWith"
              ? folded.startsWith(plainFold(wanted))
              : folded.endsWith(plainFold(wanted))
  return holds === (positive === undefined)
}

/** Whether the conditions hold for the record. */
const conditionHolds = (
  node: ConditionNode,
  fields: Fields,
  catalog: FieldCatalog,
  today: CalendarDate.CalendarDate
): boolean => {
  if (!("conditions" in node)) return leafHolds(node, fields, catalog, today)
  const results = node.conditions.map((child) => conditionHolds(child, fields, catalog, today))
  return node.logic === "and" ? results.every(Boolean) : results.some(Boolean)
}

const asType = (text: string, type: FieldType): FieldValue | undefined => {
  if (type === "str") return text
  if (type === "num") return /^[+-]?(?:\d+\.?\d*|\.\d+)$/u.test(text) ? Decimal.parse(text) : undefined
  if (type === "bool") return text === "true" ? true : text === "false" ? false : undefined
  return /^.{10}(?:[Tt ]\d\d:\d\d.*)?$/u.test(text) ? CalendarDate.parse(text.slice(0, 10)) : undefined
}

/** The value an action makes; `undefined` where it makes no claim. */
const result = (action: RuleAction, fields: Fields, catalog: FieldCatalog): FieldValue | undefined => {
  const type = catalog.get(action.field) ?? "str"
  const text = (name: string): string => {
    const value = read(fields, name)
    return value === null ? "" : String(value)
  }
  const finish = (made: string): FieldValue | undefined => (made === "" ? undefined : asType(made, type))
  switch (action.kind) {
    case undefined:
    case "set":
      return action.value === "" && type === "str" ? null : asType(String(action.value), type)
    case "template":
      return finish(
        action.template
          .replaceAll(/\\\{\{|\{\{(?:(?!\}\}).)*\}\}/gsu, (part) =>
            part === "\\{{" ? "{{" : text(part.slice(2, -2).trim())
          )
          .trim()
      )
    case "regexExtract":
      return finish(plainPattern(action.pattern).exec(text(action.source))?.[action.group ?? 1] ?? "")
    case "case": {
      const source = text(action.source ?? action.field)
      if (source.trim() === "") return undefined
      return finish(action.mode === "upper" ? source.toUpperCase() : source.toLowerCase())
    }
    default: {
      const number = Decimal.parse(text(action.source ?? action.field).trim())
      if (number === undefined) return undefined
      if (action.op === "abs") return Decimal.abs(number)
      return action.op === "negate" ? Decimal.subtract(Decimal.zero, number) : Decimal.roundHalfAway(number, 2)
    }
  }
}

/** The claims of all rules in order. Title case is left out: it has tests of its own. */
export const interpret = (
  rules: ReadonlyArray<PlainRule>,
  mode: "all" | "first",
  record: Fields,
  catalog: FieldCatalog,
  today: CalendarDate.CalendarDate
): ReadonlyArray<PlainClaim> => {
  const fields: Record<string, FieldValue> = { ...record }
  const claims: Array<PlainClaim> = []
  const claim = (field: string, value: FieldValue, path: string): void => {
    fields[field] = value
    claims.push({ field, value, path })
  }
  for (const rule of rules) {
    if (!conditionHolds(rule.conditions, fields, catalog, today)) continue
    for (const action of rule.actions) {
      const value = result(action, fields, catalog)
      if (value === undefined) continue
      claim(action.field, value, rule.id)
      if (action.field === "amount" && typeof value === "string") {
        const amount = Decimal.make(value)
        claim("creditAmount", Decimal.sign(amount) < 0 ? Decimal.zero : amount, rule.id)
        claim("debitAmount", Decimal.sign(amount) < 0 ? Decimal.abs(amount) : Decimal.zero, rule.id)
      }
    }
    if (mode === "first") break
  }
  return claims
}
