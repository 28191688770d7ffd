/**
 * Quiltt: banks of the United States and Canada through Plaid, MX, Finicity and Akoya, in one form.
 *
 * A workspace is one profile. Data are read with the API secret on the profile's behalf; a session is needed only for the
 * Connector in the person's browser. Nothing says what has changed: ranges of days are read again.
 */
import type { Capabilities, LimitReading, ProviderDriver, ProviderFactory } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { secondsUntil } from "../upstream/Wait.ts"
import { makeClient } from "./QuilttClient.ts"
import { QuilttConfig } from "./QuilttConfig.ts"
import { makeConnect } from "./QuilttConnect.ts"
import { endpoints } from "./QuilttErrors.ts"
import { openSession } from "./QuilttSession.ts"
import { verifyWebhook } from "./QuilttWebhook.ts"

/** Days of history that the providers behind Quiltt give, at most. */
const historyDays = 730

/** The name of the limit that answers tell of. */
const requests = "requests"

/** Nothing tells of corrections, and no filter asks for rows by when they changed. */
const window = {
  changeModel: "snapshotWindow",
  scope: "connection",
  idTrust: "perStatus",
  historyDays,
  overlapDays: 30,
  wholeEveryDays: 7
} as const

const capabilities = (hasWebhooks: boolean): Capabilities => ({
  connectFlow: "connector",
  dataTypes: {
    transactions: window,
    trades: window,
    holdings: { changeModel: "snapshotFull", scope: "account", idTrust: "stable", historyDays: 0, overlapDays: 0 },
    loans: { changeModel: "snapshotFull", scope: "connection", idTrust: "stable", historyDays: 0, overlapDays: 0 }
  },
  history: { defaultDays: historyDays, maxDays: historyDays, fixedAtConnect: true },
  pendingModel: "unlinked",
  reconnectKeepsIds: true,
  removal: "async",
  // Quiltt itself reads from the banks about once a day.
  freshnessSeconds: 21_600,
  webhooks: hasWebhooks,
  refresh: { dataTypes: ["balances"], billable: true },
  limits: [
    { name: requests, requests: 25, seconds: 1, per: "instance", burst: 10 },
    { name: "sessions", requests: 10, seconds: 3_600, per: "connection", endpoint: endpoints.sessions },
    { name: "sessions of a day", requests: 20, seconds: 86_400, per: "connection", endpoint: endpoints.sessions }
  ]
})

const readLimits: NonNullable<ProviderDriver["readLimits"]> = ({ headers }, now): ReadonlyArray<LimitReading> => {
  const remaining = headers["ratelimit-remaining"]?.trim() ?? ""
  const resetSeconds = secondsUntil(headers["ratelimit-reset"], now)
  return /^\d{1,9}$/.test(remaining) && resetSeconds !== undefined
    ? [{ limit: requests, remaining: Number(remaining), resetSeconds }]
    : []
}

export const factory: ProviderFactory<QuilttConfig> = {
  kind: "quiltt",
  label: "Quiltt",
  Config: QuilttConfig,
  make: Effect.fnUntraced(function* ({ config, instanceId }) {
    const client = yield* makeClient(config)
    const hasWebhooks = config.webhookSecret !== undefined
    return {
      kind: "quiltt",
      instanceId,
      name: "Quiltt",
      countryCodes: ["CA", "US"],
      capabilities: capabilities(hasWebhooks),
      ...makeConnect(client, instanceId, config),
      open: (request) => Effect.succeed(openSession(client, request)),
      ...(hasWebhooks ? { verifyWebhook: verifyWebhook(config) } : {}),
      readLimits
    } satisfies ProviderDriver
  })
}
