/**
 * A collection: a plain resource that callers work with. Its definition is all there is to write; storage, use cases,
 * endpoints, commands and documents follow from it.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import { ActorRef } from "../access/ActorRef.ts"
import { type CollectionNames, type CollectionSurface, collectionSurface } from "../access/CollectionOperations.ts"
import type { Detail } from "../failure/Failure.ts"
import {
  type AnyDefinition,
  type ColumnType,
  type Definition,
  keyedResource,
  type KeyedDefinition,
  type OrderBy,
  resource,
  type UniqueKey
} from "../resource/Resource.ts"
import { type Id, type IdKindOf, Id as idOf, idKind, IdOf } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import { purgeAt } from "../shared/Trash.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { type CollectionEvents, collectionEvents } from "./CollectionEvents.ts"
import type { Kept } from "./CollectionUseCases.ts"

/** How a collection meets its callers: what the API, its documents and the command line are derived from. */
export interface CollectionContract<A, New, Change, Shown = unknown> {
  readonly surface: CollectionSurface
  readonly kind: IdKindOf
  /** Bodies of requests, and a thing, as they are sent. */
  readonly create: Schema.Codec<New, unknown>
  readonly update: Schema.Codec<Change, unknown>
  readonly record: Schema.Codec<Shown, unknown>
  readonly show: (thing: A) => Shown
  /** Parameters of a list, beside those of pages and trash: each as the text that stands for it. */
  readonly query: Readonly<Record<string, Schema.Codec<string | number | boolean, string>>>
  readonly paged: boolean
  /** Parameters of a removal, beside that of the trash. */
  readonly removal?: Readonly<Record<string, Schema.Codec<string, string>>>
  /** Whether an answer to a removal says more than that it is done. */
  readonly saysDeleted: boolean
  readonly examples: { readonly create: unknown; readonly update: unknown; readonly record: unknown }
}

/** One that is stored as a plain resource. */
export interface Collection<A extends Kept, New, Change> extends CollectionContract<A, New, Change> {
  readonly resource: AnyDefinition<A>
  readonly events: CollectionEvents | undefined
  /** The thing with what a request says of it. */
  readonly made: (request: New, kept: Base) => A
  readonly changed: (before: A, change: Change) => A
  /** What is wrong with its meaning (422). */
  readonly check: (thing: A) => ReadonlyArray<Detail>
}

/** A collection with unknown contents. */
// oxlint-disable-next-line typescript/no-explicit-any -- what it makes and takes stands on both sides of its functions
export type AnyCollection = Collection<any, any, any>

/** What the kernel says of a new thing. */
export interface Base {
  readonly id: Id<string>
  readonly workspaceId: WorkspaceId
  readonly createdBy: ActorRef
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly version: number
}

type Fields = Schema.Struct.Fields
type Values<F extends Fields> = Schema.Struct.Type<F>

/** A thing as it is stored. */
export type Thing<F extends Fields> = Base & { readonly trashedAt?: Timestamp | null } & Values<F>
/** What is to be said of a new one: fields with a default may be left out. */
export type NewThing<F extends Fields, D extends keyof Values<F>> = Omit<Values<F>, D> & Partial<Pick<Values<F>, D>>
/** Fields that are left out stay; null clears one that is optional. */
export type ThingChange<F extends Fields> = {
  readonly [K in keyof Values<F>]?: object extends Pick<Values<F>, K> ? Values<F>[K] | null : Values<F>[K]
}

export interface CollectionInput<
  One extends string,
  Many extends string,
  Trash extends boolean,
  F extends Fields,
  D extends keyof Values<F>
> extends CollectionNames<One, Many, Trash> {
  /** 2 to 4 small letters that begin its ids; of one that is bundled, its kind of ids. */
  readonly prefix: string | IdKindOf
  /** What callers say of a thing; an optional one is an `optionalKey`. What is kept besides is seen to. */
  readonly fields: F
  readonly defaults?: Readonly<Pick<Values<F>, D>>
  readonly unique?: ReadonlyArray<UniqueKey<Values<F>>>
  /** Oldest first unless given. */
  readonly order?: ReadonlyArray<OrderBy<Thing<F>>>
  /** Fields of text or whole numbers that a list can be narrowed to. */
  readonly filters?: ReadonlyArray<Extract<keyof Values<F>, string>>
  /** Whether `note.created` and so on are written to the log of events. */
  readonly events?: boolean
  readonly check?: (thing: Thing<F>) => ReadonlyArray<Detail>
  /** A request that makes one, for documents. */
  readonly example: NoInfer<NewThing<F, D>>
}

