/** Exports whose sign cannot be told from the numbers but is certain from their columns. */
import { normaliseHeader } from "./CsvHeaders.ts"

export interface CsvProfile {
  readonly name: string
  /** Columns that only this export has. */
  readonly columns: ReadonlyArray<string>
  /** Money that leaves is written as a positive number. */
  readonly negate: boolean
  readonly accountType: "credit_card" | "unknown"
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
  }
]

/** The profile whose columns are all present. */
export const findProfile = (headers: ReadonlyArray<string>): CsvProfile | undefined => {
  const present = new Set(headers.map(normaliseHeader))
  return profiles.find((profile) => profile.columns.every((column) => present.has(column)))
}
