/** The audit (specification 5, decisions 4.4 and 5.1). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { AuditContent, auditOutcomes } from "@millrace/core/audit"
import { ofPath } from "./ApiError.ts"
import { Many } from "./Envelope.ts"
import { Day, paging, Text } from "./Parameters.ts"

const AuditEntryRecord = Schema.Struct({ ...AuditContent.fields, hash: Schema.String }).annotate({
  identifier: "AuditEntry"
})

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
  })
)
