/** In which form the log and the lines of requests are written: for a person, or for programs. */
import { type AccessEntry, jsonLineOf, plainLineOf } from "@millrace/http"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { writeSoon } from "./LogLines.ts"
import * as Terminal from "./Terminal.ts"

export type LogForm = "text" | "json"

/** `MILLRACE_LOG` as it is written; without it JSON in production (`NODE_ENV=production`) and text elsewhere. */
export const logFormOf = (environment: {
  readonly MILLRACE_LOG?: string | undefined
  readonly NODE_ENV?: string | undefined
}): LogForm | undefined => {
  const { MILLRACE_LOG: asked, NODE_ENV: purpose } = environment
  if (asked === undefined) return purpose === "production" ? "json" : "text"
  const form = asked.trim().toLowerCase()
  return form === "text" || form === "json" ? form : undefined
}

/** The form of this process. A setting that cannot be read is refused where settings are read. */
const logForm: LogForm = logFormOf(process.env) ?? "text"

/** Characters that a terminal would take for a command to it, but for line breaks and tabs of stack traces. */
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

const words: Readonly<Record<string, string>> = { WARN: "warning: ", ERROR: "error: ", FATAL: "error: " }

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** A line for a person: the time, the message, and for warnings and errors the ids to look them up by and the cause. */
const formatText = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message, timestamp }) => {
  const parts = Array.isArray(message) ? message : [message]
  const text = parts.filter(isScalar).join(" ")
  const named = parts.filter((part) => typeof part === "object" && part !== null)
  const word = words[level]
  const details = Object.entries(Object.assign({}, word === undefined ? {} : annotations, ...named) as object)
    .filter(([, value]) => isScalar(value))
    .map(([name, value]) => `${name}=${String(value)}`)
  const line = `${timestamp.slice(11, 19)} ${word ?? ""}${text}${details.length === 0 ? "" : ` (${details.join(" ")})`}`
  return (cause === undefined ? line : `${line}\n${cause}`).replace(control, encodeURIComponent)
})

const format = logForm === "json" ? Logger.formatJson : formatText

/** Writes the log to standard error in the form of this process, never into a bar. */
export const logger = Logger.make<unknown, void>((options) => {
  // The first start says itself what its syncs did.
  if (logForm === "text" && options.logLevel === "Info" && Terminal.isIntroducing()) return
  Terminal.logLine(format.log(options))
})

/** Writes a line of a request to standard output, in the form of this process. */
export const writeRequest = (entry: AccessEntry): Effect.Effect<void> =>
  Effect.sync(() => {
    const line = logForm === "json" ? jsonLineOf(entry) : plainLineOf(entry)
    Terminal.afterTheBar(() => writeSoon(line))
  })
