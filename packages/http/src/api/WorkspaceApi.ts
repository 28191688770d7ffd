/** The workspace of the credential (decisions 4.4 and 5.1). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Currency, Id, Name, Timestamp } from "@millrace/core"
import { PlanName } from "@millrace/core/workspace"
import { ofBody, ofPath, Stale, Unprocessable } from "./ApiError.ts"
import { One } from "./Envelope.ts"
import { ifMatch, ifNoneMatch, OptionalText } from "./FeedApi.ts"
import { Text } from "./Parameters.ts"

const WorkspaceRecord = Schema.Struct({
  id: Id("workspace"),
  name: Schema.String,
  icon: Schema.NullOr(Schema.String),
  plan: PlanName,
  timezone: Schema.String,
  locale: Schema.String,
  baseCurrency: Schema.String,
  isPortal: Schema.Boolean,
  parentWorkspaceId: Schema.optionalKey(Id("workspace")),
  version: Schema.Int,
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp
}).annotate({ identifier: "WorkspaceRecord" })

const UpdateWorkspace = Schema.Struct({
  name: Schema.optionalKey(Name),
  icon: OptionalText,
  timezone: Schema.optionalKey(Text.annotate({ description: "IANA name, such as Europe/Berlin." })),
  locale: Schema.optionalKey(Text.annotate({ description: "Language tag (BCP 47), such as de-CH." })),
  baseCurrency: Schema.optionalKey(
    Currency.Currency.annotate({ description: "In what sums over several currencies are: an ISO 4217 code." })
  )
}).annotate({ identifier: "UpdateWorkspace" })

const byId = { workspace_id: Schema.String }

export const WorkspaceApi = HttpApiGroup.make("workspaces", { topLevel: true }).add(
  HttpApiEndpoint.get("getWorkspace", "/v1/workspaces/:workspace_id", {
    params: byId,
    headers: ifNoneMatch,
    success: One(WorkspaceRecord),
    error: ofPath
  }),
  HttpApiEndpoint.put("updateWorkspace", "/v1/workspaces/:workspace_id", {
    params: byId,
    headers: ifMatch,
    payload: UpdateWorkspace,
    success: One(WorkspaceRecord),
    error: [...ofPath, ...ofBody, Stale, Unprocessable]
  })
)
