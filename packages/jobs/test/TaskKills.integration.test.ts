/**
 * Processes that run tasks are killed at random moments: every task has its effect once, and none is lost.
 *
 * MILLRACE_LONG=1 kills a hundred times; MILLRACE_SEED repeats the choices of a run, not its timing.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { AesSecrets } from "@millrace/adapters/secrets"
import { Ids } from "@millrace/core"
import { TaskStore, Transactor } from "@millrace/core/storage"
import { type TaskKind, Tasks } from "@millrace/core/task"
import { Seeded } from "@millrace/testing/model"
import { Inside, Keyed, Mark, Outside } from "@millrace/verification/tasks/KilledWork"
import { TaskWorkers } from "@millrace/verification/tasks/TaskWorkers"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { expect, inject, it } from "vitest"

const isLong = process.env["MILLRACE_LONG"] === "1"
const kills = isLong ? 100 : 5
const seed = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 1_000_000)
const keys = ["a", "b", "c"]

/** Numbers as often as they are there, in order. */
const counted = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)

it(
  `has the effect of every task once, whatever is killed (seed ${seed}, ${kills} kills)`,
  // A machine with other work takes ten seconds and more to start a process.
  { timeout: isLong ? 10_800_000 : 1_200_000 },
  async () => {
    const random = new Seeded(seed)
    const address = inject("postgres")
    const runtime = ManagedRuntime.make(
      Layer.mergeAll(Tasks.layer).pipe(
        Layer.provideMerge(PostgresStorage.layer),
        Layer.provide(AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
        Layer.provideMerge(Ids.layer),
        Layer.provideMerge(database(address))
      )
    )
    const folder = await mkdtemp(join(tmpdir(), "millrace-tasks-"))
    const file = join(folder, "told")
    await writeFile(file, "")
    const [row] = await runtime.runPromise(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ readonly name: string }>`select current_database() as name`)
    )
    const workers = new TaskWorkers({ ...address, database: row!.name, file, lease: 2 })
    let made = 0
    const newest = new Map<string, number>()
    /** Some tasks of each kind, in transactions of which some do not come to an end. */
    const enqueue = Effect.gen(function* () {
      const tasks = yield* Tasks
      const { atomically } = yield* Transactor
      const isRolledBack = random.once(5)
      const first = made
      const key = random.pick(keys)
      const step = (n: number) => first + (isRolledBack ? 1_000_000 : 0) + n
      const all = Effect.all([
        tasks.enqueue(Inside, { payload: { n: step(0) } }, { payload: { n: step(1) } }),
        tasks.enqueue(Outside, { payload: { n: step(2) } }, { payload: { n: step(3) } }),
        tasks.enqueue(Keyed, { key, payload: { n: step(4) } })
      ])
      if (isRolledBack) return yield* Effect.ignore(atomically(Effect.andThen(all, Effect.fail("rolled back"))))
      yield* atomically(all)
      newest.set(key, step(4))
      made += 5
    })
    const enqueueSome = () => runtime.runPromise(enqueue)
    const open = (kind: TaskKind<unknown>) =>
      runtime.runPromise(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql<{
              readonly n: number
            }>`select count(*)::int as n from task where kind = ${kind.name} and failed_at is null`
        )
      )
    const openTasks = async () => {
      let sum = 0
      for (const kind of [Inside, Outside, Keyed]) sum += (await open(kind))[0]!.n
      return sum
    }
    try {
      await Promise.all([workers.start(), workers.start(), workers.start()])
      const starts = new Set<Promise<void>>()
      for (let n = 0; n < kills; n++) {
        // One that runs stays, so that kills and takeovers come beside each other.
        while (workers.running < 2) await Promise.race(starts)
        for (let some = 2 + random.below(8); some > 0; some--) await enqueueSome()
        await wait(random.below(150))
        await workers.kill(random.below(3))
        const start = workers.start()
        starts.add(start)
        void start.then(() => starts.delete(start))
      }
      await Promise.all(starts)
      while ((await openTasks()) > 0) await wait(100)

      const marks = await runtime.runPromise(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql<{
              readonly kind: string
              readonly n: number
            }>`select payload ->> 'kind' as kind, (payload ->> 'n')::int as n
          from task where kind = ${Mark.name}`
        )
      )
      const markedBy = (kind: TaskKind<unknown>) => marks.filter((mark) => mark.kind === kind.name).map(({ n }) => n)
      const rounds = Array.from({ length: made / 5 }, (_, n) => n * 5)
      expect(counted(markedBy(Inside))).toEqual(rounds.flatMap((n) => [n, n + 1]))

      const lines = (await readFile(file, "utf8"))
        .trim()
        .split("\n")
        .map((line) => line.split(" "))
      const idsOf = new Map<number, Set<string>>()
      for (const [id, n] of lines) idsOf.set(Number(n), (idsOf.get(Number(n)) ?? new Set<string>()).add(id!))
      expect(counted([...idsOf.keys()])).toEqual(rounds.flatMap((n) => [n + 2, n + 3]))
      // Whoever takes the same id twice for one has taken each of them once.
      expect([...idsOf.values()].filter((ids) => ids.size !== 1)).toEqual([])

      const keyed = markedBy(Keyed)
      expect(new Set(keyed).size).toBe(keyed.length)
      for (const n of keyed) expect(rounds).toContain(n - 4)
      for (const n of newest.values()) expect(keyed).toContain(n)

      const [given] = await runtime.runPromise(
        Effect.flatMap(TaskStore, (store) => store.list({ state: "failed", limit: 1 }))
      )
      expect(given).toBe(undefined)
      const repeated = lines.length - idsOf.size
      process.stdout.write(`${kills} kills, ${made} tasks, ${repeated} calls repeated with the same id\n`)
    } finally {
      await workers.killAll()
      await runtime.dispose()
      await rm(folder, { recursive: true, force: true })
    }
    expect(workers.errors).toBe("")
  }
)
