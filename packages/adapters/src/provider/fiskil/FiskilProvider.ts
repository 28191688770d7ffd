/**
 * Fiskil: banks of Australia under the Consumer Data Right.
 *
 * A workspace is one person ("end user") there; each bank that they share is a consent, which lasts a year at most. Fiskil
 * shows what it holds: that a consent has ended shows in the consent alone, never in the data.
 */
import type { Capabilities, ProviderDriver, ProviderFactory } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { makeClient } from "./FiskilClient.ts"
import { FiskilConfig } from "./FiskilConfig.ts"
import { makeConnect } from "./FiskilConnect.ts"
import { makeInstitutions } from "./FiskilInstitutions.ts"
import { openSession } from "./FiskilSession.ts"
import { verifyWebhook } from "./FiskilWebhook.ts"

/** Days: holders of data must keep seven years; how far a bank goes shows in its rows. */
const historyDays = 2_555

const capabilities = (hasWebhooks: boolean): Capabilities => ({
  connectFlow: "authSession",
  dataTypes: {
    transactions: {
      changeModel: "snapshotWindow",
      scope: "account",
      idTrust: "perStatus",
      historyDays,
      overlapDays: 30,
      // Nothing tells of corrections; a thousand rows come with a page.
      wholeEveryDays: 7
    }
  },
  history: { defaultDays: historyDays, maxDays: historyDays },
  pendingModel: "unlinked",
  reconnectKeepsIds: true,
  removal: "sync",
  // Fiskil itself reads from the banks a few times a day.
  freshnessSeconds: 21_600,
  webhooks: hasWebhooks,
  refresh: { dataTypes: ["balances"], billable: false },
  // No figures are published: these are kept to so that none has to be met. Who connects a bank and reads it twice does not wait.
  limits: [
    { name: "requests", requests: 300, seconds: 60, per: "instance", burst: 60 },
    { name: "requests of a connection", requests: 120, seconds: 60, per: "connection", burst: 60 }
  ]
})

export const factory: ProviderFactory<FiskilConfig> = {
  kind: "fiskil",
  label: "Fiskil",
  Config: FiskilConfig,
  make: Effect.fnUntraced(function* ({ config, instanceId }) {
    const client = yield* makeClient(config)
    const institutions = makeInstitutions(client, config.teamId ?? config.clientId)
    const hasWebhooks = config.webhookSecret !== undefined
    return {
      kind: "fiskil",
      instanceId,
      name: "Fiskil",
      countryCodes: ["AU"],
      capabilities: capabilities(hasWebhooks),
      listInstitutions: institutions.list,
      ...makeConnect(client, institutions, config),
      open: (request) => Effect.succeed(openSession(client, request)),
      ...(hasWebhooks ? { verifyWebhook: verifyWebhook(config, client) } : {})
    } satisfies ProviderDriver
  })
}
