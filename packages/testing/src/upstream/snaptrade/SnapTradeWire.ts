/** A ledger as SnapTrade writes it. */
import { type CalendarDateText, Decimal, type DecimalText, Timestamp } from "@millrace/core"
import { exactNumber } from "../JsonMutator.ts"
import type { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueInstitution, TrueSecurity } from "../TrueRecord.ts"
import { uuidOf } from "./SnapTradeWorld.ts"

const number = (amount: DecimalText): unknown => exactNumber(amount)

export const brokerageOf = (institution: TrueInstitution, isAway: boolean, mark: string) => ({
  id: uuidOf(`brokerage ${institution.id}`),
  slug: institution.id,
  name: `${institution.name}${mark}`,
  display_name: `${institution.name}${mark}`,
  enabled: true,
  maintenance_mode: isAway || institution.status === "down",
  is_degraded: institution.status === "degraded",
  allows_trading: false,
  url: institution.url ?? null,
  aws_s3_logo_url: null,
  aws_s3_square_logo_url: null,
  brokerage_type: { id: uuidOf("brokerage type"), name: "Traditional Brokerage" }
})

const categoryOf = ({ supports, type }: TrueAccount): string =>
  supports.includes("trades") ? "INVESTMENT" : type === "credit_card" ? "LOC" : "DEPOSIT"

const dates = (ledger: TrueLedger, key: string): ReadonlyArray<CalendarDateText> =>
  [...ledger.shown(key).filter(({ pending }) => !pending), ...ledger.tradesOf(key)]
    .map(({ date }) => date)
    .filter((date) => date >= ledger.keepsFrom)
    .toSorted()

export interface AccountView {
  readonly ledger: TrueLedger
  readonly connectionRef: string
  readonly isCollecting: boolean
  readonly now: number
  /** The first day that is known of an account, by its key and that of its oldest row. */
  readonly firstDay: (account: string, shown: string | undefined) => string | null
}

export const accountOf = (
  account: TrueAccount,
  { connectionRef, firstDay, isCollecting, ledger, now }: AccountView
) => ({
  id: account.id,
  brokerage_authorization: connectionRef,
  name: account.name,
  number: `****${account.number.slice(-4)}`,
  institution_account_id: account.number,
  institution_name: ledger.institution.name,
  created_date: "2026-01-02T03:04:05.678901+00:00",
  sync_status: {
    transactions: {
      initial_sync_completed: !isCollecting,
      last_successful_sync: isCollecting ? null : ledger.today,
      first_transaction_date: isCollecting ? null : firstDay(account.id, dates(ledger, account.key)[0])
    },
    holdings: {
      initial_sync_completed: !isCollecting,
      // With a blank between day and time, as SnapTrade writes it here.
      last_successful_sync: isCollecting ? null : Timestamp.fromMillis(now).replace("T", " ").replace("Z", "456+00:00"),
      holdings_unavailable: false
    }
  },
  balance: {
    total: isCollecting ? null : { amount: number(ledger.balance(account.key)), currency: account.currency }
  },
  status: "open",
  raw_type: account.name,
  account_category: categoryOf(account),
  is_paper: false
})

const currencyOf = (code: string) => ({ id: uuidOf(`currency ${code}`), code, name: code })

export const balancesOf = (account: TrueAccount, ledger: TrueLedger) => [
  {
    currency: currencyOf(account.currency),
    cash: number(ledger.cash(account.key)),
    buying_power: number(ledger.available(account.key))
  }
]

const kinds = {
  equity: "stock",
  etf: "etf",
  fund: "mutualfund",
  bond: "other",
  crypto: "crypto",
  option: "option",
  cash: "other"
} as const

export const positionsOf = (account: TrueAccount, ledger: TrueLedger, now: number) => ({
  results: (ledger.holdings.get(account.key) ?? [])
    .filter(({ security }) => security.kind !== "cash")
    .map(({ cost, price, quantity, security }) => ({
      instrument: {
        kind: kinds[security.kind],
        id: security.id,
        symbol: security.ticker ?? security.name,
        raw_symbol: security.ticker ?? security.name,
        description: security.name,
        currency: security.currency,
        exchange: "XNAS",
        figi_instrument: null
      },
      units: quantity,
      price,
      // Per unit.
      cost_basis: cost === undefined ? null : perUnit(cost, quantity),
      currency: security.currency,
      cash_equivalent: false
    })),
  data_freshness: { as_of: Timestamp.fromMillis(now) }
})

