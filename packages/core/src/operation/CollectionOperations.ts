/** The operations of a collection, from its contract: list, create, get, update, delete, and restore where there is a trash. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Caller } from "../access/Caller.ts"
import type { CollectionSurface } from "../access/CollectionOperations.ts"
import type { Operation } from "../access/Operation.ts"
import type { CollectionContract } from "../collection/Collection.ts"
import type { CollectionUseCases } from "../collection/CollectionUseCases.ts"
import { NotFound } from "../failure/Failure.ts"
import { isIdOf } from "../shared/Ids.ts"
import type { AnyDefinition, Audits, Definition } from "./Definition.ts"
import { Flag, paging } from "./Parameters.ts"
import { deleted, done, list, record, type Rows } from "./Success.ts"

interface Asked {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly ifVersion: number | undefined
}

type UseCases<A, New, Change> = Omit<CollectionUseCases<A, New, Change>, "restore"> &
  Partial<CollectionUseCases<A, New, Change>>

type Fields = Schema.Struct.Fields
type OfMany = `/v1/${string}`
type OfOne = `/v1/${string}/:${string}_id`

/** What is served under the id of each operation. */
export type CollectionDefinitions<
  One extends string,
  Many extends string,
  Trash extends boolean,
  New,
  Change,
  Shown,
  R
> = {
  readonly [Id in `list${Many}`]: Definition<Id, OfMany, Fields, never, Rows<Shown>, "list", R>
} & { readonly [Id in `create${One}`]: Definition<Id, OfMany, {}, Schema.Codec<New, unknown>, Shown, "record", R> } & {
  readonly [Id in `get${One}`]: Definition<Id, OfOne, {}, never, Shown, "record", R>
} & {
  readonly [Id in `update${One}`]: Definition<Id, OfOne, {}, Schema.Codec<Change, unknown>, Shown, "record", R>
} & {
  readonly [Id in `delete${One}`]: Definition<Id, OfOne, Fields, never, void, "done" | "deleted", R>
} & (Trash extends true
    ? { readonly [Id in `restore${One}`]: Definition<Id, OfOne, {}, never, Shown, "record", R> }
    : object)

const optionalOf = (codecs: Readonly<Record<string, Schema.Codec<unknown, string>>> = {}): Fields =>
  Object.fromEntries(Object.entries(codecs).map(([name, codec]) => [name, Schema.optionalKey(codec)]))

const made = (
  verb: Operation,
  input: Pick<AnyDefinition, "method" | "path" | "description" | "success" | "example"> &
    Partial<Pick<AnyDefinition, "query" | "payload" | "errors" | "audits">> & {
      readonly run: (asked: Asked) => ReturnType<AnyDefinition["run"]>
    }
): AnyDefinition => ({
  query: {},
  payload: undefined,
  errors: [],
  audits: undefined,
  ...verb,
  ...input,
  run: input.run as unknown as AnyDefinition["run"]
})

/** Methods that the audit keeps, by verb; a collection that is stored as a plain resource keeps them itself. */
export type CollectionAudits = Readonly<Partial<Record<"create" | "update" | "remove", Audits>>>

/** `useCases` are looked up when an operation is asked for. */
export const collectionOperations = <
  One extends string,
  Many extends string,
  Trash extends boolean,
  A,
  New,
  Change,
  Shown,
  R
