import * as Effect from "effect/Effect"
import { type Account, type AccountRef, balanceAsOf, type Bank } from "@millrace/core/bank"
import { AccountChanges, AccountData, type Freshness } from "@millrace/core/kernel"
import { isSyncType } from "@millrace/core/record"
import { toWire as recordToWire } from "../api/DataRecords.ts"
import { many, one } from "../api/Envelope.ts"
import { answerOf } from "../answer/errors.ts"
import { serve } from "./Serve.ts"

/** An account as it is sent, for those of its bank. Names every field, so that nothing internal can slip through. */
export const toWire = (bank: Bank) => (account: Account) => {
  const self = `/v1/banks/${account.bankId}/accounts/${account.id}`
  return {
    id: account.id,
    bankId: account.bankId,
    accountNumber: account.accountNumber,
    accountName: account.accountName,
    accountType: account.accountType,
    ...(account.accountSubtype === undefined ? {} : { accountSubtype: account.accountSubtype }),
    balance: account.balance,
    availableBalance: account.availableBalance,
    currency: account.currency,
    creditLimit: account.creditLimit ?? null,
    balanceAsOf: balanceAsOf(bank, account) ?? null,
    historyFrom: account.historyFrom ?? null,
    supports: account.supports.filter(isSyncType),
    state: account.state,
    signOverride: account.signOverride ?? false,
    signChange:
      account.signAskedAt === undefined
        ? null
        : { signOverride: account.signOverride !== true, requestedAt: account.signAskedAt },
    createdAt: account.createdAt,
    updatedAt: account.updatedAt,
    links: {
      self,
      transactions: `${self}/transactions`,
      balances: `${self}/balances`,
      trades: `${self}/trades`,
      holdings: `${self}/holdings`,
      orders: `${self}/orders`,
      loan: `${self}/loan`
    }
  }
}

const freshnessOf = ({ asOf, problem, stale }: Freshness) => {
  if (problem === undefined) return { ...(asOf === undefined ? {} : { asOf }), stale }
  const { code, message, recovery } = answerOf(problem)
  const reason = { code, message, ...(recovery === undefined ? {} : { recovery }) }
  return { ...(asOf === undefined ? {} : { asOf }), stale, reason }
}

const refOf = (ids: {
  readonly bank: AccountRef["bankId"]
  readonly account: AccountRef["accountId"]
}): AccountRef => ({
  bankId: ids.bank,
  accountId: ids.account
})

export const layer = serve(
  "accounts",
  Effect.gen(function* () {
    const data = yield* AccountData
    const changes = yield* AccountChanges
    return {
      listAccounts: Effect.fnUntraced(function* ({ caller, ids, self }) {
        const answer = yield* data.accounts(caller, ids.bank)
        return many(self, answer.rows.map(toWire(answer.bank)), { hasMore: false }, freshnessOf(answer))
      }),
      getAccount: Effect.fnUntraced(function* ({ caller, ids }) {
        const answer = yield* data.account(caller, refOf(ids))
        return { ...one(toWire(answer.bank)(answer.row)), meta: freshnessOf(answer) }
      }),
      updateAccount: ({ caller, ids, payload }) =>
        Effect.map(changes.update(caller, refOf(ids), payload), ({ bank, row }) => one(toWire(bank)(row))),
      listTransactions: Effect.fnUntraced(function* ({ caller, ids, query, self }) {
        const { cursor, limit, cached, q, ...filter } = query
        const page = yield* data.transactions(caller, refOf(ids), {
          filter: { ...filter, ...(q === undefined ? {} : { text: q }) },
          ...(cursor === undefined ? {} : { cursor }),
          ...(limit === undefined ? {} : { limit }),
          ...(cached === undefined ? {} : { cached })
        })
        const meta = {
          ...freshnessOf(page),
          window: page.window,
          ...(page.removed === undefined ? {} : { removed: page.removed })
        }
        return many(self, page.rows, page, meta)
      }),
      getBalance: Effect.fnUntraced(function* ({ caller, ids, query }) {
        const answer = yield* data.balance(caller, refOf(ids), query)
        return { ...one(recordToWire("balances", answer.row)), meta: freshnessOf(answer) }
      }),
      listTrades: Effect.fnUntraced(function* ({ caller, ids, query, self }) {
        const page = yield* data.trades(caller, refOf(ids), query)
        return many(self, page.rows, page, { ...freshnessOf(page), window: page.window })
      }),
      listHoldings: Effect.fnUntraced(function* ({ caller, ids, query, self }) {
        const answer = yield* data.holdings(caller, refOf(ids), query)
        return many(self, answer.rows, { hasMore: false }, freshnessOf(answer))
      }),
      listOrders: Effect.fnUntraced(function* ({ caller, ids, query, self }) {
        const answer = yield* data.orders(caller, refOf(ids), query)
        return many(self, answer.rows, { hasMore: false }, freshnessOf(answer))
      }),
      getLoan: Effect.fnUntraced(function* ({ caller, ids, query }) {
        const answer = yield* data.loan(caller, refOf(ids), query)
        return { ...one(recordToWire("loans", answer.row)), meta: freshnessOf(answer) }
      })
    }
  })
)
