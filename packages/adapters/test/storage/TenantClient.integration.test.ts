/** What the client of a server promises beside that of the driver: who sees what, and that nothing of it is left behind. */
import { acrossTenants, withinWorkspaces } from "@millrace/core/workspace"
import { storeWorkspace } from "@millrace/testing/fixture"
import { OwnerClient, walled, walledClient } from "@millrace/verification/postgres/TestPostgres"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { readBoth } from "../../src/storage/postgres/TenantClient.ts"
import { Ids } from "@millrace/core"
import { expect, layer, type Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { inject } from "vitest"

const every = acrossTenants("task engine")

const services = (direct: boolean) =>
  Layer.mergeAll(
    storage.pipe(Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 1).toString("base64")) }))),
    Ids.layer
  ).pipe(Layer.provideMerge(walled(inject("postgres"), direct)))

const databaseName = Effect.flatMap(OwnerClient, (sql) =>
  Effect.map(sql<{ readonly name: string }>`select current_database() as name`, ([row]) => row!.name)
)

/** As over a pooler. */
const without = (database: string) => walledClient(inject("postgres"), database, 3, 0)

/** Two workspaces, and how to ask which of them are to be seen. */
const world = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [one, other] = [yield* every(storeWorkspace()), yield* every(storeWorkspace())]
  const ids = [one.id, other.id].toSorted()
  const seen = Effect.map(
    sql<{ readonly id: string }>`select id from workspace where id = any(${ids}::text[]) order by id`,
    (rows) => rows.map(({ id }) => id)
  )
  return { sql, one, other, ids, seen }
})

/** The same as a statement that goes with another one. */
const looking = (values: ReadonlyArray<unknown>) => ({
  text: "select id from workspace where id = any($1::text[]) order by id",
  values
})

