/**
 * An upstream that registers users and shows their secret once, opens a portal for them, and makes connections there. It
 * keeps the true list of what it made, so that a test can say that all of it is known to us.
 */
import type { CompletedConnection } from "../../src/provider/Connect.ts"
import {
  ConnectionGone,
  InvalidConnectPayload,
  type ProviderError,
  ProviderUnavailable,
  UserCancelled
} from "../../src/provider/ProviderError.ts"
import type { ProviderDriver } from "../../src/provider/Provider.ts"
import { Timestamp } from "@millrace/core"
import { makeScriptedProvider } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"

interface Made {
  readonly ref: string
  readonly user: string
  revoked: boolean
}

export const makeConnectionUpstream = (instance = "portal") => {
  const { bank, driver } = makeScriptedProvider({
    instance,
    changeModel: "snapshotFull",
    scope: "account",
    idTrust: "stable",
    pageSize: 10,
    overlapDays: 0,
    historyDays: 90
  })
  /** The secret of each user; registering anew ends the former one. */
  const users = new Map<string, string>()
  const sessions: Array<{ readonly user: string; readonly attemptId: string; readonly reconnect: string | undefined }> =
    []
  const connections = new Map<string, Made>()
  /** What each completion was to mend; `undefined`: a connection of its own. */
  const completions: Array<string | undefined> = []
  let registered = 0

  const provider: ProviderDriver = {
    ...driver,
    capabilities: { ...driver.capabilities, connectFlow: "portal" },
    beginConnect: Effect.fnUntraced(function* (request) {
      const { attemptId, institutionId, keepAttempt, keepSubject, reconnect, redirectUri, subject } = request
      if (institutionId === "unknown") return yield* new InvalidConnectPayload({ message: "no such institution" })
      let secret = subject.secrets["userSecret"]
      if (secret === undefined) {
        secret = `secret ${++registered} of ${subject.ref}`
        users.set(subject.ref, secret)
        yield* keepSubject({ userSecret: secret })
      }
      if (users.get(subject.ref) !== secret) return yield* new ProviderUnavailable({ message: "another secret" })
      const session = `session ${sessions.length}`
      sessions.push({ user: subject.ref, attemptId, reconnect: reconnect?.ref })
      yield* keepAttempt({ session })
      return {
        kind: "popup",
        url: `https://portal.example/${encodeURIComponent(session)}?to=${encodeURIComponent(redirectUri ?? "")}`,
        expiresAt: Timestamp.fromMillis(5 * 3_600_000)
      }
    }),
    completeConnect: ({ attemptSecrets, payload, reconnect, subject }) =>
      Effect.suspend((): Effect.Effect<CompletedConnection, ProviderError> => {
        completions.push(reconnect?.ref)
        const id = payload.kind === "provider_connection_id" ? payload.connectionId : ""
        const made = connections.get(id)
        if (id === "cancelled") return Effect.fail(new UserCancelled({ message: "The person closed the portal" }))
        if (id === "gone") return Effect.fail(new ConnectionGone({ message: "There is no such connection" }))
        if (made === undefined || made.revoked || made.user !== subject.ref) {
          return Effect.fail(new InvalidConnectPayload({ message: "the connection is not ours" }))
        }
        return Effect.succeed({
          connection: { ref: id, secrets: { session: attemptSecrets["session"] ?? "none" } },
          institution: { id: "portal-bank", name: id, countryCodes: ["CH"], status: "ok" },
          bankType: "bank"
        } as const)
      }),
    open: (request) =>
      Effect.map(driver.open(request), (session) => ({
        ...session,
        revoke: Effect.sync(() => {
          const made = connections.get(request.connection.ref)
          if (made !== undefined) made.revoked = true
          return "done" as const
        })
      }))
  }
  /** What the person does in the portal. */
  const connectAs = (user: string, ref: string) => {
    bank(ref, [`${ref} a`, `${ref} b`])
    connections.set(ref, { ref, user, revoked: false })
  }
  return { bank, completions, connectAs, connections, driver: provider, sessions, users }
}
