/** Holdings, and trades by windows of days. */
import { Decimal } from "@millrace/core"
import {
  type Connection,
  MutationDuringPagination,
  type ObservedRecord,
  type ProviderError,
  type PullRequest,
  type SyncPage,
  readRecords,
  readRows
} from "@millrace/core/provider"
import type { Fields } from "@millrace/core/record"
import * as Effect from "effect/Effect"
import { readToken, writeToken } from "../upstream/OpaqueToken.ts"
import { currencyOf, instantOf, shownText } from "../upstream/UpstreamForm.ts"
import { accountsIn } from "./PlaidAccounts.ts"
import { type PlaidClient, tokenOf } from "./PlaidClient.ts"
import {
  HoldingsAnswer,
  PlaidHolding,
  PlaidSecurity,
  type PlaidTrade,
  PlaidTrade as PlaidTradeForm,
  TradesAnswer
} from "./PlaidForm.ts"

type Securities = ReadonlyMap<string, PlaidSecurity>

/** What cannot be read of a security is left out: its id is in the row itself. */
const securitiesOf = (rows: ReadonlyArray<unknown>): Securities =>
  new Map(readRows(rows, PlaidSecurity, "security_id").rows.map((security) => [security.security_id, security]))

const securityFields = (securities: Securities, id: string | null | undefined): Fields => {
  if (typeof id !== "string") return {}
  const security = securities.get(id)
  const name = shownText(security?.name)
  const ticker = shownText(security?.ticker_symbol)
  return {
    securityId: id,
    ...(name === undefined ? {} : { securityName: name }),
    ...(ticker === undefined ? {} : { ticker })
  }
}

const holdingFields = (holding: typeof PlaidHolding.Type, securities: Securities): Fields | string => {
  const currency = currencyOf(holding.iso_currency_code, holding.unofficial_currency_code)
  if (currency === undefined) return "iso_currency_code: is no currency"
  const isCash = securities.get(holding.security_id)?.is_cash_equivalent
  const asOf = instantOf(holding.institution_price_datetime)
  return {
    ...securityFields(securities, holding.security_id),
    quantity: holding.quantity,
    // The whole position's, as Plaid gives it.
    ...(typeof holding.cost_basis === "string" ? { costBasis: holding.cost_basis } : {}),
    ...(typeof holding.institution_value === "string" ? { currentValue: holding.institution_value } : {}),
    ...(typeof holding.institution_price === "string" ? { currentPrice: holding.institution_price } : {}),
    currency,
    ...(typeof isCash === "boolean" ? { isCashEquivalent: isCash } : {}),
    ...(asOf === undefined ? {} : { asOf })
  }
}

export const pullHoldings = Effect.fnUntraced(function* (
  client: PlaidClient,
  connection: Connection,
  request: PullRequest
): Effect.fn.Return<SyncPage, ProviderError> {
  if (request.position !== undefined) {
    return yield* new MutationDuringPagination({ message: "Holdings have one page" })
  }
  const answer = yield* client.ask("/investments/holdings/get", HoldingsAnswer, tokenOf(connection.secrets), {
    item: connection.ref,
    dataType: request.dataType
  })
  const securities = securitiesOf(answer.securities)
  const times = new Map<string, number>()
  const asked = new Set(request.providerAccountIds)
  const { quarantined, upserted } = readRecords(answer.holdings, PlaidHolding, "security_id", (holding) => {
    if (!asked.has(holding.account_id)) return undefined
    const fields = holdingFields(holding, securities)
    if (typeof fields === "string") return fields
    // An account may hold one security in several lots.
    const key = `${holding.account_id} ${holding.security_id}`
    const nth = (times.get(key) ?? 0) + 1
    times.set(key, nth)
    return {
      providerAccountId: holding.account_id,
      providerId: nth === 1 ? holding.security_id : `${holding.security_id}#${nth}`,
      pending: false,
      fields
    }
  })
  const held = new Set(upserted.map(({ providerAccountId }) => providerAccountId))
  const listed = accountsIn(answer.accounts)
    .map(({ account_id }) => account_id)
    .filter((id) => asked.has(id))
  return {
    upserted,
    removed: [],
    quarantined,
    coverage: {
      kind: "full",
      // Of a lot that could not be read nobody knows which one of its security it is.
      complete: quarantined.length === 0,
      // It lists the account, and nothing that the account holds.
      none: quarantined.length > 0 ? [] : listed.filter((id) => !held.has(id))
    },
    end: { kind: "done" }
  }
})