const reserved = ["id", "workspaceId", "createdBy", "createdAt", "updatedAt", "version", "trashedAt", "purgeAt"]

const isOptional = (field: Schema.Top): boolean => SchemaAST.isOptional(field.ast)

/** The field without that it may be left out. */
const given = (field: Schema.Top): Schema.Top =>
  isOptional(field) && "schema" in field ? (field.schema as Schema.Top) : field

/** What the column of a field holds, by its encoded form. */
const columnTypeOf = (field: Schema.Top): ColumnType | undefined => {
  const text = JSON.stringify(Schema.toJsonSchemaDocument(given(field)).schema)
  const types = new Set([...text.matchAll(/"type":"([a-z]+)"/g)].map(([, type]) => type))
  types.delete("null")
  if (types.size !== 1) return undefined
  return types.has("string") ? "text" : types.has("integer") ? "integer" : undefined
}

const faultOf = (fields: Readonly<Record<string, Schema.Top>>, asked: ReadonlyArray<string>): string | undefined => {
  const taken = reserved.find((name) => Object.hasOwn(fields, name))
  if (taken !== undefined) return `"${taken}" cannot be one of its fields: every thing has that one`
  const unclear = Object.entries(fields).find(([, field]) => isOptional(field) && !("schema" in field))
  if (unclear !== undefined) return `"${unclear[0]}" must be optional by Schema.optionalKey`
  const absent = asked.find((name) => !Object.hasOwn(fields, name))
  if (absent !== undefined) return `"${absent}" is none of its fields`
  const large = asked.find((name) => columnTypeOf(fields[name]!) === undefined)
  return large === undefined ? undefined : `"${large}" is neither text nor a whole number, and can have no column`
}

const whole = Schema.String.check(Schema.isPattern(/^-?\d{1,15}$/, { message: "must be a whole number" }))

const toNumber = SchemaGetter.transform(Number)
const toText = SchemaGetter.transform(String)

const parameterOf = (type: ColumnType): Schema.Codec<string | number, string> =>
  type === "integer"
    ? whole.pipe(Schema.decodeTo(Schema.Int, { decode: toNumber, encode: toText }))
    : Schema.String.check(Schema.isMinLength(1))

/** A collection of a program's own, or a bundled one. A definition that contradicts itself is a defect of the program. */
export const collection = <
  const One extends string,
  const Many extends string,
  F extends Fields,
  const Trash extends boolean = false,
  D extends keyof Values<F> = never
