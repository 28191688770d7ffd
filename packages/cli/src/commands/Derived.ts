/** Commands that follow from what is known of an operation: its path, its parameters and its body. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { HttpMethod } from "effect/http/HttpMethod"
import { Api } from "../request/Api.ts"
import { type Json, type JsonObject, parse, stringify } from "../output/ExactJson.ts"
import { Notes } from "../program/Notes.ts"
import { program } from "../program/Program.ts"
import { showList, showRecord } from "../request/Requests.ts"
import { file, objectFrom } from "./Body.ts"
import { choice, idArgument, ifVersion, matching } from "./Flags.ts"

/** A parameter, or a field of a body that an option can say. */
export interface DerivedField {
  readonly name: string
  readonly type: "text" | "integer" | "number" | "boolean" | "texts"
  /** The only values, where there are not others. */
  readonly choices?: ReadonlyArray<string>
  readonly description: string
}

export interface DerivedOperation {
  /** The words behind `millrace`. */
  readonly command: string
  readonly summary: string
  readonly method: HttpMethod
  /** From the root of the server, with ids in braces: `/v1/notes/{note_id}`. */
  readonly path: string
  readonly query: ReadonlyArray<DerivedField>
  /** Fields of the body that an option can say; the rest comes from a file. Absent where there is no body. */
  readonly body?: ReadonlyArray<DerivedField>
  /** Bodies that are there to be taken, by the names that `--starter` takes; files and options say otherwise. */
  readonly starters?: Readonly<Record<string, JsonObject>>
  /** Whether a version can be demanded. */
  readonly conditional: boolean
  readonly answers: "list" | "record" | "nothing"
}

/** Options that every command has, and those of all bodies and versions. */
const taken: ReadonlySet<string> = new Set(
  `profile api-key base-url output crlf fields all timeout no-retry idempotency-key quiet no-color help version starter
  completions log-level wizard file if-version`.split(/\s+/)
)

/** `feedIds` -> `feed-ids`; `undefined` where the option means something else already. */
const optionOf = ({ name }: DerivedField): string | undefined => {
  const option = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-")
  return taken.has(option) || !/^[a-z][a-z0-9-]*$/.test(option) ? undefined : option
}

const described = <A>(flag: Flag.Flag<A>, { description, name }: DerivedField): Flag.Flag<A> =>
  flag.pipe(Flag.withMetavar(`<${name}>`), Flag.withDescription(description))

/** What was given, as JSON; `None` where nothing was. */
const flagOf = (field: DerivedField, option: string): Flag.Flag<Option.Option<Json>> => {
  const { choices, type } = field
  if (choices !== undefined && choices.length > 0) {
    return Flag.optional(described(Flag.Literals(option, choices), field))
  }
  switch (type) {
    case "boolean":
      return Flag.Boolean(option).pipe(Flag.withDescription(field.description), Flag.optional)
    case "integer":
      return Flag.optional(Flag.map(described(Flag.Int(option), field), (value): Json => parse(String(value))))
    case "number":
      return Flag.String(option).pipe(
        Flag.filter(
          (text) => /^-?\d+(\.\d+)?$/.test(text),
          (text) => `a number, not "${text}"`
        ),
        // All digits of it.
        Flag.map((text): Json => parse(text)),
        (flag) => Flag.optional(described(flag, field))
      )
    case "texts":
      return described(Flag.atLeast(Flag.String(option), 0), field).pipe(
        Flag.map((texts) => (texts.length === 0 ? Option.none() : Option.some<Json>(texts)))
      )
    default:
      return Flag.optional(described(Flag.String(option), field))
  }
}

type Given = Readonly<Record<string, unknown>>

const flagsOf = (prefix: string, fields: ReadonlyArray<DerivedField>) =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const option = optionOf(field)
      return option === undefined ? [] : [[`${prefix}${field.name}`, flagOf(field, option)] as const]
    })
  )

/** The values of these fields that were given. */
const valuesOf = (prefix: string, fields: ReadonlyArray<DerivedField>, given: Given): JsonObject =>
  Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = given[`${prefix}${name}`] as Option.Option<Json> | undefined
      return value !== undefined && Option.isSome(value) ? [[name, value.value] as const] : []
    })
  )

