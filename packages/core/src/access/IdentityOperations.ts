/** What a credential can ask about itself (specification 5). */
import { entriesOf, reads } from "./Operation.ts"

export const identityOperations = entriesOf("identity", {
  whoami: {
    summary: "Tell whose credential this is and what it may do",
    scopes: { allOf: [] },
    role: "viewer",
    idempotency: "read",
    everyPlan: true,
    tool: reads("whoami"),
    command: "whoami"
  }
})
