/** Transactions of an account. */
import { Decimal, type DecimalText } from "@millrace/core"
import type { ObservedRecord, Translated } from "@millrace/core/provider"
import * as Result from "effect/Result"
import { currencyOf, dayOf, wordsOf } from "../upstream/Texts.ts"
import { wordsIn } from "./Extras.ts"
import type { Transaction } from "./Forms.ts"
import { idOf } from "./Ids.ts"

/** Our category of Salt Edge's. */
const categories: ReadonlyMap<string, string> = new Map(
  (
    [
      ["INCOME", "income paycheck bonus investment_income"],
      ["BANK_FEES", "fees_and_charges provider_fee service_fee"],
      ["LOAN_PAYMENTS", "loans mortgage"],
      ["GOVERNMENT_AND_NON_PROFIT", "taxes gifts_and_donations"],
      ["ENTERTAINMENT", "entertainment amusement arts games movies_and_music newspapers_and_magazines"],
      ["FOOD_AND_DRINK", "food_and_dining alcohol_and_bars cafes_and_restaurants groceries"],
      ["GENERAL_MERCHANDISE", "shopping clothing electronics_and_software sporting_goods kids pets home_supplies"],
      ["HOME_IMPROVEMENT", "home home_improvement home_services"],
      ["MEDICAL", "doctor pharmacy health_and_fitness"],
      ["PERSONAL_CARE", "personal_care sports wellness"],
      ["SERVICES", "education business_services insurance"],
      [
        "TRANSPORTATION",
        "auto_and_transport car_rental gas_and_fuel parking public_transportation service_and_parts taxi"
      ],
      ["TRAVEL", "travel hotel transportation vacation"],
      ["RENT_AND_UTILITIES", "bills_and_utilities internet phone television utilities rent"]
    ] as const
  ).flatMap(([ours, theirs]) => theirs.split(" ").map((name) => [name, ours] as const))
)

const categoryOf = ({ category }: Transaction, isOut: boolean): string =>
  category === "transfer"
    ? isOut
      ? "TRANSFER_OUT"
      : "TRANSFER_IN"
    : (categories.get(category ?? "") ?? "UNCATEGORIZED")

const typeOf = ({ extra, mode }: Transaction, isOut: boolean): string =>
  mode === "fee"
    ? "FEE"
    : mode === "transfer"
      ? isOut
        ? "TRANSFER_OUTGOING"
        : "TRANSFER_INCOMING"
      : wordsIn(extra, "check_number") !== undefined
        ? "CHECK"
        : wordsIn(extra, "mcc") !== undefined
          ? "CARD"
          : "OTHER"

/** Whether the bank has booked it; a status that is new is one that is not pending. */
export const isPending = ({ status }: Transaction): boolean => status === "pending"

/** The row, or `undefined` for one that Salt Edge marks as a copy of another. Negative is out, as ours. */
export const transactionOf =
  (providerAccountId: string) =>
  (row: Transaction): Translated<ObservedRecord | undefined> => {
    if (row.duplicated === true) return Result.succeed(undefined)
    const providerId = idOf(row.id, row.transaction_id)
    if (providerId === undefined) return Result.fail("id is none of Salt Edge's")
    const owner = idOf(row.account_id)
    if (owner !== undefined && owner !== providerAccountId) return Result.fail("account_id is another account's")
    const made = dayOf(row.made_on)
    const pending = isPending(row)
    const posted = pending ? undefined : dayOf(wordsIn(row.extra, "posting_date"))
    const date = posted ?? made
    if (date === undefined) return Result.fail("made_on is no day")
    const currency = currencyOf(row.currency_code)
    if (currency === undefined) return Result.fail("currency_code is no code")
    const amount: DecimalText = row.amount
    const isOut = Decimal.isNegative(amount)
    const description =
      wordsOf(row.description) ?? wordsIn(row.extra, "additional") ?? wordsIn(row.extra, "information") ?? "Transaction"
    const payee = isOut ? wordsIn(row.extra, "payee") : undefined
    return Result.succeed({
      providerAccountId,
      providerId,
      pending,
      fields: {
        date,
        ...(made !== undefined && made < date ? { authorizedDate: made } : {}),
        description,
        originalDescription: description,
        ...(payee === undefined ? {} : { merchantName: payee }),
        amount,
        creditAmount: isOut ? Decimal.zero : amount,
        debitAmount: isOut ? Decimal.negate(amount) : Decimal.zero,
        currency,
        category: categoryOf(row, isOut),
        type: typeOf(row, isOut),
        reference:
          wordsIn(row.extra, "end_to_end_id") ??
          wordsIn(row.extra, "variable_code") ??
          wordsIn(row.extra, "check_number") ??
          "",
        pending
      },
      evidence: { amount, ...(wordsOf(row.category) === undefined ? {} : { category: wordsOf(row.category)! }) }
    })
  }
