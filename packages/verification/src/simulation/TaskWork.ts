/**
 * Durable tasks in the life of an installation, one kind for each way in which a handler may have its effect once, and what
 * must hold of them in the end.
 */
import { TaskStore, Transactor } from "@millrace/core/storage"
import {
  handleTask,
  type RunningTask,
  TaskFailure,
  type TaskId,
  taskKind,
  type TaskKind,
  Tasks
} from "@millrace/core/task"
import type { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { must, mustMatch } from "./Invariant.ts"
import type { Sometimes } from "./Sometimes.ts"

interface Payload {
  readonly n: number
}

const options = {
  payload: Schema.Struct({ n: Schema.Int }),
  // A crash counts as a try, and nothing here is to be given up.
  attempts: Infinity,
  backoff: { firstSeconds: 1, mostSeconds: 60 }
}
/** Writes a mark in the transaction that ends the task. */
const Inside = taskKind("simulated_inside", options)
/** Tells a place outside, with the id of the task. */
const Outside = taskKind("simulated_outside", options)
/** As `Inside`, with few keys. */
const Keyed = taskKind("simulated_keyed", options)
/** What the others write; nobody runs it. */
const Mark = taskKind("simulated_mark", { payload: Schema.Struct({ kind: Schema.String, n: Schema.Int }) })

const kinds: ReadonlyArray<TaskKind<Payload>> = [Inside, Outside, Keyed]
const keys = ["a", "b"]
/** So far off that no life reaches it. */
const never = 1e9

const textsOf = (numbers: ReadonlyArray<number>) => numbers.map(String)

export class TaskWork {
  readonly #random: Seeded
  readonly #sometimes: Sometimes
  #numbers = 0
  readonly #made = new Map<string, Array<number>>()
  readonly #newest = new Map<string, number>()
  readonly #told = new Map<number, Set<TaskId>>()
  readonly #failed = new Set<string>()

  constructor(random: Seeded, sometimes: Sometimes) {
    this.#random = random
    this.#sometimes = sometimes
  }

  /** A try of a task, which fails now and then. */
  #try<E, R>({ attempt, id }: RunningTask<Payload>, work: Effect.Effect<void, E, R>) {
    return Effect.suspend(() => {
      if (attempt > 1) {
        const isLost = !this.#failed.has(`${id} ${attempt - 1}`)
        this.#sometimes.happened(isLost ? "task of a lost process taken over" : "task tried again")
      }
      const tried: Effect.Effect<void, E | TaskFailure, R> = this.#random.once(6)
        ? Effect.fail(new TaskFailure({ message: "simulated" }))
        : work
      return Effect.tapError(tried, () => Effect.sync(() => this.#failed.add(`${id} ${attempt}`)))
    })
  }

  readonly #mark = (tasks: Tasks["Service"], kind: string, n: number) =>
    tasks.enqueue(Mark, { payload: { kind, n }, afterSeconds: never })

  readonly inside = Effect.map(Tasks, (tasks) =>
    handleTask(Inside, (task) => this.#try(task, task.finish(this.#mark(tasks, Inside.name, task.payload.n))))
  )

  readonly keyed = Effect.map(Tasks, (tasks) =>
    handleTask(Keyed, (task) =>
      this.#try(
        task,
        Effect.andThen(
          Effect.sleep(this.#random.below(5_000)),
          task.finish(this.#mark(tasks, Keyed.name, task.payload.n))
        )
      )
    )
  )

  readonly outside = handleTask(Outside, (task) =>
    this.#try(
      task,
      Effect.sync(() => {
        const { n } = task.payload
        this.#told.set(n, (this.#told.get(n) ?? new Set<TaskId>()).add(task.id))
      })
    )
  )

  /** Some tasks in a transaction, which now and then is rolled back. */
  readonly enqueue = Effect.gen({ self: this }, function* () {
    const tasks = yield* Tasks
    const { atomically } = yield* Transactor
    const kind = this.#random.pick(kinds)
    const key = kind === Keyed ? this.#random.pick(keys) : undefined
    const made = Array.from({ length: 1 + this.#random.below(3) }, () => ++this.#numbers)
    const afterSeconds = this.#random.once(3) ? this.#random.below(600) : 0
    const requests = made.map((n) => ({ payload: { n }, afterSeconds, ...(key === undefined ? {} : { key }) }))
    const enqueued = tasks.enqueue(kind, ...requests)
    if (this.#random.once(5)) return yield* Effect.ignore(atomically(Effect.andThen(enqueued, Effect.fail("no"))))
    yield* atomically(enqueued)
    this.#made.set(kind.name, [...(this.#made.get(kind.name) ?? []), ...made])
    if (key !== undefined) this.#newest.set(key, made.at(-1)!)
  })

  /** Whether none of them is open. */
  readonly isDone = Effect.gen(function* () {
    const store = yield* TaskStore
    for (const { name: kind } of kinds) {
      if ((yield* store.list({ kind, state: "open", limit: 1 })).length > 0) return false
    }
    return true
  })

  /** What must hold once all of them are done. */
  readonly check = Effect.gen({ self: this }, function* () {
    const store = yield* TaskStore
    const marks = yield* store.list({ kind: Mark.name, limit: 10_000 })
    const markedBy = (kind: string) =>
      marks.filter(({ payload }) => payload["kind"] === kind).map(({ payload }) => Number(payload["n"]))
    const made = (kind: string) => this.#made.get(kind) ?? []
    const once = "a task has its effect once"
    mustMatch(once, textsOf(markedBy(Inside.name)), textsOf(made(Inside.name)), "tasks that write as they end")
    mustMatch(once, textsOf([...this.#told.keys()]), textsOf(made(Outside.name)), "tasks that tell a place outside")
    for (const [n, ids] of this.#told) must(once, ids.size === 1, () => ({ n, ids: [...ids] }))
    const keyed = markedBy(Keyed.name)
    must(once, new Set(keyed).size === keyed.length, () => keyed)
    for (const n of keyed) must(once, made(Keyed.name).includes(n), () => ({ n, keyed }))
    for (const [key, n] of this.#newest)
      must("news of a task is never lost", keyed.includes(n), () => ({ key, n, keyed }))
    for (const { name: kind } of kinds) {
      const failed = yield* store.list({ kind, state: "failed", limit: 1 })
      must("every task ends once faults stop", failed.length === 0, () => failed)
    }
  })
}
