/** A set kind for tests: the sum of a month stands on each of its records. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { suppression } from "../../src/enrichment/kinds/EnrichmentFact.ts"
import { EnrichmentFault } from "../../src/enrichment/kinds/Kind.ts"
import type { PartitionPlan, SetKind } from "../../src/enrichment/kinds/SetKind.ts"
import { eventType } from "../../src/event/EventType.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Decimal from "../../src/shared/Decimal.ts"

export const Config = Schema.Struct({ limit: Schema.String, field: Schema.String })
type Config = typeof Config.Type
const State = Schema.Struct({ sum: Schema.String, over: Schema.Boolean })
const Evidence = Schema.Struct({ amounts: Schema.Array(Schema.String) })

const monthOver = eventType({
  type: "month.over",
  subject: "enrichment",
  summary: "The sum of a month went over its limit.",
  outbound: false,
  data: Schema.Struct({ month: Schema.String })
})

const endOf = (month: string): CalendarDate.CalendarDate => CalendarDate.addDays(CalendarDate.make(`${month}-28`), 4)

export const monthSum: SetKind<Config, Config, typeof State.Type, typeof Evidence.Type> = {
  type: "month_sum",
  label: "Sums of months",
  family: "set",
  stage: () => 100,
  capabilities: {
    authority: "analysis",
    dataTypes: ["transactions"],
    writes: ["monthSum", "monthClosed"],
    emits: [monthOver],
    finds: ["month_over"],
    perWorkspace: 10
  },
  Config,
  State: { version: 1, codec: State },
  Evidence,
  check: () => ({ errors: [], lints: [] }),
  declares: () =>
    new Map([
      ["monthSum", "num"],
      ["monthClosed", "bool"]
    ]),
  prepare: (config) => config,
  reads: ({ field }) => ["date", field],
  partitions: (_, { fields: { date } }) =>
    typeof date === "string" && CalendarDate.parse(date) !== undefined ? [date.slice(0, 7)] : [],
  plan: Effect.fnUntraced(function* ({ dirty, enrichmentId, facts, prepared, read, today }) {
    const partitions = yield* read(dirty)
    const next = new Map<string, PartitionPlan<typeof State.Type, typeof Evidence.Type>>()
    for (const month of dirty) {
      const { records, state } = partitions.get(month)!
      if (records.length === 0) continue
      const amounts = records.map(({ fields }) => Decimal.parse(String(fields[prepared.field])) ?? Decimal.zero)
      if (amounts.includes(Decimal.make("666"))) {
        return yield* new EnrichmentFault({ reason: "input", message: "666 is no amount" })
      }
      const sum = Decimal.sum(amounts)
      const over = Decimal.compare(sum, Decimal.make(prepared.limit)) > 0
      const ignored = new Set(facts.flatMap((fact) => (fact.kind === "note" ? [fact.recordId] : [])))
      const end = endOf(month)
      const closed = today >= end
      next.set(month, {
        state: { sum, over },
        claims: records
          .filter(({ recordId }) => !ignored.has(recordId))
          .flatMap(({ recordId }) => [
            { recordId, field: "monthSum", value: sum, evidence: { amounts } },
            ...(closed ? [{ recordId, field: "monthClosed", value: true, evidence: { amounts: [] } }] : [])
          ]),
        links:
          records.length < 2
            ? []
            : [
                {
                  kind: "month",
                  members: records.map(({ recordId }) => ({ recordId, role: "part" })),
                  state: "auto",
                  evidence: { amounts }
                }
              ],
        events:
          over && state?.over !== true
            ? [monthOver.planned({ key: `${month}:over`, subjectId: enrichmentId, data: { month } })]
            : [],
        findings: over
          ? [
              {
                key: `${month}:over`,
                kind: "month_over",
                title: `${month} went over its limit`,
                subject: { kind: "transaction", id: records[0]!.recordId },
                data: { sum }
              }
            ]
          : [],
        due: closed ? undefined : end
      })
    }
    return { next }
  }),
  feedback: (enrichmentId, { subject }, status) =>
    status === "dismissed" ? [{ kind: "note", enrichmentId, recordId: subject.id }] : [],
  undo: suppression,
  explain: (_, { evidence, field, value }) => {
    if (field === "monthClosed") return { sentence: "The month is over", recomputed: true, holds: value === true }
    const recomputed = Decimal.sum(evidence.amounts.map((amount) => Decimal.make(amount)))
    return { sentence: `The sum of ${evidence.amounts.length} amounts`, recomputed, holds: recomputed === value }
  }
}
