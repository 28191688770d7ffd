/** Kinds of tasks: what their payload is, how many run at a time, and when a try that failed is repeated. */
import * as Schema from "effect/Schema"
import { kindName } from "./Task.ts"

/** Waits before the second try and each further one: each twice as long as the one before, up to `mostSeconds`. */
export interface Backoff {
  readonly firstSeconds: number
  readonly mostSeconds: number
}

/**
 * A kind of task. It is plain data, so that anyone who makes tasks of it needs nothing of what runs them.
 *
 * Kinds are open: an embedding program declares its own with `taskKind`, and runs them with `handleTask`.
 */
export interface TaskKind<A> {
  readonly name: string
  /** Payloads are stored as JSON objects. A payload of an earlier release must still decode. */
  readonly payload: Schema.Codec<A, Schema.JsonObject>
  /** Tasks of the kind that run at the same time in one process. */
  readonly concurrency: number
  /** Tries before a task is given up; `Infinity` never gives up. */
  readonly attempts: number
  readonly backoff: Backoff
  /** Seconds that one try may take; it counts as failed then. */
  readonly timeoutSeconds: number
}

const fallback = {
  concurrency: 2,
  attempts: 10,
  backoff: { firstSeconds: 5, mostSeconds: 3_600 },
  timeoutSeconds: 300
} as const

/** Declares a kind. A name or a number that cannot be is a defect of the program. */
export const taskKind = <A>(
  name: string,
  options: Pick<TaskKind<A>, "payload"> & Partial<Omit<TaskKind<A>, "name" | "payload">>
): TaskKind<A> => {
  const kind: TaskKind<A> = { ...fallback, ...options, name }
  if (!kindName.test(name)) {
    throw new RangeError(`The kind of task "${name}" needs a name of 2 to 40 characters: a-z, then a-z, 0-9 and _.`)
  }
  const { attempts, backoff, concurrency, timeoutSeconds } = kind
  const wrong = (what: string) => new RangeError(`The kind of task "${name}" needs ${what}.`)
  if (!Number.isInteger(concurrency) || concurrency < 1) throw wrong("a concurrency of at least 1")
  if (attempts !== Infinity && (!Number.isInteger(attempts) || attempts < 1)) throw wrong("at least 1 attempt")
  if (!(timeoutSeconds > 0)) throw wrong("a timeoutSeconds above 0")
  if (!(backoff.firstSeconds >= 0 && backoff.mostSeconds >= backoff.firstSeconds)) {
    throw wrong("a backoff that begins at 0 or more and does not shrink")
  }
  return kind
}

/** Payload of kinds that need to know nothing. */
export const NoPayload = Schema.Struct({})

/** Seconds before the next try of a task that was tried that often, before any spread. */
export const backoffSeconds = ({ firstSeconds, mostSeconds }: Backoff, attempts: number): number =>
  Math.min(mostSeconds, firstSeconds * 2 ** Math.min(Math.max(0, attempts - 1), 40))
