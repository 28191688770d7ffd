/** Making tasks. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Ids } from "../shared/Ids.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { NewTask } from "./Task.ts"
import type { TaskKind } from "./TaskKind.ts"
import { TaskStore } from "./TaskStore.ts"

export interface TaskRequest<A> {
  readonly payload: A
  /** At most one task of the kind with that key is open (`TaskStore.enqueue`). Without one every request is a task. */
  readonly key?: string
  readonly workspaceId?: WorkspaceId
  /** Seconds from now by the store's clock. */
  readonly afterSeconds?: number
  /** An instant, in place of `afterSeconds`. */
  readonly at?: Timestamp
}

export class Tasks extends Context.Service<
  Tasks,
  {
    /** Makes tasks, as part of the transaction it is called in: they are there when it ends well, and only then. */
    readonly enqueue: <A>(
      kind: TaskKind<A>,
      ...requests: ReadonlyArray<TaskRequest<A>>
    ) => Effect.Effect<void, StorageUnavailable>
    /** Removes the open task of that key, if there is one. A process that runs it can write no more. */
    readonly withdraw: <A>(kind: TaskKind<A>, key: string) => Effect.Effect<boolean, StorageUnavailable>
  }
>()("@millrace/core/task/Tasks") {
  static readonly layer: Layer.Layer<Tasks, never, TaskStore | Ids> = Layer.effect(
    Tasks,
    Effect.gen(function* () {
      const store = yield* TaskStore
      const ids = yield* Ids
      return Tasks.of({
        enqueue: Effect.fn("Tasks.enqueue")(function* (kind, ...requests) {
          if (requests.length === 0) return
          const fresh = yield* ids.batch("task", requests.length)
          const encode = Schema.encodeSync(kind.payload)
          yield* store.enqueue(
            requests.map(({ key, payload, ...rest }, n): NewTask => {
              const id = fresh[n]!
              return { id, kind: kind.name, key: key ?? id, payload: encode(payload), ...rest }
            })
          )
        }),
        withdraw: (kind, key) => store.withdraw(kind.name, key)
      })
    })
  )
}