const perUnit = (cost: DecimalText, quantity: DecimalText): string => {
  const [a, b] = [Decimal.scale(cost), Decimal.scale(quantity)]
  const units = (Decimal.toUnits(cost, a) * 10n ** BigInt(b + 8)) / (Decimal.toUnits(quantity, b) * 10n ** BigInt(a))
  return Decimal.fromUnits(units, 8)
}

const symbolOf = (security: TrueSecurity) => ({
  id: security.id,
  symbol: security.ticker ?? security.name,
  raw_symbol: security.ticker ?? security.name,
  description: security.name,
  currency: currencyOf(security.currency),
  type: { id: uuidOf("type"), code: "cs", description: "Common Stock" },
  figi_code: null
})

/** All activities of an account, newest first, each with its day. */
export const activitiesOf = (account: TrueAccount, ledger: TrueLedger) => {
  const common = {
    option_symbol: null,
    currency_universal_symbol: null,
    option_type: "",
    fx_rate: null,
    institution: ledger.institution.name,
    external_reference_id: null
  }
  const trades = ledger
    .tradesOf(account.key)
    .filter(({ date }) => date >= ledger.keepsFrom)
    .map((trade) => ({
      date: trade.date,
      wire: {
        ...common,
        id: trade.id,
        symbol: trade.security === undefined ? null : symbolOf(trade.security),
        currency: currencyOf(account.currency),
        type: trade.type.toUpperCase(),
        amount: number(trade.amount),
        units: number(trade.quantity ?? Decimal.zero),
        price: number(trade.price ?? Decimal.zero),
        fee: number(trade.fees),
        description: trade.description,
        trade_date: `${trade.date}T00:00:00.000Z`,
        settlement_date: trade.settlementDate === undefined ? null : `${trade.settlementDate}T00:00:00.000Z`
      }
    }))
  const rows = ledger
    .shown(account.key)
    .filter(({ pending }) => !pending)
    .map((row) => ({
      date: row.date,
      wire: {
        ...common,
        id: row.id,
        symbol: null,
        currency: currencyOf(account.currency),
        type: Decimal.isNegative(row.amount) ? "WITHDRAWAL" : "CONTRIBUTION",
        amount: number(row.amount),
        units: 0,
        price: 0,
        fee: 0,
        description: row.description,
        trade_date: `${row.date}T00:00:00.000Z`,
        settlement_date: null
      }
    }))
  return [...trades, ...rows]
}

/** Orders that are open and were placed after an instant. */
export const ordersOf = (account: TrueAccount, ledger: TrueLedger, placedAfter: number) => ({
  orders: (ledger.orders.get(account.key) ?? [])
    .filter(({ placedAt }) => placedAt > placedAfter)
    .map((order) => ({
      brokerage_order_id: order.id,
      brokerage_group_order_id: null,
      order_role: null,
      status: Decimal.sign(order.filled) > 0 ? "PARTIAL" : "ACCEPTED",
      order_type: order.type,
      time_in_force: order.timeInForce,
      time_placed: Timestamp.fromMillis(order.placedAt),
      time_executed: null,
      price_currency: order.security.currency,
      price_effect: order.action === "BUY" ? "DEBIT" : "CREDIT",
      execution_price: null,
      limit_price: order.limitPrice ?? null,
      stop_price: order.stopPrice ?? null,
      trailing_stop: null,
      legs: [
        {
          leg_id: null,
          instrument: {
            symbol: order.security.ticker ?? order.security.name,
            description: order.security.name,
            asset_type: "EQUITY",
            exchange_mic_code: "XNAS",
            figi_code: null
          },
          action: order.action,
          execution_price: null,
          total_quantity: order.quantity,
          canceled_quantity: "0",
          filled_quantity: order.filled,
          status: null
        }
      ]
    }))
})
