/** What a budget says, and what is wrong with it (enrichments C12). */
import * as Schema from "effect/Schema"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import { ConditionGroup } from "../../../rule/ConditionGroup.ts"
import { checkConditions } from "../../../rule/lint/ConditionCheck.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { Currency } from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { periodUnits, type Recurrence } from "../../../shared/Recurrence.ts"
import { GivenDecimal, orElse } from "../GivenDecimal.ts"
import type { Check, Issue } from "../Kind.ts"

export const budgetStage = 140
const mostLines = 200
const mostThresholds = 10

/** What is left at the end of a period goes into the next one: what was not spent, what was spent too much, or both. */
const carries = ["none", "positive", "negative", "both"] as const

const Line = Schema.Struct({
  /** Names the line in fields, events and state. */
  key: Schema.NonEmptyString.check(Schema.isMaxLength(64)),
  name: Schema.NonEmptyString.check(Schema.isMaxLength(100)),
  match: ConditionGroup,
  amount: GivenDecimal,
  carry: orElse(Schema.Literals(carries), "none"),
  carryCap: Schema.optionalKey(GivenDecimal)
})
export type BudgetLine = typeof Line.Type

const PeriodOf = Schema.Struct({
  unit: orElse(Schema.Literals(periodUnits), "month"),
  length: orElse(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 366 })), 1),
  /** The first day of one of the periods. */
  anchor: Schema.optionalKey(CalendarDate.CalendarDate)
})

/** Kinds of transfers (enrichments C8). */
const transferKinds: ReadonlyArray<string> = ["internal", "card_payment", "loan_payment", "investment", "cash", "fx"]

export const BudgetConfig = Schema.Struct({
  /** That of the workspace unless given. */
  currency: Schema.optionalKey(Currency),
  period: orElse(PeriodOf, {}),
  lines: Schema.Array(Line).check(Schema.isMinLength(1), Schema.isMaxLength(mostLines)),
  assignment: orElse(Schema.Literals(["first", "all"]), "first"),
  flow: orElse(Schema.Literals(["spending", "income", "net"]), "spending"),
  includeTransferKinds: orElse(Schema.Array(Schema.String).check(Schema.isMaxLength(transferKinds.length)), [
    "loan_payment"
  ]),
  refunds: orElse(Schema.Literals(["period", "original"]), "period"),
  pending: orElse(Schema.Literals(["include", "exclude"]), "include"),
  thresholds: orElse(Schema.Array(GivenDecimal).check(Schema.isMaxLength(mostThresholds)), ["0.8", "1"]),
  notify: orElse(Schema.Struct({ fact: orElse(Schema.Boolean, true), projection: orElse(Schema.Boolean, true) }), {}),
  startDate: Schema.optionalKey(CalendarDate.CalendarDate)
})
export type BudgetConfig = typeof BudgetConfig.Type

/** A Saturday on which a year, a quarter and a month begin; weeks begin on the Monday after it. */
const anchors = {
  day: "2000-01-01",
  week: "2000-01-03",
  month: "2000-01-01",
  quarter: "2000-01-01",
  year: "2000-01-01"
}

export const recurrenceOf = ({ period: { anchor, length, unit } }: BudgetConfig): Recurrence => ({
  unit,
  length,
  anchor: anchor ?? CalendarDate.make(anchors[unit])
})

const smallestThreshold = Decimal.make("0.01")
const largestThreshold = Decimal.make("5")

const checkLine = (line: BudgetLine, at: string, keys: Set<string>, errors: Array<Issue>): void => {
  if (keys.has(line.key)) errors.push({ field: `${at}.key`, message: `"${line.key}" is taken` })
  else if (line.key.includes(",")) errors.push({ field: `${at}.key`, message: "must not contain a comma" })
  keys.add(line.key)
  if (Decimal.isNegative(line.amount)) errors.push({ field: `${at}.amount`, message: "must not be below 0" })
  if (line.carryCap === undefined) return
  if (line.carry === "none") errors.push({ field: `${at}.carryCap`, message: "needs a carry other than none" })
  else if (Decimal.isNegative(line.carryCap)) errors.push({ field: `${at}.carryCap`, message: "must not be below 0" })
}

export const checkBudget = (config: BudgetConfig, catalog: FieldCatalog, patterns: PatternEngine): Check => {
  const errors: Array<Issue> = []
  const lints: Array<Issue> = []
  const keys = new Set<string>()
  const conditions: Array<Check> = []
  for (const [n, line] of config.lines.entries()) {
    checkLine(line, `lines[${n}]`, keys, errors)
    const checked = checkConditions(line.match, `lines[${n}].match`, catalog, budgetStage, patterns)
    conditions.push(checked)
    errors.push(...checked.errors)
  }
  for (const [n, kind] of config.includeTransferKinds.entries()) {
    if (transferKinds.includes(kind)) continue
    errors.push({ field: `includeTransferKinds[${n}]`, message: `must be one of ${transferKinds.join(", ")}` })
  }
  const seen = new Set<string>()
  for (const [n, threshold] of config.thresholds.entries()) {
    const field = `thresholds[${n}]`
    if (Decimal.compare(threshold, smallestThreshold) < 0 || Decimal.compare(threshold, largestThreshold) > 0) {
      errors.push({ field, message: "must be 0.01 to 5: 1 is the whole budget" })
    } else if (seen.has(threshold)) errors.push({ field, message: `${threshold} is named already` })
    seen.add(threshold)
  }
  if (config.period.length > 1 && config.period.anchor === undefined) {
    errors.push({ field: "period.anchor", message: "is needed where periods are longer than one unit" })
  }
  if (config.thresholds.length === 0 && (config.notify.fact || config.notify.projection)) {
    lints.push({ field: "thresholds", message: "names none: nothing is reported" })
  }
  return {
    errors,
    get lints() {
      return [...lints, ...conditions.flatMap((one) => one.lints)]
    }
  }
}

const Past = Schema.Struct({ amounts: Schema.Record(Schema.String, Decimal.DecimalText) })
const decodePast = Schema.decodeUnknownSync(Past)

/** What has to be known of a budget after it was changed: the amounts of its lines. */
export const rememberedAmounts = ({ lines }: BudgetConfig): Schema.Json => ({
  amounts: Object.fromEntries(lines.map(({ amount, key }) => [key, amount]))
})

/**
 * The amount of a line for a period that ends before `end`: that of the configuration in force on its last day. A line that
 * was not there yet has the amount with which it came.
 */
export const amountInForce = (
  line: BudgetLine,
  end: CalendarDate.CalendarDate,
  past: ReadonlyArray<{ readonly until: CalendarDate.CalendarDate; readonly remembered: Schema.Json }>
): Decimal.Decimal => {
  for (const { remembered, until } of past) {
    if (until < end) continue
    const { amounts } = decodePast(remembered)
    if (Object.hasOwn(amounts, line.key)) return amounts[line.key]!
  }
  return line.amount
}
