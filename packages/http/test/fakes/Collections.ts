/** Requests and use cases of a bundled collection: what the generated tests need of it beside its contract. */
import type { CollectionSurface, Scope } from "@millrace/core/access"
import type { CollectionContract, CollectionUseCases } from "@millrace/core/collection"
import * as Effect from "effect/Effect"
import { checkVersion, only } from "./Checks.ts"
import type { Sample } from "./Operations.ts"

type Body = Readonly<Record<string, unknown>>

/** Its five operations. What may ask is said here once more, by hand. */
export const samplesOf = (
  { examples, surface }: Pick<CollectionContract<never, never, never>, "examples" | "surface">,
  { read, write }: { readonly read: Scope; readonly write: Scope },
  more: Pick<Sample, "faults" | "required"> & {
    readonly list?: Pick<Sample, "faults" | "query">
    readonly remove?: Pick<Sample, "faults" | "query">
    readonly create?: Body
    readonly update?: Body
  }
): ReadonlyArray<Sample> => {
  const { one, many, parameter, path } = surface
  const byId = `${path}/{${parameter}}`
  const {
    create = examples.create as Body,
    faults = {},
    list = {},
    remove = {},
    required = [],
    update = examples.update as Body
  } = more
  return [
    { id: `list${many}`, method: "GET", template: path, status: 200, scopes: [read], ...list },
    {
      id: `create${one}`,
      method: "POST",
      template: path,
      status: 201,
      scopes: [write],
      body: create,
      faults,
      required
    },
    { id: `get${one}`, method: "GET", template: byId, status: 200, scopes: [read] },
    { id: `update${one}`, method: "PUT", template: byId, status: 200, scopes: [write], body: update, faults },
    { id: `delete${one}`, method: "DELETE", template: byId, status: 200, scopes: [write], ...remove }
  ]
}

/** Its use cases, with one thing in them. */
export const useCasesOf = <A, New, Change>(
  note: (operation: string, ...args: ReadonlyArray<unknown>) => Effect.Effect<void>,
  { verbs, words }: CollectionSurface,
  { id: known, thing, version }: { readonly id: string; readonly version: number; readonly thing: A }
): CollectionUseCases<A, New, Change> => {
  const find = (id: string) => only(words.title, known, id, thing)
  return {
    create: (_, request) => Effect.as(note(verbs.create.id, request), thing),
    list: (_, query) => Effect.as(note(verbs.list.id, query), { rows: [thing], hasMore: false }),
    get: (_, id) => find(id),
    update: (_, id, change, ifVersion) =>
      note(verbs.update.id, change).pipe(Effect.andThen(checkVersion(version, ifVersion)), Effect.andThen(find(id))),
    remove: (_, id, removal) => Effect.andThen(checkVersion(version, removal?.ifVersion), Effect.asVoid(find(id))),
    restore: (_, id) => find(id)
  }
}
