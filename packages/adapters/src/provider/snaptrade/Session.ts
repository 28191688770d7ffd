/** A run's look at one connection of SnapTrade. What its answers have in common is asked for once. */
import {
  ConnectionGone,
  type ConnectionHealth,
  MutationDuringPagination,
  NotReady,
  type ProviderError,
  type ProviderSession,
  type PullRequest,
  readAccounts,
  ReauthRequired,
  remembered,
  type SyncPage,
  unreadAccount,
  type UnreadAccount,
  Unsupported,
  readRows
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { rememberedBy } from "../upstream/RememberedBy.ts"
import { hasHoldings, observedAccount } from "./Accounts.ts"
import { tradeOf, transactionOf } from "./Activities.ts"
import type { Asked, SnapTradeClient } from "./Client.ts"
import { isRead, type KnownAccount, markOf, openOrdersWindow, orderDays, windowOf } from "./Coverage.ts"
import * as Forms from "./Forms.ts"
import { holdingRecords, positionOf } from "./Holdings.ts"
import { isOpen, orderRecords } from "./Orders.ts"
import { readPosition, writePosition } from "./Position.ts"
import { instantOf } from "../upstream/UpstreamForm.ts"

/** Rows of a page, as many as SnapTrade gives. */
const pageRows = 1_000
/** Seconds until the first reading of an account may be over. */
const notReadySeconds = 60

const accountKeys = { id: ["id"], name: ["name", "raw_type"] } as const

/** Ids of connections and accounts; nothing else may become a part of an address. */
const idForm = /^[0-9a-fA-F-]{32,40}$/
export const isId = (text: string): boolean => idForm.test(text)

export interface SessionOptions {
  readonly ref: string
  /** Absent: nothing is known of whose it is. */
  readonly user: Asked<unknown>["user"]
  readonly paidRefresh: boolean
}

const notReady = Effect.fail(
  new NotReady({ message: "SnapTrade is still fetching the first data", retryAfter: notReadySeconds })
)

const mutated = (message: string) => Effect.fail(new MutationDuringPagination({ message }))

/** Only one page is ever given of these. */
const onlyPage = ({ position }: PullRequest) =>
  position === undefined ? Effect.void : mutated("There is only one page")

export const makeSession = (client: SnapTradeClient, { paidRefresh, ref, user }: SessionOptions): ProviderSession => {
  const ask = <A>(endpoint: string, asked: Omit<Asked<A>, "user" | "counts">, account?: string) =>
    isId(ref)
      ? client.ask<A>({
          ...asked,
          ...(user === undefined ? {} : { user }),
          counts: { connection: ref, endpoint, ...(account === undefined ? {} : { account }) }
        })
      : Effect.fail(new ConnectionGone({ message: "SnapTrade does not know this connection" }))

  const authorization = remembered(ask("connection", { answer: Forms.Authorization, path: `/authorizations/${ref}` }))

  /** Fails where only old data would come: SnapTrade goes on to show what it read last. */
  const usable = Effect.flatMap(authorization, (found) =>
    found.disabled === true
      ? Effect.fail(new ReauthRequired({ message: "The broker asks the person to sign in again" }))
      : Effect.succeed(found)
  )

  const balancesOf = rememberedBy((id: string) =>
    ask("balances", { answer: Forms.List, path: `/accounts/${id}/balances` }, id).pipe(
      // A broker that has no balances has none for this account either: the total is enough.
      Effect.catchTag("Unsupported", () => Effect.succeed([])),
      Effect.map((rows) => readRows(rows, Forms.CashBalance, "").rows)
    )
  )

  const listed = remembered(
    Effect.gen(function* () {
      const { brokerage } = yield* usable
      const answer = yield* ask("accounts", { answer: Forms.List, path: `/authorizations/${ref}/accounts` })
      const { accounts: rows, unread } = readAccounts(answer, Forms.Account, accountKeys, (row) =>
        isId(row.id) ? Result.succeed(row) : Result.fail("id is none of SnapTrade's")
      )
      return { rows, unread, institution: brokerage?.slug ?? "institution" }
    })
  )

  /** The account with what can be spent of it; or why no amount of it is known, now that it was read. */
  const shown = Effect.fnUntraced(function* (account: Forms.Account) {
    const { institution } = yield* listed
    const observed = observedAccount(account, yield* balancesOf(account.id), institution)
    if (Result.isSuccess(observed)) return { account, observed: observed.success } satisfies KnownAccount
    return account.sync_status?.holdings?.initial_sync_completed === false ? yield* notReady : observed.failure
  })

  /** The same as far as its data need it: balances are asked for where the list tells no total alone. */
  const known = Effect.fnUntraced(function* (account: Forms.Account) {
    const { institution } = yield* listed
    const observed = observedAccount(account, [], institution)
    return Result.isSuccess(observed)
      ? ({ account, observed: observed.success } satisfies KnownAccount)
      : yield* shown(account)
  })

  const accounts = remembered(
    Effect.gen(function* () {
      const { rows, unread } = yield* listed
      const readable: Array<KnownAccount> = []
      const doubtful: Array<UnreadAccount> = [...unread]
      for (const row of rows) {
        // What can be spent of one account is in an answer of its own, which may be odd as well.
        const found = yield* Effect.catchTag(shown(row), "ProtocolViolation", ({ path }) =>
          Effect.succeed(`balances: ${path === "" ? "the list" : path} does not have the agreed form`)
        )
        if (typeof found === "string") doubtful.push(unreadAccount(row, accountKeys, found))
        else readable.push(found)
      }
      return { readable, unread: doubtful }
    })
  )

  const health = Effect.gen(function* () {
    const { brokerage, disabled } = yield* authorization
    if (disabled === true) {
      return {
        status: "reauth_required",
        errorCode: "REAUTH_REQUIRED",
        errorMessage: "The broker asks the person to sign in again."
      } satisfies ConnectionHealth
    }
    const found = yield* Effect.forEach((yield* listed).rows, known).pipe(
      Effect.catchTag("NotReady", () => Effect.succeed(undefined))
    )
    const all = (found ?? []).flatMap((one) => (typeof one === "string" ? [] : [one.account]))
    const times = all.flatMap((account) => instantOf(account.sync_status?.holdings?.last_successful_sync) ?? [])
    const latest = times.toSorted().at(-1)
    const since = latest === undefined ? {} : { lastUpstreamUpdateAt: latest }
    if (found === undefined || !all.every(isRead)) return { status: "pending", ...since } satisfies ConnectionHealth
    return brokerage?.maintenance_mode === true || brokerage?.is_degraded === true
      ? ({
          status: "degraded",
          errorCode: "INSTITUTION_UNAVAILABLE",
          errorMessage: "SnapTrade has trouble with this broker at the moment.",
          ...since
        } satisfies ConnectionHealth)
      : ({ status: "connected", ...since } satisfies ConnectionHealth)
  })

  /** The account asked for, which has the data. */
  const accountAsked = Effect.fnUntraced(function* ({ dataType, providerAccountIds }: PullRequest) {
    const [id, ...others] = providerAccountIds
    const asked = (yield* listed).rows.find((row) => row.id === id)
    const found = asked === undefined ? undefined : yield* known(asked)
    const isKnown = found !== undefined && typeof found !== "string"
    if (isKnown && others.length === 0 && found.observed.supports.includes(dataType)) return found
    const message =
      others.length > 0
        ? "SnapTrade is asked for one account at a time"
        : !isKnown
          ? "The connection has no such account"
          : `The account has no ${dataType}`
    return yield* new Unsupported({ message, dataType })
  })

  const activities = Effect.fnUntraced(function* (request: PullRequest, asked: KnownAccount) {
    const { account, observed } = asked
    const id = observed.providerAccountId
    const status = account.sync_status?.transactions
    if (status?.initial_sync_completed === false) return yield* notReady
    const before =
      request.position === undefined
        ? { offset: 0, total: undefined, last: undefined }
        : readPosition(ref, request, request.position)
    if (before === undefined) return yield* mutated("The position is not one of this run")
    // The last row that was read is read again: where another one stands in its place, rows have moved.
    const overlap = before.offset > 0 ? 1 : 0
    const { data, pagination } = yield* ask(
      "activities",
      {
        answer: Forms.Activities,
        path: `/accounts/${id}/activities`,
        query: {
          startDate: request.from,
          endDate: request.to,
          offset: String(before.offset - overlap),
          limit: String(pageRows)
        }
      },
      id
    )
    const hasMoved =
      (before.total !== undefined && before.total !== pagination.total) ||
      (overlap === 1 && markOf(data[0]) !== before.last)
    if (hasMoved) return yield* mutated("Activities moved while they were read")
    const fresh = data.slice(overlap)
    const offset = before.offset + fresh.length
    if (fresh.length === 0 && offset < pagination.total) return yield* mutated("Activities ended before their number")
    const translate = (request.dataType === "trades" ? tradeOf : transactionOf)(id, asked.observed.currency)
    const { quarantined, rows } = readRows(fresh, Forms.Activity, "id", translate)
    const isLast = offset >= pagination.total
    return {
      upserted: rows,
      removed: [],
      quarantined,
      coverage: windowOf(request, asked, isLast, rows),
      end: isLast
        ? { kind: "done" }
        : {
            kind: "more",
            position: writePosition(ref, request, { offset, total: pagination.total, last: markOf(fresh.at(-1)) })
          }
    } satisfies SyncPage
  })

  const holdings = Effect.fnUntraced(function* (asked: KnownAccount) {
    if (asked.account.sync_status?.holdings?.initial_sync_completed === false) return yield* notReady
    const id = asked.observed.providerAccountId
    const { data_freshness, results } = yield* ask(
      "positions",
      { answer: Forms.Positions, path: `/accounts/${id}/positions/all` },
      id
    )
    const asOf = instantOf(data_freshness?.as_of)
    const { quarantined, rows } = readRows(
      results,
      Forms.Position,
      "instrument",
      positionOf(id, asked.observed.currency, asOf)
    )
    const upserted = holdingRecords(id, rows, yield* balancesOf(id), asOf)
    return {
      upserted,
      removed: [],
      quarantined,
      coverage: {
        kind: "full",
        // Of a position that could not be read nobody knows which one it is.
        complete: quarantined.length === 0,
        ...(upserted.length === 0 && quarantined.length === 0 && hasHoldings(asked.account) ? { none: [id] } : {})
      },
      end: { kind: "done" }
    } satisfies SyncPage
  })

  const orders = Effect.fnUntraced(function* (request: PullRequest, asked: KnownAccount) {
    const id = asked.observed.providerAccountId
    const answer = yield* ask(
      "orders",
      {
        answer: Forms.Orders,
        path: `/accounts/${id}/orders/v2`,
        query: { state: "open", days: String(orderDays) }
      },
      id
    )
    const translate = orderRecords(id, asked.observed.currency)
    const { quarantined, rows } = readRows(answer.orders, Forms.Order, "brokerage_order_id", (order) =>
      isOpen(order) ? translate(order) : Result.succeed([])
    )
    return {
      upserted: rows.flat(),
      removed: [],
      quarantined,
      // Of an order that could not be read nobody knows which of its legs are still open.
      coverage: openOrdersWindow(yield* Clock.currentTimeMillis, request, id, quarantined.length === 0),
      end: { kind: "done" }
    } satisfies SyncPage
  })

  return {
    inspect: Effect.catchTag(health, "ConnectionGone", () =>
      Effect.succeed<ConnectionHealth>({
        status: "disconnected",
        errorCode: "CONNECTION_GONE",
        errorMessage: "SnapTrade does not know this connection any more."
      })
    ),
    listAccounts: Effect.map(accounts, ({ readable }) => readable.map(({ observed }) => observed)),
    unreadAccounts: Effect.map(accounts, ({ unread }) => unread),
    pull: Effect.fn("SnapTrade.pull")(function* (request: PullRequest): Effect.fn.Return<SyncPage, ProviderError> {
      const account = yield* accountAsked(request)
      switch (request.dataType) {
        case "trades":
        case "transactions":
          return yield* activities(request, account)
        case "holdings":
          yield* onlyPage(request)
          return yield* holdings(account)
        case "orders":
          yield* onlyPage(request)
          return yield* orders(request, account)
        case "loans":
          return yield* new Unsupported({ message: "SnapTrade has no loans", dataType: "loans" })
      }
    }),
    refresh: Effect.fn("SnapTrade.refresh")(function* (dataTypes) {
      const found = yield* usable
      const wantsMoves = dataTypes.some((dataType) => dataType === "trades" || dataType === "transactions")
      // What is read from the broker at each call needs no refreshing.
      const wantsState =
        paidRefresh &&
        found.data_freshness_mode !== "realtime" &&
        dataTypes.some((dataType) => dataType !== "trades" && dataType !== "transactions")
      // A refresh reads yesterday's activities too.
      const path = wantsState ? "refresh" : wantsMoves ? "transactions/sync" : undefined
      if (path === undefined) return { status: "not_supported" } as const
      return yield* ask("refresh", {
        answer: Forms.Anything,
        method: "POST",
        path: `/authorizations/${ref}/${path}`
      }).pipe(
        Effect.as({ status: "refreshing" } as const),
        Effect.catchTags({
          Unsupported: () => Effect.succeed({ status: "not_supported" } as const),
          // The plan has no refreshing.
          Misconfigured: (error) =>
            error.providerCode === "403" || error.providerCode === "1141"
              ? Effect.succeed({ status: "not_supported" } as const)
              : Effect.fail(error)
        })
      )
    }),
    revoke: ask("revoke", { answer: Forms.Anything, method: "DELETE", path: `/connection/${ref}` }).pipe(
      Effect.as("pending" as const),
      Effect.catchTag("ConnectionGone", () => Effect.succeed("done" as const))
    )
  }
}
