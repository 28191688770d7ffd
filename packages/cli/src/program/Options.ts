/** The options that every command takes. */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { formats, type Format } from "../output/Format.ts"

const text = (name: string, metavar: string, description: string): Flag.Flag<Option.Option<string>> =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

export const Profile = GlobalFlag.Setting("profile")({
  flag: text("profile", "<name>", "Profile to use (MILLRACE_PROFILE)")
})

export const ApiKey = GlobalFlag.Setting("api-key")<Option.Option<Redacted.Redacted>>({
  flag: Flag.Redacted("api-key").pipe(
    Flag.withMetavar("<key>"),
    Flag.withDescription("API key; - reads it from standard input (MILLRACE_API_KEY)"),
    Flag.optional
  )
})

export const BaseUrl = GlobalFlag.Setting("base-url")({
  flag: text("base-url", "<url>", "Server (MILLRACE_BASE_URL; default http://127.0.0.1:8080)")
})

export const Output = GlobalFlag.Setting("output")<Option.Option<Format>>({
  flag: Flag.Literals("output", formats).pipe(
    Flag.withAlias("o"),
    Flag.withMetavar("<format>"),
    Flag.withDescription("Output format (default table on a terminal, json in a pipe)"),
    Flag.optional
  )
})

export const Crlf = GlobalFlag.Setting("crlf")({ flag: toggle("crlf", "End lines of CSV with CRLF (default LF)") })

export const Fields = GlobalFlag.Setting("fields")({
  flag: text("fields", "<a,b.c>", "Only these fields, in this order; dots reach into objects")
})

export const All = GlobalFlag.Setting("all")({ flag: toggle("all", "Follow the pages to the last one") })

export const Timeout = GlobalFlag.Setting("timeout")({
  flag: text("timeout", "<time>", "Longest wait for one answer: 30, 500ms, 2m (default 60s)")
})

export const NoRetry = GlobalFlag.Setting("no-retry")({
  flag: toggle("no-retry", "Try once; else GET is tried 5 times on 429 and network errors")
})

export const IdempotencyKey = GlobalFlag.Setting("idempotency-key")({
  flag: text("idempotency-key", "<key>", "Do it once, however often you repeat it with this key; tried again like GET")
})

export const Quiet = GlobalFlag.Setting("quiet")({ flag: toggle("quiet", "No notes on standard error, only errors") })

export const NoColor = GlobalFlag.Setting("no-color")({ flag: toggle("no-color", "No colors (NO_COLOR)") })

export const all = [
  Profile,
  ApiKey,
  BaseUrl,
  Output,
  Crlf,
  Fields,
  All,
  Timeout,
  NoRetry,
  IdempotencyKey,
  Quiet,
  NoColor
] as const
