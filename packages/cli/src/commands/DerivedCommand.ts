/** The command of an operation, from what is known of it and how it is shown. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type JsonObject, stringify } from "../output/ExactJson.ts"
import { Notes } from "../program/Notes.ts"
import { program } from "../program/Program.ts"
import { Api } from "../request/Api.ts"
import { recordOf, showList, showRecord } from "../request/Requests.ts"
import { file, objectFrom } from "./Body.ts"
import type { DerivedOperation } from "./Derived.ts"
import { type Given, type Param, paramsOf, valuesOf } from "./DerivedFlags.ts"
import { choice, idArgument, idFlag, ifVersion, matching, nameArgument } from "./Flags.ts"
import type { Presentation } from "./Presentation.ts"
import { starterNamed } from "./Starters.ts"

const placeholders = /\{(\w+)\}/g

/** A credential is of one workspace: nobody has to name it. */
const ownWorkspace = "workspace_id"

/** `note_id` -> `note`. */
const what = (id: string): string => id.replace(/_id$/, "").replaceAll("_", "-")

/** What a list is of: `enrichments links` and `enrichments series list` are of links and of series. */
export const listedBy = (words: ReadonlyArray<string>): string =>
  (words.at(-1) === "list" ? words.at(-2) : words.at(-1)) ?? "records"

/** What the path names: ids are arguments or options, and other names are arguments. */
const pathParamOf = (name: string, idOptions: ReadonlySet<string>): Param => {
  if (idOptions.has(name)) return idFlag(what(name))
  return name.endsWith("_id") ? idArgument(what(name)) : nameArgument(what(name))
}

const textAt = (given: Given, name: string): string => String(given[`path:${name}`])

const workspaceOf = Effect.fnUntraced(function* () {
  const self = yield* recordOf(yield* (yield* Api).send({ method: "GET", path: "/v1/whoami" }))
  return String(self["workspaceId"])
})

const starterOf = (given: unknown): Effect.Effect<JsonObject> => {
  const name = given as Option.Option<string> | undefined
  return name === undefined || Option.isNone(name) ? Effect.succeed({}) : starterNamed(name.value)
}

export const commandOf = (
  operation: DerivedOperation,
  shown: Presentation = {},
  idOptions: ReadonlySet<string> = new Set()
) => {
  const { answers, command, conditional, method, path, starters, summary } = operation
  const { options } = shown
  const words = command.split(" ")
  const names = [...path.matchAll(placeholders)].flatMap(([, name = ""]) => (name === ownWorkspace ? [] : [name]))
  const lastName = names.at(-1)
  const query = { of: "query", fields: operation.query, options } as const
  const body = { of: "body", fields: operation.body ?? [], options } as const
  const hasBody = operation.body !== undefined
  const versionOf = shown.versionOf ?? what(lastName ?? (path.endsWith(`{${ownWorkspace}}`) ? ownWorkspace : "record"))
  const config: Record<string, Param> = {
    ...Object.fromEntries(names.map((name) => [`path:${name}`, pathParamOf(name, idOptions)])),
    ...paramsOf(query),
    ...paramsOf(body),
    ...(hasBody ? { file } : {}),
    ...(starters === undefined ? {} : { starter: choice("starter", starters, "Begin with one that is prepared") }),
    ...(conditional ? { ifVersion: ifVersion(versionOf.replaceAll("-", " ")) } : {})
  }
  const name = words.at(-1) ?? command
  return Command.make(name, config, (input) =>
    Effect.gen(function* () {
      const given: Given = input
      const values = Object.entries(valuesOf(query, given))
      const workspace = path.includes(`{${ownWorkspace}}`) ? yield* workspaceOf() : ""
      const request = {
        method,
        path: path.replaceAll(placeholders, (_, one: string) =>
          one === ownWorkspace ? workspace : textAt(given, one)
        ),
        query: values.map(([one, value]) => [one, typeof value === "string" ? value : stringify(value)] as const),
        ...(conditional ? { headers: matching(given["ifVersion"] as Option.Option<number>) } : {}),
        ...(hasBody
          ? {
              body: stringify({
                ...shown.body,
                ...(yield* starterOf(given["starter"])),
                ...(yield* objectFrom(given["file"] as Option.Option<string>)),
                ...valuesOf(body, given)
              })
            }
          : {})
      }
      if (answers === "list") return yield* showList(request, shown.noun ?? listedBy(words), shown.columns)
      if (answers === "record") return yield* showRecord(request)
      yield* (yield* Api).send(request)
      const id = lastName === undefined ? "it" : textAt(given, lastName)
      const permanent = values.some(([one, value]) => one === "permanent" && value === true)
      const hasTrash = operation.query.some((one) => one.name === "permanent")
      const restore = `${program} ${[...words.slice(0, -1), "restore"].join(" ")} ${id}`
      yield* (yield* Notes).say(
        shown.note?.replaceAll("{id}", id) ??
          (hasTrash && !permanent
            ? `Moved ${id} to the trash. For 30 days this brings it back: ${restore}`
            : `Deleted ${id}${hasTrash ? " for good" : ""}.`)
      )
    })
  ).pipe(
    Command.withDescription(shown.description ?? summary),
    (made) => (shown.short === undefined ? made : Command.withShortDescription(made, shown.short)),
    (made) => (shown.examples === undefined ? made : Command.withExamples(made, shown.examples))
  )
}
