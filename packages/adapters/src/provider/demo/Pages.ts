/** Pages of the demo bank: rows of the world in which the run began. */
import {
  CheckpointInvalid,
  type Coverage,
  type HistoryStart,
  MutationDuringPagination,
  type ObservedRecord,
  type PageEnd,
  type ProviderError,
  type PullRequest,
  RangeNotAllowed,
  type SyncPage,
  Unsupported
} from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { historyStart } from "./Calendar.ts"
import { changes, type Rows, rowsOf, transactionFields } from "./Changes.ts"
import type { DemoAccount } from "./Institutions.ts"
import { loanFields } from "./LoanMonth.ts"
import { holdingFields, orderFields, portfolio, tradeFields } from "./Portfolio.ts"
import { hash } from "./Seed.ts"
import { type Position, writeCheckpoint, writePosition, type Checkpoint } from "./Token.ts"
import { accountId, brokerMonths, ledger, sums, type World } from "./World.ts"

const pageSize = 500

const mutated = (): MutationDuringPagination =>
  new MutationDuringPagination({ message: "The position does not belong to this run." })

const slice = <A>(
  here: World,
  request: PullRequest,
  { begunAt, offset }: Position,
  list: Rows<A>,
  checkpoint: string | undefined
): { readonly rows: ReadonlyArray<A>; readonly end: PageEnd } | undefined => {
  const next = offset + pageSize
  const { more, rows } = list.read(offset, next)
  // A position is only given where a row follows.
  if (offset > 0 && rows.length === 0) return undefined
  return {
    rows,
    end: more
      ? { kind: "more", position: writePosition(here.key, request, { begunAt, offset: next }) }
      : { kind: "done", ...(checkpoint === undefined ? {} : { checkpoint }) }
  }
}

const tooEarly = (here: World, request: PullRequest): RangeNotAllowed | undefined =>
  request.from < here.start
    ? new RangeNotAllowed({ message: `The demo bank knows nothing before ${here.start}.`, earliest: here.start })
    : undefined

/** The demo bank says where its history starts: it refuses what is earlier, and shows all that is later. */
const startsOf = (request: PullRequest, from: PullRequest["from"]): ReadonlyArray<HistoryStart> =>
  request.providerAccountIds.map((providerAccountId) => ({ providerAccountId, from }))

const unreadable = (here: World, id: string): boolean =>
  here.connection.scenario === "quarantine" && hash(`${id}|damage`) % 40 === 0

const transactionsPage = Effect.fnUntraced(function* (
  here: World,
  request: PullRequest,
  position: Position,
  since: Checkpoint | undefined
): Effect.fn.Return<SyncPage, ProviderError> {
  const early = since === undefined ? tooEarly(here, request) : undefined
  if (early !== undefined) return yield* early
  // After the history was started again the old rows cannot be compared with the new ones.
  if (since !== undefined && historyStart(since.at) !== here.firstMonth) {
    return yield* new CheckpointInvalid({ message: "The demo bank has archived the history of the checkpoint." })
  }
  const from = since?.from ?? request.from
  const checkpoint = writeCheckpoint(here.key, { at: position.begunAt, from })
  const page = slice(here, request, position, changes(here, from, since), checkpoint)
  if (page === undefined) return yield* mutated()
  const upserted: Array<ObservedRecord> = []
  const removed: Array<SyncPage["removed"][number]> = []
  const quarantined: Array<SyncPage["quarantined"][number]> = []
  for (const { account, entry, posting } of page.rows) {
    const providerAccountId = accountId(here, account)
    if (posting === undefined) removed.push({ providerAccountId, providerId: entry.id })
    else if (unreadable(here, entry.id)) quarantined.push({ providerId: entry.id, reason: "amount: not a number" })
    else {
      upserted.push({
        providerAccountId,
        providerId: entry.id,
        ...(entry.settles === undefined ? {} : { pendingProviderId: entry.settles }),
        pending: entry.pending,
        fields: transactionFields(account, entry, posting)
      })
    }
  }
  // Without a checkpoint it is no change feed but everything there is: what is not in it is gone.
  const coverage: Coverage =
    since === undefined
      ? {
          kind: "window",
          from,
          to: request.to,
          complete: page.end.kind === "done",
          historyFrom: startsOf(request, from)
        }
      : { kind: "delta" }
  return { upserted, removed, quarantined, coverage, end: page.end }
})

