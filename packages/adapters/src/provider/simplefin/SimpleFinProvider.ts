/**
 * SimpleFIN: banks of the United States and Canada by a setup token that a person makes and pastes. Nobody but that person
 * has a contract with it.
 *
 * Written to version 1.0.7 of the protocol (simplefin.org/protocol.html) and the extensions of the SimpleFIN Bridge.
 */
import { Timestamp } from "@millrace/core"
import {
  type BeginConnect,
  type Capabilities,
  type ClientStep,
  type CompleteConnect,
  type CompletedConnection,
  type Connection,
  type ConnectionHealth,
  type Institution,
  InvalidConnectPayload,
  MutationDuringPagination,
  type ProviderDriver,
  type ProviderError,
  type ProviderFactory,
  type ProviderSession,
  remembered,
  type SyncPage,
  Unsupported
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { shownText } from "../upstream/UpstreamForm.ts"
import { accessIn, claimOf, refOf } from "./SimpleFinAccess.ts"
import { observedAccounts, toldBy } from "./SimpleFinAccounts.ts"
import { type Days, makeClient, type SimpleFinClient } from "./SimpleFinClient.ts"
import type { AccountsShown } from "./SimpleFinForm.ts"
import { pullHoldings, pullTransactions, recentDays } from "./SimpleFinRead.ts"

const BridgeUrl = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      (/^https?:\/\/[^/?#\s@]+$/.test(text) && URL.canParse(text)) ||
      "must be an address without a path, such as https://bridge.simplefin.org"
  )
)

const SimpleFinConfig = Schema.Struct({
  bridgeUrl: Schema.optionalKey(
    BridgeUrl.annotate({
      description: "where people make their setup tokens; https://bridge.simplefin.org unless given"
    })
  ),
  bridges: Schema.optionalKey(
    Schema.Array(BridgeUrl).annotate({
      description:
        "other bridges whose setup tokens are taken; https://beta-bridge.simplefin.org unless this or bridgeUrl is given"
    })
  ),
  historyDays: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 365 })).annotate({
      description:
        "days that a new connection asks for, at most 60 with each request; banks show 60 to 90. 90 unless given"
    })
  )
})
type SimpleFinConfig = typeof SimpleFinConfig.Type

const bridge = "https://bridge.simplefin.org"
/** Where its tokens for developers lead to. */
const betaBridge = "https://beta-bridge.simplefin.org"

const bridgesOf = ({ bridges, bridgeUrl }: SimpleFinConfig): ReadonlyArray<string> => [
  bridgeUrl ?? bridge,
  ...(bridges ?? (bridgeUrl === undefined ? [betaBridge] : []))
]
/** Milliseconds in which a person makes a token and pastes it. */
const attemptMillis = 3_600_000

const capabilitiesOf = (historyDays: number): Capabilities => ({
  connectFlow: "token",
  dataTypes: {
    transactions: {
      changeModel: "snapshotWindow",
      scope: "connection",
      idTrust: "perStatus",
      historyDays,
      // Rows turn up weeks after their day.
      overlapDays: Math.min(45, historyDays),
      // A request for each 60 days more, of 24 that a day has.
      wholeEveryDays: 7
    },
    holdings: { changeModel: "snapshotFull", scope: "connection", idTrust: "stable", historyDays: 0, overlapDays: 0 }
  },
  history: { defaultDays: historyDays, maxDays: historyDays },
  pendingModel: "unlinked",
  reconnectKeepsIds: true,
  removal: "local",
  // The Bridge reads from banks about once a day.
  freshnessSeconds: 7_200,
  webhooks: false,
  // Anyone who asks more often is warned, and then shut out. History is asked for at once.
  limits: [{ name: "day", requests: 24, seconds: 86_400, per: "connection", burst: 12 }]
})

const bridgeInstitution = (config: SimpleFinConfig): Institution => ({
  id: "simplefin",
  name: "SimpleFIN Bridge",
  countryCodes: ["CA", "US"],
  status: "ok",
  ...(config.bridgeUrl === undefined ? { url: bridge } : {})
})

const beginConnect = Effect.fnUntraced(function* (
  config: SimpleFinConfig,
  { institutionId }: BeginConnect
): Effect.fn.Return<ClientStep, ProviderError> {
  if (institutionId !== undefined && institutionId !== "simplefin") {
    return yield* new InvalidConnectPayload({
      message: "institutionId is not one of SimpleFIN: it offers simplefin alone"
    })
  }
  const now = yield* Clock.currentTimeMillis
  return {
    kind: "popup",
    url: `${config.bridgeUrl ?? bridge}/simplefin/create`,
    expiresAt: Timestamp.fromMillis(now + attemptMillis)
  }
})

