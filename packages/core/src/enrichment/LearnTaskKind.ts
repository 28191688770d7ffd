/** The tasks that let enrichments learn (enrichments D5.2). */
import * as Schema from "effect/Schema"
import { DataType } from "../record/DataType.ts"
import { Id } from "../shared/Ids.ts"
import { taskKind } from "../task/TaskKind.ts"

/** Reads what people changed at the destination of a feed; the key is the feed. */
export const feedLearnTask = taskKind("feed_learn", {
  payload: Schema.Struct({ workspaceId: Id("workspace"), feedId: Id("feed") }),
  concurrency: 2,
  timeoutSeconds: 600
})

const Payload = Schema.Struct({ workspaceId: Id("workspace"), dataType: DataType })

/** Works out what follows from all that people did; one at a time for a workspace and a data type. */
export const learnTask = taskKind("learn", { payload: Payload, concurrency: 2, timeoutSeconds: 600 })

export const learnKey = ({ dataType, workspaceId }: typeof Payload.Type): string => `${workspaceId}:${dataType}`

/** Seconds between a sync and what is learnt after it, and so between two times that a feed is learnt from. */
export const learnSeconds = 30
