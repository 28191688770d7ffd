/** Tells the right people once (enrichments C14). */
import * as Schema from "effect/Schema"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import { dataTypes } from "../../../record/DataType.ts"
import { limits } from "../../../shared/Limits.ts"
import { suppression } from "../EnrichmentFact.ts"
import type { SetKind } from "../SetKind.ts"
import { AlertConfig, alertStage, checkAlert } from "./AlertConfig.ts"
import { alertEvents } from "./AlertEvents.ts"
import { hearEvents, placesOf, planAlert } from "./AlertPlan.ts"
import { Firing } from "./Firing.ts"
import { prepareAlert, type PreparedAlert } from "./PreparedAlert.ts"

/** The kind `alert` on an engine for patterns. */
export const makeAlert = ({
  patterns
}: {
  readonly patterns: PatternEngine
}): SetKind<AlertConfig, PreparedAlert, Firing, null> => ({
  type: "alert",
  label: "Alerts",
  family: "set",
  stage: () => alertStage,
  capabilities: {
    authority: "analysis",
    dataTypes,
    writes: [],
    emits: Object.values(alertEvents),
    perWorkspace: limits.enrichmentsPerWorkspace
  },
  Config: AlertConfig,
  check: (config, catalog) => checkAlert(config, catalog, patterns),
  declares: () => new Map(),
  prepare: (config, catalog) => prepareAlert(config, catalog, patterns),
  State: { version: 1, codec: Firing },
  Evidence: Schema.Null,
  removed: true,
  begins: ({ conditions, source }) => JSON.stringify([source, conditions]),
  reads: ({ reads }) => reads,
  partitions: placesOf,
  plan: planAlert,
  hears: hearEvents,
  undo: suppression,
  explain: () => ({ sentence: "The conditions of the alert match", recomputed: null, holds: false })
})
