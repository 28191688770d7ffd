/** What a failed statement means to the kernel: the only place where errors of PostgreSQL are read. */
import { StorageUnavailable } from "@millrace/core/storage/StorageUnavailable"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"

/** A value that PostgreSQL cannot hold, such as NUL in text: a fault of the caller, no matter when it tries. */
export class UnstorableValue extends TypeError {
  override readonly name = "UnstorableValue"
}

const stateOf = (error: SqlError): string => {
  const { cause } = error.reason
  return Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : ""
}

/** Class 22 of the states of SQL: the data itself is refused. */
const isDataFault = (state: string): boolean => /^22...$/.test(state)

/** Messages of PostgreSQL may quote values, so only the kind, state and constraint are told. */
const messageOf = (error: SqlError, state: string): string => {
  const { reason } = error
  const constraint = reason._tag === "UniqueViolation" ? ` of ${reason.constraint}` : ""
  return `PostgreSQL: ${reason._tag}${constraint}${state === "" ? "" : ` (${state})`}`
}

export const unavailable = (error: SqlError): StorageUnavailable =>
  new StorageUnavailable({ message: messageOf(error, stateOf(error)) })

/** Turns failures of statements into `StorageUnavailable`, and those for unstorable values into defects. */
export const stored = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SqlError> | StorageUnavailable, R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Exclude<E, SqlError> | StorageUnavailable> => {
    if (!isSqlError(error)) return Effect.fail(error as Exclude<E, SqlError>)
    const failure = unavailable(error)
    return isDataFault(stateOf(error)) ? Effect.die(new UnstorableValue(failure.message)) : Effect.fail(failure)
  })

/**
 * A statement over many rows, planned each time. A prepared one keeps the plan of its first runs, when tables
 * may have been almost empty: such a plan reads the whole table for every row (5 s instead of 80 ms for 5,000).
 */
export const storedInBulk = <A>(statement: Statement<A>): Effect.Effect<ReadonlyArray<A>, StorageUnavailable> =>
  stored(statement.unprepared)
