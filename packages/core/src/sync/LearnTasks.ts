/** Runs what lets enrichments learn (enrichments D5.2). */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Learning } from "../enrichment/Learning.ts"
import { feedLearnTask, learnKey, learnTask } from "../enrichment/LearnTaskKind.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { handleTask, TaskFailure } from "../task/TaskHandler.ts"
import { Tasks } from "../task/Tasks.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { FeedLearning } from "./FeedLearning.ts"

/** Reads what people changed at the destination of a feed, then has it learnt from. */
const learnFromFeed = Effect.gen(function* () {
  const feeds = yield* FeedStore
  const learning = yield* FeedLearning
  const tasks = yield* Tasks
  return handleTask(feedLearnTask, (task) =>
    Effect.gen(function* () {
      const feed = Option.getOrUndefined(yield* feeds.byId(task.payload.feedId))
      if (feed === undefined) return
      const { dataType, workspaceId } = feed
      yield* learning.read(feed, task.guard).pipe(
        Effect.catchTags({
          DestinationUnavailable: ({ message, retryAfter }) =>
            Effect.fail(
              new TaskFailure({ message, ...(retryAfter === undefined ? {} : { afterSeconds: retryAfter }) })
            ),
          DestinationRejected: ({ message }) => Effect.fail(new TaskFailure({ message, final: true })),
          DestinationColumnMissing: ({ message }) => Effect.fail(new TaskFailure({ message, final: true })),
          Unprocessable: ({ message }) => Effect.fail(new TaskFailure({ message, final: true }))
        })
      )
      const payload = { workspaceId, dataType }
      yield* task.finish(tasks.enqueue(learnTask, { payload, workspaceId, key: learnKey(payload) }))
    })
  )
})

/** Works out what was learnt. */
const learnFromPeople = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  const learning = yield* Learning
  return handleTask(learnTask, (task) =>
    Effect.gen(function* () {
      const workspace = yield* workspaces.get(task.payload.workspaceId)
      if (Option.isNone(workspace)) return
      const faults = yield* learning.run({
        workspace: workspace.value,
        dataType: task.payload.dataType,
        cause: { kind: "system", reason: "learning" },
        guard: task.guard
      })
      if (faults.length > 0) yield* Effect.logWarning("Enrichments could not learn", { faults })
    })
  )
})

/** The handlers of the tasks that let enrichments learn. */
export const learnHandlers = [learnFromFeed, learnFromPeople] as const
