/** What a monitor watches, and what is wrong with it (enrichments C13). */
import * as Schema from "effect/Schema"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import { destinationLints, MessageDestinations } from "../../../message/MessageDestination.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import { ConditionGroup } from "../../../rule/ConditionGroup.ts"
import { checkConditions } from "../../../rule/lint/ConditionCheck.ts"
import { typeOf } from "../../../rule/FieldAccess.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { Id } from "../../../shared/Ids.ts"
import { limits } from "../../../shared/Limits.ts"
import { GivenDecimal, orElse } from "../GivenDecimal.ts"
import type { Check, Issue } from "../Kind.ts"

export const monitorStage = 150

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const named = {
  key: Schema.NonEmptyString.check(Schema.isMaxLength(64)),
  name: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(100)))
}
const ofAccounts = {
  /** All in scope where none is named. */
  accountIds: orElse(Schema.Array(Id("account")).check(Schema.isMaxLength(100)), [])
}

const measures = ["count", "sum", "max", "avg"] as const
const comparisons = ["gt", "gte", "lt", "lte"] as const

const BalanceCheck = Schema.Struct({
  kind: Schema.Literal("balance"),
  ...named,
  ...ofAccounts,
  below: Schema.optionalKey(GivenDecimal),
  above: Schema.optionalKey(GivenDecimal)
})
const TieOutCheck = Schema.Struct({
  kind: Schema.Literal("tieOut"),
  ...named,
  ...ofAccounts,
  tolerance: orElse(GivenDecimal, "0"),
  persistHours: orElse(whole(0, 720), 48)
})
const StaleCheck = Schema.Struct({
  kind: Schema.Literal("stale"),
  ...named,
  ...ofAccounts,
  maxAgeHours: orElse(whole(1, 8_760), 36)
})
const RecurringCheck = Schema.Struct({
  kind: Schema.Literal("missingRecurring"),
  ...named,
  /** All where none is named. */
  seriesIds: orElse(Schema.Array(Schema.NonEmptyString).check(Schema.isMaxLength(100)), []),
  graceDays: orElse(whole(0, 30), 2)
})
const ConsentCheck = Schema.Struct({
  kind: Schema.Literal("consentExpiry"),
  ...named,
  daysBefore: orElse(whole(1, 90), 14)
})
const LegCheck = Schema.Struct({
  kind: Schema.Literal("missingTransferLeg"),
  ...named,
  afterDays: orElse(whole(1, 60), 10)
})
const AggregateCheck = Schema.Struct({
  kind: Schema.Literal("aggregate"),
  ...named,
  conditions: ConditionGroup,
  measure: Schema.Literals(measures),
  field: orElse(Schema.NonEmptyString.check(Schema.isMaxLength(limits.mappingKeyLength)), "amount"),
  windowDays: whole(1, 366),
  op: Schema.Literals(comparisons),
  threshold: GivenDecimal,
  groupBy: Schema.optionalKey(Schema.Literals(["account", "merchant", "category"]))
})

const CheckConfig = Schema.Union([
  BalanceCheck,
  TieOutCheck,
  StaleCheck,
  RecurringCheck,
  ConsentCheck,
  LegCheck,
  AggregateCheck
])
export type CheckConfig = typeof CheckConfig.Type
export type CheckOf<K extends CheckConfig["kind"]> = Extract<CheckConfig, { readonly kind: K }>

export const MonitorConfig = Schema.Struct({
  checks: Schema.Array(CheckConfig).check(Schema.isMinLength(1), Schema.isMaxLength(20)),
  /** Looks in a row that have to agree before a case is opened. */
  confirmRuns: orElse(whole(1, 5), 1),
  /** Who is informed of cases, besides their events and findings. */
  destinations: orElse(MessageDestinations, []),
  /** How far a value has to be back behind its threshold, in percent of it, before a case is closed. */
  hysteresisPercent: orElse(GivenDecimal, "5")
})
export type MonitorConfig = typeof MonitorConfig.Type

const ofTransactions: ReadonlySet<CheckConfig["kind"]> = new Set(["tieOut", "missingRecurring", "missingTransferLeg"])

/** Data types are not told to checks: transactions are what has both an amount and its sides. */
const isTransactions = (catalog: FieldCatalog): boolean => catalog.has("creditAmount")

const fifty = Decimal.make("50")

const checkOne = (check: CheckConfig, at: string, catalog: FieldCatalog, patterns: PatternEngine): Check => {
  const errors: Array<Issue> = []
  if (ofTransactions.has(check.kind) && !isTransactions(catalog)) {
    errors.push({ field: `${at}.kind`, message: `${check.kind} applies to transactions only` })
  }
  switch (check.kind) {
    case "balance": {
      const { above, below } = check
      if (below === undefined && above === undefined) errors.push({ field: at, message: "needs below or above" })
      else if (below !== undefined && above !== undefined && Decimal.compare(below, above) > 0) {
        errors.push({
          field: `${at}.below`,
          message: "must not be over above: every balance would be one or the other"
        })
      }
      return { errors, lints: [] }
    }
    case "tieOut":
      if (Decimal.isNegative(check.tolerance)) {
        errors.push({ field: `${at}.tolerance`, message: "must not be below 0" })
      }
      return { errors, lints: [] }
    case "aggregate": {
      const conditions = checkConditions(check.conditions, `${at}.conditions`, catalog, monitorStage, patterns)
      const type = typeOf(check.field, catalog)
      if (check.measure !== "count" && type !== undefined && type !== "num") {
        errors.push({ field: `${at}.field`, message: `"${check.field}" is not numeric` })
      }
      const unknown =
        check.measure !== "count" && type === undefined
          ? [{ field: `${at}.field`, message: `unknown field "${check.field}": nothing writes it` }]
          : []
      return {
        errors: [...errors, ...conditions.errors],
        get lints() {
          return [...unknown, ...conditions.lints]
        }
      }
    }
    default:
      return { errors, lints: [] }
  }
}

export const checkMonitor = (config: MonitorConfig, catalog: FieldCatalog, patterns: PatternEngine): Check => {
  const errors: Array<Issue> = []
  const all: Array<Check> = []
  const keys = new Set<string>()
  for (const [n, check] of config.checks.entries()) {
    const at = `checks[${n}]`
    if (keys.has(check.key)) errors.push({ field: `${at}.key`, message: `"${check.key}" is taken` })
    keys.add(check.key)
    const one = checkOne(check, at, catalog, patterns)
    all.push(one)
    errors.push(...one.errors)
  }
  const { hysteresisPercent } = config
  if (Decimal.isNegative(hysteresisPercent) || Decimal.compare(hysteresisPercent, fifty) > 0) {
    errors.push({ field: "hysteresisPercent", message: "must be 0 to 50" })
  }
  return {
    errors,
    get lints() {
      return [...all.flatMap((one) => one.lints), ...destinationLints(config.destinations)]
    }
  }
}