const promises = (it: Vitest.MethodsNonLive<Layer.Success<ReturnType<typeof services>>>) => {
  it.effect("shows a statement the workspaces of its fiber, and nothing where nobody said whose", () =>
    Effect.gen(function* () {
      const { ids, one, other, seen } = yield* world
      expect(yield* seen).toEqual([])
      expect(yield* withinWorkspaces(one.id)(seen)).toEqual([one.id])
      expect(yield* withinWorkspaces(one.id, other.id)(seen)).toEqual(ids)
      expect(yield* every(seen)).toEqual(ids)
      expect(yield* withinWorkspaces(one.id)(withinWorkspaces(other.id)(seen))).toEqual([])
      // Whatever the connections were used for before.
      const asked = yield* Effect.forEach(
        Array.from({ length: 300 }, (_, n) => n % 4),
        (n) =>
          Effect.map(
            n === 0 ? seen : n === 1 ? every(seen) : withinWorkspaces(n === 2 ? one.id : other.id)(seen),
            (found) => [n, found] as const
          ),
        { concurrency: 40 }
      )
      const expected = [[], ids, [one.id], [other.id]]
      for (const [n, found] of asked) expect([n, found]).toEqual([n, expected[n]])
    })
  )

  it.effect("shows a transaction the workspaces of each of its statements, after a savepoint was undone too", () =>
    Effect.gen(function* () {
      const { ids, one, other, seen, sql } = yield* world
      const inside = Effect.gen(function* () {
        const found = [yield* seen, yield* withinWorkspaces(other.id)(seen), yield* seen, yield* every(seen)]
        yield* Effect.ignore(sql.withTransaction(Effect.andThen(every(seen), Effect.fail("undone"))))
        return [...found, yield* seen]
      }).pipe(sql.withTransaction)
      expect(yield* withinWorkspaces(one.id)(inside)).toEqual([[one.id], [], [one.id], ids, [one.id]])
      expect(yield* every(inside)).toEqual([ids, [other.id], ids, ids, ids])
      expect(yield* inside).toEqual([[], [other.id], [], ids, []])
      expect(yield* seen).toEqual([])
    })
  )

  it.effect("begins a transaction with what comes first in it, whatever that is", () =>
    Effect.gen(function* () {
      const { one, other, seen, sql } = yield* world
      const number = Effect.map(
        sql<{ readonly n: string }>`select pg_current_xact_id()::text as n, count(*) from workspace`,
        ([row]) => row!.n
      )
      const inOne = <A, E, R>(all: Effect.Effect<A, E, R>) => withinWorkspaces(one.id)(sql.withTransaction(all))
      const rename = sql`update workspace set name = 'first' where id = ${one.id}`
      const name = Effect.map(
        withinWorkspaces(one.id)(sql<{ readonly name: string }>`select name from workspace where id = ${one.id}`),
        ([row]) => row!.name
      )
      const before = yield* name
      expect(yield* inOne(Effect.succeed("nothing"))).toBe("nothing")
      expect(yield* Effect.flip(inOne(Effect.fail("nothing")))).toBe("nothing")
      // Many at once are of one transaction.
      const numbers = yield* inOne(
        Effect.all(
          Array.from({ length: 5 }, () => number),
          { concurrency: "unbounded" }
        )
      )
      expect(new Set(numbers).size).toBe(1)
      // A savepoint, undone or not.
      const inner = sql.withTransaction(Effect.andThen(rename, Effect.fail("undone")))
      expect(yield* inOne(Effect.andThen(Effect.ignore(inner), seen))).toEqual([one.id])
      expect(yield* name).toBe(before)
      // What may see less than the transaction.
      expect(yield* inOne(Effect.all([withinWorkspaces(other.id)(seen), seen]))).toEqual([[], [one.id]])
      // A stream.
      const streamed = Stream.runCollect(sql<{ readonly id: string }>`select id from workspace`.stream)
      expect((yield* inOne(Effect.tap(streamed, () => rename))).map(({ id }) => id)).toEqual([one.id])
      expect(yield* name).toBe("first")
      // What fails is undone, and says why.
      const broken = yield* Effect.flip(inOne(sql`select 1 / (random() * 0)::int`))
      expect((broken.reason.cause as Error).message).toContain("division by zero")
      expect(yield* withinWorkspaces(one.id)(seen)).toEqual([one.id])
    })
  )

  it.effect("says whose the work is with each transaction where connections keep nothing that they begin with", () =>
    Effect.gen(function* () {
      const { ids, one, seen } = yield* world
      const pooled = Layer.fresh(without(yield* databaseName))
      const asked = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const look = Effect.map(
          sql<{ readonly id: string }>`select id from workspace where id = any(${ids}::text[]) order by id`,
          (rows) => rows.map(({ id }) => id)
        )
        return [
          yield* look,
          yield* withinWorkspaces(one.id)(look),
          yield* every(look),
          yield* every(sql.withTransaction(look)),
          yield* look
        ]
      })
      expect(yield* Effect.provide(asked, pooled)).toEqual([[], [one.id], ids, ids, []])
      expect(yield* seen).toEqual([])
    })
  )

  it.effect("shows each of two statements that go together the workspaces of their fiber", () =>
    Effect.gen(function* () {
      const { ids, one, other, seen, sql } = yield* world
      const both = Effect.map(readBoth(sql, looking([ids]), looking([[one.id]])), (found) =>
        found.map((rows) => rows.map((row) => (row as { readonly id: string }).id))
      )
      const nothing = [[], []]
      const expected = [nothing, [ids, [one.id]], [[one.id], [one.id]], [[other.id], []]]
      const asked = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, n) => n % 4),
        (n) =>
          Effect.map(
            n === 0 ? both : n === 1 ? every(both) : withinWorkspaces(n === 2 ? one.id : other.id)(both),
            (found) => [n, found] as const
          ),
        { concurrency: 40 }
      )
      for (const [n, found] of asked) expect([n, found]).toEqual([n, expected[n]])
      expect(yield* withinWorkspaces(other.id)(sql.withTransaction(both))).toEqual([[other.id], []])
      // Where either fails there is no answer, and the connection serves others.
      const wrong = { text: "select 1 / (length($1::text) - 1)", values: ["a"] }
      for (const [first, second] of [
        [wrong, looking([ids])],
        [looking([ids]), wrong]
      ] as const) {
        expect(yield* Effect.exit(withinWorkspaces(one.id)(readBoth(sql, first, second)))).toSatisfy(Exit.isFailure)
      }
      for (let n = 0; n < 20; n++) expect(yield* withinWorkspaces(one.id)(seen)).toEqual([one.id])
    })
  )

  it.effect("streams behind the wall", () =>
    Effect.gen(function* () {
      const { one, sql } = yield* world
      const rows = Stream.runCollect(sql<{ readonly id: string }>`select id from workspace`.stream)
      expect((yield* withinWorkspaces(one.id)(rows)).map(({ id }) => id)).toEqual([one.id])
      expect(yield* rows).toEqual([])
    })
  )

  it.effect("refuses rows for other workspaces, undoes what failed, and goes on", () =>
    Effect.gen(function* () {
      const { one, other, seen, sql } = yield* world
      const rename = (id: string) => sql`update workspace set name = 'x' where id = ${id} returning id`
      expect(yield* withinWorkspaces(one.id)(rename(other.id))).toEqual([])
      const take = Effect.exit(sql`update workspace set id = ${other.id + "x"} where id = ${one.id}`)
      expect((yield* withinWorkspaces(one.id)(take))._tag).toBe("Failure")
      const broken = yield* Effect.flip(withinWorkspaces(one.id)(sql`select 1 / (random() * 0)::int`))
      expect(broken._tag).toBe("SqlError")
      expect(yield* withinWorkspaces(one.id)(seen)).toEqual([one.id])
      expect(yield* withinWorkspaces(other.id)(rename(other.id))).toEqual([{ id: other.id }])
    })
  )

  it.effect("answers from behind the wall where a prepared statement is out of date", () =>
    Effect.gen(function* () {
      const { one, sql } = yield* world
      const owner = yield* OwnerClient
      yield* owner`create view stale as select id from workspace`
      yield* owner`grant select on stale to millrace_server`
      yield* owner`alter view stale set (security_invoker = true)`
      const ask = withinWorkspaces(one.id)(sql<{ readonly id: string }>`select * from stale`)
      for (let n = 0; n < 3; n++) expect((yield* ask).map(({ id }) => id)).toEqual([one.id])
      yield* owner`drop view stale`
      yield* owner`create view stale with (security_invoker = true) as select id, 1 as more from workspace`
      yield* owner`grant select on stale to millrace_server`
      expect(yield* ask).toEqual([{ id: one.id, more: 1 }])
      yield* owner`drop view stale`
    })
  )

  it.effect("ends a statement at the database when whoever asked goes away, and the connection serves others", () =>
    Effect.gen(function* () {
      const { one, seen, sql } = yield* world
      const owner = yield* OwnerClient
      const sleep = { text: "select pg_sleep(60)", values: [] }
      const running = owner<{ readonly n: number }>`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and query like '%pg_sleep(60%' and pid <> pg_backend_pid() and state = 'active'`
      const until = (n: number): Effect.Effect<void, unknown> =>
        Effect.flatMap(running, ([row]) => (row!.n === n ? Effect.void : until(n)))
      for (const asked of [
        withinWorkspaces(one.id)(sql`select pg_sleep(60)`),
        every(sql`select pg_sleep(60)`),
        withinWorkspaces(one.id)(sql.withTransaction(sql`select pg_sleep(60)`)),
        withinWorkspaces(one.id)(readBoth(sql, sleep, sleep))
      ]) {
        const fiber = yield* Effect.forkChild(asked)
        yield* until(1)
        yield* Fiber.interrupt(fiber)
        yield* until(0)
      }
      const all = yield* Effect.all(
        Array.from({ length: 30 }, () => withinWorkspaces(one.id)(seen)),
        {
          concurrency: "unbounded"
        }
      )
      for (const found of all) expect(found).toEqual([one.id])
    })
  )

  it.effect("works in a role that cannot take the wall down", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [role] = yield* sql`select current_user::text as name, rolsuper as super, rolbypassrls as bypasses
        from pg_roles where rolname = current_user`
      expect(role).toEqual({ name: "millrace_server", super: false, bypasses: false })
      for (const statement of ["alter table feed disable row level security", "drop policy workspace_wall on feed"]) {
        const refused = yield* Effect.flip(every(sql.unsafe(statement)))
        expect(refused.reason._tag).toBe("AuthorizationError")
      }
    })
  )
}

