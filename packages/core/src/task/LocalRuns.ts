/** Asks for local runs of feeds, in the transaction of what they are to deliver. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AccountId } from "../bank/Account.ts"
import type { Feed, FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { DataType } from "../record/DataType.ts"
import type { Ids } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { localRunOf, localRunTask } from "./LocalRunTaskKind.ts"
import { Tasks } from "./Tasks.ts"
import type { TaskStore } from "./TaskStore.ts"

export class LocalRuns extends Context.Service<
  LocalRuns,
  {
    /** For feeds that deliver records of these accounts. */
    readonly ofAccounts: (
      scope: { readonly workspaceId: WorkspaceId; readonly dataType: DataType },
      accountIds: Iterable<AccountId>
    ) => Effect.Effect<void, StorageUnavailable>
    /** Over all records of these feeds, whatever their age. */
    readonly overHistory: (
      workspaceId: WorkspaceId,
      feedIds: Iterable<FeedId>
    ) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/task/LocalRuns") {
  static readonly layer: Layer.Layer<LocalRuns, never, FeedStore | TaskStore | Ids> = Layer.effect(
    LocalRuns,
    Effect.gen(function* () {
      const feeds = yield* FeedStore
      const tasks = yield* Tasks

      /** A feed of files may have records of any account: how far it has come says which. */
      const delivers = Effect.fnUntraced(function* (feed: Feed, accountIds: ReadonlySet<AccountId>) {
        if (feed.destinationConfig === undefined) return false
        if (
          feed.sourceConfig?.type === "sync" &&
          feed.sourceConfig.accounts.some((one) => accountIds.has(one.accountId))
        ) {
          return true
        }
        return (yield* feeds.marks(feed.id)).some(({ accountId }) => accountIds.has(accountId))
      })

      return LocalRuns.of({
        ofAccounts: Effect.fn("LocalRuns.ofAccounts")(function* ({ dataType, workspaceId }, accountIds) {
          const touched = new Set(accountIds)
          if (touched.size === 0) return
          const all = yield* feeds.list([workspaceId], { dataType })
          const found = yield* Effect.filter(all, (feed) => delivers(feed, touched))
          yield* tasks.enqueue(localRunTask, ...found.map(({ id }) => localRunOf(workspaceId, id, false)))
        }),
        overHistory: Effect.fn("LocalRuns.overHistory")(function* (workspaceId, feedIds) {
          yield* tasks.enqueue(localRunTask, ...Array.from(new Set(feedIds), (id) => localRunOf(workspaceId, id, true)))
        })
      })
    })
  ).pipe(Layer.provide(Tasks.layer))
}
