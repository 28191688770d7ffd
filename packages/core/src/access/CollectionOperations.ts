/** The operations of a collection: things that callers list, make, read, change and delete, one like the other. */
import type { Role } from "../workspace/Role.ts"
import { ownEntriesOf, reads, removes, sets, writes, type Absent, type Operation } from "./Operation.ts"
import type { Scope } from "./Scope.ts"

/** What a collection is called, and who may do what with it. The rest has defaults that follow from the names. */
export interface CollectionNames<
  One extends string = string,
  Many extends string = string,
  Trash extends boolean = boolean
> {
  /** One of them and many, as operations name them: `Note` and `Notes` for `createNote` and `listNotes`. */
  readonly one: One
  readonly many: Many
  /** One sentence on what they are, for documents. */
  readonly about: string
  readonly scopes: { readonly read: Scope; readonly write: Scope }
  /** The weakest roles of people: `viewer` and `editor` unless given. */
  readonly roles?: { readonly read: Role; readonly write: Role }
  /** Which of them an app of a third party reaches; those that it made unless given. */
  readonly app?: Operation["app"]
  /** The noun of its operations in documents, in the API and as the first words of commands; `notes` unless given. */
  readonly noun?: string
  readonly path?: string
  readonly command?: string
  /** Whether things go to the trash first, from where they can be restored. */
  readonly trash?: Trash
}

type Verbs<One extends string, Many extends string, Trash extends boolean> =
  | `list${Many}`
  | `${"create" | "get" | "update" | "delete"}${One}`
  | (Trash extends true ? `restore${One}` : never)

/** The names with their defaults, and the operations. */
export interface CollectionSurface<
  One extends string = string,
  Many extends string = string,
  Trash extends boolean = boolean
> {
  readonly one: One
  readonly many: Many
  readonly about: string
  readonly trash: Trash
  readonly noun: string
  /** From the root of the server: `/v1/notes`. */
  readonly path: `/v1/${string}`
  /** The id in paths: `note_id`. */
  readonly parameter: `${string}_id`
  /** One of them in sentences: `note`; and with a capital letter: `Note`. */
  readonly words: { readonly one: string; readonly many: string; readonly title: string }
  readonly entries: Readonly<Record<Verbs<One, Many, Trash>, Operation>>
  readonly verbs: {
    readonly list: Operation
    readonly create: Operation
    readonly get: Operation
    readonly update: Operation
    readonly remove: Operation
    readonly restore: Operation
  }
}

const pascal = /^[A-Z][a-zA-Z]{1,39}$/
const separated = (name: string, by: string): string => name.replaceAll(/(?<!^)([A-Z])/g, `${by}$1`).toLowerCase()

const faultOf = ({ about, many, one, path }: CollectionNames): string | undefined => {
  const wrong = [one, many].find((name) => !pascal.test(name))
  if (wrong !== undefined) return `"${wrong}" must be letters, a capital one first, such as "Note"`
  if (one === many) return `one and many of them are both called "${one}"`
  if (about.trim() === "") return "it does not say what they are"
  return path === undefined || /^\/v1(?:\/[a-z][a-z-]*)+$/.test(path)
    ? undefined
    : `its path "${path}" must begin with /v1/ and have words of small letters`
}

const restored: Absent = { absent: "A person takes things out of the trash." }

/** What follows from the names. Names that cannot be are a defect of the program. */
export const collectionSurface = <
  const One extends string,
  const Many extends string,
  const Trash extends boolean = false
>(
  names: CollectionNames<One, Many, Trash>
): CollectionSurface<One, Many, Trash> => {
  const fault = faultOf(names)
  if (fault !== undefined) throw new RangeError(`the collection "${names.many}": ${fault}`)
  const { about, app = "own", many, one, roles = { read: "viewer", write: "editor" }, scopes } = names
  const trash = (names.trash ?? false) as Trash
  const words = { one: separated(one, " "), many: separated(many, " "), title: one.replaceAll(/(?<!^)([A-Z])/g, " $1") }
  const noun = names.noun ?? `${many.slice(0, 1).toLowerCase()}${many.slice(1)}`
  const command = names.command ?? separated(many, "-")
  const [tool, tools] = [separated(one, "_"), separated(many, "_")]
  const viewing = { scopes: { anyOf: [scopes.read] }, role: roles.read, app, idempotency: "read" } as const
  const changing = { scopes: { anyOf: [scopes.write] }, role: roles.write, app } as const
  const a = /^[aeiou]/.test(words.one) ? "an" : "a"
  const all = ownEntriesOf(noun, {
    [`list${many}`]: {
      ...viewing,
      summary: `List ${words.many}`,
      tool: reads(`list_${tools}`),
      command: `${command} list`
    },
    [`create${one}`]: {
      ...changing,
      summary: `Create ${a} ${words.one}`,
      idempotency: "key",
      body: "required",
      tool: writes(`create_${tool}`),
      command: `${command} create`
    },
    [`get${one}`]: {
      ...viewing,
      summary: `Get ${a} ${words.one}`,
      versioned: true,
      tool: reads(`get_${tool}`),
      command: `${command} get`
    },
    [`update${one}`]: {
      ...changing,
      summary: `Change ${a} ${words.one}`,
      idempotency: "inherent",
      versioned: true,
      body: "required",
      tool: sets(`update_${tool}`),
      command: `${command} update`
    },
    [`delete${one}`]: {
      ...changing,
      summary: trash
        ? `Move ${a} ${words.one} to the trash for 30 days; permanent=true deletes it from there`
        : `Delete ${a} ${words.one}`,
      idempotency: "inherent",
      versioned: true,
      tool: removes(`delete_${tool}`),
      command: `${command} delete`
    },
    [`restore${one}`]: {
      ...changing,
      summary: `Take ${a} ${words.one} out of the trash`,
      idempotency: "key",
      tool: restored,
      command: `${command} restore`
    }
  })
  const entries = Object.fromEntries(Object.entries(all).filter(([id]) => trash || id !== `restore${one}`))
  const entry = (id: string): Operation => all[id]!
  return {
    one,
    many,
    about,
    trash,
    noun,
    path: (names.path ?? `/v1/${separated(many, "-")}`) as `/v1/${string}`,
    parameter: `${separated(one, "_")}_id`,
    words,
    entries: entries as CollectionSurface<One, Many, Trash>["entries"],
    verbs: {
      list: entry(`list${many}`),
      create: entry(`create${one}`),
      get: entry(`get${one}`),
      update: entry(`update${one}`),
      remove: entry(`delete${one}`),
      restore: entry(`restore${one}`)
    }
  }
}
