/** What a split says, and what is wrong with it (enrichments C7). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FieldType } from "../../../record/DataType.ts"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import { coerce, meanings } from "../../../rule/ActionPlan.ts"
import { ConditionGroup } from "../../../rule/ConditionGroup.ts"
import { typeOf, writeProblem } from "../../../rule/FieldAccess.ts"
import { checkConditions } from "../../../rule/lint/ConditionCheck.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { limits } from "../../../shared/Limits.ts"
import type { Check, Issue } from "../Kind.ts"

export const splitStage = 80
const rulesPerSplit = 100
const fieldsPerLine = 20
const heaviest = 1_000
const longestValue = 40
/** Digits after the point of a percentage. */
const percentDigits = 4
/** The key of the line that takes what no line of the rule does. */
export const restKey = "rest"

const Line = Schema.Struct({
  key: Schema.NonEmptyString.check(Schema.isMaxLength(64)),
  method: Schema.Literals(["fixed", "percent", "remainder"]),
  /** An amount in the currency of the record, or percent. */
  value: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(longestValue))),
  /** How much of the remainder, beside the other lines of that method; 1 unless given. */
  weight: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: heaviest }))),
  set: Schema.Record(
    Schema.NonEmptyString.check(Schema.isMaxLength(limits.mappingKeyLength)),
    Schema.Union([Schema.String.check(Schema.isMaxLength(limits.textLength)), Schema.Finite])
  ).pipe(Schema.withDecodingDefaultKey(Effect.succeed({})))
})
export type Line = typeof Line.Type

const Rule = Schema.Struct({
  id: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(64))),
  name: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(limits.nameLength))),
  conditions: ConditionGroup,
  lines: Schema.Array(Line).check(Schema.isMinLength(1), Schema.isMaxLength(limits.recordLines))
})
export type SplitRule = typeof Rule.Type

export const SplitConfig = Schema.Struct({
  rules: Schema.Array(Rule).check(Schema.isMinLength(1), Schema.isMaxLength(rulesPerSplit)),
  onOverflow: Schema.Literals(["clip", "skip"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("clip" as const))),
  implicitRemainder: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  deliver: Schema.Literals(["lines", "parent", "both"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("lines" as const))
  )
})
export type SplitConfig = typeof SplitConfig.Type

/** Its own id, or its place: lines keep their ids as long as that of their rule stays. */
export const splitRuleId = ({ id }: SplitRule, position: number): string => id ?? `rule_${position}`

export const valueOf = ({ value }: Line): Decimal.Decimal | undefined => {
  const read = value === undefined ? undefined : coerce(value, "num")
  return typeof read === "string" ? (read as Decimal.Decimal) : undefined
}

const sentText = (sent: string | number): string =>
  typeof sent === "number" ? (Decimal.parse(String(sent)) ?? String(sent)) : sent

/** What is written for a value that was sent; `undefined` where it does not fit the type. */
export const setValue = (sent: string | number, type: FieldType) => coerce(sentText(sent), type)

/** The field whose value is split. */
export const amountField = (catalog: FieldCatalog): "amount" | "totalAmount" =>
  catalog.has("totalAmount") ? "totalAmount" : "amount"

/** Custom fields that the lines add; one that is text anywhere is text. */
export const declaredBySplit = ({ rules }: SplitConfig, catalog: FieldCatalog): FieldCatalog => {
  const added = new Map<string, FieldType>()
  for (const { lines } of rules) {
    for (const { set } of lines) {
      for (const [field, sent] of Object.entries(set)) {
        if (catalog.has(field)) continue
        const type = typeOf(field, catalog) ?? (typeof sent === "number" ? "num" : "str")
        added.set(field, (added.get(field) ?? type) === type ? type : "str")
      }
    }
  }
  return added
}

const hundred = Decimal.make("100")

