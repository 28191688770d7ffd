/** The block of alerts, as it is sent and stored (enrichments C14). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { destinationLints, MessageDestination } from "../../../message/MessageDestination.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import type { FieldType } from "../../../record/DataType.ts"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import type { Check } from "../../../rule/Check.ts"
import { ConditionGroup, leavesOf } from "../../../rule/ConditionGroup.ts"
import { checkConditions } from "../../../rule/lint/ConditionCheck.ts"
import { parseTemplate } from "../../../rule/Template.ts"

export const alertStage = 160

const whole = (minimum: number, maximum: number, otherwise: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(otherwise))
  )

export const AlertConfig = Schema.Struct({
  /** What the conditions look at: records, or events of other enrichments. */
  source: Schema.Literals(["record", "event"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("record" as const))),
  conditions: ConditionGroup,
  destinations: Schema.Array(MessageDestination).check(Schema.isBetweenLength(1, 10)),
  /** Minutes of silence to each recipient after a message; what comes within them is reported together. */
  cooldownMinutes: whole(0, 10_080, 0),
  /** Whether it tells of a record once, or again with each change of it. */
  trigger: Schema.Literals(["enter", "everyChange"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("enter" as const))
  ),
  /** Older records are never told. */
  maxAgeDays: whole(1, 365, 7),
  /** Whether people who were told hear when it does not hold any more. */
  notifyResolved: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  /** The title of messages, with fields of the record as `{{ amount }}`. */
  template: Schema.optionalKey(Schema.String.check(Schema.isBetweenLength(1, 500))),
  /** Most messages of one run; the rest is reported as one. */
  perRunCap: whole(1, 1_000, 50)
})
export type AlertConfig = typeof AlertConfig.Type

/** What conditions on events may name: what each event has, and fields of the events that enrichments tell. */
export const eventCatalog: FieldCatalog = new Map<string, FieldType>([
  ["event.type", "str"],
  ["event.enrichmentId", "str"],
  ["event.severity", "str"],
  ["event.subject", "str"],
  ["event.name", "str"],
  ["event.line", "str"],
  ["event.basis", "str"],
  ["event.kind", "str"],
  ["event.state", "str"],
  ["event.merchant", "str"],
  ["event.title", "str"],
  ["event.check", "str"],
  ["event.value", "str"],
  ["event.recordId", "str"],
  ["event.accountId", "str"],
  ["event.seriesId", "str"],
  ["event.currency", "str"],
  ["event.amount", "num"],
  ["event.budget", "num"],
  ["event.threshold", "num"],
  ["event.score", "num"],
  ["event.from", "date"],
  ["event.to", "date"],
  ["event.date", "date"]
])

const templateLints = (template: string | undefined, catalog: FieldCatalog) =>
  template === undefined
    ? []
    : parseTemplate(template).flatMap((part) =>
        "field" in part && !catalog.has(part.field)
          ? [{ field: "template", message: `unknown field "${part.field}": it stays empty where nothing writes it` }]
          : []
      )

export const checkAlert = (config: AlertConfig, catalog: FieldCatalog, patterns: PatternEngine): Check => {
  const { conditions, destinations, source, template } = config
  const fields = source === "event" ? eventCatalog : catalog
  const checked = checkConditions(conditions, "conditions", fields, alertStage, patterns)
  const unknown =
    source === "record"
      ? []
      : Array.from(leavesOf(conditions, "conditions")).flatMap(([{ field }, at]) =>
          eventCatalog.has(field)
            ? []
            : [
                {
                  field: `${at}.field`,
                  message: `"${field}" is no field of events: use ${[...eventCatalog.keys()].join(", ")}`
                }
              ]
        )
  return {
    errors: [...checked.errors, ...unknown],
    get lints() {
      return [...checked.lints, ...destinationLints(destinations), ...templateLints(template, fields)]
    }
  }
}
