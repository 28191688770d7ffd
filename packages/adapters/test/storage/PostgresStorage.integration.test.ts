/** What PostgreSQL adds to the promises of the ports: schema, clock, refusals and locks. */
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { migrate } from "../../src/storage/postgres/Migrations.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { UnstorableValue } from "../../src/storage/postgres/SqlFailure.ts"
import {
  BankStore,
  JobStore,
  RecordStore,
  StorageUnavailable,
  TableStore,
  Transactor,
  UploadStore
} from "@millrace/core/storage"
import { jobStatuses, jobTransitions } from "@millrace/core/job"
import { RateLimiter } from "@millrace/core/rate"
import { Ids } from "@millrace/core"
import { wholeScan } from "@millrace/core/table"
import {
  claimJob,
  makeConnection,
  makeUpload,
  makeWrite,
  scopeOf,
  somebody,
  storeAccount,
  storeBank,
  storeFeed,
  storeJob,
  storeTable,
  storeWorkspace
} from "@millrace/testing/fixture"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const secrets = (fill: number) => aesSecrets({ key: Redacted.make(Buffer.alloc(32, fill).toString("base64")) })

const services = Layer.mergeAll(storage.pipe(Layer.provide(secrets(1))), Ids.layer).pipe(
  Layer.provideMerge(database(inject("postgres")))
)

