/** How a command can fail, and the exit code that says so (decisions 10.2). */
import * as Schema from "effect/Schema"
import { clean } from "../output/Clean.ts"
import { program } from "./Program.ts"

export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  credential: 4,
  notFound: 5,
  unavailable: 6,
  interrupted: 130
} as const

/** What was typed, or a file that was named, cannot be used. */
export class UsageFault extends Schema.TaggedError<UsageFault>()("UsageFault", { message: Schema.String }) {}

/** A command that needs a credential has none. */
export class CredentialMissing extends Schema.TaggedError<CredentialMissing>()("CredentialMissing", {
  message: Schema.String
}) {}

/** Something on this machine does not work: the profile file, a format. */
export class LocalFault extends Schema.TaggedError<LocalFault>()("LocalFault", { message: Schema.String }) {}

/** The server could not be reached, or did not answer in time. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  message: Schema.String,
  timedOut: Schema.Boolean
}) {}

/** The answer is not one of this API. */
export class AnswerUnreadable extends Schema.TaggedError<AnswerUnreadable>()("AnswerUnreadable", {
  message: Schema.String
}) {}

/** A sync job that was waited for did not complete. */
export class JobUnsuccessful extends Schema.TaggedError<JobUnsuccessful>()("JobUnsuccessful", {
  message: Schema.String
}) {}

/** A connection that was waited for was not made. */
export class ConnectionUnsuccessful extends Schema.TaggedError<ConnectionUnsuccessful>()("ConnectionUnsuccessful", {
  message: Schema.String
}) {}

const Envelope = Schema.Struct({
  error: Schema.String,
  code: Schema.optionalKey(Schema.String),
  recovery: Schema.optionalKey(
    Schema.Struct({ action: Schema.String, afterSeconds: Schema.optionalKey(Schema.Finite) })
  ),
  referenceId: Schema.optionalKey(Schema.String),
  details: Schema.optionalKey(
    Schema.Array(Schema.Struct({ field: Schema.optionalKey(Schema.String), message: Schema.String }))
  ),
  errors: Schema.optionalKey(Schema.Array(Schema.String)),
  warnings: Schema.optionalKey(Schema.Array(Schema.String))
})

/** What a refusal says about itself (specification 7). */
export type Envelope = typeof Envelope.Type

export const decodeEnvelope = Schema.decodeUnknownOption(Schema.fromJsonString(Envelope))

/** The server refused, with its reasons. */
export class ApiRefused extends Schema.TaggedError<ApiRefused>()("ApiRefused", {
  status: Schema.Int,
  envelope: Envelope,
  /** Seconds; only where the answer says so. */
  retryAfter: Schema.optionalKey(Schema.Finite)
}) {}

export type Failure =
  | UsageFault
  | CredentialMissing
  | LocalFault
  | Unreachable
  | AnswerUnreadable
  | JobUnsuccessful
  | ConnectionUnsuccessful
  | ApiRefused

const ofStatus = (status: number): number => {
  if (status === 401 || status === 403) return exitCodes.credential
  if (status === 404) return exitCodes.notFound
  return status === 429 || status >= 500 ? exitCodes.unavailable : exitCodes.failure
}

export const exitCodeOf = (failure: Failure): number => {
  switch (failure._tag) {
    case "UsageFault":
      return exitCodes.usage
    case "CredentialMissing":
      return exitCodes.credential
    case "LocalFault":
    case "AnswerUnreadable":
    case "JobUnsuccessful":
    case "ConnectionUnsuccessful":
      return exitCodes.failure
    case "Unreachable":
      return exitCodes.unavailable
    case "ApiRefused":
      return ofStatus(failure.status)
  }
}

const advice: Readonly<Record<string, string>> = {
  restart_pagination: "Start again from the first page, without --cursor.",
  resync: `Run a sync: ${program} feeds sync <id> --reset`,
  reconnect: "The bank must be connected again in the application.",
  contact_support: "Contact support with the reference below."
}

const recoveryOf = ({ recovery }: Envelope): string | undefined => {
  if (recovery === undefined) return undefined
  if (recovery.action === "retry") {
    return recovery.afterSeconds === undefined ? "Try again later." : `Try again in ${recovery.afterSeconds} s.`
  }
  return advice[recovery.action] ?? recovery.action
}

const refusalLines = ({ envelope, status }: ApiRefused): ReadonlyArray<string> => {
  const details = envelope.details ?? []
  const fromDetails = new Set(
    details.flatMap(({ field, message }) =>
      field === undefined ? [message] : [message, `${field} ${message}`, `${field}: ${message}`]
    )
  )
  const recovery = recoveryOf(envelope)
  return [
    `${envelope.error} (${[status, envelope.code].filter(Boolean).join(" ")})`,
    ...details.map(({ field, message }) => (field === undefined ? `  ${message}` : `  ${field}: ${message}`)),
    // Sent twice by some operations: what the details said already is not said again.
    ...(envelope.errors ?? []).filter((text) => !fromDetails.has(text)).map((text) => `  ${text}`),
    ...(envelope.warnings ?? []).map((text) => `  warning: ${text}`),
    ...(recovery === undefined ? [] : [recovery]),
    ...(envelope.referenceId === undefined ? [] : [`Reference: ${envelope.referenceId}`])
  ]
}

/** For a person, the reason first; safe to show on a terminal. */
export const linesOf = (failure: Failure): ReadonlyArray<string> =>
  (failure._tag === "ApiRefused" ? refusalLines(failure) : failure.message.split("\n")).map(clean)
