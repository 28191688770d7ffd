/** What changes of enrichments would do, in figures (enrichments F2). */
import * as Schema from "effect/Schema"
import type { PipelineFault } from "../enrichment/Pipeline.ts"
import { Authority } from "../enrichment/history/RecordChange.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Currency from "../shared/Currency.ts"
import { DecimalText } from "../shared/Decimal.ts"
import { Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { aiPending } from "./AiPending.ts"
import type { Comparison } from "./Comparison.ts"
import type { BudgetDifference, SeriesDifferences } from "./SimulatedSets.ts"

const Value = Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean]))
const Figures = Schema.Struct({ planned: DecimalText, spent: DecimalText, left: DecimalText })

export const SimulationReport = Schema.Struct({
  /** Records that were looked at. */
  records: Schema.Int,
  fields: Schema.Array(
    Schema.Struct({
      field: Schema.String,
      added: Schema.Int,
      changed: Schema.Int,
      removed: Schema.Int,
      samples: Schema.Array(
        Schema.Struct({
          feedId: Id("feed"),
          recordId: Schema.String,
          before: Value,
          after: Value,
          authority: Authority,
          sentence: Schema.String
        })
      )
    })
  ),
  lines: Schema.Struct({ added: Schema.Int, removed: Schema.Int }),
  links: Schema.Struct({ made: Schema.Int, broken: Schema.Int }),
  findings: Schema.Struct({ opened: Schema.Int, closed: Schema.Int }),
  /** Of the findings, those that are cases of monitors. */
  cases: Schema.Struct({ opened: Schema.Int, closed: Schema.Int }),
  series: Schema.Struct({ found: Schema.Int, changed: Schema.Int, gone: Schema.Int }),
  /** At most `limits.page.max`. */
  budgets: Schema.Array(
    Schema.Struct({
      enrichmentId: Schema.String,
      from: CalendarDate.CalendarDate,
      line: Schema.String,
      currency: Currency.Currency,
      before: Schema.NullOr(Figures),
      after: Schema.NullOr(Figures)
    })
  ),
  messages: Schema.Struct({ told: Schema.Int, untold: Schema.Int }),
  /** What a run would ask models then; nobody was asked for this answer. */
  aiPending: Schema.Array(
    Schema.Struct({ enrichmentId: Schema.String, questions: Schema.Int, calls: Schema.Int, tokens: Schema.Int })
  ),
  deliveries: Schema.Array(
    Schema.Struct({
      feedId: Id("feed"),
      destination: Schema.String,
      create: Schema.Int,
      update: Schema.Int,
      remove: Schema.Int,
      /** What of it goes out with the next run: the rest is of rows that are too old, and goes out over the history. */
      now: Schema.Struct({ create: Schema.Int, update: Schema.Int, remove: Schema.Int })
    })
  ),
  /** Fields that a person decided and that would have been written otherwise. */
  shadows: Schema.Int,
  faults: Schema.Array(Schema.Struct({ enrichmentId: Schema.String, message: Schema.String }))
})
export type SimulationReport = typeof SimulationReport.Type

/** Keys that are on one side alone. */
export const apart = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) => {
  const [old, now] = [new Set(before), new Set(after)]
  return { gone: [...old].filter((key) => !now.has(key)).length, come: [...now].filter((key) => !old.has(key)).length }
}
type Apart = ReturnType<typeof apart>

/** What set kinds would say otherwise, of one data type. */
export interface SetDifferences {
  readonly links: Apart
  readonly findings: Apart
  readonly cases: Apart
  readonly messages: Apart
  readonly series: SeriesDifferences
  readonly budgets: ReadonlyArray<BudgetDifference>
  readonly faults: ReadonlyArray<PipelineFault>
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

/** The report of a simulation: `records` were looked at, and sets were planned once for each data type. */
export const reportOf = (
  records: number,
  comparison: Comparison,
  sets: ReadonlyArray<SetDifferences>
): SimulationReport => {
  comparison.faults(sets.flatMap(({ faults }) => faults))
  const { deliveries, faults, fields, lines, shadows, waiting } = comparison.told
  const come = (of: (one: SetDifferences) => Apart) => sum(sets.map((one) => of(one).come))
  const gone = (of: (one: SetDifferences) => Apart) => sum(sets.map((one) => of(one).gone))
  return {
    records,
    fields,
    lines,
    links: { made: come((one) => one.links), broken: gone((one) => one.links) },
    findings: { opened: come((one) => one.findings), closed: gone((one) => one.findings) },
    cases: { opened: come((one) => one.cases), closed: gone((one) => one.cases) },
    series: {
      found: sum(sets.map(({ series }) => series.found)),
      changed: sum(sets.map(({ series }) => series.changed)),
      gone: sum(sets.map(({ series }) => series.gone))
    },
    budgets: sets.flatMap(({ budgets }) => budgets).slice(0, limits.page.max),
    messages: { told: come((one) => one.messages), untold: gone((one) => one.messages) },
    aiPending: aiPending([waiting]),
    deliveries,
    shadows,
    faults
  }
}
