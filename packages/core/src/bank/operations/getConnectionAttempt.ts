import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { exampleIds, exampleTime } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { Banks } from "../Banks.ts"
import { AttemptError, AttemptState, type ConnectionAttempt } from "../ConnectionAttempt.ts"

const ConnectionAttemptRecord = Schema.Struct({
  id: Schema.String,
  providerInstanceId: Schema.String,
  state: AttemptState,
  flow: Schema.String,
  bankId: Schema.NullOr(Id("bank")),
  error: Schema.NullOr(AttemptError),
  createdAt: Timestamp.Timestamp,
  expiresAt: Timestamp.Timestamp
}).annotate({ identifier: "ConnectionAttempt" })

/** An attempt as it is sent. Names every field, so that nothing internal can slip through. */
const attemptToWire = (attempt: ConnectionAttempt) => ({
  id: attempt.attemptId,
  providerInstanceId: attempt.instanceId,
  state: attempt.state,
  flow: attempt.flow ?? "",
  bankId: attempt.bankId ?? null,
  error: attempt.error ?? null,
  createdAt: attempt.createdAt,
  expiresAt: attempt.expiresAt
})

const connectionAttemptExample = {
  id: exampleIds.attempt,
  providerInstanceId: "demo:default",
  state: "completed",
  flow: "portal_popup",
  bankId: exampleIds.bank,
  error: null,
  createdAt: exampleTime,
  expiresAt: "2026-03-04T05:36:07.008Z"
}

export const getConnectionAttempt = operation({
  noun: "banks",
  id: "getConnectionAttempt",
  get: "/v1/banks/connections/attempts/:attempt_id",
  summary: "Get an attempt to connect a bank",
  description:
    "Returns how an attempt to connect a bank goes, for programs that wait for their person: ask every 3 seconds at most. " +
    "An attempt that expired is still completed by a success that comes within a day.",
  access: { anyOf: ["banks:write"], role: "admin", app: "own" },
  repeats: "read",
  command: "banks attempt",
  tool: "get_connection_attempt",
  success: record(ConnectionAttemptRecord),
  example: { data: connectionAttemptExample },
  run: ({ caller, ids }) =>
    Banks.use((banks) => Effect.map(banks.attempt(caller, ids.attempt), (attempt) => attemptToWire(attempt)))
})
