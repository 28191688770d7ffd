/**
 * Plaid: banks, cards, loans and brokers of the United States, Canada and Europe.
 *
 * Checked against its OpenAPI document of 2026-06-10 and the pages on errors, limits and webhooks of plaid.com/docs.
 */
import {
  type Capabilities,
  type Connection,
  type ConnectionHealth,
  type ProviderDriver,
  type ProviderError,
  type ProviderFactory,
  type ProviderSession,
  type PullRequest,
  type RefreshStarted,
  remembered,
  type RequestLimit,
  type SyncPage,
  Unsupported
} from "@millrace/core/provider"
import type { SyncDataType } from "@millrace/core/record"
import * as Effect from "effect/Effect"
import { limited, makeClient, type PlaidClient, type PlaidPath, tokenOf } from "./PlaidClient.ts"
import { completed, PlaidConfig, type PlaidSettings } from "./PlaidConfig.ts"
import { beginConnect, completeConnect } from "./PlaidConnect.ts"
import { observedAccounts } from "./PlaidAccounts.ts"
import { AccountsAnswer, DoneAnswer, ItemAnswer } from "./PlaidForm.ts"
import { healthOf } from "./PlaidHealth.ts"
import { listInstitutions } from "./PlaidInstitutions.ts"
import { pullHoldings, pullTrades } from "./PlaidInvestments.ts"
import { pullLoans } from "./PlaidLoans.ts"
import { pullTransactions } from "./PlaidSync.ts"
import { plaidKeys, verifyWebhook } from "./PlaidWebhook.ts"

/** Requests a minute that Plaid allows, of each item and of all of a client. */
const perMinute: Readonly<Partial<Record<keyof typeof limited, readonly [item: number | undefined, client: number]>>> =
  {
    "/accounts/get": [15, 15_000],
    "/accounts/balance/get": [5, 1_200],
    "/transactions/sync": [50, 2_500],
    "/investments/holdings/get": [15, 2_000],
    "/investments/transactions/get": [30, 20_000],
    "/liabilities/get": [15, 1_000],
    "/item/get": [15, 5_000],
    "/item/remove": [30, 2_000],
    "/institutions/get": [undefined, 50],
    "/institutions/get_by_id": [undefined, 400],
    // Ours: anyone who sends forged webhooks makes us ask for keys.
    "/webhook_verification_key/get": [undefined, 60]
  }

const limits: ReadonlyArray<RequestLimit> = Object.entries(perMinute).flatMap(([path, [item, client]]) => {
  const endpoint = limited[path as keyof typeof limited]
  return [
    ...(item === undefined
      ? []
      : [
          {
            name: `${endpoint}-item`,
            requests: item,
            seconds: 60,
            per: "connection" as const,
            endpoint
          }
        ]),
    { name: `${endpoint}-client`, requests: client, seconds: 60, per: "instance" as const, endpoint }
  ]
})

const refreshed: ReadonlyArray<SyncDataType> = ["transactions", "holdings", "trades"]

const capabilitiesOf = (settings: PlaidSettings): Capabilities => {
  const reads = new Set([...settings.products, ...settings.optionalProducts])
  const snapshot = {
    changeModel: "snapshotFull",
    scope: "connection",
    idTrust: "stable",
    historyDays: 0,
    overlapDays: 0
  } as const
  return {
    connectFlow: settings.hostedLink ? "portal" : "link",
    // The address is registered at Plaid without a query (`redirectBody`); a page of Plaid's own keeps it.
    ...(settings.hostedLink ? {} : { returnsWithoutState: true }),
    dataTypes: {
      ...(reads.has("transactions")
        ? {
            transactions: {
              changeModel: "delta",
              scope: "connection",
              idTrust: "perStatus",
              historyDays: settings.historyDays,
              overlapDays: 10
            }
          }
        : {}),
      ...(reads.has("investments")
        ? {
            trades: {
              changeModel: "snapshotWindow",
              scope: "connection",
              idTrust: "stable",
              historyDays: 730,
              // There is no feed of changes: what a broker adds or takes back late is seen in what is read again.
              overlapDays: 30,
              wholeEveryDays: 7
            },
            holdings: snapshot
          }
        : {}),
      ...(reads.has("liabilities") ? { loans: snapshot } : {})
    },
    history: { defaultDays: settings.historyDays, maxDays: settings.historyDays, fixedAtConnect: true },
    pendingModel: "linked",
    reconnectKeepsIds: true,
    removal: "sync",
    // Plaid reads from banks one to four times a day.
    freshnessSeconds: 900,
    webhooks: true,
    ...(settings.refresh ? { refresh: { dataTypes: refreshed, billable: true } } : {}),
    limits
  }
}

