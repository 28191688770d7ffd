/** The envelope of every success (decisions 1.5). */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { type AnyDefinition, Accepted, Links, type Rows, type SuccessKind } from "@millrace/core/operation"

const success = Schema.Literal(true)

const listMeta = {
  /** Rows in this answer. */
  count: Schema.Int,
  hasMore: Schema.Boolean,
  cursor: Schema.optionalKey(Schema.String),
  /** Repeats `cursor`, and only when there is another page. */
  nextCursor: Schema.optionalKey(Schema.String)
}

/** The schema of the whole body of an answer, but for a 202. */
const bodyOf = ({ data = Schema.Unknown, kind, meta }: AnyDefinition["success"]): Schema.Top => {
  switch (kind) {
    case "record":
      return meta === undefined
        ? Schema.Struct({ success, data })
        : Schema.Struct({ success, data, meta: Schema.Struct(meta) })
    case "list":
      return Schema.Struct({
        success,
        data: Schema.Array(data),
        meta: Schema.Struct({ ...listMeta, ...meta }),
        links: Links
      })
    case "done":
      return Schema.Struct({ success })
    case "deleted":
      return Schema.Struct({ success, data: Schema.Struct({ deleted: Schema.Literal(true) }) })
    case "whole":
      return data
  }
}

const withStatus = (schema: Schema.Top, status: number): Schema.Top =>
  status === 200 ? schema : schema.pipe(HttpApiSchema.status(status))

/** The schemas of the answers of an operation. */
export const successSchemas = ({ success: given }: AnyDefinition): ReadonlyArray<Schema.Top> => [
  withStatus(bodyOf(given), given.status),
  ...(given.accepted === undefined ? [] : [withStatus(Schema.Struct({ success, data: given.accepted }), 202)])
]

interface Page extends Rows<unknown> {
  readonly meta?: object
}

const pageMeta = ({ cursor, hasMore = false, meta, rows }: Page) => ({
  count: rows.length,
  hasMore,
  ...(cursor === undefined ? {} : { cursor }),
  ...(hasMore && cursor !== undefined ? { nextCursor: cursor } : {}),
  ...meta
})

/** What leads on from a body is a body, so there is no link to it. */
const pageLinks = (self: string, { cursor, hasMore = false }: Page, isLinked: boolean) => {
  if (!hasMore || cursor === undefined || !isLinked) return { self }
  const [path, query] = self.split("?", 2)
  const parameters = new URLSearchParams(query)
  parameters.set("cursor", cursor)
  return { self, next: `${path}?${parameters.toString()}` }
}

/** The body of an answer. `self` is the target of the request. */
export const envelopeOf = ({ method, success: given }: AnyDefinition, answer: unknown, self: string): unknown => {
  if (answer instanceof Accepted) return { success: true, data: answer.data }
  switch (given.kind) {
    case "record":
      return given.meta === undefined ? { success: true, data: answer } : { success: true, ...(answer as object) }
    case "list": {
      const page = answer as Page
      return { success: true, data: page.rows, meta: pageMeta(page), links: pageLinks(self, page, method === "GET") }
    }
    case "done":
      return { success: true }
    case "deleted":
      return { success: true, data: { deleted: true } }
    case "whole":
      return answer
  }
}

interface ListMeta {
  readonly count: number
  readonly hasMore: boolean
  readonly cursor?: string
  readonly nextCursor?: string
}

/** The type of the body, from what the operation answers. */
export type Envelope<A, K extends SuccessKind> =
  A extends Accepted<infer D>
    ? { readonly success: true; readonly data: D }
    : K extends "whole"
      ? A
      : K extends "done"
        ? { readonly success: true }
        : K extends "deleted"
          ? { readonly success: true; readonly data: { readonly deleted: true } }
          : K extends "list"
            ? A extends Rows<infer Row>
              ? {
                  readonly success: true
                  readonly data: ReadonlyArray<Row>
                  readonly meta: ListMeta & (A extends { readonly meta: infer M } ? M : object)
                  readonly links: Readonly<Record<string, string>>
                }
              : never
            : A extends { readonly data: infer D; readonly meta: infer M }
              ? { readonly success: true; readonly data: D; readonly meta: M }
              : { readonly success: true; readonly data: A }