const rowsPerPage = 500

const tradeRecord = (trade: PlaidTrade, securities: Securities): ObservedRecord | string => {
  const currency = currencyOf(trade.iso_currency_code, trade.unofficial_currency_code)
  if (currency === undefined) return "iso_currency_code: is no currency"
  const type = shownText(trade.type)?.toLowerCase()
  const subtype = shownText(trade.subtype)?.toLowerCase()
  const description = shownText(trade.name, 500)
  const hasSecurity = typeof trade.security_id === "string"
  return {
    providerAccountId: trade.account_id,
    providerId: trade.investment_transaction_id,
    pending: false,
    fields: {
      date: trade.date,
      // What is bought or sold is a word by itself; of all else the subtype says what it was.
      type: type === "buy" || type === "sell" ? type : (subtype ?? type ?? "other"),
      ...(description === undefined ? {} : { description }),
      ...securityFields(securities, trade.security_id),
      ...(hasSecurity && typeof trade.quantity === "string" ? { quantity: trade.quantity } : {}),
      ...(hasSecurity && typeof trade.price === "string" ? { price: trade.price } : {}),
      // Plaid counts cash that leaves as positive.
      amount: Decimal.negate(trade.amount),
      ...(typeof trade.fees === "string" ? { fees: trade.fees } : {}),
      currency
    }
  }
}

const place = /^(\d{1,8})\/(\d{1,8})$/

/** One page, newest first, found by its offset: where the number of trades changes on the way, pages have shifted. */
export const pullTrades = Effect.fnUntraced(function* (
  client: PlaidClient,
  connection: Connection,
  request: PullRequest
): Effect.fn.Return<SyncPage, ProviderError> {
  const about = ["plaid", "trades", connection.ref, request.from, request.to]
  const read = request.position === undefined ? "0/0" : readToken("p", about, request.position)
  const match = place.exec(read ?? "")
  if (match === null) return yield* new MutationDuringPagination({ message: "The position is not one of this run" })
  const [offset, total] = [Number(match[1]), Number(match[2])]
  const answer = yield* client.ask(
    "/investments/transactions/get",
    TradesAnswer,
    {
      ...tokenOf(connection.secrets),
      start_date: request.from,
      end_date: request.to,
      // Without the last Plaid lets the first call wait for minutes until the broker has answered.
      options: { count: rowsPerPage, offset, async_update: true }
    },
    { item: connection.ref, dataType: request.dataType }
  )
  const rows = answer.investment_transactions
  const now = answer.total_investment_transactions
  if (offset > 0 && now !== total) {
    return yield* new MutationDuringPagination({ message: "The number of trades changed while they were paged" })
  }
  const next = offset + rows.length
  const more = next < now
  if (more && rows.length === 0) {
    return yield* new MutationDuringPagination({ message: "Plaid shows fewer trades than it counts" })
  }
  const securities = securitiesOf(answer.securities)
  const asked = new Set(request.providerAccountIds)
  const { quarantined, upserted } = readRecords(rows, PlaidTradeForm, "investment_transaction_id", (trade) =>
    // What is outside of the window is said nothing about by it.
    asked.has(trade.account_id) && trade.date >= request.from && trade.date <= request.to
      ? tradeRecord(trade, securities)
      : undefined
  )
  return {
    upserted,
    removed: [],
    quarantined,
    coverage: { kind: "window", from: request.from, to: request.to, complete: !more },
    end: more ? { kind: "more", position: writeToken("p", about, `${next}/${now}`) } : { kind: "done" }
  }
})
