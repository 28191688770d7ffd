/** The task that delivers to a feed what people said, undid or decided, without asking a provider. */
import * as Schema from "effect/Schema"
import type { FeedId } from "../feed/Feed.ts"
import { Id } from "../shared/Ids.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { taskKind } from "./TaskKind.ts"
import type { TaskRequest } from "./Tasks.ts"

const Payload = Schema.Struct({
  workspaceId: Id("workspace"),
  feedId: Id("feed"),
  /** All records are looked at, whatever their age. */
  history: Schema.optionalKey(Schema.Literal(true))
})

export const localRunTask = taskKind("local_run", {
  payload: Payload,
  concurrency: 4,
  backoff: { firstSeconds: 5, mostSeconds: 900 },
  timeoutSeconds: 1_800
})

/** One task for each feed; one that looks at all records is another. */
export const localRunOf = (
  workspaceId: WorkspaceId,
  feedId: FeedId,
  history: boolean
): TaskRequest<typeof Payload.Type> => ({
  payload: { workspaceId, feedId, ...(history ? { history } : {}) },
  workspaceId,
  key: history ? `${feedId}:history` : feedId
})
