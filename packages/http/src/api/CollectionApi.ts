/** The endpoints of a collection, from its contract (decisions 5). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import type { CollectionSurface } from "@millrace/core/access"
import type { CollectionContract } from "@millrace/core/collection"
import { always, ofBody, ofKey, ofPath, Stale, StateConflict } from "./ApiError.ts"
import { Deleted, Done, Many, One } from "./Envelope.ts"
import { ifMatch, ifNoneMatch } from "./FeedApi.ts"
import { Flag, paging } from "./Parameters.ts"

/** All six; whether there is a trash, and with it a way out of it, is decided by `collectionApi`. */
const endpointsOf = <O extends string, M extends string, A, New, Change, Shown>(
  contract: CollectionContract<A, New, Change, Shown>,
  { one, many, parameter, path, trash }: CollectionSurface<O, M>
) => {
  const byId = `${path}/:${parameter}` as const
  const params: Readonly<Record<string, typeof Schema.String>> = { [parameter]: Schema.String }
  const query: Readonly<Record<string, Schema.Codec<string | number | boolean, string>>> = contract.query
  const optionalQuery = Object.fromEntries(
    Object.entries(query).map(([name, schema]) => [name, Schema.optionalKey(schema)])
  )
  const removal = Object.fromEntries(
    Object.entries(contract.removal ?? {}).map(([name, schema]) => [name, Schema.optionalKey(schema)])
  )
  return {
    list: HttpApiEndpoint.get(`list${many}` as const, path, {
      query: {
        ...optionalQuery,
        ...(trash ? { trashed: Schema.optionalKey(Flag) } : {}),
        ...(contract.paged ? paging : {})
      },
      success: Many(contract.record),
      error: always
    }),
    create: HttpApiEndpoint.post(`create${one}` as const, path, {
      payload: contract.create,
      success: One(contract.record).pipe(HttpApiSchema.status(201)),
      error: [...always, ...ofBody, ...ofKey]
    }),
    get: HttpApiEndpoint.get(`get${one}` as const, byId, {
      params,
      headers: ifNoneMatch,
      success: One(contract.record),
      error: ofPath
    }),
    update: HttpApiEndpoint.put(`update${one}` as const, byId, {
      params,
      headers: ifMatch,
      payload: contract.update,
      success: One(contract.record),
      error: [...ofPath, ...ofBody, Stale, ...ofKey]
    }),
    remove: HttpApiEndpoint.delete(`delete${one}` as const, byId, {
      params,
      query: { ...removal, ...(trash ? { permanent: Schema.optionalKey(Flag) } : {}) },
      headers: ifMatch,
      success: contract.saysDeleted ? Deleted : Done,
      error: trash ? [...ofPath, StateConflict, Stale] : [...ofPath, Stale]
    }),
    restore: HttpApiEndpoint.post(`restore${one}` as const, `${byId}/restore`, {
      params,
      success: One(contract.record),
      error: [...ofPath, ...ofKey]
    })
  }
}

/** The group of a bundled collection without a trash: its operations are known to the compiler. */
export const collectionApi = <const Noun extends string, O extends string, M extends string, A, New, Change, Shown>(
  noun: Noun,
  contract: CollectionContract<A, New, Change, Shown>,
  surface: CollectionSurface<O, M, false>
) => {
  const { create, get, list, remove, update } = endpointsOf(contract, surface)
  return HttpApiGroup.make(noun, { topLevel: true }).add(list, create, get, update, remove)
}

/** The group of any collection. */
export const anyCollectionApi = (contract: CollectionContract<unknown, unknown, unknown>): HttpApiGroup.Top => {
  const { noun, trash } = contract.surface
  const { create, get, list, remove, restore, update } = endpointsOf(contract, contract.surface)
  const group = HttpApiGroup.make(noun, { topLevel: true }).add(list, create, get, update, remove)
  return (trash ? group.add(restore) : group) as unknown as HttpApiGroup.Top
}
