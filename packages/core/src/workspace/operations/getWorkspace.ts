import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Workspaces } from "../../usecase/Workspaces.ts"
import { workspaceExample } from "./Examples.ts"
import { WorkspaceRecord, shown } from "./WorkspaceRecord.ts"

export const getWorkspace = operation({
  noun: "workspaces",
  id: "getWorkspace",
  get: "/v1/workspaces/:workspace_id",
  summary: "Get the workspace",
  description: "Returns the workspace of the credential.",
  access: { anyOf: ["workspaces:read"], role: "viewer" },
  repeats: "read",
  versioned: true,
  command: "workspace get",
  tool: "get_workspace",
  success: record(WorkspaceRecord),
  example: { data: workspaceExample },
  run: ({ caller, ids }) =>
    Effect.gen(function* () {
      const workspaces = yield* Workspaces
      const workspace = yield* workspaces.get(caller, ids.workspace)
      return shown(workspace)
    })
})
