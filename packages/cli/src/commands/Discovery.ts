/** What a server offers that this program was not built with. */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Group } from "./Derived.ts"
import { groupsOf } from "./FromDocument.ts"
import * as Settings from "../program/Settings.ts"

/** Options of every command that are followed by a value. */
const valued: ReadonlySet<string> = new Set([
  "--profile",
  "--api-key",
  "--base-url",
  "--output",
  "-o",
  "--fields",
  "--timeout",
  "--idempotency-key"
])

/** The first word that is no option, nor the value of one. */
export const firstWord = (args: ReadonlyArray<string>): string | undefined =>
  args.find((arg, at) => !arg.startsWith("-") && !valued.has(args[at - 1] ?? ""))

const valueOf = (args: ReadonlyArray<string>, option: string): string | undefined => {
  const at = args.indexOf(option)
  return at >= 0 ? args[at + 1] : args.find((arg) => arg.startsWith(`${option}=`))?.slice(option.length + 1)
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

/** Nobody who mistyped a word waits longer. */
const patience = "10 seconds"

/**
 * The commands that the server has under a word; `undefined` where it has none or cannot be asked. Its document needs no
 * credential, and is sent none.
 */
export const discover = (word: string, args: ReadonlyArray<string>): Effect.Effect<Group | undefined> =>
  Effect.gen(function* () {
    const baseUrl = yield* Settings.baseUrlFor(valueOf(args, "--base-url"), valueOf(args, "--profile"))
    const answer = yield* (yield* HttpClient.HttpClient).get(`${baseUrl}/openapi.json`)
    const text = answer.status === 200 ? yield* answer.text : ""
    const document = Option.getOrUndefined(decode(text))
    return groupsOf(document).find(({ name }) => name === word)
  }).pipe(
    Effect.timeout(patience),
    Effect.provide(FetchHttpClient.layer),
    Effect.catch(() => Effect.undefined)
  )
