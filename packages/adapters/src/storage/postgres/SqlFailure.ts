/** What a failed statement means to the kernel: the only place where errors of PostgreSQL are read. */
import { StorageUnavailable } from "@millrace/core/storage"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"

/** A value that PostgreSQL cannot hold, such as NUL in text: a fault of the caller, no matter when it tries. */
export class UnstorableValue extends TypeError {
  override readonly name = "UnstorableValue"
}

/** A row for a workspace that the work may not touch: a fault of ours, no matter when it is tried. */
class ForeignWorkspace extends TypeError {
  override readonly name = "ForeignWorkspace"
}

/** The client cannot take what PostgreSQL answers: a fault of ours, no matter when it is tried. */
export class UnreadableAnswer extends TypeError {
  override readonly name = "UnreadableAnswer"
}

/** The state of SQL that PostgreSQL gave with the error; empty where there is none. */
export const stateOf = (error: SqlError): string => {
  const { cause } = error.reason
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : ""
}

/** An answer that the client does not take: one above its largest message, for one. The connection is gone then. */
const isUnreadable = ({ reason }: SqlError): boolean =>
  Predicate.hasProperty(reason.cause, "_tag") && reason.cause._tag === "PgProtocolParseError"

/** Class 22 of the states of SQL: the data itself is refused. */
const isDataFault = (state: string): boolean => /^22...$/.test(state)

/** Messages of PostgreSQL may quote values, so only the kind, state and constraint are reported. */
const isWalled = ({ reason }: SqlError, state: string): boolean =>
  state === "42501" && reason.cause instanceof Error && reason.cause.message.includes("row-level security")

const messageOf = (error: SqlError, state: string): string => {
  const { reason } = error
  const constraint = reason._tag === "UniqueViolation" ? ` of ${reason.constraint}` : ""
  return `PostgreSQL: ${reason._tag}${constraint}${state === "" ? "" : ` (${state})`}`
}

/** `disk_full`: nothing of the statement, nor of its transaction, is kept. */
const diskFull = "53100"

/** `query_canceled`: it took longer than its `statement_timeout`. */
const canceled = "57014"

/** `invalid_catalog_name` */
const noDatabase = "3D000"
const noDatabaseMessage =
  "There is no database of that name. Create it first: create database ... encoding 'UTF8' template template0"

export const unavailable = (error: SqlError): StorageUnavailable => {
  const state = stateOf(error)
  return new StorageUnavailable({
    message: state === noDatabase ? noDatabaseMessage : messageOf(error, state),
    ...(state === diskFull ? { full: true as const } : {}),
    ...(state === canceled ? { tooLong: true as const } : {})
  })
}

/**
 * Turns failures of statements into `StorageUnavailable`, and those that would come back with every other try into
 * defects: unstorable values and unreadable answers. Taken for storage that is away, they would cost one worker after
 * the other its job.
 */
export const stored = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SqlError> | StorageUnavailable, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Exclude<E, SqlError> | StorageUnavailable> => {
    if (!isSqlError(error)) return Effect.fail(error as Exclude<E, SqlError>)
    const failure = unavailable(error)
    if (isUnreadable(error)) return Effect.die(new UnreadableAnswer(`${failure.message}: the answer is not readable`))
    if (isWalled(error, stateOf(error))) {
      return Effect.die(new ForeignWorkspace(`${failure.message}: a row of a workspace that the work is not for`))
    }
    return isDataFault(stateOf(error)) ? Effect.die(new UnstorableValue(failure.message)) : Effect.fail(failure)
  })

const isSqlDefect = (reason: Cause.Reason<unknown>): reason is Cause.Die =>
  Cause.isDieReason(reason) && isSqlError(reason.defect)

/**
 * Runs the effect in a transaction, or in a savepoint of the one it is in; failures of statements as with `stored`.
 *
 * A transaction whose connection broke can be neither committed nor rolled back, and then the client gives every
 * failure as a defect. PostgreSQL has undone it: what went wrong inside counts, and otherwise storage is away.
 */
export const inTransaction =
  (sql: SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError> | StorageUnavailable, R> =>
    Effect.suspend(() => {
      let inside: Exit.Exit<A, E> | undefined
      return effect.pipe(
        Effect.onExit((exit) => Effect.sync(() => void (inside = exit))),
        sql.withTransaction,
        Effect.catchCause((cause): Effect.Effect<never, E | SqlError> => {
          const broken = cause.reasons.find(isSqlDefect)
          if (broken === undefined) return Effect.failCause(cause)
          return inside !== undefined && Exit.isFailure(inside)
            ? Effect.failCause(inside.cause)
            : Effect.fail(broken.defect as SqlError)
        })
      )
    }).pipe(stored)

/**
 * A statement over many rows, planned each time. A prepared one keeps the plan of its first runs, when tables
 * may have been almost empty: such a plan reads the whole table for every row (5 s instead of 80 ms for 5,000).
 */
export const storedInBulk = <A>(statement: Statement<A>): Effect.Effect<ReadonlyArray<A>, StorageUnavailable> =>
  stored(statement.unprepared)
