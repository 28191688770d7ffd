import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { Api } from "../request/Api.ts"
import { recordOf, showList, showRecord } from "../request/Requests.ts"
import { choice, cursor, limit, queryOf, text } from "./Flags.ts"

export const auditOutcomes = ["ok", "denied", "failed"] as const

const verify = Command.make(
  "verify",
  { known: text("known", "<number:hash>", "The newest entry of an earlier check: only what follows it is checked") },
  Effect.fnUntraced(function* (asked) {
    const self = yield* recordOf(yield* (yield* Api).send({ method: "GET", path: "/v1/whoami" }))
    const path = `/v1/workspaces/${String(self["workspaceId"])}/audit/verify`
    return yield* showRecord({ method: "GET", path, query: queryOf(asked) })
  })
).pipe(
  Command.withDescription(
    "Check that no entry of the audit was changed or removed. Keep the number and hash of the newest entry elsewhere: a later " +
      "check with --known also finds an audit that was rewritten as a whole"
  ),
  Command.withShortDescription("Check that no entry of the audit was changed")
)

const columns = ["at", "outcome", "operationId", "resource.id", "actor.kind", "credential.id", "requestId"]

export const audit = Command.make(
  "audit",
  {
    from: text("from", "<date>", "First day in UTC"),
    to: text("to", "<date>", "Last day in UTC"),
    actor: text("actor", "<id>", "Only what this person, key, app, automation or feed did"),
    operationId: text("operation", "<operation>", "Only what this operation did, such as updateFeed"),
    resourceId: text("resource", "<id>", "Only what was done to this"),
    outcome: choice("outcome", auditOutcomes, "Only what ended so"),
    limit,
    cursor
  },
  Effect.fnUntraced(function* (asked) {
    // The workspace is that of the credential: there is no other one whose audit it could read.
    const self = yield* recordOf(yield* (yield* Api).send({ method: "GET", path: "/v1/whoami" }))
    const path = `/v1/workspaces/${String(self["workspaceId"])}/audit`
    return yield* showList({ method: "GET", path, query: queryOf(asked) }, "entries", columns)
  })
).pipe(
  Command.withDescription("List who did what in the workspace, newest first; --output json shows what was changed"),
  Command.withShortDescription("List who did what in the workspace"),
  Command.withSubcommands([verify])
)
