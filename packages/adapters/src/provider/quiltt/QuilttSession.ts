/** One run's look at a connection: Quiltt is asked for it once, and for its rows as often as they are pulled. */
import {
  ConnectionGone,
  type ConnectionHealth,
  NotReady,
  type OpenSession,
  type ProviderError,
  type ProviderSession,
  ProviderUnavailable,
  readAccounts,
  remembered
} from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { consentExpiryOf, lastUpdateOf, observedAccount } from "./QuilttAccounts.ts"
import { ConnectionAnswer, DisconnectAnswer, QuilttAccount, type QuilttConnection } from "./QuilttAnswers.ts"
import type { QuilttClient } from "./QuilttClient.ts"
import { connectionQuery, disconnectMutation } from "./QuilttDocuments.ts"
import { statusMeaning, upstream } from "./QuilttErrors.ts"
import { pullPage } from "./QuilttPull.ts"

/** Seconds until first data are looked for again. */
const firstDataWait = 15

/** The secret of a connection that says whose it is. */
export const profileSecret = "profileId"

const gone = () => new ConnectionGone({ message: `${upstream} does not know the connection` })

/** The connection as it is now; `ConnectionGone` where the profile has none of that id. */
export const lookAt = Effect.fnUntraced(function* (
  client: QuilttClient,
  profileId: string,
  ref: string
): Effect.fn.Return<QuilttConnection, ProviderError> {
  const { connection } = yield* client.query({ profileId, connection: ref }, connectionQuery, ConnectionAnswer, {
    id: ref
  })
  if (connection === undefined || connection === null || connection.id !== ref) return yield* gone()
  return { ...connection, ...readAccounts(connection.accounts ?? [], QuilttAccount, { id: ["id"], name: ["name"] }) }
})

const healthOf = (connection: QuilttConnection): ConnectionHealth => {
  const { health } = statusMeaning(connection.status)
  const updated = lastUpdateOf(connection)
  const expiry = consentExpiryOf(connection)
  // What is there from before is no answer to a status that says first data are on their way.
  const isFirst = connection.status === "SYNCING" && connection.accounts.length + connection.unread.length === 0
  return {
    ...(isFirst ? { status: "pending" } : health),
    ...(expiry === undefined ? {} : { consentExpiresAt: expiry }),
    ...(updated === undefined ? {} : { lastUpstreamUpdateAt: updated })
  }
}

const accountsOf = (found: QuilttConnection) => found.accounts.map((account) => observedAccount(found, account))

const disconnected: ConnectionHealth = {
  status: "disconnected",
  errorCode: "RECONNECT_REQUIRED",
  errorMessage: `${upstream} does not know the connection`
}

export const openSession = (client: QuilttClient, { connection, subject }: OpenSession): ProviderSession => {
  const { ref } = connection
  const profileId = connection.secrets[profileSecret] ?? subject.secrets[profileSecret] ?? ""
  const scope = { profileId, connection: ref }
  const look = remembered(
    Effect.suspend(() => (profileId === "" ? Effect.fail(gone()) : lookAt(client, profileId, ref)))
  )

  /** The connection where its data can be believed. */
  const readable = Effect.gen(function* () {
    const found = yield* look
    const { refusal } = statusMeaning(found.status)
    if (refusal !== undefined) return yield* refusal()
    if (healthOf(found).status === "pending") {
      return yield* new NotReady({ message: `${upstream} is collecting the first data`, retryAfter: firstDataWait })
    }
    return found
  })

  return {
    inspect: Effect.catchTag(Effect.map(look, healthOf), "ConnectionGone", () => Effect.succeed(disconnected)),
    listAccounts: Effect.map(readable, accountsOf),
    unreadAccounts: Effect.map(readable, ({ unread }) => unread),
    pull: Effect.fnUntraced(function* (request) {
      const found = yield* readable
      const accounts = accountsOf(found)
      const isWhole = statusMeaning(found.status).isFilling !== true
      return yield* pullPage({ client, scope, accounts, isWhole }, request)
    }),
    refresh: Effect.fn("Quiltt.refresh")(function* (dataTypes) {
      if (!dataTypes.includes("balances")) return { status: "not_supported" }
      const { accounts } = yield* readable
      const taken = yield* Effect.forEach(accounts, ({ id }) => client.refreshBalance(id, ref))
      return { status: taken.includes(true) ? "refreshing" : "not_supported" }
    }),
    // Quiltt takes the connection apart at its provider, and is done when its status says so.
    revoke: Effect.gen(function* () {
      if (profileId === "") return "done" as const
      const found = yield* lookAt(client, profileId, ref)
      if (found.status === "DISCONNECTED") return "done" as const
      if (found.status === "DISCONNECTING") return "pending" as const
      const { connectionDisconnect } = yield* client.query(scope, disconnectMutation, DisconnectAnswer, { id: ref })
      const status = connectionDisconnect?.record?.status
      if (connectionDisconnect?.success === true)
        return status === "DISCONNECTED" ? ("done" as const) : ("pending" as const)
      // An answer without success says nothing about why: what became of the connection does.
      const after = yield* lookAt(client, profileId, ref)
      if (after.status === "DISCONNECTED") return "done" as const
      if (after.status === "DISCONNECTING") return "pending" as const
      return yield* new ProviderUnavailable({ message: `${upstream} did not take the connection apart` })
    }).pipe(Effect.catchTag("ConnectionGone", () => Effect.succeed("done" as const)))
  }
}
