/** Exports whose sign cannot be told from the numbers but is certain from their columns. */
import type { AccountType } from "@millrace/core/provider"
import { normaliseHeader } from "./CsvHeaders.ts"

export interface CsvProfile {
  readonly name: string
  /** The columns of the export: some of them where only this one has them, all of them where `whole`. */
  readonly columns: ReadonlyArray<string>
  readonly whole?: boolean
  /** Money that leaves is written as a positive number. */
  readonly negate: boolean
  readonly accountType: AccountType
}

const profiles: ReadonlyArray<CsvProfile> = [
  {
    name: "card purchases by card",
    columns: ["cardusedfortransaction", "merchantname", "amount"],
    negate: true,
    accountType: "credit_card"
  },
  {
    name: "order history",
    columns: ["orderid", "items", "total", "shipping", "payments"],
    negate: true,
    accountType: "unknown"
  },
  {
    name: "card by member",
    columns: ["date", "description", "cardmember", "account", "amount"],
    whole: true,
    negate: true,
    accountType: "credit_card"
  },
  {
    name: "card by member and number",
    columns: ["date", "receipt", "description", "cardmember", "account", "amount"],
    whole: true,
    negate: true,
    accountType: "credit_card"
  },
  {
    name: "card with extended details",
    columns: ["extendeddetails", "appearsonyourstatementas", "amount"],
    negate: true,
    accountType: "credit_card"
  },
  {
    name: "card by transaction and post date with category",
    columns: ["transdate", "postdate", "description", "amount", "category"],
    whole: true,
    negate: true,
    accountType: "credit_card"
  },
  {
    name: "card with merchant category and cleared date",
    columns: [
      "transactiondate",
      "clearingdate",
      "description",
      "merchant",
      "category",
      "type",
      "amountusd",
      "purchasedby"
    ],
    whole: true,
    negate: true,
    accountType: "credit_card"
  }
]

/** The profile whose columns are all present, and no others where it is known whole. */
export const findProfile = (headers: ReadonlyArray<string>): CsvProfile | undefined => {
  const present = new Set(headers.map(normaliseHeader).filter((name) => name !== ""))
  return profiles.find(
    (profile) =>
      profile.columns.every((column) => present.has(column)) &&
      (profile.whole !== true || present.size === profile.columns.length)
  )
}
