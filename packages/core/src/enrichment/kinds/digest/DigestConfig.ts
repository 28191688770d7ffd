/** The block of digests, as it is sent and stored (enrichments C16). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { destinationLints, MessageDestination } from "../../../message/MessageDestination.ts"
import { type DecisionModel, defaultModel, endpointOf } from "../../../model/DecisionModel.ts"
import type { Check } from "../../../rule/Check.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import type { Recurrence } from "../../../shared/Recurrence.ts"
import { unknownModel } from "../ai/AiConfig.ts"

const sections = [
  "flow",
  "categories",
  "merchants",
  "recurring",
  "fees",
  "anomalies",
  "budgets",
  "transfers",
  "dataQuality"
] as const
export type DigestSection = (typeof sections)[number]

const whole = (minimum: number, maximum: number, otherwise: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(otherwise))
  )

export const DigestConfig = Schema.Struct({
  cadence: Schema.Literals(["daily", "weekly", "monthly"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("weekly" as const))
  ),
  /** The first day of a week, on which the one before is reported; 0 is Sunday. */
  dayOfWeek: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))),
  /** The first day of a month, on which the one before is reported; the last one where a month is shorter. */
  dayOfMonth: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 31 }))),
  /** `HH:MM` in the time zone of the workspace. */
  timeOfDay: Schema.String.check(
    Schema.makeFilter((text) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text) || "must be a time such as 08:00")
  ).pipe(Schema.withDecodingDefaultKey(Effect.succeed("08:00"))),
  sections: Schema.Array(Schema.Literals(sections))
    .check(Schema.isBetweenLength(1, sections.length))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([...sections]))),
  /** Most items beside the sums. */
  maxItems: whole(1, 50, 12),
  /** Numbers alone, with what they were before, or also in sentences: by a model, or ours where it has none that hold. */
  prose: Schema.Literals(["none", "template", "model"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("template" as const))
  ),
  /** Who writes the sentences: the first endpoint of the server (`default`), or one by its name. It sees no figure and no name. */
  model: Schema.String.check(Schema.isBetweenLength(1, 64)).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(defaultModel))
  ),
  monthlyTokens: whole(0, 100_000_000, 50_000),
  destinations: Schema.Array(MessageDestination)
    .check(Schema.isMaxLength(10))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** Hours after the end of a period for which accounts that were not read since are waited for. */
  watermarkHours: whole(0, 72, 12),
  /** Whether a period that became another after it was told is reported again. */
  amend: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true)))
})
export type DigestConfig = typeof DigestConfig.Type

/** A Sunday that began a month of a leap year. */
const sunday = CalendarDate.make("2023-01-01")

export const periodsOf = ({ cadence, dayOfMonth = 1, dayOfWeek = 1 }: DigestConfig): Recurrence => {
  switch (cadence) {
    case "daily":
      return { unit: "day", length: 1, anchor: sunday }
    case "weekly":
      return { unit: "week", length: 1, anchor: CalendarDate.addDays(sunday, dayOfWeek) }
    case "monthly":
      return { unit: "month", length: 1, anchor: CalendarDate.addDays(sunday, dayOfMonth - 1) }
  }
}

export const checkDigest = (
  { cadence, dayOfMonth, dayOfWeek, destinations, model, prose, sections: told }: DigestConfig,
  subject: { readonly sections: ReadonlySet<DigestSection> },
  models: ReadonlyMap<string, DecisionModel>
): Check => ({
  errors:
    prose !== "model" || endpointOf(models, model) !== undefined
      ? []
      : models.size === 0
        ? [{ field: "prose", message: "needs a model, and there is none here: use template" }]
        : [{ field: "model", message: unknownModel(model, [defaultModel, ...models.keys()]) }],
  lints: [
    ...(told.some((section) => subject.sections.has(section))
      ? []
      : [
          { field: "sections", message: `has nothing of these records; there are ${[...subject.sections].join(", ")}` }
        ]),
    ...(dayOfWeek !== undefined && cadence !== "weekly"
      ? [{ field: "dayOfWeek", message: "says nothing about a digest that is not weekly" }]
      : []),
    ...(dayOfMonth !== undefined && cadence !== "monthly"
      ? [{ field: "dayOfMonth", message: "says nothing about a digest that is not monthly" }]
      : []),
    ...destinationLints(destinations)
  ]
})
