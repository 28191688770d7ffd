/** Processes that deliver events are killed at any moment: each event arrives, in the order of its subject. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { startupParameters } from "@millrace/adapters/postgres"
import { EventStore } from "@millrace/core/storage"
import { Ids } from "@millrace/core"
import { makeEvent } from "@millrace/testing/fixture"
import { storeWorkspace } from "@millrace/testing/fixture"
import { forget, guard } from "@millrace/verification/process/Guardian"
import { makeServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { toRun } from "@millrace/verification/process/Programs"
import * as PgClient from "@effect/sql-pg/PgClient"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"

const isLong = process.env["MILLRACE_LONG"] === "1"
const kills = isLong ? 100 : 4
/** A machine with other work takes ten seconds and more to start a process. */
const patienceMillis = isLong ? 10_800_000 : 600_000
const workers = 2
const subjects = ["a", "b", "c", "d"]
/** What a killed process held is taken over after a second; a machine that does much else takes longer. */
const settleMillis = 60_000

interface Line {
  readonly workspaceId: string
  readonly sequence: number
  readonly subject: string
  readonly data: { readonly n: number }
}

class Worker {
  private child: ChildProcess | undefined
  readonly environment: Readonly<Record<string, string>>

  constructor(environment: Readonly<Record<string, string>>) {
    this.environment = environment
  }

  /** Returns when it works. */
  async start(): Promise<void> {
    const program = await toRun(resolve(import.meta.dirname, "eventWorker.ts"))
    const child = spawn(process.execPath, program, {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...this.environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.child = child
    if (child.pid !== undefined) guard({ pid: child.pid, signal: "SIGKILL" })
    let errors = ""
    child.stderr!.on("data", (text: Buffer) => void (errors += text.toString()))
    return new Promise((done, fail) => {
      child.stdout!.once("data", () => done())
      child.once("exit", () => fail(new Error(`The worker ended by itself: ${errors}`)))
    })
  }

  kill(): Promise<void> {
    const { child } = this
    if (child?.pid === undefined || child.exitCode !== null) return Promise.resolve()
    return new Promise((done) => {
      child.removeAllListeners("exit")
      child.once("exit", () => {
        forget(child.pid!)
        done()
      })
      child.kill("SIGKILL")
    })
  }
}

it.live(
  `delivers every event in the order of its subject through ${kills} kills`,
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* Effect.acquireRelease(
          Effect.promise(() => makeServerDatabase(inject("postgres"), "migrated")),
          ({ drop }) => Effect.promise(drop)
        )
        const folder = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "millrace-events-"))),
          (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
        )
        const log = join(folder, "deliveries")
        const client = PgClient.layer({ url: Redacted.make(database.url), maxConnections: 8, startupParameters })
        const services = Layer.merge(
          PostgresStorage.layer.pipe(
            Layer.provide(AesSecrets.layer({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
            Layer.provide(client)
          ),
          Ids.layer
        )
        yield* Effect.provide(PostgresStorage.migrate, client)

        yield* Effect.gen(function* () {
          const store = yield* EventStore
          const spaces = [(yield* storeWorkspace()).id, (yield* storeWorkspace()).id]
          const written = new Map<string, number>()
          const writers = { stopped: false }
          const write = Effect.fnUntraced(function* (space: (typeof spaces)[number], subject: string) {
            for (let n = 1; !writers.stopped; n++) {
              yield* store.append([makeEvent(space, subject, n)])
              written.set(`${space} ${subject}`, n)
              yield* Effect.sleep(`${Math.ceil(Math.random() * 200)} millis`)
            }
          })
          const writing = yield* Effect.forkChild(
            Effect.forEach(
              spaces.flatMap((space) => subjects.map((subject) => [space, subject] as const)),
              ([space, subject]) => write(space, subject),
              { concurrency: "unbounded", discard: true }
            )
          )

          const environment = { DATABASE_URL: database.url, DELIVERY_LOG: log }
          const all = Array.from({ length: workers }, () => new Worker(environment))
          yield* Effect.acquireRelease(
            Effect.promise(() => Promise.all(all.map((worker) => worker.start()))),
            () => Effect.promise(() => Promise.all(all.map((worker) => worker.kill())))
          )
          let starting = Promise.resolve()
          for (let n = 0; n < kills; n++) {
            yield* Effect.sleep(`${Math.ceil(Math.random() * 300)} millis`)
            const worker = all[n % workers]!
            yield* Effect.promise(async () => {
              // The other one works while this one starts.
              await starting
              await worker.kill()
              starting = worker.start()
            })
          }
          yield* Effect.promise(() => starting)
          writers.stopped = true
          yield* Fiber.join(writing)

          let total = 0
          for (const count of written.values()) total += count
          const lines = Effect.promise(async () =>
            (await readFile(log, "utf8").catch(() => ""))
              .split("\n")
              .filter((text) => text !== "")
              .map((text) => JSON.parse(text) as Line)
          )
          const echoes = Effect.promise(() =>
            database.query<{ workspace: string; subject: string; of: number; n: number }>(
              `select workspace_id as workspace, subject_id as subject, (data->>'of')::int as of,
                (data->'data'->>'n')::int as n from millrace.event where type = 'thing.echoed' order by tick`
            )
          )
          const until = Date.now() + settleMillis
          for (;;) {
            const seen = new Set((yield* lines).map(({ sequence, workspaceId }) => `${workspaceId} ${sequence}`))
            if ((seen.size >= total && (yield* echoes).length >= total) || Date.now() > until) break
            yield* Effect.sleep("100 millis")
          }

          const delivered = yield* lines
          for (const [key, count] of written) {
            const own = delivered.filter(({ subject, workspaceId }) => `${workspaceId} ${subject}` === key)
            const first = [...new Set(own.map(({ data }) => data.n))]
            expect(first, `the file, ${key}`).toEqual(Array.from({ length: count }, (_, n) => n + 1))
            // One that is handed over again is the same one.
            for (const { data, sequence } of own) {
              expect(own.find((one) => one.data.n === data.n)?.sequence).toBe(sequence)
            }
          }
          const echoed = yield* echoes
          expect(echoed).toHaveLength(total)
          for (const [key, count] of written) {
            const own = echoed.filter(({ subject, workspace }) => `${workspace} ${subject}` === key)
            expect(
              own.map(({ n }) => n),
              `the log, ${key}`
            ).toEqual(Array.from({ length: count }, (_, n) => n + 1))
          }
          const again = delivered.length - total
          process.stdout.write(`${total} events, ${kills} kills, ${again} handed over again\n`)
        }).pipe(Effect.provide(services))
      })
    ),
  patienceMillis
)
