/** Keeping API keys: login, logout and the profiles they are kept in. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Api from "../request/Api.ts"
import { UsageFault } from "../program/Failure.ts"
import { readSecret } from "../program/Input.ts"
import { Notes } from "../program/Notes.ts"
import { isObject, type JsonObject } from "../output/ExactJson.ts"
import { Output } from "../program/Output.ts"
import * as Profiles from "../program/Profiles.ts"
import { program } from "../program/Program.ts"
import { recordOf } from "../request/Requests.ts"
import { Settings } from "../program/Settings.ts"

const ownerOf = (who: JsonObject): string => {
  const { workspace, workspaceName } = who
  const called = String(who["name"])
  const of = typeof workspaceName === "string" ? workspaceName : isObject(workspace) ? String(workspace["name"]) : ""
  return of === "" ? called : `${called} of ${of}`
}

export const login = Command.make("login", {}, () =>
  Effect.gen(function* () {
    const settings = yield* Settings
    if (settings.givenKey === undefined && process.stdin.isTTY !== true) {
      return yield* new UsageFault({
        message: `Give the key: ${program} login --api-key -   reads it from standard input.`
      })
    }
    const key = settings.givenKey ?? (yield* readSecret("API key"))
    // Only a key that works is kept; fresh, because the one in use has another key or none.
    const own = Layer.fresh(Api.layer).pipe(Layer.provide(Layer.succeed(Settings, { ...settings, apiKey: key })))
    const answer = yield* Effect.flatMap(Api.Api, (api) => api.send({ method: "GET", path: "/v1/whoami" })).pipe(
      Effect.provide(own)
    )
    const who = yield* recordOf(answer)
    yield* Profiles.put(settings.profile, { baseUrl: settings.baseUrl, apiKey: Redacted.value(key) })
    yield* (yield* Notes).say(
      `Logged in to ${settings.baseUrl} as ${ownerOf(who)}; kept in profile "${settings.profile}".`
    )
  })
).pipe(
  Command.withDescription("Keep an API key in a profile, after trying it"),
  Command.withExamples([
    { command: "millrace login", description: "Asks for the key" },
    { command: "millrace login --api-key - --profile work --base-url https://money.example < key.txt" }
  ])
)

export const logout = Command.make("logout", {}, () =>
  Effect.gen(function* () {
    const { profile } = yield* Settings
    const had = yield* Profiles.forgetKey(profile)
    yield* (yield* Notes).say(
      had
        ? `Removed the key of profile "${profile}" from this machine. The key itself stays valid until it is revoked.`
        : `Profile "${profile}" has no key.`
    )
  })
).pipe(
  Command.withDescription("Remove the key of a profile from this machine; the key itself stays valid"),
  Command.withShortDescription("Remove the key of a profile from this machine")
)

/** As much of a key as the server shows, too. */
const prefixLength = 8

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const file = yield* Profiles.read
    const current = file.current ?? Profiles.defaultName
    const profiles = Object.entries(file.profiles).map(([known, { apiKey, baseUrl }]) => ({
      name: known,
      current: known === current,
      baseUrl,
      keyPrefix: apiKey === undefined ? null : apiKey.slice(0, prefixLength)
    }))
    yield* (yield* Output).list(profiles, "profiles", ["name", "current", "baseUrl", "keyPrefix"])
  })
).pipe(Command.withDescription("List the profiles"))

const name = Argument.String("name").pipe(Argument.withDescription("Name of the profile"))

const use = Command.make("use", { name }, (input) =>
  Effect.gen(function* () {
    yield* Profiles.use(input.name)
    yield* (yield* Notes).say(`Using profile "${input.name}".`)
  })
).pipe(Command.withDescription("Make a profile the one that is used"))

const remove = Command.make("remove", { name }, (input) =>
  Effect.gen(function* () {
    yield* Profiles.remove(input.name)
    yield* (yield* Notes).say(`Removed profile "${input.name}".`)
  })
).pipe(Command.withDescription("Remove a profile with its key"))

export const profiles = Command.make("profiles").pipe(
  Command.withDescription("Servers and keys kept on this machine"),
  Command.withSubcommands([list, use, remove])
)
