/**
 * Reading rows page by page. Cursors of Quiltt are places in a list and no change feed, so that a row which comes or
 * goes while it is paged moves all that follow: the number of rows must stay the same from page to page, and as many must
 * have come when the last one is read.
 */
import { Currency } from "@millrace/core"
import {
  type Coverage,
  MutationDuringPagination,
  type ObservedAccount,
  ProtocolViolation,
  type ProviderError,
  type PullRequest,
  type SyncPage,
  Unsupported,
  readRecords,
  readRows
} from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { position } from "../upstream/Position.ts"
import { HoldingsAnswer, LoansAnswer, QuilttHolding, QuilttTransaction, TransactionsAnswer } from "./QuilttAnswers.ts"
import type { QuilttClient, QuilttScope } from "./QuilttClient.ts"
import { holdingsQuery, loansQuery, pageSize, transactionsQuery } from "./QuilttDocuments.ts"
import { upstream } from "./QuilttErrors.ts"
import { loansOf } from "./QuilttLoans.ts"
import { holding, idsAtPlaid, isTrade, trade, transaction } from "./QuilttRows.ts"

const Place = position(
  Schema.Struct({
    /** The account whose holdings are being read, by its place in the request. */
    account: Schema.Int,
    after: Schema.String,
    count: Schema.Int,
    read: Schema.Int
  })
)

interface Place {
  readonly account: number
  readonly after: string
  readonly count: number
  readonly read: number
}

interface Connected {
  readonly count: number
  readonly nodes?: ReadonlyArray<unknown> | null
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null }
}

/** Cursors are put into positions, which are bounded. */
const longestCursor = 2_000

/** What a position is good for. */
const aboutOf = ({ scope }: PullContext, { dataType, from, providerAccountIds, to }: PullRequest) => [
  scope.connection,
  dataType,
  from,
  to,
  ...providerAccountIds
]

const changed = () => new MutationDuringPagination({ message: "Rows came or went while they were read" })

/** Where the next page begins, `undefined` after the last one. */
const nextPlace = Effect.fnUntraced(function* (
  { count, nodes, pageInfo }: Connected,
  before: Place | undefined,
  account: number,
  path: string
): Effect.fn.Return<Place | undefined, ProviderError> {
  const read = (before?.read ?? 0) + (nodes ?? []).length
  if (before !== undefined && before.count !== count) return yield* changed()
  if (!pageInfo.hasNextPage) return read < count ? yield* changed() : undefined
  const after = pageInfo.endCursor ?? ""
  if (after === "" || after.length > longestCursor || after === before?.after || (nodes ?? []).length === 0) {
    return yield* new ProtocolViolation({
      message: `${upstream} promises another page and does not lead to it`,
      path: `${path}.pageInfo.endCursor`
    })
  }
  return { account, after, count, read }
})

export interface PullContext {
  readonly client: QuilttClient
  readonly scope: QuilttScope
  readonly accounts: ReadonlyArray<ObservedAccount>
  /** Whether all that the bank has shown is there: what is missing while it is still coming in is not gone. */
  readonly isWhole: boolean
}

/** The accounts asked for, each of which has the data type. */
const accountsAsked = Effect.fnUntraced(function* (
  { accounts }: PullContext,
  { dataType, providerAccountIds }: PullRequest
): Effect.fn.Return<ReadonlyArray<ObservedAccount>, Unsupported> {
  const found: Array<ObservedAccount> = []
  for (const id of providerAccountIds) {
    const account = accounts.find(({ providerAccountId }) => providerAccountId === id)
    if (account === undefined || !account.supports.includes(dataType)) {
      const message =
        account === undefined ? "The connection has no such account" : `The account has no ${dataType} at ${upstream}`
      return yield* new Unsupported({ message, dataType })
    }
    found.push(account)
  }
  return found
})

