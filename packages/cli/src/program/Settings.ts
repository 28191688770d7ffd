/** What a command works with: option, then environment, then profile, then default (decisions 10.2). */
import { limits } from "@millrace/core"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { UsageFault } from "./Failure.ts"
import { readSecret } from "./Input.ts"
import * as Options from "./Options.ts"
import type { LineEnd } from "../output/Csv.ts"
import type { Format } from "../output/Format.ts"
import * as Profiles from "./Profiles.ts"

const defaultBaseUrl = "http://127.0.0.1:8080"

export class Settings extends Context.Service<
  Settings,
  {
    /** Name of the profile, whether or not there is one. */
    readonly profile: string
    readonly profileExists: boolean
    /** Whether the profile was named by an option or the environment. */
    readonly profileNamed: boolean
    /** Without a slash at the end. */
    readonly baseUrl: string
    readonly apiKey: Redacted.Redacted | undefined
    /** The key given by an option, which is the only one that a login stores. */
    readonly givenKey: Redacted.Redacted | undefined
    readonly format: Format
    /** Of lines of CSV. */
    readonly lineEnd: LineEnd
    readonly fields: ReadonlyArray<string> | undefined
    readonly all: boolean
    readonly timeout: Duration.Duration
    readonly retry: boolean
    /** Goes with what is posted, which may then be tried again. */
    readonly idempotencyKey: string | undefined
    readonly quiet: boolean
    readonly colors: boolean
    /** Columns of the terminal that data goes to. */
    readonly width: number | undefined
  }
>()("@millrace/cli/program/Settings") {}

/** Of the environment; an empty variable is an unset one. */
const variable = (name: string): string | undefined => process.env[name] || undefined

const baseUrlOf = (text: string): Effect.Effect<string, UsageFault> => {
  const url = URL.parse(text)
  return url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== ""
    ? Effect.fail(new UsageFault({ message: `The base URL "${text}" is not of the form https://host.` }))
    : Effect.succeed(url.href.replace(/\/+$/, ""))
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 }

const timeoutOf = (text: string): Effect.Effect<Duration.Duration, UsageFault> => {
  const [, amount, unit = "s"] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)?$/.exec(text) ?? []
  const millis = Math.round(Number(amount) * units[unit]!)
  return millis > 0
    ? Effect.succeed(Duration.millis(millis))
    : Effect.fail(new UsageFault({ message: `The timeout "${text}" is not a time such as 30, 500ms or 2m.` }))
}

const fieldsOf = (text: string): Effect.Effect<ReadonlyArray<string>, UsageFault> => {
  const names = text.split(",").map((name) => name.trim())
  return names.includes("")
    ? Effect.fail(
        new UsageFault({ message: "--fields needs names with commas between them, such as id,state.status." })
      )
    : Effect.succeed([...new Set(names)])
}

const idempotencyKeyOf = (text: string): Effect.Effect<string, UsageFault> =>
  /^[\x20-\x7e]+$/.test(text) && text.trim() === text && text.length <= limits.idempotencyKeyLength
    ? Effect.succeed(text)
    : Effect.fail(
        new UsageFault({
          message: `--idempotency-key needs 1 to ${limits.idempotencyKeyLength} printable ASCII characters, with no blank at its ends.`
        })
      )

const keyOf = Effect.fnUntraced(function* (option: Option.Option<Redacted.Redacted>) {
  if (Option.isNone(option)) return undefined
  return Redacted.value(option.value) === "-" ? yield* readSecret("API key") : option.value
})

/** Colors go to people only. */
export const wantsColors = (refused: boolean): boolean =>
  !refused && process.stdout.isTTY === true && variable("NO_COLOR") === undefined && process.env["TERM"] !== "dumb"

/** The server that options mean, by themselves: for what has to be known before the options of a command are. */
export const baseUrlFor = Effect.fn("Settings.baseUrlFor")(function* (
  given: string | undefined,
  named: string | undefined
) {
  const file = yield* Profiles.read
  const name = named ?? variable("MILLRACE_PROFILE") ?? file.current ?? Profiles.defaultName
  const url = given ?? variable("MILLRACE_BASE_URL") ?? Profiles.profileOf(file, name)?.baseUrl
  return yield* baseUrlOf(url ?? defaultBaseUrl)
})

const resolve = Effect.gen(function* () {
  const file = yield* Profiles.read
  const named = Option.getOrUndefined(yield* Options.Profile) ?? variable("MILLRACE_PROFILE")
  const name = yield* Profiles.checkName(named ?? file.current ?? Profiles.defaultName)
  const profile = Profiles.profileOf(file, name)
  const givenKey = yield* keyOf(yield* Options.ApiKey)
  const key = variable("MILLRACE_API_KEY") ?? profile?.apiKey
  const isTerminal = process.stdout.isTTY === true
  return Settings.of({
    profile: name,
    profileExists: profile !== undefined,
    profileNamed: named !== undefined,
    baseUrl: yield* baseUrlOf(
      Option.getOrUndefined(yield* Options.BaseUrl) ??
        variable("MILLRACE_BASE_URL") ??
        profile?.baseUrl ??
        defaultBaseUrl
    ),
    apiKey: givenKey ?? (key === undefined ? undefined : Redacted.make(key)),
    givenKey,
    format: Option.getOrElse(yield* Options.Output, () => (isTerminal ? "table" : "json")),
    lineEnd: (yield* Options.Crlf) ? "\r\n" : "\n",
    fields: yield* Option.match(yield* Options.Fields, { onNone: () => Effect.undefined, onSome: fieldsOf }),
    all: yield* Options.All,
    timeout: yield* timeoutOf(Option.getOrElse(yield* Options.Timeout, () => "60")),
    retry: !(yield* Options.NoRetry),
    idempotencyKey: yield* Option.match(yield* Options.IdempotencyKey, {
      onNone: () => Effect.undefined,
      onSome: idempotencyKeyOf
    }),
    quiet: yield* Options.Quiet,
    colors: wantsColors(yield* Options.NoColor),
    width: isTerminal ? process.stdout.columns : undefined
  })
})

export const layer = Layer.effect(Settings, resolve)
