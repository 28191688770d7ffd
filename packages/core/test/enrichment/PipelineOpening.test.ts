import { NodeDigest } from "@millrace/adapters"
import { plainEnrichment } from "@millrace/testing/fixture"
import { expect, it } from "@effect/vitest"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import type { GatherScope, RecordKind, View } from "../../src/enrichment/kinds/Kind.ts"
import { bundledKinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import * as Pipeline from "../../src/enrichment/Pipeline.ts"
import { gather } from "../../src/enrichment/PipelineOpening.ts"
import { aiPending } from "../../src/explain/AiPending.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Effect from "effect/Effect"
import { RunWork } from "../../src/enrichment/RunWork.ts"

const workspaceId = "wsp" as Enrichment["workspaceId"]
const enrichment = (id: string, type: string, order: number, config: unknown): Enrichment =>
  plainEnrichment(type, config, { id, order, workspaceId })

const bundled = bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 })
const rule = bundled.find(({ type }) => type === "rule") as RecordKind

const conditions = { logic: "and", conditions: [{ field: "description", operator: "contains", value: "tram" }] }
const labels = {
  rules: [{ id: "r1", conditions, action: { field: "category", value: "Transport" } }]
}

it.effect("tells those who gather what was decided before them, and whether they may ask", () =>
  Effect.gen(function* () {
    const told: Array<{ readonly views: ReadonlyArray<View>; readonly scope: GatherScope }> = []
    const asking: RecordKind = {
      ...rule,
      type: "asking",
      stage: () => 70,
      gather: (_, views, scope) => Effect.sync(() => void told.push({ views, scope })),
      plan: () => ({ claims: [] })
    }
    const pipeline = Pipeline.compile(
      [enrichment("enr_a", "rule", 10, labels), enrichment("enr_b", "asking", 20, labels)],
      "transactions",
      kindsOf([...bundled, asking])
    )
    const records = [
      // Decided as it was: nothing changed, and yet it is a rule's word.
      { view: { recordId: "a", fields: { description: "tram", category: "Transport" } } },
      { view: { recordId: "b", fields: { description: "ferry", category: "TRAVEL" } } }
    ]
    const context = { today: CalendarDate.make("2026-05-31"), work: new RunWork() }
    for (const mayAsk of [true, false]) {
      yield* gather(pipeline, { workspaceId, dataType: "transactions" }, records, { ...context, mayAsk })
    }
    expect(told.map(({ scope }) => scope.mayAsk)).toEqual([true, false])
    expect(told[0]!.views.map(({ decided }) => decided?.has("category") ?? false)).toEqual([true, false])
  })
)

it.effect("sums up what would be asked, each question of an enrichment once", () =>
  Effect.gen(function* () {
    const asking: RecordKind = {
      ...rule,
      type: "asking",
      stage: () => 70,
      gather: (_, views) =>
        Effect.succeed(views.map(({ fields }) => ({ key: String(fields["description"]), tokens: 7 }))),
      pending: (gathered) => gathered as ReadonlyArray<{ readonly key: string; readonly tokens: number }>,
      plan: () => ({ claims: [] })
    }
    const pipeline = Pipeline.compile([enrichment("enr_b", "asking", 20, labels)], "transactions", kindsOf([asking]))
    const records = ["tram", "ferry", "tram"].map((description, n) => ({
      view: { recordId: String(n), fields: { description } }
    }))
    const context = { today: CalendarDate.make("2026-05-31"), work: new RunWork(), mayAsk: false }
    const { waiting } = yield* gather(pipeline, { workspaceId, dataType: "transactions" }, records, context)
    expect(aiPending([waiting, waiting])).toEqual([{ enrichmentId: "enr_b", questions: 2, calls: 1, tokens: 14 }])
  })
)