/** The one bank that the access shows, or the Bridge where it shows several; nothing may fail any more. */
const institutionOf = (config: SimpleFinConfig, answer: AccountsShown | undefined): Institution => {
  const names = new Set((answer?.accounts ?? []).flatMap(({ org }) => shownText(org?.name) ?? []))
  const [name] = names
  return { ...bridgeInstitution(config), ...(names.size === 1 && name !== undefined ? { name } : {}) }
}

const completeConnect = Effect.fnUntraced(function* (
  client: SimpleFinClient,
  config: SimpleFinConfig,
  { attemptSecrets, keepAttempt, payload, reconnect }: CompleteConnect
): Effect.fn.Return<CompletedConnection, ProviderError> {
  if (payload.kind !== "provider_connection_id") {
    return yield* new InvalidConnectPayload({ message: "SimpleFIN is completed with a setup token as connectionId" })
  }
  // A setup token is claimed once: what it gave is kept before anything else is asked.
  const claimed = claimOf(payload.connectionId)
  const kept = attemptSecrets["claimed"] === claimed ? accessIn({ ref: "", secrets: attemptSecrets }) : undefined
  const access = kept ?? (yield* client.claim(payload.connectionId))
  if (kept === undefined) yield* keepAttempt({ ...access, claimed })
  // A new access of the same person shows the same accounts: it takes the place of the old one.
  const connection = { ref: reconnect?.ref ?? refOf(access), secrets: access }
  const answer = yield* client.askAccounts(connection).pipe(Effect.orElseSucceed(() => undefined))
  return { connection, institution: institutionOf(config, answer), bankType: "bank" }
})

const healthOf = (answer: AccountsShown): ConnectionHealth => {
  const told = toldBy(answer)
  const dates = answer.accounts.map((account) => account["balance-date"] ?? 0)
  const latest = dates.reduce((a, b) => Math.max(a, b), 0)
  return {
    ...(told.length === 0
      ? { status: "connected" }
      : {
          status: "degraded",
          errorCode: "PARTIAL_FAILURE",
          errorMessage: `SimpleFIN says: ${told.join(" ").slice(0, 500)}`
        }),
    ...(latest > 0 ? { lastUpstreamUpdateAt: Timestamp.fromMillis(latest * 1000) } : {})
  }
}

const ended = (status: "disconnected" | "consent_expired", errorCode: string, errorMessage: string) =>
  Effect.succeed<ConnectionHealth>({ status, errorCode, errorMessage })

const openSession = Effect.fnUntraced(function* (client: SimpleFinClient, connection: Connection) {
  const recent = recentDays(yield* Clock.currentTimeMillis)
  const latest = remembered(client.askAccounts(connection, recent))
  const ask = (days: Days) => (days === recent ? latest : client.askAccounts(connection, days))
  const session: ProviderSession = {
    inspect: latest.pipe(
      Effect.map(healthOf),
      Effect.catchTags({
        ConnectionGone: ({ message }) => ended("disconnected", "CONNECTION_GONE", message),
        ConsentRequired: ({ message }) => ended("consent_expired", "PAYMENT_REQUIRED", message)
      })
    ),
    listAccounts: Effect.map(latest, observedAccounts),
    unreadAccounts: Effect.map(latest, ({ unread }) => unread),
    pull: (request): Effect.Effect<SyncPage, ProviderError> => {
      const { dataType, position } = request
      if (dataType === "transactions") return pullTransactions(ask, connection.ref, request, recent)
      if (dataType !== "holdings") return new Unsupported({ message: `SimpleFIN shows no ${dataType}`, dataType })
      if (position !== undefined) return new MutationDuringPagination({ message: "Holdings have one page" })
      return Effect.map(latest, (answer) => pullHoldings(answer, request))
    },
    // Only the person can end an access, at the Bridge.
    revoke: Effect.succeed("done")
  }
  return session
})

const driverOf = (instanceId: string, config: SimpleFinConfig, client: SimpleFinClient): ProviderDriver => ({
  kind: "simplefin",
  instanceId,
  name: "SimpleFIN",
  countryCodes: ["CA", "US"],
  capabilities: capabilitiesOf(config.historyDays ?? 90),
  listInstitutions: ({ countryCodes, text }) =>
    Effect.succeed(
      [bridgeInstitution(config)].filter(
        (one) =>
          one.name.toLowerCase().includes(text.trim().toLowerCase()) &&
          (countryCodes.length === 0 || one.countryCodes.some((code) => countryCodes.includes(code)))
      )
    ),
  beginConnect: (request) => beginConnect(config, request),
  completeConnect: (request) => completeConnect(client, config, request),
  open: ({ connection }) => openSession(client, connection)
})

export const factory: ProviderFactory<SimpleFinConfig> = {
  kind: "simplefin",
  label: "SimpleFIN",
  Config: SimpleFinConfig,
  make: ({ config, instanceId }) =>
    Effect.map(makeClient(bridgesOf(config)), (client) => driverOf(instanceId, config, client))
}
