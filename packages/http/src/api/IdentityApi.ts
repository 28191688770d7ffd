/** Who the credential belongs to (decisions 2.7). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Scope } from "@millrace/core/access"
import { Id, Timestamp } from "@millrace/core"
import { PlanName, Role } from "@millrace/core/workspace"
import { always } from "./ApiError.ts"
import { One } from "./Envelope.ts"

const limit = Schema.NullOr(Schema.Int)

export const WhoAmI = Schema.Struct({
  workspaceId: Schema.NullOr(Id("workspace")),
  workspaceName: Schema.NullOr(Schema.String),
  /** Of the principal. */
  name: Schema.String,
  principal: Schema.Struct({
    kind: Schema.Literals(["user", "api_key", "oauth_app"]),
    id: Schema.String,
    name: Schema.String
  }),
  /** Of signed-in users, in the workspace. */
  role: Schema.optionalKey(Role),
  scopes: Schema.Array(Scope),
  workspace: Schema.NullOr(
    Schema.Struct({
      id: Id("workspace"),
      name: Schema.String,
      icon: Schema.optionalKey(Schema.String),
      plan: PlanName,
      timezone: Schema.String,
      isPortal: Schema.Boolean,
      parentWorkspaceId: Schema.optionalKey(Id("workspace"))
    })
  ),
  plan: Schema.NullOr(
    Schema.Struct({
      id: PlanName,
      apiAccess: Schema.Boolean,
      requestsPerMinute: Schema.Int,
      /** `null`: no limit. */
      limits: Schema.Struct({
        banks: limit,
        feeds: limit,
        fastestSchedule: Schema.String,
        historyDays: limit,
        members: limit,
        portals: limit,
        rows: limit,
        automations: limit,
        mailboxes: limit
      })
    })
  ),
  /** Of a session that names no workspace: all that the person reaches. */
  workspaces: Schema.optionalKey(
    Schema.Array(Schema.Struct({ id: Id("workspace"), name: Schema.String, role: Role, plan: PlanName }))
  ),
  user: Schema.optionalKey(Schema.Struct({ id: Schema.String, email: Schema.String })),
  key: Schema.optionalKey(
    Schema.Struct({
      id: Id("apiKey"),
      keyPrefix: Schema.String,
      name: Schema.String,
      expiresAt: Schema.NullOr(Timestamp.Timestamp)
    })
  ),
  serverTime: Timestamp.Timestamp,
  apiVersion: Schema.Literal("1.0.0")
}).annotate({ identifier: "WhoAmI" })

export const IdentityApi = HttpApiGroup.make("identity", { topLevel: true }).add(
  HttpApiEndpoint.get("whoami", "/v1/whoami", { success: One(WhoAmI), error: always })
)
