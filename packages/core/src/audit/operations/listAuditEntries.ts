import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { authorExample, exampleIds, exampleTime } from "../../operation/Examples.ts"
import { Text, daysFrom, paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { Audit } from "../Audit.ts"
import { AuditContent, auditOutcomes } from "../AuditEntry.ts"

const AuditEntryRecord = Schema.Struct({ ...AuditContent.fields, hash: Schema.String }).annotate({
  identifier: "AuditEntry"
})

const auditEntryExample = {
  id: exampleIds.auditEntry,
  at: exampleTime,
  actor: authorExample,
  credential: { kind: "api_key", id: exampleIds.key },
  operationId: "updateFeed",
  resource: { kind: "feed", id: exampleIds.feed },
  outcome: "ok",
  requestId: exampleIds.request,
  changes: [{ field: "name", before: "Spending", after: "Spending at home" }],
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
}

export const listAuditEntries = operation({
  noun: "audit",
  id: "listAuditEntries",
  get: "/v1/workspaces/:workspace_id/audit",
  summary: "List what was done in a workspace, by whom, newest first",
  description:
    "Lists who did what in the workspace, newest first, for two years. Each entry has a hash over itself and the entry " +
    "before it, so that a change shows. What is under way has an entry once it has ended.",
  access: { anyOf: ["workspaces:read"], role: "admin", app: "none" },
  repeats: "read",
  command: "audit",
  tool: { absent: "The audit watches over everyone who acts, tools included: a person reads it." },
  query: {
    ...daysFrom("First day in UTC, inclusive", "Last day in UTC, inclusive"),
    actor: Schema.optionalKey(Text),
    operationId: Schema.optionalKey(Text),
    resourceId: Schema.optionalKey(Text),
    outcome: Schema.optionalKey(Schema.Literals(auditOutcomes)),
    ...paging
  },
  success: list(AuditEntryRecord),
  example: { data: auditEntryExample },
  run: ({ caller, ids, query }) =>
    Audit.use((audit) => Effect.map(audit.list(caller, ids.workspace, query), (page) => page))
})
