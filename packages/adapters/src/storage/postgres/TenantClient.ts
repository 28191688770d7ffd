/**
 * The client of a server: each statement and each transaction is shown the workspaces of its fiber (`CurrentTenantScope`) and
 * no others.
 *
 * The setting that says so ends with its transaction, so nothing of it is left on a connection, and it travels with the
 * `begin`: a statement of its own goes as `begin`, setting, statement and `commit` in one message, and costs no more
 * round trips than alone. Work across workspaces has connections of its own, on which the setting is that of all.
 *
 * Where nobody stands between us and the database, a connection keeps the setting until other work needs another one: then
 * a statement goes alone, or behind the new setting in one message, and twice as fast. Behind a pooler that would show one caller the rows of another.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { CurrentTenantScope, type TenantScope } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { stateOf } from "./SqlFailure.ts"
import { everyWorkspace, workspacesSetting } from "./RowLevelSecurity.ts"

const say = `select set_config('${workspacesSetting}', $1, true)`
const keep = `select set_config('${workspacesSetting}', $1, false), pg_backend_pid() as process`

const settingOf = (reach: TenantScope): string =>
  reach === undefined ? "" : reach === "every" ? everyWorkspace : reach.join(",")

const reachSetting = Effect.map(Effect.service(CurrentTenantScope), settingOf)

const handedOn = new SqlError({
  reason: new UnknownError({
    cause: new Error("another process of PostgreSQL than the one that the connection began with"),
    message:
      "Something between the server and PostgreSQL hands connections on, so what is set on one may be seen by others. " +
      "Without MILLRACE_DATABASE_DIRECT each statement says by itself whose it is",
    operation: "connect"
  })
})

type Rows = ReadonlyArray<unknown>
type Transform = Parameters<Connection["execute"]>[2]

/** How a statement is run, on whichever connection. */
type Run = <A>(
  sql: string,
  query: (connection: PgConnection.PgConnection, prepare: boolean) => Effect.Effect<A, SqlError>,
  prepare: boolean
) => Effect.Effect<A, SqlError>

type RunStream = <A>(
  stream: (connection: PgConnection.PgConnection) => Stream.Stream<A, SqlError>
) => Stream.Stream<A, SqlError>

const connectionOf = (run: Run, runStream: RunStream): Connection => {
  const result = (prepare: boolean) => (sql: string, params: Rows) =>
    run(sql, (connection, prepared) => connection.query(sql, params, prepared), prepare)
  const execute =
    (prepare: boolean) =>
    (sql: string, params: Rows, transform: Transform): ReturnType<Connection["execute"]> =>
      Effect.map(result(prepare)(sql, params), ({ rows }) => (transform === undefined ? rows : transform(rows)))
  const values = (prepare: boolean) => (sql: string, params: Rows) =>
    run(sql, (connection, prepared) => connection.queryValues(sql, params, prepared), prepare)
  return {
    execute: execute(true),
    executeUnprepared: execute(false),
    executeRaw: result(true),
    executeValues: values(true),
    executeValuesUnprepared: values(false),
    executeStream: (sql, params, transform) => {
      const rows = runStream((connection) => connection.stream(sql, params))
      return transform === undefined ? rows : Stream.mapArray(rows, (chunk) => transform(chunk) as typeof chunk)
    }
  }
}

/** On a connection whose setting is right for all that it is used for. */
const plain = (connection: PgConnection.PgConnection): Connection =>
  connectionOf(
    (_sql, query, prepare) => query(connection, prepare),
    (stream) => stream(connection)
  )

/** A connection that runs several statements at once cancels none by itself; the session behind it can. */
const cancel = (connection: PgConnection.PgConnection): Effect.Effect<void> =>
  Predicate.hasProperty(connection, "cancel") && Effect.isEffect(connection.cancel)
    ? (connection.cancel as Effect.Effect<void>)
    : Effect.void

const sent = <A>(effect: Effect.Effect<A, SqlError>) =>
  Effect.forkChild(effect, { startImmediately: true, uninterruptible: true })

const rolledBack = Effect.fail(
  new SqlError({
    reason: new UnknownError({
      cause: new Error("rolled back"),
      message: "COMMIT rolled back an aborted transaction",
      operation: "commit"
    })
  })
)

/** States of a prepared statement that the server has forgotten, or that no longer fits its tables. */
const isOutOfDate = (error: SqlError): boolean => ["26000", "0A000"].includes(stateOf(error))

/**
 * One statement in a transaction of its own, all of it sent at once. Each part has a round of its own in the protocol, so
 * what follows a part that failed is refused, and `commit` undoes it.
 */
