/** What is true at an institution, in our own terms: amounts are exact, and negative where money leaves the account. */
import type { AccountType, BankType } from "@millrace/core/provider"
import type { SyncDataType } from "@millrace/core/record"
import type { CalendarDateText, CurrencyCode, DecimalText } from "@millrace/core"

export interface TrueInstitution {
  readonly id: string
  readonly name: string
  readonly countryCode: string
  readonly bankType: BankType
  readonly status: "ok" | "degraded" | "down"
  readonly url?: string
}

export interface TrueAccount {
  /** Its identity, whatever ids it is shown under. */
  readonly key: string
  /** The id under which it is shown now. */
  readonly id: string
  /** The whole number: fakes mask it as their upstream does. */
  readonly number: string
  readonly name: string
  readonly type: AccountType
  readonly currency: CurrencyCode
  /** Signed net position in cash before the first row. */
  readonly opening: DecimalText
  readonly creditLimit?: DecimalText
  /** What the institution has of it; balances always. */
  readonly supports: ReadonlyArray<SyncDataType>
}

/** One event in the life of an account; `line` is its identity, whatever ids it goes through. */
export interface TrueRow {
  readonly line: number
  /** Key of the account. */
  readonly account: string
  readonly id: string
  /** The id of the pending row that it settled. */
  readonly pendingId?: string
  /** Whether the upstream tells of it. */
  readonly isLinked: boolean
  readonly pending: boolean
  /** Booking day; of a pending row the day of the purchase. */
  readonly date: CalendarDateText
  readonly authorizedDate?: CalendarDateText
  readonly amount: DecimalText
  /** As the bank prints it. */
  readonly description: string
  readonly merchant?: string
  /** A category of ours; fakes write their upstream's name of it. */
  readonly category?: string
  /** Milliseconds: when it was shown first, and when it changed last. */
  readonly createdAt: number
  readonly changedAt: number
}

export interface TrueSecurity {
  readonly id: string
  readonly name: string
  readonly ticker?: string
  readonly kind: "equity" | "etf" | "fund" | "bond" | "crypto" | "option" | "cash"
  readonly isin?: string
  readonly currency: CurrencyCode
}

export interface TrueTrade {
  readonly line: number
  readonly account: string
  readonly id: string
  readonly date: CalendarDateText
  readonly settlementDate?: CalendarDateText
  readonly type: "buy" | "sell" | "dividend" | "interest" | "fee" | "contribution" | "withdrawal"
  readonly security?: TrueSecurity
  /** Units; negative when they leave the account. */
  readonly quantity?: DecimalText
  readonly price?: DecimalText
  /** Effect on the cash of the account, signed. */
  readonly amount: DecimalText
  readonly fees: DecimalText
  readonly description: string
  readonly createdAt: number
}

export interface TrueHolding {
  readonly account: string
  readonly security: TrueSecurity
  readonly quantity: DecimalText
  readonly price: DecimalText
  /** Of all units together. */
  readonly value: DecimalText
  /** Of all units together; absent where the institution does not know it. */
  readonly cost?: DecimalText
  readonly asOf: number
}

export interface TrueLoan {
  readonly account: string
  readonly kind: "mortgage" | "student" | "credit_card" | "auto" | "other"
  readonly principal: DecimalText
  readonly origination?: DecimalText
  readonly originationDate?: CalendarDateText
  /** 5.25 stands for 5.25 %. */
  readonly ratePercent: DecimalText
  readonly nextPayment?: DecimalText
  readonly nextPaymentDate?: CalendarDateText
  readonly maturityDate?: CalendarDateText
  readonly isOverdue: boolean
  readonly lastPayment?: DecimalText
  readonly lastPaymentDate?: CalendarDateText
}

export interface TrueOrder {
  readonly account: string
  readonly id: string
  readonly security: TrueSecurity
  readonly action: "BUY" | "SELL"
  readonly type: "MARKET" | "LIMIT" | "STOP"
  readonly timeInForce: "DAY" | "GTC"
  readonly quantity: DecimalText
  readonly filled: DecimalText
  readonly limitPrice?: DecimalText
  readonly stopPrice?: DecimalText
  readonly placedAt: number
}

/** What a bank event of a random script did. */
export type MoveKind =
  | "posted"
  | "authorized"
  | "edited"
  | "settled"
  | "settledUnlinked"
  | "settledInPlace"
  | "released"
  | "removed"
  | "backdated"
