/** The tasks that remove banks for good, and look at connections. */
import * as Schema from "effect/Schema"
import { Id } from "../shared/Ids.ts"
import { taskKind } from "../task/TaskKind.ts"

const Payload = Schema.Struct({ workspaceId: Id("workspace"), bankId: Id("bank") })

/**
 * Its key is the bank. It counts tries itself, with the bank: what is tried again here is what died, or met storage that
 * was away.
 */
export const bankRemovalTask = taskKind("bank_removal", {
  payload: Payload,
  concurrency: 2,
  attempts: Infinity,
  backoff: { firstSeconds: 5, mostSeconds: 300 }
})

/** Asks a provider how a connection is, and reads its accounts anew. Its key is the bank. */
export const connectionCheckTask = taskKind("connection_check", {
  payload: Payload,
  concurrency: 4,
  attempts: 5,
  backoff: { firstSeconds: 15, mostSeconds: 900 },
  timeoutSeconds: 120
})