>(
  input: CollectionInput<One, Many, Trash, F, D>
): Collection<Thing<F>, NewThing<F, D>, ThingChange<F>> & {
  readonly surface: CollectionSurface<One, Many, Trash>
} => {
  const { check = () => [], defaults = {}, example, filters = [], one, prefix, unique = [] } = input
  const fields = input.fields as unknown as Readonly<Record<string, Schema.Top>>
  const surface = collectionSurface(input)
  const kind: IdKindOf =
    typeof prefix === "string" ? idKind(`${one.slice(0, 1).toLowerCase()}${one.slice(1)}`, prefix) : prefix
  const order = input.order ?? [{ field: "createdAt" as const, direction: "ascending" as const }]
  const base = new Set<string>(reserved)
  const asked: ReadonlyArray<string> = [
    ...filters,
    ...unique.flatMap((key) => key.fields),
    ...order.map(({ field }) => field)
  ].filter((name) => !base.has(name))
  const fault = faultOf(fields, asked)
  if (fault !== undefined) throw new RangeError(`the collection "${input.many}": ${fault}`)

  const { trash } = surface
  const names = Object.keys(fields)
  const optional = new Set(names.filter((name) => isOptional(fields[name]!)))
  const kept = { createdBy: ActorRef, createdAt: Timestamp, updatedAt: Timestamp, version: Schema.Int }
  const stored = Schema.Struct({
    id: IdOf(kind),
    workspaceId: idOf("workspace"),
    ...fields,
    ...kept,
    ...(trash ? { trashedAt: Schema.NullOr(Timestamp) } : {})
  })
  const record = Schema.Struct({
    id: IdOf(kind),
    ...fields,
    ...kept,
    ...(trash ? { trashedAt: Schema.NullOr(Timestamp), purgeAt: Schema.NullOr(Timestamp) } : {})
  }).annotate({ identifier: one }) as unknown as Schema.Codec<unknown, unknown>
  const bodyOf = (isUpdate: boolean) =>
    Schema.Struct(
      Object.fromEntries(
        Object.entries(fields).map(([name, field]) => {
          const plain = given(field)
          const nullable = optional.has(name) ? Schema.NullOr(plain) : plain
          const mayBeLeftOut = isUpdate || optional.has(name) || Object.hasOwn(defaults, name)
          return [name, mayBeLeftOut ? Schema.optionalKey(nullable) : nullable]
        })
      )
    ).annotate({ identifier: `${isUpdate ? "Update" : "Create"}${one}` })

  const columns: Record<string, ColumnType> = { createdAt: "text", ...(trash ? { trashedAt: "text" } : {}) }
  for (const name of asked) columns[name] = columnTypeOf(fields[name]!)!
  for (const { field } of order) if (field === "updatedAt") columns["updatedAt"] = "text"
  const shape = {
    name: kind.kind.replaceAll(/([A-Z])/g, "_$1").toLowerCase(),
    schema: stored,
    columns,
    order,
    versioned: true,
    filters,
    trash
  }

  type A = Thing<F>
  const put = (target: Record<string, unknown>, request: object): A => {
    for (const [name, value] of Object.entries(request)) {
      if (!Object.hasOwn(fields, name)) continue
      if (value === null && optional.has(name)) delete target[name]
      else if (value !== undefined) target[name] = value
    }
    return target as A
  }
  const made = (request: NewThing<F, D>, of: Base): A =>
    put({ ...defaults, ...of, ...(trash ? { trashedAt: null } : {}) }, request)
  const show = (thing: A) => {
    const { workspaceId: _, ...shown } = thing
    return trash ? { ...shown, purgeAt: typeof thing.trashedAt === "string" ? purgeAt(thing.trashedAt) : null } : shown
  }
  const create = bodyOf(false) as unknown as Schema.Codec<NewThing<F, D>, unknown>
  const definition = (
    unique.length === 0
      ? resource<A>(shape as unknown as Definition<A>)
      : keyedResource<A>({ ...shape, unique } as unknown as KeyedDefinition<A>)
  ) as AnyDefinition<A>
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(record))
  const at = "2026-03-04T05:06:07.008Z" as Timestamp
  const shown = made(example, {
    id: `${kind.prefix}_01k9d3v6w8x2y4z6a8b0c2d4e6` as Id<string>,
    workspaceId: "ws_01k9d3v6w8x2y4z6a8b0c2d4e6" as WorkspaceId,
    createdBy: { kind: "api", clientId: "key_01k9d3v6w8x2y4z6a8b0c2d4e6" },
    createdAt: at,
    updatedAt: at,
    version: 1
  })
  return {
    surface,
    kind,
    create,
    update: bodyOf(true) as unknown as Schema.Codec<ThingChange<F>, unknown>,
    record,
    show,
    query: Object.fromEntries(filters.map((name) => [name, parameterOf(columns[name]!)])),
    paged: true,
    saysDeleted: true,
    examples: {
      create: Schema.encodeUnknownSync(Schema.toCodecJson(create))(example),
      update: Object.fromEntries(Object.entries(example).slice(0, 1)),
      record: encode(show(shown))
    },
    resource: definition,
    events: input.events === true ? collectionEvents(shape.name, surface.words.title, trash) : undefined,
    made,
    changed: (before, change) => put({ ...before }, change),
    check
  }
}
