/** Bodies of requests: a file with JSON, and options that go over what it says. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UsageFault } from "../Failure.ts"
import { checkJson, readText } from "../Input.ts"
import { isObject, stringify, type Json } from "../output/ExactJson.ts"
import { text } from "./Flags.ts"

export const file = text("file", "<file>", "JSON of the body; - is standard input; options go over it")

/** JSON text of the body. Its numbers stay as the file has them. */
export const bodyFrom = Effect.fn("Body.bodyFrom")(function* (
  path: Option.Option<string>,
  given: Readonly<Record<string, Option.Option<string>>>,
  defaults: Readonly<Record<string, Json>> = {}
) {
  const base = Option.isSome(path) ? yield* checkJson(yield* readText(path.value), path.value) : {}
  if (!isObject(base)) return yield* new UsageFault({ message: "The file must hold one JSON object." })
  const options = Object.entries(given).flatMap(([name, value]) =>
    Option.isSome(value) ? [[name, value.value] as const] : []
  )
  return stringify({ ...defaults, ...base, ...Object.fromEntries(options) })
})
