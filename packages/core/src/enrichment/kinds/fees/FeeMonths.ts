/** Months of accounts: the parts in which fees are looked for. */
import type { Id } from "../../../shared/Ids.ts"

/** Days after a fee on which it may be given back. */
export const refundDays = 60

export const monthAfter = (month: string, months: number): string => {
  const at = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + months
  return `${String(Math.floor(at / 12)).padStart(4, "0")}-${String((at % 12) + 1).padStart(2, "0")}`
}

/** The account and month of a key. */
export const partOf = (key: string): { readonly account: Id<"account">; readonly month: string } => {
  const at = key.lastIndexOf(":")
  return { account: key.slice(0, at) as Id<"account">, month: key.slice(at + 1) }
}
