/** SnapTrade: brokerages of North America, Europe, India and Australia, through a portal of its own. */
import type { Capabilities, ProviderDriver, ProviderFactory } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { type Asked, makeClient } from "./Client.ts"
import { makeConnecting, options, userIn } from "./Connect.ts"
import { orderDays } from "./Coverage.ts"
import { makeBrokers, search } from "./Institutions.ts"
import { readLimits } from "./RateHeaders.ts"
import { makeSession } from "./Session.ts"
import { Settings, usualRequestsPerMinute } from "./Settings.ts"
import { verify } from "./Webhooks.ts"

/** Brokers give years; how many depends on them. */
const historyDays = 3_650

/** Ids change where SnapTrade works through activities again, and nothing tells of it. */
const activities = {
  changeModel: "snapshotWindow",
  scope: "account",
  idTrust: "stable",
  historyDays,
  overlapDays: 30,
  wholeEveryDays: 7
} as const

const capabilitiesOf = (settings: Settings): Capabilities => ({
  connectFlow: "portal",
  dataTypes: {
    // Of accounts that hold money. Read once a day, a day late, and of some brokers later still.
    transactions: activities,
    trades: activities,
    holdings: { changeModel: "snapshotFull", scope: "account", idTrust: "stable", historyDays: 0, overlapDays: 0 },
    // One that is older may still be open: it is shown no longer, and not gone.
    orders: {
      changeModel: "snapshotWindow",
      scope: "account",
      idTrust: "stable",
      historyDays: orderDays,
      overlapDays: orderDays
    }
  },
  history: { defaultDays: historyDays, maxDays: historyDays },
  pendingModel: "absent",
  reconnectKeepsIds: true,
  removal: "async",
  freshnessSeconds: 900,
  webhooks: true,
  refresh: {
    dataTypes:
      settings.paidRefresh === true
        ? ["balances", "holdings", "orders", "trades", "transactions"]
        : ["trades", "transactions"],
    billable: settings.paidRefresh === true
  },
  limits: [
    {
      name: "client",
      requests: settings.requestsPerMinute ?? usualRequestsPerMinute,
      seconds: 60,
      per: "instance",
      // Who connects a bank and reads it twice does not wait.
      burst: Math.ceil((settings.requestsPerMinute ?? usualRequestsPerMinute) / 4)
    },
    // Personal keys have one for each account besides.
    ...(settings.keyType === "personal"
      ? [{ name: "account", requests: 10, seconds: 60, per: "account" } as const]
      : [])
  ]
})

export const factory: ProviderFactory<Settings> = {
  kind: "snaptrade",
  label: "SnapTrade",
  Config: Settings,
  make: Effect.fnUntraced(function* ({ config, instanceId }) {
    const client = yield* makeClient(config)
    const brokers = yield* makeBrokers(client)
    const isPersonal = config.keyType === "personal"
    const connecting = makeConnecting({ client, brokers, isPersonal })
    return {
      kind: "snaptrade",
      instanceId,
      name: "SnapTrade",
      countryCodes: ["AU", "CA", "GB", "IN", "US"],
      capabilities: capabilitiesOf(config),
      connectOptions: options,
      listInstitutions: (query) => search(brokers, query),
      beginConnect: connecting.begin,
      completeConnect: connecting.complete,
      // A personal key is its owner's, and has no users.
      ...(isPersonal ? {} : { removeSubject: connecting.removeSubject }),
      open: ({ connection, subject }) => {
        // The secret of the workspace is the newer one, where both are of one user.
        const [own, shared] = [userIn(connection.secrets), userIn(subject.secrets)]
        const user: Asked<unknown>["user"] = isPersonal
          ? "key"
          : own !== undefined && shared?.userId === own.userId
            ? shared
            : (own ?? shared)
        return Effect.succeed(
          makeSession(client, { ref: connection.ref, user, paidRefresh: config.paidRefresh === true })
        )
      },
      verifyWebhook: verify(config),
      // A commercial key has no limit of its own for an account.
      readLimits: (answer) => readLimits(answer).filter(({ limit }) => limit !== "account" || isPersonal)
    } satisfies ProviderDriver
  })
}
