/** One run's look at a connection: consents, accounts and balances are asked for once. */
import {
  type AccountsRead,
  ConnectionGone,
  type ConnectionHealth,
  NotReady,
  type ObservedAccount,
  type OpenSession,
  type ProviderError,
  type ProviderSession,
  readAccounts,
  remembered,
  unreadAccount,
  type UnreadAccount
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { observedAccount } from "./FiskilAccounts.ts"
import { FiskilAccount, FiskilBalance, FiskilInstitution } from "./FiskilAnswers.ts"
import type { FiskilClient } from "./FiskilClient.ts"
import {
  arrangementSecret,
  consentsOf,
  consentState,
  type ConsentState,
  endConsents,
  institutionIdOf,
  isLive,
  isOfPlace,
  isShared,
  placeOf
} from "./FiskilConsents.ts"
import { upstream } from "./FiskilErrors.ts"
import { statusOf } from "./FiskilInstitutions.ts"
import { pullPage } from "./FiskilPull.ts"

/** Seconds until first data are looked for again. */
const firstDataWait = 30

const accountKeys = { id: ["account_id"], name: ["nickname", "display_name", "product_name"] } as const

const gone = () => new ConnectionGone({ message: `${upstream} does not know the connection` })

const disconnected: ConnectionHealth = {
  status: "disconnected",
  errorCode: "RECONNECT_REQUIRED",
  errorMessage: `${upstream} does not know the connection`
}

const isOfInstitution = (row: unknown, institutionId: string): boolean => {
  const named = typeof row === "object" && row !== null && "institution_id" in row ? row.institution_id : undefined
  return typeof named === "string" || typeof named === "number" ? String(named) === institutionId : true
}

const mayShow = (state: ConsentState, permission: string): boolean =>
  state.live.some(
    ({ permissions }) => permissions === undefined || permissions === null || permissions.includes(permission)
  )

export const openSession = (client: FiskilClient, { connection, psu }: OpenSession): ProviderSession => {
  const { ref, secrets } = connection
  const place = placeOf(ref)
  if (place === undefined) {
    const unknown = Effect.fail(gone())
    return {
      inspect: Effect.succeed(disconnected),
      listAccounts: unknown,
      pull: () => unknown,
      refresh: () => unknown,
      revoke: Effect.succeed("done")
    }
  }
  const { endUserId, institutionId } = place

  const state = remembered(
    Effect.gen(function* () {
      const consents = yield* consentsOf(client, endUserId, ref)
      const own = consents.filter((consent) => isOfPlace(place, secrets[arrangementSecret], consent))
      const now = yield* Clock.currentTimeMillis
      const others = consents.filter(
        (consent) => institutionIdOf(consent) === institutionId && !own.includes(consent) && isLive(consent, now)
      )
      return { ...consentState(own, now), others }
    })
  )

  /** The consents where something may be read with them: answers would come from memory long after they ended. */
  const permitted = Effect.flatMap(state, (found) =>
    found.refusal === undefined ? Effect.succeed(found) : Effect.fail(found.refusal)
  )

  const list = Effect.fnUntraced(function* (path: string, name: string, query: Readonly<Record<string, string>> = {}) {
    return yield* client.askAll({ path, query: { end_user_id: endUserId, ...query }, connection: ref }, name)
  })

  const accountsHere = remembered(
    Effect.gen(function* () {
      const { live, others } = yield* permitted
      const listed = yield* list("/v1/banking/accounts", "accounts")
      // Accounts of other banks of the person are of other connections, whether or not they can be read.
      const { accounts: here, unread } = readAccounts(
        listed.filter((row) => isOfInstitution(row, institutionId)),
        FiskilAccount,
        accountKeys
      )
      const shared = here.filter((account) => isShared(live, account))
      // Where nobody else shares anything of the bank, all of it is this connection's, whatever consent it came with.
      const own = others.length === 0 && shared.length === 0 ? here : shared
      return { own, unread }
    })
  )

  const accountsShown = remembered(
    Effect.gen(function* (): Effect.fn.Return<AccountsRead<ObservedAccount>, ProviderError> {
      const found = yield* permitted
      const { own, unread } = yield* accountsHere
      if (own.length + unread.length === 0) {
        return yield* new NotReady({ message: `${upstream} is collecting the first data`, retryAfter: firstDataWait })
      }
      const rows = mayShow(found, "balances") ? yield* list("/v1/banking/balances", "balances") : []
      const balances = readAccounts(rows, FiskilBalance, accountKeys)
      const byAccount = new Map(balances.accounts.map((balance) => [balance.account_id, balance]))
      const odd = new Map(balances.unread.map(({ providerAccountId, reason }) => [providerAccountId, reason]))
      const canShowRows = mayShow(found, "transactions")
      const accounts: Array<ObservedAccount> = []
      const doubtful: Array<UnreadAccount> = [...unread]
      for (const account of own) {
        const balance = byAccount.get(account.account_id)
        // A balance that does not say whose it is may be of any account that has none.
        const reason = odd.get(account.account_id) ?? (balance === undefined ? odd.get("") : undefined)
        if (reason === undefined) accounts.push(observedAccount(account, balance, institutionId, canShowRows))
        else doubtful.push(unreadAccount(account, accountKeys, `balance: ${reason}`))
      }
      return { accounts, unread: doubtful }
    })
  )
  const accounts = Effect.map(accountsShown, (shown) => shown.accounts)

  /** Whether the institution is in trouble; where that cannot be found out, it is believed not to be. */
  const isTroubled = client
    .askJson({ path: `/v1/institutions/${encodeURIComponent(institutionId)}` }, FiskilInstitution)
    .pipe(Effect.match({ onFailure: () => false, onSuccess: (institution) => statusOf(institution) !== "ok" }))

  return {
    inspect: Effect.gen(function* (): Effect.fn.Return<ConnectionHealth, ProviderError> {
      const { health, refusal } = yield* state
      if (refusal !== undefined) return health
      const { own, unread } = yield* accountsHere
      if (own.length + unread.length === 0) return { ...health, status: "pending" }
      return (yield* isTroubled)
        ? {
            ...health,
            status: "degraded",
            errorCode: "INSTITUTION_UNAVAILABLE",
            errorMessage: "The bank is in trouble at the moment"
          }
        : health
    }).pipe(Effect.catchTag("ConnectionGone", () => Effect.succeed(disconnected))),
    listAccounts: accounts,
    unreadAccounts: Effect.map(accountsShown, ({ unread }) => unread),
    pull: Effect.fnUntraced(function* (request) {
      return yield* pullPage(client, { ref, endUserId }, yield* accounts, request)
    }),
    refresh: Effect.fn("Fiskil.refresh")(function* (dataTypes) {
      if (!dataTypes.includes("balances")) return { status: "not_supported" }
      for (const { providerAccountId } of yield* accounts) {
        yield* client.askPage(
          {
            path: "/v1/banking/balances",
            query: { end_user_id: endUserId, account_id: providerAccountId, fetch: "true" },
            connection: ref,
            endpoint: "refreshes",
            psu
          },
          "balances"
        )
      }
      return { status: "refreshing" }
    }),
    // The person at Fiskil stays: other connections are theirs as well.
    revoke: Effect.gen(function* () {
      yield* endConsents(client, endUserId, (consent) => isOfPlace(place, secrets[arrangementSecret], consent), ref)
      return "done" as const
    }).pipe(Effect.catchTag("ConnectionGone", () => Effect.succeed("done" as const)))
  }
}
