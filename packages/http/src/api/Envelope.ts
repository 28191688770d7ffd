/** The envelope of every success (decisions 1.5). */
import * as Schema from "effect/Schema"
import { CalendarDate, type Page, Recovery, Timestamp } from "@millrace/core"

const success = Schema.Literal(true)

export const Links = Schema.Record(Schema.String, Schema.String)

/** When an answer was true upstream, and why it is not of now. */
export const freshness = {
  asOf: Schema.optionalKey(
    Timestamp.Timestamp.annotate({ description: "When the answer was true at the bank; absent before the first read." })
  ),
  stale: Schema.Boolean.annotate({ description: "Stored data answers: the bank could not be read, or was not asked." }),
  reason: Schema.optionalKey(
    Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      recovery: Schema.optionalKey(Recovery.Recovery)
    }).annotate({ description: "Why the bank could not be read." })
  )
}

export const ListMeta = Schema.Struct({
  /** Rows in this answer. */
  count: Schema.Int,
  hasMore: Schema.Boolean,
  cursor: Schema.optionalKey(Schema.String),
  /** Repeats `cursor`, and only when there is another page. */
  nextCursor: Schema.optionalKey(Schema.String)
})

const FreshListMeta = Schema.Struct({
  ...ListMeta.fields,
  ...freshness,
  window: Schema.optionalKey(
    Schema.Struct({
      from: Schema.optionalKey(CalendarDate.CalendarDate),
      to: Schema.optionalKey(CalendarDate.CalendarDate)
    })
  ),
  /** Answers to a watermark: ids that vanished or no longer match. */
  removed: Schema.optionalKey(Schema.Array(Schema.String))
})

/** One record. */
export const One = <S extends Schema.Top>(data: S) => Schema.Struct({ success, data })

/** One record with what is said about it. */
export const OneWith = <S extends Schema.Top, M extends Schema.Top>(data: S, meta: M) =>
  Schema.Struct({ success, data, meta })

/** A list. */
export const Many = <S extends Schema.Top>(row: S) =>
  Schema.Struct({ success, data: Schema.Array(row), meta: ListMeta, links: Links })

/** A list that was read through from upstream. */
export const FreshMany = <S extends Schema.Top>(row: S) =>
  Schema.Struct({ success, data: Schema.Array(row), meta: FreshListMeta, links: Links })

/** Nothing to say but that it is done. */
export const Done = Schema.Struct({ success })

/** The record is gone, or in the trash. */
export const Deleted = Schema.Struct({ success, data: Schema.Struct({ deleted: Schema.Literal(true) }) })

export const one = <A>(data: A) => ({ success: true as const, data })

export const done = { success: true as const }

export const deleted = { success: true as const, data: { deleted: true as const } }

const pageMeta = (page: Omit<Page<unknown>, "rows">, count: number) => ({
  count,
  hasMore: page.hasMore,
  ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
  ...(page.hasMore && page.cursor !== undefined ? { nextCursor: page.cursor } : {})
})

const pageLinks = (self: string, page: Omit<Page<unknown>, "rows">): Readonly<Record<string, string>> => {
  if (!page.hasMore || page.cursor === undefined) return { self }
  const [path, query] = self.split("?", 2)
  const parameters = new URLSearchParams(query)
  parameters.set("cursor", page.cursor)
  return { self, next: `${path}?${parameters.toString()}` }
}

/** `self` is the target of the request. */
export const many = <A, Meta extends object = object>(
  self: string,
  data: ReadonlyArray<A>,
  page: Omit<Page<unknown>, "rows"> = { hasMore: false },
  meta?: Meta
) => ({
  success: true as const,
  data,
  meta: { ...pageMeta(page, data.length), ...(meta as Meta) },
  links: pageLinks(self, page)
})
