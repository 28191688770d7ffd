/** Activities of an account: trades of those that invest, transactions of those that hold money. */
import { type CurrencyCode, Decimal, type DecimalText } from "@millrace/core"
import type { ObservedRecord, Translated } from "@millrace/core/provider"
import * as Result from "effect/Result"
import type { Activity } from "./Forms.ts"
import { currencyOf, dayOf, wordsOf } from "../upstream/Texts.ts"

/** Our words for the kinds of activity that others have a word of their own for; all others go by SnapTrade's. */
const tradeTypes: ReadonlyMap<string, string> = new Map([
  ["REI", "reinvest"],
  ["CONTRIBUTION", "deposit"],
  ["OPTIONEXPIRATION", "option_expiration"],
  ["OPTIONASSIGNMENT", "option_assignment"],
  ["OPTIONEXERCISE", "option_exercise"]
])

const kindOf = (activity: Activity): string => (wordsOf(activity.type) ?? "OTHER").toUpperCase().replaceAll(/\W+/g, "_")

/** Kinds that move cash: without an amount nobody knows how much. */
const movesCash: ReadonlySet<string> = new Set([
  "BUY",
  "SELL",
  "DIVIDEND",
  "SUBSTITUTE_DIVIDEND",
  "DISTRIBUTION",
  "RETURN_OF_CAPITAL",
  "INTEREST",
  "CONTRIBUTION",
  "WITHDRAWAL",
  "FEE",
  "TAX",
  "REBATE",
  "REI",
  "INTERNAL_CASH_TRANSFER_IN",
  "INTERNAL_CASH_TRANSFER_OUT"
])

/** Positive is cash that comes in, as ours. Splits, moves of securities and the like have no amount. */
const amountOf = (activity: Activity): Translated<DecimalText> =>
  typeof activity.amount === "string"
    ? Result.succeed(activity.amount)
    : movesCash.has(kindOf(activity))
      ? Result.fail("amount is not told")
      : Result.succeed(Decimal.zero)

/** The currency of the amount; of what is quoted in a coin, that coin. `fallback`: of the account. */
const currencyOfActivity = (
  { currency, currency_universal_symbol: quote }: Activity,
  fallback: CurrencyCode
): Translated<CurrencyCode> => {
  const code = currency?.code ?? quote?.symbol
  if (code === undefined || code === null) return Result.succeed(fallback)
  const known = currencyOf(code)
  return known === undefined ? Result.fail("currency is no code") : Result.succeed(known)
}

/** What both sorts of record have in common. */
const partsOf = (activity: Activity, accountCurrency: CurrencyCode) =>
  Result.gen(function* () {
    const date = dayOf(activity.trade_date) ?? dayOf(activity.settlement_date)
    if (date === undefined) return yield* Result.fail("trade_date is no day, nor is settlement_date")
    return {
      date,
      amount: yield* amountOf(activity),
      currency: yield* currencyOfActivity(activity, accountCurrency)
    }
  })

const textOf = (activity: Activity): string =>
  wordsOf(activity.description) ??
  wordsOf(activity.symbol?.description) ??
  (wordsOf(activity.type) ?? "Activity").replaceAll("_", " ")

/** An activity of an account that invests. */
export const tradeOf =
  (providerAccountId: string, accountCurrency: CurrencyCode) =>
  (activity: Activity): Translated<ObservedRecord> =>
    Result.map(partsOf(activity, accountCurrency), ({ amount, currency, date }) => {
      const kind = kindOf(activity)
      const { option_symbol: option, symbol } = activity
      const settled = dayOf(activity.settlement_date)
      const name = wordsOf(symbol?.description) ?? wordsOf(symbol?.symbol)
      const securityId = wordsOf(option?.id) ?? wordsOf(symbol?.id)
      const ticker = wordsOf(option?.ticker) ?? wordsOf(symbol?.symbol)
      const isOfSecurity = securityId !== undefined
      return {
        providerAccountId,
        providerId: activity.id,
        pending: false,
        fields: {
          date,
          ...(settled === undefined ? {} : { settlementDate: settled }),
          type: tradeTypes.get(kind) ?? kind.toLowerCase(),
          description: textOf(activity),
          ...(option === undefined || option === null
            ? name === undefined
              ? {}
              : { securityName: name }
            : { securityName: wordsOf(option.ticker) ?? name ?? "Option" }),
          ...(securityId === undefined ? {} : { securityId }),
          ...(ticker === undefined ? {} : { ticker }),
          // Of what is about no security SnapTrade writes zeros.
          ...(typeof activity.units === "string" && (isOfSecurity || activity.units !== "0")
            ? { quantity: activity.units }
            : {}),
          ...(typeof activity.price === "string" && (isOfSecurity || activity.price !== "0")
            ? { price: activity.price }
            : {}),
          amount,
          ...(typeof activity.fee === "string" ? { fees: Decimal.abs(activity.fee) } : {}),
          currency
        },
        evidence: { type: kind, ...(typeof activity.amount === "string" ? { amount: activity.amount } : {}) }
      }
    })

/** How money moved, and what for, by the kind of activity. */
const moneyKinds: ReadonlyMap<string, readonly [type: string, category: string]> = new Map([
  ["INTEREST", ["INTEREST", "UNCATEGORIZED"]],
  ["FEE", ["FEE", "BANK_FEES"]],
  ["TAX", ["OTHER", "GOVERNMENT_AND_NON_PROFIT"]],
  ["REBATE", ["REFUND", "UNCATEGORIZED"]],
  ["DIVIDEND", ["OTHER", "INCOME"]],
  ["CONTRIBUTION", ["TRANSFER_INCOMING", "TRANSFER_IN"]],
  ["WITHDRAWAL", ["TRANSFER_OUTGOING", "TRANSFER_OUT"]],
  ["INTERNAL_CASH_TRANSFER_IN", ["TRANSFER_INCOMING", "TRANSFER_IN"]],
  ["INTERNAL_CASH_TRANSFER_OUT", ["TRANSFER_OUTGOING", "TRANSFER_OUT"]]
])

/** An activity of an account that holds money, such as a savings account or a credit card. */
export const transactionOf =
  (providerAccountId: string, accountCurrency: CurrencyCode) =>
  (activity: Activity): Translated<ObservedRecord> =>
    Result.map(partsOf(activity, accountCurrency), ({ amount, currency, date }) => {
      const kind = kindOf(activity)
      const isOut = Decimal.isNegative(amount)
      const [type, category] = moneyKinds.get(kind) ?? ["OTHER", "UNCATEGORIZED"]
      const description = textOf(activity)
      return {
        providerAccountId,
        providerId: activity.id,
        pending: false,
        fields: {
          date,
          description,
          originalDescription: description,
          amount,
          creditAmount: isOut ? Decimal.zero : amount,
          debitAmount: isOut ? Decimal.negate(amount) : Decimal.zero,
          currency,
          // Interest that is paid is a cost.
          category: kind === "INTEREST" ? (isOut ? "BANK_FEES" : "INCOME") : category,
          type,
          reference: wordsOf(activity.external_reference_id) ?? "",
          pending: false
        },
        evidence: { type: kind, ...(typeof activity.amount === "string" ? { amount: activity.amount } : {}) }
      }
    })
