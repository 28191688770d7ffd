/** Positions of an account, and its cash. */
import { type CurrencyCode, Decimal, type DecimalText, type TimestampText } from "@millrace/core"
import type { ObservedRecord, Translated } from "@millrace/core/provider"
import * as Result from "effect/Result"
import type { CashBalance, Position } from "./Forms.ts"
import { currencyOf, times, wordsOf } from "../upstream/Texts.ts"

/** Kinds whose price times units is no value: what they are worth is the difference to an earlier price. */
const withoutValue: ReadonlySet<string> = new Set(["future", "cfd"])

/** A position, translated, and what it adds to the cash that is distinguished. */
export interface Held {
  readonly record: ObservedRecord
  /** Of a position that SnapTrade counts among the cash as well. */
  readonly alsoCash?: { readonly currency: CurrencyCode; readonly amount: DecimalText }
}

export const positionOf =
  (providerAccountId: string, accountCurrency: CurrencyCode, asOf: TimestampText | undefined) =>
  (position: Position): Translated<Held> => {
    const { instrument } = position
    const id = wordsOf(instrument.id) ?? wordsOf(instrument.symbol)
    if (id === undefined) return Result.fail("instrument has neither id nor symbol")
    if (typeof position.units !== "string") return Result.fail("units is not told")
    const written = position.currency ?? instrument.currency
    const currency = written === undefined || written === null ? accountCurrency : currencyOf(written)
    if (currency === undefined) return Result.fail("currency is no code")
    // Prices of options are per share: a contract is about several of them.
    const multiplier =
      instrument.kind === "option" && typeof instrument.multiplier === "string"
        ? instrument.multiplier
        : Decimal.make("1")
    const hasValue = !withoutValue.has(instrument.kind ?? "")
    const pieces = times(position.units, multiplier)
    const value = hasValue && typeof position.price === "string" ? times(pieces, position.price) : undefined
    const name = wordsOf(instrument.description) ?? wordsOf(instrument.symbol)
    const ticker = wordsOf(instrument.symbol)
    const isCash = position.cash_equivalent === true
    return Result.succeed({
      record: {
        providerAccountId,
        providerId: id,
        pending: false,
        fields: {
          ...(name === undefined ? {} : { securityName: name }),
          securityId: id,
          ...(ticker === undefined ? {} : { ticker }),
          quantity: position.units,
          // SnapTrade's is per unit; ours is that of all units.
          ...(hasValue && typeof position.cost_basis === "string"
            ? { costBasis: times(pieces, position.cost_basis) }
            : {}),
          ...(value === undefined ? {} : { currentValue: value }),
          ...(typeof position.price === "string" ? { currentPrice: position.price } : {}),
          currency,
          isCashEquivalent: isCash,
          ...(asOf === undefined ? {} : { asOf })
        }
      },
      ...(isCash && value !== undefined ? { alsoCash: { currency, amount: value } } : {})
    })
  }

/** Of several positions in one security, such as long and short ones, each has an id of its own. */
const numbered = (records: ReadonlyArray<ObservedRecord>): ReadonlyArray<ObservedRecord> => {
  const seen = new Map<string, number>()
  return records.map((record) => {
    const n = (seen.get(record.providerId) ?? 0) + 1
    seen.set(record.providerId, n)
    return n === 1 ? record : { ...record, providerId: `${record.providerId}#${n}` }
  })
}

/**
 * The cash of an account, a record for each currency. Funds that SnapTrade lists as positions and counts as cash too are
 * taken off, so that all records together are what the account is worth.
 */
const cashRecords = (
  providerAccountId: string,
  balances: ReadonlyArray<CashBalance>,
  held: ReadonlyArray<Held>,
  asOf: TimestampText | undefined
): ReadonlyArray<ObservedRecord> =>
  balances.flatMap(({ cash, currency: its }) => {
    const currency = currencyOf(its?.code)
    if (typeof cash !== "string" || currency === undefined) return []
    const inFunds = Decimal.sum(
      held.flatMap(({ alsoCash }) => (alsoCash?.currency === currency ? [alsoCash.amount] : []))
    )
    const left = Decimal.subtract(cash, inFunds)
    // Funds are priced at another time than cash is counted: what seems to be missing is no debt.
    if (left === Decimal.zero || (Decimal.isNegative(left) && !Decimal.isNegative(cash))) return []
    return [
      {
        providerAccountId,
        providerId: `CUR:${currency}`,
        pending: false,
        fields: {
          securityName: currency,
          securityId: `CUR:${currency}`,
          quantity: left,
          currentValue: left,
          currentPrice: "1",
          currency,
          isCashEquivalent: true,
          ...(asOf === undefined ? {} : { asOf })
        }
      }
    ]
  })

export const holdingRecords = (
  providerAccountId: string,
  held: ReadonlyArray<Held>,
  balances: ReadonlyArray<CashBalance>,
  asOf: TimestampText | undefined
): ReadonlyArray<ObservedRecord> => [
  ...cashRecords(providerAccountId, balances, held, asOf),
  ...numbered(held.map(({ record }) => record))
]
