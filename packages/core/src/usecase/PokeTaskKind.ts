/** The tasks that follow from a callback of a provider. */
import * as Schema from "effect/Schema"
import { SyncDataType } from "../record/DataType.ts"
import { Id } from "../shared/Ids.ts"
import { taskKind } from "../task/TaskKind.ts"

const Payload = Schema.Struct({
  instanceId: Schema.String,
  connectionRef: Schema.optionalKey(Schema.String),
  subjectRef: Schema.optionalKey(Schema.String),
  attemptId: Schema.optionalKey(Schema.String),
  dataTypes: Schema.optionalKey(Schema.Array(SyncDataType)),
  /** The connection may be another than we know: it is asked how it is. */
  check: Schema.Boolean,
  /** There may be new data. */
  pull: Schema.Boolean,
  result: Schema.optionalKey(Schema.Literals(["connected", "failed", "cancelled"]))
})
export type PokePayload = typeof Payload.Type

/** Finds out whose a callback is, and what is to be done for it. Its key is what it says: equal ones are one while they wait. */
export const pokeTask = taskKind("provider_poke", {
  payload: Payload,
  concurrency: 4,
  backoff: { firstSeconds: 5, mostSeconds: 900 }
})

/** Has a feed run soon, and no sooner than the last such run allows. Its key is the feed. */
export const pulledFeedTask = taskKind("pulled_feed", {
  payload: Schema.Struct({ workspaceId: Id("workspace"), feedId: Id("feed") }),
  concurrency: 4,
  backoff: { firstSeconds: 5, mostSeconds: 900 }
})
