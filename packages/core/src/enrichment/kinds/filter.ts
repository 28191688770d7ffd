/** Decides whether a record is delivered, and says why (enrichments C15). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataTypes } from "../../record/DataType.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import { Cells } from "../../filter/Cells.ts"
import { predicate, type Predicate } from "../../filter/Closures.ts"
import { conditionOf } from "../../rule/Condition.ts"
import { checkConditions, movesWithTheDay } from "../../rule/lint/ConditionCheck.ts"
import { ConditionGroup } from "../../rule/ConditionGroup.ts"
import type { PatternEngine } from "../../pattern/Pattern.ts"
import { limits } from "../../shared/Limits.ts"
import type { Check, Outcome, RecordKind, Verdict, View, PlanContext } from "./Kind.ts"

export const FilterConfig = Schema.Struct({
  mode: Schema.Literals(["drop", "keep"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("drop" as const))),
  conditions: ConditionGroup,
  /** Records that wait, whatever the conditions say. */
  hold: Schema.optionalKey(ConditionGroup),
  /** What happens to a row that was delivered before it was dropped. */
  onDropAfterDelivery: Schema.Literals(["keep", "remove"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("keep" as const))
  ),
  onFault: Schema.Literals(["hold", "deliver"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("hold" as const))),
  reason: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(limits.nameLength)))
})
export type FilterConfig = typeof FilterConfig.Type

const stage = 170

export interface PreparedFilter {
  readonly cells: Cells
  readonly holds: Predicate<Cells> | undefined
  readonly matches: Predicate<Cells>
  /** What `matches` must say for a record to be dropped. */
  readonly dropsOn: boolean
  readonly outcomes: Readonly<Record<Verdict, Outcome>>
}

const check = (config: FilterConfig, catalog: FieldCatalog, patterns: PatternEngine): Check => {
  const main = checkConditions(config.conditions, "conditions", catalog, stage, patterns)
  if (config.hold === undefined) return main
  const hold = checkConditions(config.hold, "hold", catalog, stage, patterns)
  const same =
    JSON.stringify(config.hold) === JSON.stringify(config.conditions)
      ? [{ field: "hold", message: "is the same as conditions" }]
      : []
  return {
    errors: [...main.errors, ...hold.errors, ...same],
    get lints() {
      return [...main.lints, ...hold.lints]
    }
  }
}

const verdict = (value: Verdict, path: string, text: string, removeDelivered = false): Outcome => ({
  claims: [],
  verdict: { value, reason: text, path, ...(removeDelivered ? { removeDelivered } : {}) },
  ...(value === "deliver" ? {} : { matched: true })
})

const prepare = (config: FilterConfig, catalog: FieldCatalog, patterns: PatternEngine): PreparedFilter => {
  const cells = new Cells()
  const compiled = (group: ConditionGroup): Predicate<Cells> =>
    predicate(conditionOf(group, catalog, patterns), cells.reading)
  const dropsOn = config.mode === "drop"
  const reason = (fallback: string): string =>
    config.reason === undefined || config.reason === "" ? fallback : config.reason
  return {
    cells,
    holds: config.hold === undefined ? undefined : compiled(config.hold),
    matches: compiled(config.conditions),
    dropsOn,
    outcomes: {
      deliver: verdict("deliver", "conditions", ""),
      hold: verdict("hold", "hold", reason("the hold conditions match")),
      drop: verdict(
        "drop",
        "conditions",
        reason(dropsOn ? "the conditions match" : "the conditions do not match"),
        config.onDropAfterDelivery === "remove"
      )
    }
  }
}

const plan = (
  { cells, holds, matches, dropsOn, outcomes }: PreparedFilter,
  view: View,
  context: PlanContext
): Outcome => {
  cells.load(view.fields, context)
  if (holds !== undefined && holds(cells)) return outcomes.hold
  return matches(cells) === dropsOn ? outcomes.drop : outcomes.deliver
}

/** The kind `filter` on an engine for patterns. */
export const makeFilter = ({
  patterns
}: {
  readonly patterns: PatternEngine
}): RecordKind<FilterConfig, PreparedFilter> => ({
  type: "filter",
  label: "Filters",
  family: "record",
  stage: () => stage,
  capabilities: { authority: "analysis", dataTypes, writes: [], perWorkspace: limits.enrichmentsPerWorkspace },
  Config: FilterConfig,
  check: (config, catalog) => check(config, catalog, patterns),
  declares: () => new Map(),
  prepare: (config, catalog) => prepare(config, catalog, patterns),
  plan,
  onFault: (config) => config.onFault,
  removesRows: ({ onDropAfterDelivery }) => (onDropAfterDelivery === "remove" ? "onDropAfterDelivery" : undefined),
  // What it holds is looked at each day, so that it is reported when that takes too long.
  movesWithTheDay: ({ conditions, hold }, catalog) =>
    hold !== undefined || movesWithTheDay(conditions, catalog, patterns),
  explain: (config) =>
    config.mode === "drop" ? "Records that match are not delivered" : "Only records that match are delivered"
})