const gone: ConnectionHealth = {
  status: "disconnected",
  errorCode: "CONNECTION_GONE",
  errorMessage: "Plaid does not know this connection any more"
}

/** Seconds that Plaid may take where it asks the bank itself. */
const bankSeconds = 45

const accountsOf = Effect.fnUntraced(function* (
  client: PlaidClient,
  settings: PlaidSettings,
  { ref, secrets }: Connection
) {
  const path: PlaidPath = settings.realtimeBalances ? "/accounts/balance/get" : "/accounts/get"
  const { accounts, item } = yield* client.ask(path, AccountsAnswer, tokenOf(secrets), {
    item: ref,
    ...(settings.realtimeBalances ? { seconds: bankSeconds } : {})
  })
  return observedAccounts(accounts, item)
})

const refresh = Effect.fnUntraced(function* (
  client: PlaidClient,
  { ref, secrets }: Connection,
  dataTypes: ReadonlyArray<SyncDataType>
): Effect.fn.Return<RefreshStarted, ProviderError> {
  const paths: ReadonlyArray<readonly [PlaidPath, boolean]> = [
    ["/transactions/refresh", dataTypes.includes("transactions") || dataTypes.includes("balances")],
    ["/investments/refresh", dataTypes.includes("holdings") || dataTypes.includes("trades")]
  ]
  let begun = false
  for (const [path, isAsked] of paths) {
    if (!isAsked) continue
    const started = yield* client.ask(path, DoneAnswer, tokenOf(secrets), { item: ref }).pipe(
      Effect.as(true),
      Effect.catchTags({
        Unsupported: () => Effect.succeed(false),
        // An add-on that the operator has not ordered.
        Misconfigured: (error) =>
          error.providerCode === "INVALID_PRODUCT" ? Effect.succeed(false) : Effect.fail(error)
      })
    )
    begun ||= started
  }
  return { status: begun ? "refreshing" : "not_supported" }
})

const pull = (
  client: PlaidClient,
  settings: PlaidSettings,
  connection: Connection,
  request: PullRequest
): Effect.Effect<SyncPage, ProviderError> => {
  switch (request.dataType) {
    case "transactions":
      return pullTransactions(client, connection, request, settings.historyDays)
    case "holdings":
      return pullHoldings(client, connection, request)
    case "trades":
      return pullTrades(client, connection, request)
    case "loans":
      return pullLoans(client, connection, request)
    case "orders":
      return new Unsupported({ message: "Plaid shows no orders", dataType: "orders" })
  }
}

const sessionOf = (client: PlaidClient, settings: PlaidSettings, connection: Connection): ProviderSession => {
  const shown = remembered(accountsOf(client, settings, connection))
  return {
    inspect: client.ask("/item/get", ItemAnswer, tokenOf(connection.secrets), { item: connection.ref }).pipe(
      Effect.map(healthOf),
      Effect.catchTag("ConnectionGone", () => Effect.succeed(gone))
    ),
    listAccounts: Effect.map(shown, ({ accounts }) => accounts),
    unreadAccounts: Effect.map(shown, ({ unread }) => unread),
    pull: (request) => pull(client, settings, connection, request),
    ...(settings.refresh ? { refresh: (dataTypes) => refresh(client, connection, dataTypes) } : {}),
    revoke: client.ask("/item/remove", DoneAnswer, tokenOf(connection.secrets), { item: connection.ref }).pipe(
      Effect.as("done" as const),
      Effect.catchTag("ConnectionGone", () => Effect.succeed("done" as const))
    )
  }
}

export const factory: ProviderFactory<PlaidConfig> = {
  kind: "plaid",
  label: "Plaid",
  Config: PlaidConfig,
  make: Effect.fnUntraced(function* ({ config, instanceId }) {
    const settings = completed(config)
    const client = yield* makeClient(settings)
    const keyOf = plaidKeys(client)
    return {
      kind: "plaid",
      instanceId,
      name: "Plaid",
      countryCodes: settings.countryCodes,
      capabilities: capabilitiesOf(settings),
      listInstitutions: (query) => listInstitutions(client, settings, query),
      beginConnect: (request) => beginConnect(client, settings, request),
      completeConnect: (request) => completeConnect(client, settings, request),
      open: ({ connection }) => Effect.succeed(sessionOf(client, settings, connection)),
      verifyWebhook: (webhook) => verifyWebhook(keyOf, webhook)
    } satisfies ProviderDriver
  })
}