const valueProblem = (line: Line): string | undefined => {
  if (line.method === "remainder") return line.value === undefined ? undefined : "does not apply to remainder"
  if (line.value === undefined) return `is needed for ${line.method}`
  const value = valueOf(line)
  if (value === undefined) return `must be ${meanings.num}`
  if (Decimal.isNegative(value)) return "must not be below 0"
  if (line.method === "fixed") return undefined
  if (Decimal.compare(value, hundred) > 0) return "must be 0 to 100"
  return Decimal.scale(value) > percentDigits ? `must have at most ${percentDigits} digits after the point` : undefined
}

const setProblem = (field: string, sent: string | number, catalog: FieldCatalog): string | undefined => {
  if (field === amountField(catalog)) return `"${field}" is what the split gives to the line`
  const type = typeOf(field, catalog) ?? "str"
  return writeProblem(field, catalog) ?? (setValue(sent, type) === undefined ? `must be ${meanings[type]}` : undefined)
}

const percentOf = (lines: ReadonlyArray<Line>): Decimal.Decimal =>
  Decimal.sum(lines.flatMap((line) => (line.method === "percent" ? (valueOf(line) ?? []) : [])))

/** Whether something can be left that no line takes. */
const mayLeave = (lines: ReadonlyArray<Line>): boolean =>
  !lines.some(({ method }) => method === "remainder") && Decimal.compare(percentOf(lines), hundred) < 0

const checkLines = (
  { lines }: SplitRule,
  at: string,
  implicit: boolean,
  catalog: FieldCatalog,
  errors: Array<Issue>,
  lints: Array<Issue>
): void => {
  const keys = new Set<string>()
  const leaves = implicit && mayLeave(lines)
  const sums = lines.every((line) => valueProblem(line) === undefined)
  for (const [n, line] of lines.entries()) {
    const place = `${at}.lines[${n}]`
    if (keys.has(line.key)) errors.push({ field: `${place}.key`, message: `"${line.key}" is taken` })
    else if (leaves && line.key === restKey)
      errors.push({ field: `${place}.key`, message: `"${restKey}" is the key of the line that takes what is left` })
    keys.add(line.key)
    const problem = valueProblem(line)
    if (problem !== undefined) errors.push({ field: `${place}.value`, message: problem })
    if (line.weight !== undefined && line.method !== "remainder")
      lints.push({ field: `${place}.weight`, message: "applies to remainder only" })
    const sets = Object.entries(line.set)
    if (sets.length > fieldsPerLine)
      errors.push({ field: `${place}.set`, message: `must name at most ${fieldsPerLine} fields` })
    for (const [field, sent] of sets) {
      const wrong = setProblem(field, sent, catalog)
      if (wrong !== undefined) errors.push({ field: `${place}.set.${field}`, message: wrong })
    }
  }
  if (sums && Decimal.compare(percentOf(lines), hundred) > 0)
    errors.push({ field: `${at}.lines`, message: "the percentages must be at most 100 together" })
  if (leaves && lines.length === limits.recordLines)
    errors.push({ field: `${at}.lines`, message: `with the line of what is left there are over ${limits.recordLines}` })
}

export const checkSplit = (config: SplitConfig, before: FieldCatalog, patterns: PatternEngine): Check => {
  const catalog: FieldCatalog = new Map([...declaredBySplit(config, before), ...before])
  const errors: Array<Issue> = []
  const lints: Array<Issue> = []
  const ids = new Set<string>()
  for (const [position, rule] of config.rules.entries()) {
    const at = `rules[${position}]`
    const id = splitRuleId(rule, position)
    if (ids.has(id)) errors.push({ field: `${at}.id`, message: `"${id}" is taken` })
    ids.add(id)
    const conditions = checkConditions(rule.conditions, `${at}.conditions`, before, splitStage, patterns)
    errors.push(...conditions.errors)
    lints.push(...conditions.lints)
    checkLines(rule, at, config.implicitRemainder, catalog, errors, lints)
  }
  return { errors, lints }
}