const settledRecord = (
  here: World,
  account: DemoAccount,
  providerId: string,
  fields: ObservedRecord["fields"]
): ObservedRecord => ({ providerAccountId: accountId(here, account), providerId, pending: false, fields })

const tradesPage = Effect.fnUntraced(function* (
  here: World,
  request: PullRequest,
  position: Position,
  accounts: ReadonlyArray<DemoAccount>
): Effect.fn.Return<SyncPage, ProviderError> {
  const early = tooEarly(here, request)
  if (early !== undefined) return yield* early
  const rows = accounts.flatMap((account) =>
    portfolio(account, brokerMonths(here), here.now)
      .trades.map((trade) => settledRecord(here, account, trade.id, tradeFields(account, trade)))
      .filter(({ fields }) => String(fields["date"]) >= request.from && String(fields["date"]) <= request.to)
  )
  const page = slice(here, request, position, rowsOf(rows), undefined)
  if (page === undefined) return yield* mutated()
  return {
    upserted: page.rows,
    removed: [],
    quarantined: [],
    coverage: {
      kind: "window",
      from: request.from,
      to: request.to,
      complete: true,
      historyFrom: startsOf(request, request.from)
    },
    end: page.end
  }
})

const snapshotRows = (
  here: World,
  dataType: "holdings" | "orders" | "loans",
  account: DemoAccount
): ReadonlyArray<ObservedRecord> => {
  if (dataType === "loans") {
    const { posted } = sums(here, account, ledger(here).get(account.slug) ?? [])
    const fields = loanFields(here.key, account, here.firstMonth, account.opening + posted, here.now)
    return fields === undefined ? [] : [settledRecord(here, account, accountId(here, account), fields)]
  }
  const own = portfolio(account, brokerMonths(here), here.now)
  return dataType === "holdings"
    ? holdingFields(account, own, here.now).map((fields) =>
        settledRecord(here, account, String(fields["securityId"]), fields)
      )
    : own.orders.map((order) => settledRecord(here, account, order.id, orderFields(account, order, here.now)))
}

/** Accounts asked for, of which every one has the data type. */
const accountsAsked = Effect.fnUntraced(function* (
  here: World,
  request: PullRequest
): Effect.fn.Return<ReadonlyArray<DemoAccount>, Unsupported> {
  const byId = new Map(here.accounts.map((account) => [accountId(here, account), account]))
  const found: Array<DemoAccount> = []
  for (const id of request.providerAccountIds) {
    const account = byId.get(id)
    if (account === undefined || !account.supports.includes(request.dataType)) {
      const message = account === undefined ? "The connection has no such account." : "The account has no such data."
      return yield* new Unsupported({ message, dataType: request.dataType })
    }
    found.push(account)
  }
  return found
})

/** One page of any data type; transactions are about the whole connection, everything else about accounts. */
export const page = Effect.fnUntraced(function* (
  here: World,
  request: PullRequest,
  position: Position,
  since: Checkpoint | undefined
): Effect.fn.Return<SyncPage, ProviderError> {
  const accounts = yield* accountsAsked(here, request)
  const { dataType } = request
  if (dataType === "transactions") return yield* transactionsPage(here, request, position, since)
  if (dataType === "trades") return yield* tradesPage(here, request, position, accounts)
  const shown = accounts.map((account) => ({ account, rows: snapshotRows(here, dataType, account) }))
  const rows = shown.flatMap((one) => one.rows)
  const without = shown.filter((one) => one.rows.length === 0).map(({ account }) => accountId(here, account))
  const part = slice(here, request, position, rowsOf(rows), undefined)
  if (part === undefined) return yield* mutated()
  return {
    upserted: part.rows,
    removed: [],
    quarantined: [],
    coverage: {
      kind: "full",
      complete: true,
      // Of orders it lists all that are open.
      ...(dataType === "orders" ? { historyFrom: startsOf(request, here.start) } : { none: without })
    },
    end: part.end
  }
})