layer(services, { excludeTestServices: true })("PostgreSQL storage itself", (it) => {
  it.effect("migrates once, from however many processes", () =>
    Effect.gen(function* () {
      const again = yield* Effect.all([migrate, migrate, migrate], { concurrency: "unbounded" })
      expect(again).toEqual([[], [], []])
    })
  )

  it.effect("refuses in the database every change of a job's status that is not in the life cycle", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* storeWorkspace()
      const allowed = new Set(jobTransitions.map((row) => `${row.from} ${row.to}`))
      for (const from of jobStatuses) {
        for (const to of jobStatuses) {
          const job = yield* storeJob(yield* storeFeed(workspace), { status: from })
          const changed = yield* Effect.exit(sql`update job set status = ${to} where id = ${job.id}`)
          expect([from, to, changed._tag]).toEqual([
            from,
            to,
            from === to || allowed.has(`${from} ${to}`) ? "Success" : "Failure"
          ])
        }
      }
    })
  )

  it.effect("writes no secret of a connection to the disk, and opens none with another key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bank = yield* storeBank(yield* storeWorkspace())
      const token = makeConnection(bank).connection.secrets["accessToken"]!
      const [row] = yield* sql<{ readonly text: string }>`select bank::text as text from bank where id = ${bank.id}`
      expect(row!.text).toContain("v1.")
      expect(row!.text).not.toContain(token.slice(0, 5))
      const failure = yield* Effect.flatMap(BankStore, (store) => store.connection(bank.id)).pipe(
        Effect.provide(Layer.fresh(storage).pipe(Layer.provide(secrets(2)))),
        Effect.flip
      )
      expect(failure).toEqual(
        new StorageUnavailable({ message: `the secrets of ${bank.id} cannot be opened: unknown_key` })
      )
    })
  )

  it.effect("tells that the database has no room, keeps nothing half, and goes on (injected at the first piece)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* UploadStore
      const feed = yield* storeFeed(yield* storeWorkspace())
      const upload = yield* makeUpload(feed)
      yield* sql`create function no_room() returns trigger language plpgsql as
        'begin raise exception ''could not extend file'' using errcode = ''disk_full''; end'`
      yield* sql`create trigger no_room before insert on upload_piece for each row execute function no_room()`
      const failure = yield* Effect.flip(store.insert(upload, new Uint8Array(4)))
      expect([failure._tag, failure.full]).toEqual(["StorageUnavailable", true])
      expect(yield* store.list(feed.id, {})).toEqual([])
      yield* sql`drop function no_room cascade`
      expect(yield* store.insert(upload, new Uint8Array(4))).toBe(true)
    })
  )

  it.effect("takes upstream ids that look like the separators of its bulk writes", () =>
    Effect.gen(function* () {
      const scope = scopeOf(yield* storeAccount(yield* storeBank(yield* storeWorkspace())))
      const records = yield* RecordStore
      const odd = ["\u001e", "\u001e\ue000", "\ue001\u001ea", "a\ue000", "", "null", "\\u0000 as text"]
      const writes = yield* Effect.forEach(odd, (providerId) => makeWrite({ providerId, fields: { note: providerId } }))
      yield* records.write(scope, writes)
      const changes = yield* records.changes(scope, { after: 0, upTo: 100, limit: 100 })
      expect(changes.map((record) => record.providerId)).toEqual(odd)
      expect(changes.map((record) => record.fields["note"])).toEqual(odd)
    })
  )

  it.effect("takes NUL for a fault of the caller, and goes on", () =>
    Effect.gen(function* () {
      const scope = scopeOf(yield* storeAccount(yield* storeBank(yield* storeWorkspace())))
      const records = yield* RecordStore
      const refused = [
        records.write(scope, [yield* makeWrite({ providerId: "a\u0000b" })]),
        records.write(scope, [yield* makeWrite({ fields: { note: "a\\\u0000b" } })]),
        records.saveCheckpoint({ bankId: "bank_1" as never, accountId: undefined, dataType: "trades" }, "a\u0000b")
      ]
      for (const write of refused) {
        const defect = yield* Effect.catchDefect(write, (cause) => Effect.succeed(cause))
        expect(defect).toBeInstanceOf(UnstorableValue)
      }
      yield* records.write(scope, [yield* makeWrite()])
      expect(yield* records.lastChange(scope.accountId)).toBe(1)
    })
  )

  it.effect("tells of a failed statement what it was, and no value of it", () =>
    Effect.gen(function* () {
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace)
      const failure = yield* Effect.flip(Effect.flatMap(BankStore, (store) => store.insert(bank, undefined)))
      expect(failure).toEqual(new StorageUnavailable({ message: "PostgreSQL: UniqueViolation of bank_pkey (23505)" }))
    })
  )

  it.effect("goes on with a transaction after a call in it failed inside a nested one", () =>
    Effect.gen(function* () {
      const [transactor, banks] = [yield* Transactor, yield* BankStore]
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace)
      yield* transactor.atomically(
        Effect.gen(function* () {
          yield* Effect.ignore(transactor.atomically(banks.insert(bank, undefined)))
          yield* storeBank(workspace)
        })
      )
      expect(yield* banks.list([workspace.id])).toHaveLength(2)
    })
  )

  it.effect("lets nobody cancel a job while its page is being written, and does not wait to beat", () =>
    Effect.gen(function* () {
      const [transactor, jobs] = [yield* Transactor, yield* JobStore]
      const workspace = yield* storeWorkspace()
      const { job, fence } = yield* claimJob(yield* storeFeed(workspace))
      const other = yield* claimJob(yield* storeFeed(workspace))
      const fenced = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const page = yield* transactor
        .atomically(
          Effect.gen(function* () {
            yield* jobs.fence(fence, { add: { read: 1 } })
            yield* Deferred.succeed(fenced, undefined)
            yield* Deferred.await(go)
          })
        )
        .pipe(Effect.forkChild)
      yield* Deferred.await(fenced)
      const cancel = yield* Effect.forkChild(jobs.cancel(job.id, "cancel", somebody))
      expect((yield* jobs.beat([fence, other.fence])).toSorted()).toEqual([job.id, other.job.id].toSorted())
      expect(yield* jobs.claim(job.id, [])).toEqual(Option.none())
      expect(cancel.pollUnsafe()).toBeUndefined()
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(page)
      expect((yield* Fiber.join(cancel)).counts.read).toBe(1)
    })
  )

  it.effect("lets nobody wait for the lock of a table of another workspace", () =>
    Effect.gen(function* () {
      const [transactor, tables] = [yield* Transactor, yield* TableStore]
      const workspace = yield* storeWorkspace()
      const stranger = yield* storeWorkspace()
      const table = yield* storeTable(workspace)
      const locked = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const holder = yield* transactor
        .atomically(
          Effect.gen(function* () {
            yield* tables.lock(workspace.id, table.id)
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(go)
          })
        )
        .pipe(Effect.forkChild)
      yield* Deferred.await(locked)
      const foreign = transactor.atomically(tables.lock(stranger.id, table.id))
      expect(yield* foreign).toEqual(Option.none())
      expect(holder.pollUnsafe()).toBeUndefined()
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(holder)
    })
  )

  it.effect("ends a read of rows that takes longer than its patience, and says so", () =>
    Effect.gen(function* () {
      const [sql, tables] = [yield* SqlClient.SqlClient, yield* TableStore]
      const table = yield* storeTable(yield* storeWorkspace())
      yield* sql`insert into table_row (id, table_id, field_values, folded, created_by, updated_by, version, created_at,
          updated_at)
        select 'row_' || n, ${table.id}, jsonb_build_object('name', repeat('x', 500)), '{}', '{}', '{}', 1, now(), now()
        from generate_series(1, 20000) n`
      const test = { tag: "text", how: "contains", values: ["y"], trimmed: false } as const
      const parts = Array.from({ length: 50 }, () => ({ tag: "test", field: "name", blank: false, test }) as const)
      const scan = wholeScan(table.id, { where: { tag: "or", parts }, limit: 1 })
      const hasty = { ...scan, patience: 0.01 }
      for (const read of [Effect.asVoid(tables.rows(hasty)), Effect.asVoid(tables.count(hasty))])
        expect(yield* Effect.flip(read)).toMatchObject({ _tag: "StorageUnavailable", tooLong: true })
      // The connection has its patience back.
      expect(yield* tables.rows({ ...scan, patience: 60 })).toEqual([])
      expect(yield* tables.count(scan)).toBe(0)
    })
  )

  it.effect("admits no more than the limit of requests that come together", () =>
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      const decisions = yield* Effect.forEach(Array.from({ length: 60 }), () => limiter.arrive("ws_storm", 30), {
        concurrency: "unbounded"
      })
      expect(decisions.filter((decision) => decision.admitted)).toHaveLength(30)
    })
  )

  it.effect("tells a connection that breaks within a transaction as storage that is away, wherever it breaks", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { atomically } = yield* Transactor
      const outside = Effect.runPromiseWith(yield* Effect.context())
      const breaking = <A, E>(then: Effect.Effect<A, E>) =>
        Effect.gen(function* () {
          const [row] = yield* sql<{ readonly pid: number }>`select pg_backend_pid() as pid`
          yield* Effect.promise(() => outside(sql`select pg_terminate_backend(${row!.pid}::int, 5000)`))
          return yield* then
        }).pipe(atomically, Effect.exit)
      const away = Exit.fail(expect.objectContaining({ _tag: "StorageUnavailable" }))
      expect(yield* breaking(sql`select 1`)).toEqual(away)
      expect(yield* breaking(Effect.void)).toEqual(away)
      expect(yield* breaking(Effect.fail("refused" as const))).toEqual(Exit.fail("refused"))
      expect(yield* breaking(Effect.die("broken"))).toEqual(Exit.die("broken"))
    })
  )
})
