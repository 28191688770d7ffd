/** Which databases are taken, and what is left of those that are refused. */
import { knownSchema, migrate, newestSchema } from "../../src/storage/postgres/Migrations.ts"
import { checkRowLevelSecurity, chooseServerRole, serverRole } from "../../src/storage/postgres/ServerRole.ts"
import { byFiles, client } from "@millrace/verification/postgres/TestPostgres"
import * as PgClient from "@effect/sql-pg/PgClient"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { randomBytes } from "node:crypto"
import { describe, inject } from "vitest"

const address = inject("postgres")

const run = <Row extends object>(statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row>(statement))

const bare = (database: string, startupParameters: Readonly<Record<string, string>> = {}) =>
  PgClient.layer({
    host: "127.0.0.1",
    port: address.port,
    username: address.username,
    password: Redacted.make(address.password),
    database,
    maxConnections: 3,
    startupParameters
  })

const onServer = (statement: string) => Effect.orDie(Effect.provide(run(statement), client(address, "postgres", 1)))

/** An empty database, dropped with the test. */
const makeDatabase = Effect.fnUntraced(function* (options = "") {
  const name = `check_${randomBytes(8).toString("hex")}`
  yield* Effect.acquireRelease(onServer(`create database ${name} ${options} ${byFiles}`), () =>
    onServer(`drop database ${name} with (force)`)
  )
  return {
    name,
    on: <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) => Effect.provide(effect, client(address, name, 4))
  }
})

/** A user who may log in, and nothing else; what is theirs goes with the databases. */
const makeUser = Effect.fnUntraced(function* (database: string) {
  const name = `user_${randomBytes(8).toString("hex")}`
  yield* Effect.acquireRelease(onServer(`create role ${name} login password 'known'`), () =>
    Effect.orDie(
      Effect.andThen(
        Effect.provide(run(`drop owned by ${name} cascade`), client(address, database, 1)),
        onServer(`drop role ${name}`)
      )
    )
  )
  return {
    name,
    on: <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
      Effect.provide(effect, client({ ...address, username: name, password: "known" }, database, 2))
  }
})

/** Everything in a database that is not PostgreSQL's own, told without numbers that differ between databases. */
const everything = run<{ readonly thing: string }>(`
  select thing from (
    select 'schema ' || nspname as thing from pg_namespace
    union all
    select format('relation %s.%s %s %s', nspname, relname, relkind, pg_get_indexdef(pg_class.oid)) from pg_class
      join pg_namespace on pg_namespace.oid = relnamespace
    union all
    select format('column %s.%s.%s %s %s %s', nspname, relname, attname, format_type(atttypid, atttypmod), attnotnull,
      (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = attrelid and adnum = attnum))
      from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
      where attnum > 0
    union all
    select format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
      where conrelid <> 0
    union all
    select format('trigger %s', pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
    union all
    select format('function %s.%s %s', nspname, proname, prosrc) from pg_proc
      join pg_namespace on pg_namespace.oid = pronamespace
    union all
    select format('domain %s.%s', nspname, typname) from pg_type
      join pg_namespace on pg_namespace.oid = typnamespace where typtype = 'd'
  ) as things
  where thing !~ '(pg_catalog|pg_toast|information_schema|pg_temp)' order by thing`).pipe(
  Effect.map((rows) => rows.map(({ thing }) => thing))
)

const refusalOf = Effect.flip(migrate).pipe(Effect.map((error) => [error._tag, error.message]))

