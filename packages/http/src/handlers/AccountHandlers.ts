import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { Account } from "@millrace/core/bank/Account"
import { balanceAsOf } from "@millrace/core/bank/Balance"
import type { AccountRef } from "@millrace/core/bank/Account"
import { AccountData, type Freshness } from "@millrace/core/usecase/AccountData"
import type { Bank } from "@millrace/core/bank/Bank"
import { InvalidInput } from "@millrace/core/failure/Failure"
import type { SyncDataType } from "@millrace/core/record/DataType"
import type { Fields } from "@millrace/core/record/FieldValue"
import type { CalendarDate } from "@millrace/core/shared/CalendarDate"
import { Api } from "../api/Api.ts"
import { toWire as recordToWire } from "../api/DataRecords.ts"
import { many, one } from "../api/Envelope.ts"
import { answering, answerOf } from "../errors.ts"
import { target, workspace } from "../middleware/CurrentRequest.ts"
import { identified } from "./Identified.ts"

/** An account as it is sent. Names every field, so that nothing internal can slip through. */
const toWire = (bank: Bank) => (account: Account) => {
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
    supports: account.supports,
    state: account.state,
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

const records = (dataType: SyncDataType, rows: ReadonlyArray<Fields>): ReadonlyArray<Fields> =>
  rows.map((row) => recordToWire(dataType, row))

const accountRef = Effect.fnUntraced(function* (params: { readonly bank_id: string; readonly account_id: string }) {
  const ref: AccountRef = {
    workspace: yield* workspace,
    bankId: yield* identified("bank", params.bank_id),
    accountId: yield* identified("account", params.account_id)
  }
  return ref
})

/** A window that ends before it begins. With a cursor the window is the cursor's, so nothing is wrong. */
const checkWindow = Effect.fnUntraced(function* (query: {
  readonly from?: CalendarDate
  readonly to?: CalendarDate
  readonly cursor?: string
}) {
  const { from, to, cursor } = query
  if (cursor !== undefined || from === undefined || to === undefined || from <= to) return
  return yield* new InvalidInput({
    code: "INVALID_DATE_RANGE",
    message: "from must not be after to",
    details: [{ field: "from", message: "must not be after to" }]
  })
})

export const layer = HttpApiBuilder.group(
  Api,
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    const data = yield* AccountData
    return handlers
      .handle("listAccounts", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const answer = yield* data.accounts(yield* workspace, yield* identified("bank", params.bank_id))
            return many(yield* target, answer.rows.map(toWire(answer.bank)), { hasMore: false }, freshnessOf(answer))
          })
        )
      )
      .handle("getAccount", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const answer = yield* data.account(yield* accountRef(params))
            return { ...one(toWire(answer.bank)(answer.row)), meta: freshnessOf(answer) }
          })
        )
      )
      .handle("listTransactions", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            yield* checkWindow(query)
            const { cursor, limit, cached, q, ...filter } = query
            const page = yield* data.transactions(yield* accountRef(params), {
              filter: { ...filter, ...(q === undefined ? {} : { text: q }) },
              ...(cursor === undefined ? {} : { cursor }),
              ...(limit === undefined ? {} : { limit }),
              ...(cached === undefined ? {} : { cached })
            })
            return many(yield* target, records("transactions", page.rows), page, {
              ...freshnessOf(page),
              window: page.window,
              ...(page.removed === undefined ? {} : { removed: page.removed })
            })
          })
        )
      )
      .handle("getBalance", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            const answer = yield* data.balance(yield* accountRef(params), query)
            return { ...one(recordToWire("balances", answer.row)), meta: freshnessOf(answer) }
          })
        )
      )
      .handle("listTrades", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            yield* checkWindow(query)
            const page = yield* data.trades(yield* accountRef(params), query)
            return many(yield* target, records("trades", page.rows), page, {
              ...freshnessOf(page),
              window: page.window
            })
          })
        )
      )
      .handle("listHoldings", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            const answer = yield* data.holdings(yield* accountRef(params), query)
            return many(yield* target, records("holdings", answer.rows), { hasMore: false }, freshnessOf(answer))
          })
        )
      )
      .handle("listOrders", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            const answer = yield* data.orders(yield* accountRef(params), query)
            return many(yield* target, records("orders", answer.rows), { hasMore: false }, freshnessOf(answer))
          })
        )
      )
      .handle("getLoan", ({ params, query }) =>
        answering(
          Effect.gen(function* () {
            const answer = yield* data.loan(yield* accountRef(params), query)
            return { ...one(recordToWire("loans", answer.row)), meta: freshnessOf(answer) }
          })
        )
      )
  })
)
