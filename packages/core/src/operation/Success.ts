/** What an operation answers with: the schema of its data, and what `run` returns for it. Surfaces put the envelope around it. */
import * as Schema from "effect/Schema"

type Fields = Schema.Struct.Fields
type Meta<M extends Fields> = keyof M extends never ? object : { readonly meta: Schema.Struct.Type<M> }

/** Rows of a list. `cursor` leads to the next page. */
export type Rows<A> = {
  readonly rows: ReadonlyArray<A>
  readonly hasMore?: boolean
  readonly cursor?: string | undefined
}

/**
 * `record`: one record under `data`. `list`: rows under `data`, with `meta` and `links`. `done`: no data. `deleted`: the record
 * is gone, or in the trash. `whole`: the schema is that of the whole body.
 */
export type SuccessKind = "record" | "list" | "done" | "deleted" | "whole"

/** `A` is what `run` returns. */
export interface Success<out A = unknown, out K extends SuccessKind = SuccessKind> {
  readonly kind: K
  readonly status: 200 | 201 | 202
  readonly data: Schema.Top | undefined
  /** Fields of `meta` beside those that every list has. */
  readonly meta: Fields | undefined
  /** The schema of `data` where the answer is 202 instead: the operation goes on in the background. */
  readonly accepted: Schema.Top | undefined
  readonly "~answer"?: (_: never) => A
}

/** The answer of an operation that goes on in the background: 202 with this data. */
export class Accepted<out A = unknown> {
  readonly data: A
  constructor(data: A) {
    this.data = data
  }
}

interface Options<M extends Fields> {
  /** 200 unless given. */
  readonly status?: 200 | 201 | 202
  readonly meta?: M
}

const made = <A, K extends SuccessKind>(
  kind: K,
  data: Schema.Top | undefined,
  { meta, status = 200 }: Options<Fields> = {}
) => ({ kind, status, data, meta, accepted: undefined }) as Success<A, K>

/** One record. With `meta`, `run` returns both. */
export const record = <S extends Schema.Top, const M extends Fields = {}>(
  data: S,
  options?: Options<M>
): Success<keyof M extends never ? S["Type"] : { readonly data: S["Type"] } & Meta<M>, "record"> =>
  made("record", data, options)

/** A list, whole or in pages. */
export const list = <S extends Schema.Top, const M extends Fields = {}>(
  row: S,
  options?: Options<M>
): Success<Rows<S["Type"]> & Meta<M>, "list"> => made("list", row, options)

/** Nothing but that it is done. */
export const done: Success<void, "done"> = made("done", undefined)

/** The record is gone, or in the trash. */
export const deleted: Success<void, "deleted"> = made("deleted", undefined)

/** A body that has a form of its own. */
export const whole = <S extends Schema.Top>(body: S): Success<S["Type"], "whole"> => made("whole", body)

/** The same, or 202 where `run` returns `Accepted`. */
export const orAccepted = <A, K extends SuccessKind, S extends Schema.Top>(
  success: Success<A, K>,
  accepted: S
): Success<A | Accepted<S["Type"]>, K> => ({ ...success, accepted }) as Success<A | Accepted<S["Type"]>, K>

/** Addresses of what belongs to a record, by name. */
export const Links = Schema.Record(Schema.String, Schema.String)