layer(services(true), { excludeTestServices: true })("the client of a server", promises)
layer(services(false), { excludeTestServices: true })("the client of a server behind a pooler", promises)

/** Something that hands connections on: whoever connects is told of another process than the one that answers. */
const pooler = Effect.acquireRelease(
  Effect.promise(async () => {
    const { port } = inject("postgres")
    const sockets = new Set<Socket>()
    const server = createServer((client) => {
      const upstream = connect(port, "127.0.0.1")
      for (const socket of [client, upstream]) sockets.add(socket.on("error", () => undefined))
      client.pipe(upstream)
      upstream.on("data", (bytes: Buffer) => {
        const key = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
        if (key >= 0) bytes.writeInt32BE(bytes.readInt32BE(key + 5) + 1, key + 5)
        client.write(bytes)
      })
      upstream.on("close", () => client.destroy())
      client.on("close", () => upstream.destroy())
    })
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))
    return { server, sockets, port: (server.address() as AddressInfo).port }
  }),
  ({ server, sockets }) =>
    Effect.promise(() => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((done) => void server.close(() => done()))
    })
)

layer(services(true), { excludeTestServices: true })("a client that was told of no pooler", (it) => {
  it.effect("does no work over one, in whichever way it is asked", () =>
    Effect.gen(function* () {
      const { one } = yield* world
      const address = { ...inject("postgres"), port: (yield* pooler).port }
      const asked = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const look = sql`select id from workspace`
        return yield* Effect.forEach(
          [look, sql.withTransaction(look), Stream.runCollect(look.stream), sql`update workspace set name = 'x'`],
          (each) => withinWorkspaces(one.id)(Effect.flip(each))
        )
      }).pipe(Effect.provide(Layer.fresh(walledClient(address, yield* databaseName, 3, undefined, true))))
      for (const { message } of yield* asked) expect(message).toContain("hands connections on")
    })
  )
})
