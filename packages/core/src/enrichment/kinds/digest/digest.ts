/** A reproducible summary of a closed period (enrichments C16). */
import * as Schema from "effect/Schema"
import { modelsOf } from "../../../model/DecisionModel.ts"
import { dataTypes } from "../../../record/DataType.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { limits } from "../../../shared/Limits.ts"
import { periodIndex, periodStart } from "../../../shared/Recurrence.ts"
import { suppression } from "../EnrichmentFact.ts"
import { budgetExhausted } from "../ai/AiEvents.ts"
import type { ModelKindNeeds } from "../ai/ModelUse.ts"
import type { SetKind } from "../SetKind.ts"
import { checkDigest, DigestConfig, periodsOf } from "./DigestConfig.ts"
import { digestEvents } from "./DigestEvents.ts"
import { subjectIn } from "./DigestSubject.ts"
import { DigestState, ledgerKey, planDigest, type PreparedDigest, standingKey } from "./DigestPlan.ts"

export const makeDigest = ({
  models: { models }
}: Pick<ModelKindNeeds, "models">): SetKind<DigestConfig, PreparedDigest, DigestState, null> => ({
  type: "digest",
  label: "Digests",
  family: "set",
  stage: () => 180,
  capabilities: {
    authority: "analysis",
    dataTypes,
    writes: [],
    emits: [...Object.values(digestEvents), budgetExhausted],
    model: true,
    perWorkspace: limits.enrichmentsPerWorkspace
  },
  Config: DigestConfig,
  check: (config, catalog, workspaceId) => checkDigest(config, subjectIn(catalog), modelsOf(models, workspaceId)),
  declares: () => new Map(),
  prepare: (config, catalog) => ({ config, recurrence: periodsOf(config), subject: subjectIn(catalog) }),
  State: { version: 1, codec: DigestState },
  Evidence: Schema.Null,
  lines: true,
  pulse: ledgerKey,
  // Most periods that change were never told of.
  readsFew: true,
  reads: (_, catalog) => subjectIn(catalog).reads,
  partitions: ({ recurrence, subject }, { fields }) => {
    if (subject.manner === "standing") return [standingKey]
    const date = typeof fields["date"] === "string" ? CalendarDate.ofText(fields["date"]) : undefined
    return date === undefined ? [] : [periodStart(recurrence, periodIndex(recurrence, date))]
  },
  plan: planDigest,
  undo: suppression,
  explain: () => ({ sentence: "The facts of a period that is over", recomputed: null, holds: false })
})
