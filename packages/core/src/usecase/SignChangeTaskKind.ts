/** The task that turns the amounts of a large account round. */
import * as Schema from "effect/Schema"
import { Id } from "../shared/Ids.ts"
import { taskKind } from "../task/TaskKind.ts"

/** Its key is the account, which says since when it is asked for: nothing is done where it says so no longer. */
export const signChangeTask = taskKind("sign_change", {
  payload: Schema.Struct({ workspaceId: Id("workspace"), bankId: Id("bank"), accountId: Id("account") }),
  concurrency: 1,
  attempts: Infinity,
  backoff: { firstSeconds: 5, mostSeconds: 300 },
  // All of it is one transaction: tens of millions of rows may take hours.
  timeoutSeconds: 43_200
})