describe("a database that is empty", () => {
  it.live("gets everything in a schema of our own, and nothing elsewhere", () =>
    Effect.gen(function* () {
      const { on } = yield* makeDatabase()
      const before = yield* on(everything)
      expect(yield* on(migrate)).toHaveLength(newestSchema)
      const added = (yield* on(everything)).filter((thing) => !before.includes(thing))
      expect(added.length).toBeGreaterThan(300)
      expect(added.filter((thing) => thing.startsWith("schema"))).toEqual(["schema millrace"])
      expect(added.filter((thing) => thing.includes("public."))).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("says of every table what its rows are", () =>
    Effect.gen(function* () {
      const { on } = yield* makeDatabase()
      yield* on(migrate)
      const silent = run<{ readonly name: string }>(`select relname as name from pg_class
        where relnamespace = 'millrace'::regnamespace and relkind = 'r' and obj_description(oid, 'pg_class') is null`)
      expect(yield* on(silent)).toEqual([{ name: "schema_migration" }])
    }).pipe(Effect.scoped)
  )

  it.live("is made once by processes that start together", () =>
    Effect.gen(function* () {
      const { on } = yield* makeDatabase()
      const made = yield* on(Effect.all([migrate, migrate, migrate], { concurrency: "unbounded" }))
      expect(made.map((steps) => steps.length).toSorted((a, b) => a - b)).toEqual([0, 0, newestSchema])
    }).pipe(Effect.scoped)
  )

  it.live("stays empty where a step fails on the way", () =>
    Effect.gen(function* () {
      const { on } = yield* makeDatabase()
      yield* on(
        run(`create function public.refuse() returns event_trigger language plpgsql as $$ begin
          if exists (select from pg_event_trigger_ddl_commands() where object_identity like '%.upload') then
            raise 'no room' using errcode = 'disk_full'; end if; end $$`)
      )
      yield* on(run(`create event trigger refuse on ddl_command_end execute function public.refuse()`))
      const before = yield* on(everything)
      const [tag, message] = yield* on(refusalOf)
      expect(tag).toBe("DatabaseUnfit")
      expect(message).toMatch(/^Migration "1_baseline" failed: PostgreSQL: .*\(53100\)$/)
      expect(yield* on(everything)).toEqual(before)
    }).pipe(Effect.scoped)
  )
})

describe("a database that cannot be used", () => {
  it.live("is refused with what to do, and left as it was", () =>
    Effect.gen(function* () {
      const latin = yield* makeDatabase(`encoding 'LATIN1' locale_provider libc locale 'C' template template0`)
      const foreign = yield* makeDatabase()
      yield* foreign.on(Effect.andThen(run("create schema millrace"), run("create table millrace.job (id int)")))
      const similar = yield* makeDatabase()
      yield* similar.on(
        Effect.andThen(run("create schema millrace"), run("create table millrace.schema_migration (version text)"))
      )
      const copy = yield* makeDatabase()
      yield* onServer(`alter database ${copy.name} set default_transaction_read_only = on`)
      const newer = yield* makeDatabase()
      yield* newer.on(
        Effect.andThen(migrate, run("insert into schema_migration (migration_id, name) values (900, 'later')"))
      )
      const other = yield* makeDatabase()
      yield* other.on(
        Effect.andThen(migrate, run("update schema_migration set name = 'another' where migration_id = 1"))
      )
      const unreleased = yield* makeDatabase()
      yield* unreleased.on(
        Effect.andThen(migrate, run("update schema_migration set name = 'foundation' where migration_id = 1"))
      )
      for (const [{ name, on }, expected] of [
        [latin, "keeps text as LATIN1, which cannot hold every text. Make one that can: create database"],
        [foreign, `The schema millrace of the database "${foreign.name}" is somebody else's: it holds "job"`],
        [similar, `is somebody else's: it holds "schema_migration"`],
        [copy, `The database "${copy.name}" can only be read`],
        [
          newer,
          `A newer version of Millrace has used it: its schema has number 900, and this version knows those up to ${knownSchema.at(-1)!.id}`
        ],
        [other, `Another build of Millrace has used it: step 1 of its schema is "another", and here it is "baseline"`],
        [
          unreleased,
          "An unreleased version of Millrace made it, and no version reads its tables any more. Name an empty database"
        ]
      ] as const) {
        const before = yield* on(everything)
        expect([name, ...(yield* on(refusalOf))]).toEqual([name, "DatabaseUnfit", expect.stringContaining(expected)])
        expect(yield* on(everything)).toEqual(before)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is refused where the user may make no schema, and taken once somebody who may has made it", () =>
    Effect.gen(function* () {
      const { name, on } = yield* makeDatabase()
      const user = yield* makeUser(name)
      const before = yield* on(everything)
      const refused = `create schema millrace authorization "${user.name}"`
      expect(yield* user.on(refusalOf)).toEqual(["DatabaseUnfit", expect.stringContaining(refused)])
      expect(yield* on(everything)).toEqual(before)
      yield* on(run("create schema millrace"))
      const owner = `alter schema millrace owner to "${user.name}"`
      expect(yield* user.on(refusalOf)).toEqual(["DatabaseUnfit", expect.stringContaining(owner)])
      yield* on(run(owner))
      expect(yield* user.on(migrate)).toHaveLength(newestSchema)
    }).pipe(Effect.scoped)
  )

  it.live("is refused over a connection that does not look into our schema", () =>
    Effect.gen(function* () {
      const { name } = yield* makeDatabase()
      expect(yield* Effect.provide(refusalOf, bare(name))).toEqual([
        "DatabaseUnfit",
        expect.stringContaining("something in between drops the startup parameter search_path")
      ])
    }).pipe(Effect.scoped)
  )
})

describe("the role of a server", () => {
  it.live("is made by whoever may, can read and write every table, and is the one that servers work in", () =>
    Effect.gen(function* () {
      const { on } = yield* makeDatabase()
      yield* on(migrate)
      expect(yield* on(chooseServerRole)).toBe(serverRole)
      // A table of a later migration.
      yield* on(run("create table later (id text)"))
      expect(yield* Effect.flip(on(chooseServerRole))).toMatchObject({ _tag: "DatabaseUnfit" })
      yield* on(migrate)
      expect(yield* on(chooseServerRole)).toBe(serverRole)
    }).pipe(Effect.scoped)
  )

  it.live("is not needed by an owner who is no superuser: the wall holds for them", () =>
    Effect.gen(function* () {
      const { name, on } = yield* makeDatabase()
      const user = yield* makeUser(name)
      yield* on(run(`grant create on database ${name} to ${user.name}`))
      yield* user.on(migrate)
      expect(yield* user.on(chooseServerRole)).toBeUndefined()
      yield* user.on(checkRowLevelSecurity)
      yield* user.on(run("insert into runner_slot values ('here', 1, now())"))
      yield* user.on(
        run(`insert into workspace values ('ws_1', 'w', null, 'starter', 'UTC', 'en', 'USD', null, now(), now(), 1)`)
      )
      const seen = (setting: string) =>
        user.on(
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            sql.withTransaction(
              Effect.andThen(run(`set local millrace.workspaces = '${setting}'`), run("select id from workspace"))
            )
          )
        )
      expect([yield* seen("*"), yield* seen("ws_1"), yield* seen("ws_2"), yield* seen("")]).toEqual([
        [{ id: "ws_1" }],
        [{ id: "ws_1" }],
        [],
        []
      ])
    }).pipe(Effect.scoped)
  )

  it.live("is asked for where no wall holds for the user, with what to do", () =>
    Effect.gen(function* () {
      const { name, on } = yield* makeDatabase()
      const user = yield* makeUser(name)
      yield* on(run(`alter role ${user.name} bypassrls`))
      yield* on(run(`grant create on database ${name} to ${user.name}`))
      yield* user.on(migrate)
      const refused = yield* Effect.flip(user.on(chooseServerRole))
      expect(refused).toMatchObject({ _tag: "DatabaseUnfit" })
      expect(refused.message).toContain(`sees the rows of all workspaces`)
      const statement = `grant ${serverRole} to "${user.name}"`
      expect(refused.message).toContain(statement)
      expect(yield* Effect.flip(user.on(checkRowLevelSecurity))).toMatchObject({ _tag: "DatabaseUnfit" })
      yield* on(run(statement))
      yield* user.on(migrate)
      expect(yield* user.on(chooseServerRole)).toBe(serverRole)
    }).pipe(Effect.scoped)
  )
})
