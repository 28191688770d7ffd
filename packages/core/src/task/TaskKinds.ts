/** The kinds of tasks that a program runs. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { TaskHandler } from "./TaskHandler.ts"

/** A handler, or one that is made of the services it needs. */
export type TaskHandlerSource<R = never> = TaskHandler | Effect.Effect<TaskHandler, never, R>

type Requirements<S> = S extends Effect.Effect<TaskHandler, never, infer R> ? R : never

export class TaskKinds extends Context.Service<
  TaskKinds,
  {
    /** By name of the kind. */
    readonly all: ReadonlyMap<string, TaskHandler>
  }
>()("@millrace/core/task/TaskKinds") {
  /** These and no others. Two handlers of one kind are a defect of the program. */
  static readonly layer = <const Sources extends ReadonlyArray<TaskHandlerSource<unknown>>>(
    ...sources: Sources
  ): Layer.Layer<TaskKinds, never, Requirements<Sources[number]>> =>
    Layer.effect(
      TaskKinds,
      Effect.gen(function* () {
        const all = new Map<string, TaskHandler>()
        for (const source of sources) {
          const handler = Effect.isEffect(source) ? yield* source as Effect.Effect<TaskHandler> : source
          const { name } = handler.kind
          if (all.has(name)) throw new RangeError(`Two handlers run tasks of the kind "${name}": leave one out.`)
          all.set(name, handler)
        }
        return { all }
      })
    ) as Layer.Layer<TaskKinds, never, Requirements<Sources[number]>>
}