const alone = <A>(
  connection: PgConnection.PgConnection,
  setting: string,
  query: (prepare: boolean) => Effect.Effect<A, SqlError>,
  prepare: boolean
): Effect.Effect<A, SqlError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const begun = yield* sent(connection.query("begin"))
      const said = yield* sent(connection.query(say, [setting]))
      const asked = yield* sent(query(prepare))
      const ended = yield* sent(connection.query("commit"))
      // Nobody may have the connection before all of it is through.
      const through = Effect.forEach([begun, said, asked, ended], (fiber) => Fiber.await<unknown, SqlError>(fiber))
      yield* Effect.onInterrupt(restore(Fiber.await(ended)), () => Effect.andThen(cancel(connection), through))
      yield* Fiber.join(begun)
      yield* Fiber.join(said)
      // A prepared statement that is out of date has failed with its transaction, and nothing was done.
      if (prepare && Option.exists(Exit.findErrorOption(yield* Fiber.await(asked)), isOutOfDate)) {
        return yield* restore(alone(connection, setting, query, false))
      }
      const answer = yield* Fiber.join(asked)
      const { command } = yield* Fiber.join(ended)
      return command === "ROLLBACK" ? yield* rolledBack : answer
    })
  )

const aloneRun =
  (connection: PgConnection.PgConnection, setting: string): Run =>
  (_sql, query, prepare) =>
    alone(connection, setting, (prepared) => query(connection, prepared), prepare)

const aloneOn = (connection: PgConnection.PgConnection, setting: string): Connection =>
  connectionOf(aloneRun(connection, setting), (stream) =>
    Stream.unwrap(
      Effect.as(
        Effect.acquireRelease(
          Effect.gen(function* () {
            const begun = yield* sent(connection.query("begin"))
            const said = yield* sent(connection.query(say, [setting]))
            yield* Fiber.join(begun)
            yield* Fiber.join(said)
          }),
          () => Effect.ignore(connection.query("commit"))
        ),
        stream(connection)
      )
    )
  )

/**
 * What connections are set to, until somebody sets them to something else. PostgreSQL says which of its processes it set:
 * where that is not the one that the connection began with, a pooler stands in between, and nothing is kept.
 */
class KeptSettings {
  private readonly settings = new WeakMap<PgConnection.PgConnection, string>()

  has(connection: PgConnection.PgConnection, wanted: string): boolean {
    return this.settings.get(connection) === wanted
  }

  /** Sets a connection that nobody else uses now. */
  readonly say = (connection: PgConnection.PgConnection, wanted: string): Effect.Effect<void, SqlError> =>
    Effect.suspend(() => {
      // Until the database has said so, nothing is known.
      this.settings.delete(connection)
      return Effect.flatMap(connection.query(keep, [wanted]), ({ rows: [said] }) => {
        if ((said as { readonly process: number }).process !== connection.processId) return Effect.fail(handedOn)
        this.settings.set(connection, wanted)
        return Effect.void
      })
    })

  /** Sets it, at once where it is set to that already. */
  readonly set = (connection: PgConnection.PgConnection, wanted: string): Effect.Effect<void, SqlError> =>
    Effect.suspend(() => (this.has(connection, wanted) ? Effect.void : this.say(connection, wanted)))
}

/** What only reads: its answer can be thrown away. */
const reads = /^\s*select\b/i

/**
 * The statement, in the fiber that asks. Where that is asked to stop, the database is as well, and nobody has the connection
 * before all that was sent on it is through.
 */
const asked = <A>(
  connection: PgConnection.PgConnection,
  query: Effect.Effect<A, SqlError>
): Effect.Effect<A, SqlError> =>
  Effect.onInterrupt(query, () => Effect.andThen(cancel(connection), Effect.scoped(connection.pin)))

/**
 * One statement on a connection that keeps its setting. Where it has to be set first, a statement that reads goes in the
 * same message, and its answer counts only where the setting was made; one that writes waits for that.
 */
const keptRun =
  (connection: PgConnection.PgConnection, setting: string, kept: KeptSettings): Run =>
  (sql, query, prepare) => {
    if (kept.has(connection, setting)) return asked(connection, query(connection, prepare))
    return Effect.flatMap(sent(kept.say(connection, setting)), (said) => {
      const answer = asked(connection, query(connection, prepare))
      return reads.test(sql)
        ? Effect.flatMap(answer, (found) => Effect.as(Fiber.join(said), found))
        : Effect.andThen(asked(connection, Fiber.join(said)), answer)
    })
  }

const keptOn = (connection: PgConnection.PgConnection, setting: string, kept: KeptSettings): Connection =>
  connectionOf(keptRun(connection, setting, kept), (stream) =>
    Stream.unwrap(Effect.as(kept.set(connection, setting), stream(connection)))
  )

