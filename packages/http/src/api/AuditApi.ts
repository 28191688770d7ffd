/** The audit (specification 5, decisions 4.4 and 5.1). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { AuditContent, auditOutcomes } from "@millrace/core/audit"
import { ofPath } from "./ApiError.ts"
import { Many, One } from "./Envelope.ts"
import { Day, paging, Text } from "./Parameters.ts"

const AuditEntryRecord = Schema.Struct({ ...AuditContent.fields, hash: Schema.String }).annotate({
  identifier: "AuditEntry"
})

/** Number and hash of an entry that an earlier check returned. */
const KnownPlace = Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,14}:[0-9a-f]{64}$/))

const AuditCheckRecord = Schema.Struct({
  intact: Schema.Boolean,
  /** Entries that were checked. */
  entries: Schema.optionalKey(Schema.Int),
  /** The newest entry: absent where there is none, or where the chain is damaged. */
  newest: Schema.optionalKey(Schema.Struct({ number: Schema.Int, hash: Schema.String })),
  /** The first entry that is not what was written. */
  damage: Schema.optionalKey(Schema.Struct({ number: Schema.Int, fault: Schema.Literals(["changed", "missing"]) }))
}).annotate({ identifier: "AuditCheck" })

export const AuditApi = HttpApiGroup.make("audit", { topLevel: true }).add(
  HttpApiEndpoint.get("listAuditEntries", "/v1/workspaces/:workspace_id/audit", {
    params: { workspace_id: Schema.String },
    query: {
      from: Schema.optionalKey(Day),
      to: Schema.optionalKey(Day),
      actor: Schema.optionalKey(Text),
      operationId: Schema.optionalKey(Text),
      resourceId: Schema.optionalKey(Text),
      outcome: Schema.optionalKey(Schema.Literals(auditOutcomes)),
      ...paging
    },
    success: Many(AuditEntryRecord),
    error: ofPath
  }),
  HttpApiEndpoint.get("verifyAudit", "/v1/workspaces/:workspace_id/audit/verify", {
    params: { workspace_id: Schema.String },
    query: { known: Schema.optionalKey(KnownPlace) },
    success: One(AuditCheckRecord),
    error: ofPath
  })
)
