/** What was done in a workspace, and by whom (specification 5). */
import { entriesOf } from "./Operation.ts"

export const auditOperations = entriesOf("audit", {
  listAuditEntries: {
    summary: "List what was done in a workspace, by whom, newest first",
    scopes: { anyOf: ["workspaces:read"] },
    role: "admin",
    app: "none",
    idempotency: "read",
    tool: { absent: "The audit watches over whoever acts, tools included: a person reads it." },
    command: "audit"
  },
  verifyAudit: {
    summary: "Check that no entry of the audit was changed or removed",
    scopes: { anyOf: ["workspaces:read"] },
    role: "admin",
    app: "none",
    idempotency: "read",
    tool: { absent: "The audit watches over whoever acts, tools included: a person checks it." },
    command: "audit verify"
  }
})