/** A statement that only reads, and its values. */
export interface Reading {
  readonly text: string
  readonly values: Rows
}

type BothRead = readonly [Rows, Rows]

/** Of a client of ours, what two statements find that go in one message. */
const bothOf = Symbol("both")

interface Pairing {
  readonly [bothOf]: (one: Reading, other: Reading) => Effect.Effect<BothRead, SqlError>
}

/**
 * Both on one connection, the first one first, without waiting for it. An interruption cancels the first one here, and the other one
 * as any statement.
 */
const bothOn =
  (one: Reading, other: Reading) =>
  (connection: PgConnection.PgConnection, prepare: boolean): Effect.Effect<BothRead, SqlError> => {
    const rowsOf = ({ text, values }: Reading) =>
      Effect.map(connection.query(text, values, prepare), ({ rows }): Rows => rows)
    return Effect.flatMap(sent(rowsOf(one)), (first) =>
      Effect.onInterrupt(
        Effect.flatMap(rowsOf(other), (second) => Effect.map(Fiber.join(first), (found) => [found, second] as const)),
        () => Effect.andThen(cancel(connection), Fiber.await(first))
      )
    )
  }

/**
 * What two statements find that only read, the first one before the second. They go in one message on one connection, under
 * one setting. In a transaction, and with a client of somebody else, they go one after the other.
 */
export const readBoth = (sql: SqlClient.SqlClient, one: Reading, other: Reading): Effect.Effect<BothRead, SqlError> =>
  Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) => {
    if (Option.isNone(transaction) && Predicate.hasProperty(sql, bothOf)) {
      return (sql as unknown as Pairing)[bothOf](one, other)
    }
    return Effect.all([sql.unsafe(one.text, one.values), sql.unsafe(other.text, other.values)])
  })

const begins = /^\s*(?:begin|start transaction)\b/i
const controls = /^\s*(?:commit|rollback|savepoint|release)\b/i
const undoes = /^\s*rollback\b/i
const ends = /^\s*(?:commit|rollback)\b/i

/** What `begin` and `commit` come to where they were not sent. */
const unsent = (command: string): PgConnection.Result => ({ command, rowCount: 0, oid: null, rows: [], fields: [] })

/**
 * A connection for a transaction, or for anyone who wants one to itself. `begin` and the setting travel with the first statement of
 * the transaction, so they cost no round trip; what runs inside for other workspaces says so first.
 */
const transactionOn = (
  connection: PgConnection.PgConnection,
  scope: Scope.Scope,
  /** What is set where nothing is said. */
  standing: string
): Connection => {
  let owned: PgConnection.PgConnection | undefined
  /** What is set now; undefined where that is not known. */
  let setting: string | undefined
  let inside = false
  /** `begin`, until there is a statement that it can go with. */
  let begin: Effect.Effect<unknown, SqlError> | undefined

  const owning = Semaphore.makeUnsafe(1)
  const own = Effect.suspend(() =>
    owned === undefined
      ? owning.withPermit(
          Effect.suspend(() =>
            owned === undefined
              ? Effect.tap(Scope.provide(connection.pin, scope), (pinned) => Effect.sync(() => void (owned = pinned)))
              : Effect.succeed(owned)
          )
        )
      : Effect.succeed(owned)
  )

  /** The first statement, behind `begin` in one message. What follows a part that failed is refused. */
  const first = <A>(
    begun: Effect.Effect<unknown, SqlError>,
    statement: Effect.Effect<A, SqlError>,
    wanted: string
  ): Effect.Effect<A, SqlError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        begin = undefined
        inside = true
        setting = wanted
        const before = [yield* sent(begun)]
        if (wanted !== standing) before.push(yield* sent(connection.query(say, [wanted])))
        const answer = yield* sent(statement)
        // Nobody may have the connection before all of it is through.
        const through = Effect.forEach([...before, answer], (fiber) => Fiber.await<unknown, SqlError>(fiber))
        yield* Effect.onInterrupt(restore(Fiber.await(answer)), () => Effect.andThen(cancel(connection), through))
        yield* Effect.forEach(before, (fiber) => Fiber.join<unknown, SqlError>(fiber), { discard: true })
        return yield* Fiber.join(answer)
      })
    )

  const said = Effect.fnUntraced(function* () {
    if (begin !== undefined) yield* first(begin, Effect.void, yield* reachSetting)
    const pinned = yield* own
    const wanted = yield* reachSetting
    if (inside && setting !== wanted) {
      setting = undefined
      yield* pinned.query(say, [wanted])
      setting = wanted
    }
    return pinned
  })

  const runs = <A>(
    sql: string,
    query: (on: PgConnection.PgConnection) => Effect.Effect<A, SqlError>
  ): Effect.Effect<A, SqlError> => {
    if (begins.test(sql) && owned === undefined && !inside) {
      begin = query(connection)
      return Effect.succeed(unsent("BEGIN") as A)
    }
    if (begin !== undefined) {
      const begun = begin
      if (!ends.test(sql)) return Effect.flatMap(reachSetting, (wanted) => first(begun, query(connection), wanted))
      // There was nothing to do.
      begin = undefined
      return Effect.succeed(unsent("COMMIT") as A)
    }
    if (!controls.test(sql)) return Effect.flatMap(said(), query)
    // What was set since the savepoint is undone as well.
    if (undoes.test(sql)) setting = undefined
    return Effect.flatMap(own, query)
  }

  return connectionOf(
    (sql, query, prepare) => runs(sql, (on) => query(on, prepare)),
    (stream) => Stream.unwrap(Effect.map(said(), stream))
  )
}

