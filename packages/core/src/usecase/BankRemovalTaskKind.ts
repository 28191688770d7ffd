/** The tasks that remove banks permanently, and look at connections. */
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

/** Asks a provider how a connection is. Its key is the bank. What fails is found again by those who look now and then. */
export const connectionCheckTask = taskKind("connection_check", {
  payload: Schema.Struct({
    ...Payload.fields,
    /** Why it is looked at; absent: because nobody has for some time. */
    source: Schema.optionalKey(Schema.Literals(["webhook", "user"]))
  }),
  concurrency: 4,
  attempts: 1
})
