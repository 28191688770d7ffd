/** What banks add to accounts and transactions: read where it has the form that it should have. */
import { Decimal, type DecimalText, limits } from "@millrace/core"
import { wordsOf } from "../upstream/Texts.ts"

export type Extras = Readonly<Record<string, unknown>> | null | undefined

export const wordsIn = (extra: Extras, key: string): string | undefined => {
  const value = extra?.[key]
  return typeof value === "string" ? wordsOf(value) : undefined
}

export const amountIn = (extra: Extras, key: string): DecimalText | undefined => {
  const value = extra?.[key]
  // Numbers whose digits a double would lose come as their text.
  const amount = typeof value === "number" || typeof value === "string" ? Decimal.parse(String(value)) : undefined
  return amount !== undefined && Decimal.wholeDigits(amount) <= limits.amountWholeDigits ? amount : undefined
}
