/**
 * One event is one record (enrichments C1 and D1). Identity is always resolved; this only tunes how, before a record is in
 * the ledger (`identity/MatchConfigs`), and says of each record whether it is final.
 */
import { dataTypes } from "../../../record/DataType.ts"
import { identityEventTypes } from "../../../record/RecordEvents.ts"
import { limits } from "../../../shared/Limits.ts"
import type { RecordKind } from "../Kind.ts"
import { checkDedupe, DedupeConfig } from "./DedupeConfig.ts"

const stage = 10

const stateField = "dedupe.state"

export const dedupe: RecordKind<DedupeConfig, DedupeConfig> = {
  type: "dedupe",
  label: "Duplicates",
  family: "record",
  stage: () => stage,
  capabilities: {
    authority: "analysis",
    dataTypes,
    writes: [stateField],
    emits: identityEventTypes,
    perWorkspace: limits.enrichmentsPerWorkspace,
    firstOnly: true
  },
  Config: DedupeConfig,
  check: checkDedupe,
  declares: () => new Map([[stateField, "str"]]),
  prepare: (config) => config,
  plan: (_, { fields }) => ({
    claims: [{ field: stateField, value: fields["pending"] === true ? "pending" : "posted", path: "" }]
  }),
  explain: (_, { value }) =>
    value === "pending" ? "The source says that it may still change" : "The source says that it is final"
}