const placeholders = /\{(\w+)\}/g

/** `note_id` -> `note`. */
const what = (id: string): string => id.replace(/_id$/, "").replaceAll("_", "-")

/** What a list is of: `enrichments links` and `enrichments series list` are of links and of series. */
export const listedBy = (words: ReadonlyArray<string>): string =>
  (words.at(-1) === "list" ? words.at(-2) : words.at(-1)) ?? "records"

const starterOf = (starters: DerivedOperation["starters"], given: unknown): JsonObject | undefined => {
  const name = given as Option.Option<string> | undefined
  return name !== undefined && Option.isSome(name) ? starters?.[name.value] : undefined
}

const leafOf = (operation: DerivedOperation) => {
  const { answers, body, command, conditional, method, path, query, starters, summary } = operation
  const words = command.split(" ")
  const ids = [...path.matchAll(placeholders)].map(([, name]) => name!)
  const lastId = ids.at(-1)
  const config: Record<string, Flag.Flag<unknown> | Argument.Argument<unknown>> = {
    ...Object.fromEntries(ids.map((id) => [`id:${id}`, idArgument(what(id))])),
    ...flagsOf("query:", query),
    ...(body === undefined ? {} : { ...flagsOf("body:", body), file }),
    ...(starters === undefined
      ? {}
      : { starter: choice("starter", Object.keys(starters), "Begin with one that is there to be taken") }),
    ...(conditional
      ? { ifVersion: ifVersion(lastId === undefined ? "record" : what(lastId).replaceAll("-", " ")) }
      : {})
  }
  return Command.make(words.at(-1)!, config, (input) =>
    Effect.gen(function* () {
      const given = input as Given
      const values = Object.entries(valuesOf("query:", query, given))
      const request = {
        method,
        path: path.replaceAll(placeholders, (_, name: string) => String(given[`id:${name}`])),
        query: values.map(([name, value]) => [name, typeof value === "string" ? value : stringify(value!)] as const),
        ...(conditional ? { headers: matching(given["ifVersion"] as Option.Option<number>) } : {}),
        ...(body === undefined
          ? {}
          : {
              body: stringify({
                ...starterOf(starters, given["starter"]),
                ...(yield* objectFrom(given["file"] as Option.Option<string>)),
                ...valuesOf("body:", body, given)
              })
            })
      }
      if (answers === "list") return yield* showList(request, listedBy(words))
      if (answers === "record") return yield* showRecord(request)
      yield* (yield* Api).send(request)
      const id = lastId === undefined ? "it" : String(given[`id:${lastId}`])
      const toTrash = query.some(({ name }) => name === "permanent") && !values.some(([name]) => name === "permanent")
      yield* (yield* Notes).say(
        toTrash
          ? `Moved ${id} to the trash. For 30 days this brings it back: ${program} ${[...words.slice(0, -1), "restore"].join(" ")} ${id}`
          : `Deleted ${id}.`
      )
    })
  ).pipe(Command.withDescription(summary))
}

export interface Group {
  /** Its first word. */
  readonly name: string
  readonly description: string
  readonly operations: ReadonlyArray<DerivedOperation>
}

/** A command with those below it, for operations whose commands begin with its word. */
export const derivedCommand = ({ description, name, operations }: Group) => {
  const below = (words: ReadonlyArray<string>): ReadonlyArray<Command.Command.Any> => {
    const inside = operations.filter(({ command }) => command.startsWith(`${words.join(" ")} `))
    const next = new Set(inside.map(({ command }) => command.split(" ")[words.length]!))
    return [...next].map((word) => {
      const path = [...words, word]
      const own = inside.find(({ command }) => command === path.join(" "))
      return own === undefined ? group(path, `${path.join(" ")} and what is below`) : leafOf(own)
    })
  }
  const group = (words: ReadonlyArray<string>, text: string) =>
    Command.make(words.at(-1)!).pipe(
      Command.withDescription(text),
      Command.withSubcommands(below(words) as ReadonlyArray<ReturnType<typeof leafOf>>)
    )
  return group([name], description)
}