const windowPage = Effect.fnUntraced(function* (
  context: PullContext,
  request: PullRequest,
  accounts: ReadonlyArray<ObservedAccount>,
  place: Place | undefined
): Effect.fn.Return<SyncPage, ProviderError> {
  const { client, isWhole, scope } = context
  const { dataType, from, to } = request
  const { transactions } = yield* client.query(scope, transactionsQuery, TransactionsAnswer, {
    accountIds: accounts.map(({ providerAccountId }) => providerAccountId),
    from,
    to,
    first: pageSize,
    after: place?.after ?? null
  })
  const next = yield* nextPlace(transactions, place, 0, "transactions")
  const { quarantined, rows } = readRows(transactions.nodes ?? [], QuilttTransaction, "id")
  const currencies = new Map(accounts.map(({ currency, providerAccountId }) => [providerAccountId, currency]))
  const currencyOf = (id: string) => currencies.get(id) ?? Currency.make("USD")
  const ids = idsAtPlaid(rows)
  const isOfTrades = dataType === "trades"
  // What is only forecast is no row, whatever was asked for; nor is what lies outside of what was asked for.
  const own = rows.filter(
    (row) =>
      row.status !== "PROJECTED" &&
      isTrade(row) === isOfTrades &&
      row.date >= from &&
      row.date <= to &&
      currencies.has(row.account.id)
  )
  const coverage: Coverage = isWhole ? { kind: "window", from, to, complete: next === undefined } : { kind: "delta" }
  return {
    upserted: own.map((row) =>
      isOfTrades ? trade(row, currencyOf(row.account.id)) : transaction(row, currencyOf(row.account.id), ids)
    ),
    removed: [],
    quarantined,
    coverage,
    end:
      next === undefined ? { kind: "done" } : { kind: "more", position: Place.write(aboutOf(context, request), next) }
  }
})

const holdingsPage = Effect.fnUntraced(function* (
  context: PullContext,
  request: PullRequest,
  accounts: ReadonlyArray<ObservedAccount>,
  place: Place | undefined
): Effect.fn.Return<SyncPage, ProviderError> {
  const { client, isWhole, scope } = context
  const at = place?.account ?? 0
  const asked = accounts[at]
  if (asked === undefined) {
    return place === undefined
      ? {
          upserted: [],
          removed: [],
          quarantined: [],
          coverage: { kind: "full", complete: true },
          end: { kind: "done" }
        }
      : yield* changed()
  }
  const { providerAccountId: id } = asked
  // A place without a cursor is the beginning of the account.
  const before = place === undefined || place.after === "" ? undefined : place
  const { account } = yield* client.query(scope, holdingsQuery, HoldingsAnswer, {
    id,
    first: pageSize,
    after: before?.after ?? null
  })
  if (account === undefined || account === null) {
    return yield* new Unsupported({ message: `${upstream} does not know the account any more`, dataType: "holdings" })
  }
  const { holdings } = account
  const rest =
    holdings === undefined || holdings === null ? undefined : yield* nextPlace(holdings, before, at, "holdings")
  const read = readRecords(holdings?.nodes ?? [], QuilttHolding, "id", (row) => holding(id, row, asked.currency))
  const next: Place | undefined =
    rest ?? (at + 1 < accounts.length ? { account: at + 1, after: "", count: 0, read: 0 } : undefined)
  const saysNone = isWhole && holdings?.count === 0
  return {
    ...read,
    removed: [],
    coverage: isWhole
      ? { kind: "full", complete: next === undefined, ...(saysNone ? { none: [id] } : {}) }
      : { kind: "delta" },
    end:
      next === undefined ? { kind: "done" } : { kind: "more", position: Place.write(aboutOf(context, request), next) }
  }
})

const loansPage = Effect.fnUntraced(function* (
  { client, isWhole, scope }: PullContext,
  accounts: ReadonlyArray<ObservedAccount>
): Effect.fn.Return<SyncPage, ProviderError> {
  const { connection } = yield* client
    .query(scope, loansQuery, LoansAnswer, { id: scope.connection })
    .pipe(
      Effect.catchTag("ProtocolViolation", (error) =>
        Effect.fail(
          error.providerCode === "UNDEFINEDFIELD"
            ? new Unsupported({ message: `This version of ${upstream} tells nothing of loans`, dataType: "loans" })
            : error
        )
      )
    )
  const loans = connection === undefined || connection === null ? { rows: [], none: [] } : loansOf(connection, accounts)
  return {
    upserted: loans.rows,
    removed: [],
    quarantined: [],
    coverage: isWhole ? { kind: "full", complete: true, none: loans.none } : { kind: "delta" },
    end: { kind: "done" }
  }
})

/** One page of a data type. */
export const pullPage = Effect.fn("Quiltt.pull")(function* (
  context: PullContext,
  request: PullRequest
): Effect.fn.Return<SyncPage, ProviderError> {
  const { dataType } = request
  if (dataType === "orders") {
    return yield* new Unsupported({ message: `${upstream} has no ${dataType}`, dataType })
  }
  const accounts = yield* accountsAsked(context, request)
  const place =
    request.position === undefined ? undefined : yield* Place.read(aboutOf(context, request), request.position)
  switch (dataType) {
    case "transactions":
    case "trades":
      return yield* windowPage(context, request, accounts, place)
    case "holdings":
      return yield* holdingsPage(context, request, accounts, place)
    case "loans":
      return place === undefined ? yield* loansPage(context, accounts) : yield* changed()
  }
})
