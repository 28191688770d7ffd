/** A reproducible summary of a closed period (enrichments C16). */
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { limits } from "../../../shared/Limits.ts"
import { periodIndex, periodStart } from "../../../shared/Recurrence.ts"
import { suppression } from "../EnrichmentFact.ts"
import type { SetKind } from "../SetKind.ts"
import { checkDigest, DigestConfig, periodsOf } from "./DigestConfig.ts"
import { digestEvents } from "./DigestEvents.ts"
import { reads } from "./DigestFact.ts"
import { DigestState, ledgerKey, planDigest, type PreparedDigest } from "./DigestPlan.ts"

export const digest: SetKind<DigestConfig, PreparedDigest, DigestState, null> = {
  type: "digest",
  label: "Digests",
  family: "set",
  stage: () => 180,
  capabilities: {
    authority: "analysis",
    dataTypes: ["transactions"],
    writes: [],
    emits: Object.values(digestEvents),
    perWorkspace: limits.enrichmentsPerWorkspace
  },
  Config: DigestConfig,
  check: checkDigest,
  declares: () => new Map(),
  prepare: (config) => ({ config, recurrence: periodsOf(config) }),
  State: { version: 1, codec: DigestState },
  Evidence: Schema.Null,
  lines: true,
  pulse: ledgerKey,
  reads: () => reads,
  partitions: ({ recurrence }, { fields }) => {
    const date = typeof fields["date"] === "string" ? CalendarDate.ofText(fields["date"]) : undefined
    return date === undefined ? [] : [periodStart(recurrence, periodIndex(recurrence, date))]
  },
  plan: planDigest,
  undo: suppression,
  explain: () => ({ sentence: "The facts of a period that is over", recomputed: null, holds: false })
}
