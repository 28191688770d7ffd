import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { OptionalText } from "../../feed/operations/FeedRecord.ts"
import { audits, operation } from "../../operation/Definition.ts"
import { Text } from "../../operation/Parameters.ts"
import { record } from "../../operation/Success.ts"
import * as Currency from "../../shared/Currency.ts"
import { Name } from "../../shared/Name.ts"
import { Workspaces } from "../../usecase/Workspaces.ts"
import { workspaceExample } from "./Examples.ts"
import { WorkspaceRecord, shown } from "./WorkspaceRecord.ts"

const UpdateWorkspace = Schema.Struct({
  name: Schema.optionalKey(Name),
  icon: OptionalText,
  timezone: Schema.optionalKey(Text.annotate({ description: "IANA name, such as Europe/Berlin." })),
  locale: Schema.optionalKey(Text.annotate({ description: "Language tag (BCP 47), such as de-CH." })),
  baseCurrency: Schema.optionalKey(
    Currency.Currency.annotate({ description: "In what sums over several currencies are: an ISO 4217 code." })
  )
}).annotate({ identifier: "UpdateWorkspace" })

export const updateWorkspace = operation({
  noun: "workspaces",
  id: "updateWorkspace",
  put: "/v1/workspaces/:workspace_id",
  summary: "Change the name, the base currency or the time zone of the workspace",
  description:
    "Changes what is sent and leaves the rest as it is. After another base currency or time zone, enrichments work out " +
    "again what they say of the whole history.",
  access: { anyOf: ["workspaces:write"], role: "owner" },
  repeats: "inherent",
  versioned: true,
  command: "workspace update",
  tool: "update_workspace",
  body: UpdateWorkspace,
  success: record(WorkspaceRecord),
  errors: ["Unprocessable"],
  example: { body: { baseCurrency: "EUR", timezone: "Europe/Berlin" }, data: { ...workspaceExample, version: 2 } },
  audits: audits(Workspaces, "update", { read: "get" }),
  run: ({ caller, ids, body, ifVersion }) =>
    Workspaces.use((workspaces) => Effect.map(workspaces.update(caller, ids.workspace, body, ifVersion), shown))
})