/** The client in words of the driver: what `PgClient.make` does, over two pools. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []) as Effect.Effect<PgConnection.Result, SqlError>, ({ command }) =>
    command === "ROLLBACK" ? rolledBack : Effect.void
  )

export interface TenantClientConfig extends PgClient.PgPoolConfig {
  /**
   * Connections for work across workspaces, beside `maxConnections`. 0 where connections cannot keep what they begin
   * with: then that work says so with each transaction, too.
   */
  readonly acrossConnections: number
  /** Nobody stands between us and the database: what is set on a connection stays there and is seen by us alone. */
  readonly direct?: boolean
}

export const make = Effect.fnUntraced(function* ({ acrossConnections, direct = false, ...config }: TenantClientConfig) {
  const poolOf = (more: Partial<PgClient.PgPoolConfig>, standing: string) =>
    PgPool.make({
      ...config,
      ...more,
      startupParameters: { ...config.startupParameters, [workspacesSetting]: standing }
    })
  // Several statements of one user at once, and never those of two.
  const within = yield* poolOf({ multiplex: true, multiplexConcurrency: 1 }, "")
  const apart = acrossConnections > 0
  const across = apart ? yield* poolOf({ maxConnections: acrossConnections }, everyWorkspace) : within
  const isApart = (reach: TenantScope): boolean => apart && reach === "every"

  const kept = new KeptSettings()
  /** For one statement, by a connection that nobody else uses now. */
  const walled = (connection: PgConnection.PgConnection, setting: string): Connection =>
    direct ? keptOn(connection, setting, kept) : aloneOn(connection, setting)

  const acquirer = Effect.flatMap(Effect.service(CurrentTenantScope), (reach) =>
    isApart(reach)
      ? Effect.map(across.get, plain)
      : Effect.map(within.get, (connection) => walled(connection, settingOf(reach)))
  )
  const transactionAcquirer = Effect.gen(function* () {
    const reach = yield* CurrentTenantScope
    const everywhere = isApart(reach)
    const connection = yield* (everywhere ? across : within).get
    const standing = everywhere ? everyWorkspace : direct ? settingOf(reach) : ""
    if (direct && !everywhere) yield* kept.set(connection, standing)
    return transactionOn(connection, yield* Effect.scope, standing)
  })

  const client = yield* SqlClient.make({
    acquirer,
    borrower: (f) =>
      Effect.flatMap(Effect.service(CurrentTenantScope), (reach) =>
        isApart(reach)
          ? across.use((connection) => f(plain(connection)))
          : within.use((connection) => f(walled(connection, settingOf(reach))))
      ),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    transactionAcquirer,
    compiler: PgClient.makeCompiler(config.transformQueryNames, config.transformJson),
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const both: Pairing[typeof bothOf] = (one, other) =>
    Effect.flatMap(Effect.service(CurrentTenantScope), (reach) =>
      isApart(reach)
        ? across.use((connection) => bothOn(one, other)(connection, true))
        : within.use((connection) => {
            const setting = settingOf(reach)
            const run = direct ? keptRun(connection, setting, kept) : aloneRun(connection, setting)
            return run(one.text, bothOn(one, other), true)
          })
    )
  return Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    [bothOf]: both,
    config,
    json: (value: unknown) =>
      Statement.fragment([Statement.custom<PgClient.PgCustom>("PgJson")(value, undefined, undefined)]),
    listen: (channel: string) => Effect.flatMap(across.reserve, (connection) => connection.listen(channel)),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(across.use((connection) => connection.query("select pg_notify($1, $2)", [channel, payload])))
  }) as PgClient.PgClient
})

/** The role of the connections is part of `startupParameters`. */
export const layer = (config: TenantClientConfig): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> =>
  PgClient.layerFrom(make(config))
