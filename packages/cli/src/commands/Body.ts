/** Bodies of requests: a file with JSON, and options that go over what it says. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UsageFault } from "../program/Failure.ts"
import { checkJson, readText } from "../program/Input.ts"
import { isArray, isObject, parse, stringify, type JsonObject } from "../output/ExactJson.ts"
import { text } from "./Flags.ts"

export const file = text("file", "<file>", "JSON of the body; - is standard input; options go over it")

/** JSON text from an argument, from a file after `@`, or from standard input. */
export const jsonFrom = Effect.fn("Body.jsonFrom")(function* (given: string, where: string) {
  const isFile = given.startsWith("@")
  const json = isFile || given === "-" ? yield* readText(isFile ? given.slice(1) : given) : given
  yield* checkJson(json, where)
  return json
})

/** The options that were given, by name. */
export const givenOf = (given: Readonly<Record<string, Option.Option<string | boolean | number>>>): JsonObject =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      if (Option.isNone(value)) return []
      return [[name, typeof value.value === "number" ? parse(String(value.value)) : value.value] as const]
    })
  )

/** The object of a file; empty without one. */
export const objectFrom = Effect.fn("Body.objectFrom")(function* (path: Option.Option<string>) {
  const base = Option.isSome(path) ? yield* checkJson(yield* readText(path.value), path.value) : {}
  return isObject(base) ? base : yield* new UsageFault({ message: "The file must hold one JSON object." })
})

/** JSON text of the body. Its numbers stay as the file has them. */
export const bodyFrom = Effect.fn("Body.bodyFrom")(function* (
  path: Option.Option<string>,
  given: Readonly<Record<string, Option.Option<string | boolean>>>,
  defaults: JsonObject = {}
) {
  return stringify({ ...defaults, ...(yield* objectFrom(path)), ...givenOf(given) })
})

/** JSON text of a body whose list may also be the whole file. */
export const listFrom = Effect.fn("Body.listFrom")(function* (
  path: string,
  name: string,
  given: Readonly<Record<string, Option.Option<string>>>
) {
  const base = yield* checkJson(yield* readText(path), path)
  if (!isObject(base) && !isArray(base)) {
    return yield* new UsageFault({
      message: `The file must hold a list of ${name}, or one JSON object with "${name}".`
    })
  }
  return stringify({ ...(isArray(base) ? { [name]: base } : base), ...givenOf(given) })
})