>(
  contract: CollectionContract<A, New, Change, Shown>,
  { one, many, parameter, path, trash, verbs, words }: CollectionSurface<One, Many, Trash>,
  useCases: Effect.Effect<UseCases<A, New, Change>, never, R>,
  audits: CollectionAudits = {}
): CollectionDefinitions<One, Many, Trash, New, Change, Shown, R> => {
  const { examples, kind, saysDeleted, show } = contract
  const byId = `${path}/:${parameter}` as const
  const idOf = ({ params }: Asked): Effect.Effect<string, NotFound> => {
    const id = params[parameter]
    return isIdOf(kind, id) ? Effect.succeed(id) : Effect.fail(new NotFound({ resource: words.title }))
  }
  /** Effects whose services are those of the collection. */
  const using = <B, E>(run: (found: UseCases<A, New, Change>) => Effect.Effect<B, E>) =>
    Effect.flatMap(useCases, run) as unknown as ReturnType<AnyDefinition["run"]>
  const shown = record(contract.record)
  const definitions: Readonly<Record<string, AnyDefinition>> = {
    [`list${many}`]: made(verbs.list, {
      method: "GET",
      path,
      description: `Lists the ${words.many} of the workspace.`,
      query: {
        ...optionalOf(contract.query),
        ...(trash ? { trashed: Schema.optionalKey(Flag) } : {}),
        ...(contract.paged ? paging : {})
      },
      success: list(contract.record),
      example: { data: examples.record },
      run: ({ caller, query: { cursor, limit, trashed, ...where } }) =>
        using((found) =>
          Effect.map(
            found.list(caller, {
              ...(typeof cursor === "string" ? { cursor } : {}),
              ...(typeof limit === "number" ? { limit } : {}),
              trashed: trashed === true,
              where: where as Readonly<Record<string, string | number | boolean>>
            }),
            (page) => ({ ...page, rows: page.rows.map(show) })
          )
        )
    }),
    [`create${one}`]: made(verbs.create, {
      method: "POST",
      path,
      description: `Creates one of the ${words.many}.`,
      payload: contract.create,
      success: record(contract.record, { status: 201 }),
      example: { body: examples.create, data: examples.record },
      audits: audits.create,
      run: ({ body, caller }) => using((found) => Effect.map(found.create(caller, body as New), show))
    }),
    [`get${one}`]: made(verbs.get, {
      method: "GET",
      path: byId,
      description: `Returns one of the ${words.many}.`,
      success: shown,
      example: { data: examples.record },
      run: (asked) =>
        using((found) =>
          Effect.map(
            Effect.flatMap(idOf(asked), (id) => found.get(asked.caller, id)),
            show
          )
        )
    }),
    [`update${one}`]: made(verbs.update, {
      method: "PUT",
      path: byId,
      description: "Changes what is sent and leaves the rest as it is. `null` clears what may be absent.",
      payload: contract.update,
      success: shown,
      errors: ["Conflict", "Unprocessable"],
      example: { body: examples.update, data: examples.record },
      audits: audits.update,
      run: (asked) =>
        using((found) =>
          Effect.map(
            Effect.flatMap(idOf(asked), (id) => found.update(asked.caller, id, asked.body as Change, asked.ifVersion)),
            show
          )
        )
    }),
    [`delete${one}`]: made(verbs.remove, {
      method: "DELETE",
      path: byId,
      description: trash
        ? `Moves one of the ${words.many} to the trash for 30 days. \`permanent=true\` deletes for good what is in the trash.`
        : `Deletes one of the ${words.many} for good.`,
      query: { ...optionalOf(contract.removal), ...(trash ? { permanent: Schema.optionalKey(Flag) } : {}) },
      success: saysDeleted ? deleted : done,
      errors: trash ? ["Conflict"] : [],
      example: {},
      audits: audits.remove,
      run: (asked) => {
        const { permanent, ...own } = asked.query
        const removal = { permanent: permanent === true, ifVersion: asked.ifVersion, asked: own }
        return using((found) => Effect.flatMap(idOf(asked), (id) => found.remove(asked.caller, id, removal)))
      }
    }),
    ...(trash
      ? {
          [`restore${one}`]: made(verbs.restore, {
            method: "POST",
            path: `${byId}/restore`,
            description: `Takes one of the ${words.many} out of the trash.`,
            success: shown,
            example: { data: examples.record },
            run: (asked) =>
              using(({ restore }) =>
                restore === undefined
                  ? Effect.die(`${words.many} cannot be restored`)
                  : Effect.map(
                      Effect.flatMap(idOf(asked), (id) => restore(asked.caller, id)),
                      show
                    )
              )
          })
        }
      : {})
  }
  return definitions as unknown as CollectionDefinitions<One, Many, Trash, New, Change, Shown, R>
}
