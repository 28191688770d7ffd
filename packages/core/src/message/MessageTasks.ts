/** The tasks that send messages: one for each that is sent by itself, one for each lane that keeps silent in between. */
import * as Schema from "effect/Schema"
import { Id } from "../shared/Ids.ts"
import { taskKind } from "../task/TaskKind.ts"

/** About a day: who reads mail is informed late rather than never. */
const attempts = 30

export const sendTask = taskKind("message_send", {
  payload: Schema.Struct({ workspaceId: Id("workspace"), id: Schema.String }),
  concurrency: 8,
  attempts,
  backoff: { firstSeconds: 5, mostSeconds: 3_600 },
  timeoutSeconds: 120
})

export const laneTask = taskKind("message_lane", {
  payload: Schema.Struct({ workspaceId: Id("workspace"), lane: Schema.String }),
  concurrency: 4,
  attempts: Infinity,
  timeoutSeconds: 60
})
