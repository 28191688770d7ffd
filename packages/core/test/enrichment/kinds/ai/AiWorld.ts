/** Enrichments that may ask a model, over a memory: run chunk by chunk as runs and previews do. */
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { storeWorkspace } from "@millrace/testing/fixture"
import { catalogOf, type DataType, type Fields } from "@millrace/core/record"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { makeCategorize } from "../../../../src/enrichment/kinds/ai/categorize.ts"
import { makeMerchant } from "../../../../src/enrichment/kinds/ai/merchant.ts"
import type { Outcome, RecordKind } from "../../../../src/enrichment/kinds/Kind.ts"
import { ModelUse } from "../../../../src/enrichment/kinds/ai/ModelUse.ts"
import { modelUse } from "../../../../src/enrichment/ModelUseLayer.ts"
import type { Said } from "../../../../src/enrichment/kinds/ai/PersonsDecisions.ts"
import { type DecisionModel, DecisionModels } from "../../../../src/model/DecisionModel.ts"
import { provenPatterns } from "../../../../src/pattern/Pattern.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { Ids } from "../../../../src/shared/Ids.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import { RunWork } from "../../../../src/enrichment/RunWork.ts"

export const layer = Ids.layer.pipe(Layer.provideMerge(MemoryStorage.layer), Layer.provideMerge(NodeDigest.layer))

export interface AiWorldOptions {
  readonly model?: DecisionModel
  readonly said?: Said
  readonly dataType?: DataType
}

export const today = CalendarDate.make("2026-05-31")

export const aiWorld = Effect.fnUntraced(function* (
  type: "ai_categorize" | "ai_merchant",
  sent: object,
  { dataType = "transactions", model, said }: AiWorldOptions = {}
) {
  const workspace = yield* storeWorkspace()
  const enrichmentId = yield* (yield* Ids).next("enrichment")
  const models = new Map(model === undefined ? [] : [["own", model]])
  const use = yield* Effect.provide(ModelUse, modelUse).pipe(Effect.provideService(DecisionModels, models))
  const parts = said === undefined ? use : { ...use, words: { read: () => Effect.succeed(said) } }
  const make = type === "ai_categorize" ? makeCategorize : makeMerchant
  const kind = make({ patterns: provenPatterns, sha256: NodeDigest.sha256, models: parts }) as RecordKind
  const catalog = catalogOf(dataType)
  const config = Result.getOrThrow(
    decode(kind.Config, { ...(model === undefined ? {} : { model: "own", allowExternal: true }), ...sent })
  )
  const faults = kind.check(config, catalog, workspace.id).errors
  if (faults.length > 0) return yield* Effect.die(faults)
  const scope = { workspaceId: workspace.id, enrichmentId, dataType }
  return {
    workspace,
    kind,
    /** A run over these records: what is said of each. */
    run: Effect.fnUntraced(function* (records: ReadonlyArray<Fields>, mayAsk = true) {
      const { prepared } = yield* kind.open!(kind.prepare(config, catalog), scope)
      const views = records.map((fields, n) => ({ recordId: `r${n}`, fields }))
      const gathered = yield* kind.gather!(prepared, views, { ...scope, today, work: new RunWork(), mayAsk })
      const outcomes = views.map((view) => kind.plan(prepared, view, { today, work: new RunWork() }, gathered))
      return { outcomes, complaints: kind.complaints?.(gathered) ?? [] }
    })
  }
})

export const valueOf = ({ claims }: Outcome, field: string): unknown =>
  claims.find((claim) => claim.field === field)?.value
