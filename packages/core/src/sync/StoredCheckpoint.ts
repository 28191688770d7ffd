/**
 * What is kept of a checkpoint between two runs: `{ v, ... }`, read by its version, with whose it is. So a new
 * release goes on from where an old one was, and a checkpoint that another provider instance left, or another way of
 * learning changes, is known before an upstream is asked what it makes of it.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ChangeModel } from "../provider/Capabilities.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"

/** Whose a checkpoint is: the provider instance, and what kind of cursor. */
export interface CheckpointOrigin {
  readonly instanceId: string
  readonly changeModel: ChangeModel
}

const Versioned = Schema.Struct({ v: Schema.Int })

const First = Schema.Struct({
  v: Schema.Literal(1),
  instance: Schema.String,
  kind: Schema.String,
  checkpoint: Schema.optionalKey(Schema.NonEmptyString),
  accounts: Schema.optionalKey(Schema.Array(Schema.String)),
  whole: Schema.optionalKey(Schema.Struct({ from: CalendarDate.CalendarDate, on: CalendarDate.CalendarDate }))
})

/** A read of all the history that was wanted: from which day on, and on which day it was read. */
export interface WholeRead {
  readonly from: CalendarDate.CalendarDate
  readonly on: CalendarDate.CalendarDate
}

/** The driver's checkpoint, and what was read up to it. */
export interface StoredCheckpoint {
  /** Absent of drivers that have none. */
  readonly checkpoint?: string | undefined
  /**
   * Upstream ids of the accounts that were listed then, of a checkpoint of a whole connection; `undefined` for what
   * was kept before they were noted.
   */
  readonly accounts?: ReadonlyArray<string> | undefined
  /** The latest one, of what is read whole now and then. */
  readonly whole?: WholeRead | undefined
}

const parse = (text: string): unknown =>
  Result.getOrUndefined(Result.try(() => (text.startsWith("{") ? JSON.parse(text) : undefined)))

const decodeVersioned = Schema.decodeUnknownOption(Versioned)
const decodeFirst = Schema.decodeUnknownOption(First)

/** Equal text for equal checkpoints: the accounts are put in order. */
export const encodeCheckpoint = (
  { changeModel, instanceId }: CheckpointOrigin,
  { accounts, checkpoint, whole }: StoredCheckpoint
): string =>
  JSON.stringify({
    v: 1,
    instance: instanceId,
    kind: changeModel,
    ...(checkpoint === undefined ? {} : { checkpoint }),
    ...(accounts === undefined ? {} : { accounts: [...accounts].toSorted() }),
    ...(whole === undefined ? {} : { whole })
  } satisfies typeof First.Type)

/**
 * What was kept; `undefined` when it is of another origin or of a version that this release does not know.
 * Text without a version is a checkpoint from before there were versions.
 */
export const decodeCheckpoint = (origin: CheckpointOrigin, text: string): StoredCheckpoint | undefined => {
  const parsed = parse(text)
  if (decodeVersioned(parsed)._tag === "None") return { checkpoint: text }
  const first = decodeFirst(parsed)
  if (first._tag === "None") return undefined
  const { accounts, checkpoint, instance, kind, whole } = first.value
  return instance === origin.instanceId && kind === origin.changeModel ? { checkpoint, accounts, whole } : undefined
}
