/**
 * Plain things that are stored: a definition says what there is to know, and storage has them from it. What needs locks or
 * statements of its own is written by hand.
 */
import type * as Schema from "effect/Schema"
import { isIdentifier } from "../shared/Identifier.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

/** What each of them has. */
export interface Plain {
  readonly id: string
  readonly workspaceId: WorkspaceId
}

/** `integer`: whole numbers up to 2^53 - 1. `text`: ids, names and timestamps, compared by code point. */
export type ColumnType = "boolean" | "integer" | "text"

/** What a column holds: null where the value has no such field. */
export type Cell = boolean | number | string | null

type Fields<A> = Extract<keyof A, string>

/** No two have the same values in these fields. Where one of the values is absent or null nothing is compared. */
export interface UniqueKey<A> {
  readonly fields: readonly [Fields<A>, ...Array<Fields<A>>]
  /** Among those of one workspace, or of all. */
  readonly within: "workspace" | "installation"
}

export interface OrderBy<A> {
  readonly field: Fields<A> | "id"
  readonly direction: "ascending" | "descending"
  /** Whether every value has the field, as each has its `id`: then pages far behind cost no more than the first. */
  readonly always?: boolean
}

export interface Definition<A extends Plain> {
  /** As in messages, and the name of the table: an identifier. Never changes. */
  readonly name: string
  /** What is stored is the encoded form, as JSON text. A field that comes later is optional or has a default. */
  readonly schema: Schema.Codec<A, unknown>
  /** Fields of the encoded form that have a column beside the body: those of `unique`, `order` and `filters`, without `id`. */
  readonly columns: Readonly<Partial<Record<Fields<A>, ColumnType>>>
  readonly unique?: undefined
  /** Ends with `id`, ascending, where it does not name it. Absent and null come last, in either direction. */
  readonly order: ReadonlyArray<OrderBy<A>>
  /** Whether there is a `version`, which changes one by one. */
  readonly versioned: boolean
  /** Fields by which a page can be narrowed. Where they are given, if only as an empty list, pages have their indexes. */
  readonly filters?: ReadonlyArray<Fields<A>>
  /** Whether it has a trash: then there is a `trashedAt`, with a column, which is null or absent outside of it. */
  readonly trash?: boolean
}

/** One that has keys by which it is found. */
export interface KeyedDefinition<A extends Plain> extends Omit<Definition<A>, "unique"> {
  readonly unique: readonly [UniqueKey<A>, ...Array<UniqueKey<A>>]
}

export type AnyDefinition<A extends Plain> = Definition<A> | KeyedDefinition<A>

const faultOf = <A extends Plain>(definition: AnyDefinition<A>): string | undefined => {
  const { columns, filters = [], name, order, trash = false, unique } = definition
  if (!isIdentifier(name)) return "its name must be 2 to 40 small letters, digits and underscores, with a letter first"
  const named: ReadonlyArray<string> = [
    ...(unique ?? []).flatMap(({ fields }) => fields),
    ...order.map(({ field }) => field),
    ...filters,
    ...(trash ? ["trashedAt"] : [])
  ]
  const missing = named.find((field) => field !== "id" && !Object.hasOwn(columns, field))
  if (missing !== undefined) return `"${missing}" is in its keys, its order or its filters: name its type in columns`
  const reserved = ["id", "workspaceId", "version", "body"].find((field) => Object.hasOwn(columns, field))
  return reserved === undefined ? undefined : `"${reserved}" cannot be one of its columns: every table has that one`
}

const checked = <A extends Plain, D extends AnyDefinition<A>>(definition: D): D => {
  const fault = faultOf<A>(definition)
  if (fault !== undefined) throw new RangeError(`the resource "${definition.name}": ${fault}`)
  return definition
}

/** The definition as it is. One that contradicts itself is a defect of the program. */
export const resource = <A extends Plain>(definition: Definition<A>): Definition<A> =>
  checked<A, Definition<A>>(definition)

/** The same for one with keys. */
export const keyedResource = <A extends Plain>(definition: KeyedDefinition<A>): KeyedDefinition<A> =>
  checked<A, KeyedDefinition<A>>(definition)

/** The order to the end: of no two is it unknown which comes first. */
export const orderOf = <A extends Plain>({ order }: AnyDefinition<A>): ReadonlyArray<OrderBy<A>> =>
  order.some(({ field }) => field === "id") ? order : [...order, { field: "id", direction: "ascending" }]

/** Where a thing stands in the order: what it is ordered by, to the end. */
export type Place = ReadonlyArray<Cell>
