/** Which rows are asked for: filter, order and cells. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UsageFault } from "../program/Failure.ts"
import { parse, type Json, type JsonObject } from "../output/ExactJson.ts"
import { Settings } from "../program/Settings.ts"
import { jsonFrom } from "./Body.ts"
import { text } from "./Flags.ts"

export const filter = Flag.String("filter").pipe(
  Flag.withMetavar("<json|@file>"),
  Flag.withDescription('Filter as JSON, {"field":"amount","op":"gt","value":100}, or @ and the name of a file with it'),
  Flag.optional
)

export const sort = text("sort", "<a,-b>", "Fields to sort by, at most three; - before one to descend")

/** JSON text of a filter. */
export const filterText = (given: Option.Option<string>): Effect.Effect<Option.Option<string>, UsageFault> =>
  Option.match(given, {
    onNone: () => Effect.succeedNone,
    onSome: (json) => Effect.asSome(jsonFrom(json, "The filter"))
  })

/** `a,-b` as a body has it. */
const sortOf = (given: string): Effect.Effect<ReadonlyArray<JsonObject>, UsageFault> => {
  const names = given.split(",").map((name) => name.trim())
  return names.some((name) => name === "" || name === "-")
    ? Effect.fail(new UsageFault({ message: "--sort needs names with commas between them, such as date,-amount." }))
    : Effect.succeed(
        names.map((name): JsonObject => (name.startsWith("-") ? { field: name.slice(1), desc: true } : { field: name }))
      )
}

/** Keys of the only cells that will be shown: nobody has to send the others. */
export const cellsShown: Effect.Effect<Option.Option<ReadonlyArray<string>>, never, Settings> = Effect.map(
  Settings,
  ({ fields }) => {
    const cells = (fields ?? []).flatMap((name) => (name.startsWith("values.") ? [name.split(".")[1]!] : []))
    return cells.length === 0 || fields?.includes("values") === true ? Option.none() : Option.some([...new Set(cells)])
  }
)

/** Body of a query: what was given goes over what the file says. */
export const queryBody = Effect.fn("RowQuery.queryBody")(function* (
  base: JsonObject,
  given: {
    readonly filter: Option.Option<string>
    readonly sort: Option.Option<string>
    readonly texts: Readonly<Record<string, Option.Option<string>>>
    readonly params: ReadonlyArray<readonly [string, string]>
    readonly total: boolean
    readonly limit: Option.Option<number>
  }
) {
  const json = yield* filterText(given.filter)
  const cells = yield* cellsShown
  const body: Record<string, Json> = { ...base }
  if (Option.isSome(json)) body["filter"] = parse(json.value)
  if (Option.isSome(given.sort)) body["sort"] = yield* sortOf(given.sort.value)
  if (Option.isSome(cells)) body["fields"] = cells.value
  if (Option.isSome(given.limit)) body["limit"] = parse(String(given.limit.value))
  if (given.params.length > 0) body["params"] = Object.fromEntries(given.params)
  if (given.total) body["includeTotal"] = true
  for (const [name, value] of Object.entries(given.texts)) if (Option.isSome(value)) body[name] = value.value
  return body
})
