/** The workspace itself (decisions 4.4 and 5.1). */
import { entriesOf, reads, sets } from "./Operation.ts"

export const workspaceOperations = entriesOf("workspaces", {
  getWorkspace: {
    scopes: { anyOf: ["workspaces:read"] },
    role: "viewer",
    app: "all",
    idempotency: "read",
    summary: "Get the workspace",
    versioned: true,
    tool: reads("get_workspace"),
    command: "workspace get"
  },
  updateWorkspace: {
    scopes: { anyOf: ["workspaces:write"] },
    role: "owner",
    app: "all",
    idempotency: "inherent",
    summary: "Change the name, the base currency or the time zone of the workspace",
    versioned: true,
    body: "required",
    tool: sets("update_workspace"),
    command: "workspace update"
  }
})
