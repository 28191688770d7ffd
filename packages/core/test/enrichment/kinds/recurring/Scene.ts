/** Payments and worlds for the tests of recurring series. */
import { createHash } from "node:crypto"
import { CalendarDate } from "@millrace/core"
import type { SetAccount, SetRecord } from "@millrace/core/enrichment"
import { SetWorld } from "@millrace/testing/model"
import { makeRecurring } from "../../../../src/enrichment/kinds/recurring/recurring.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
export const recurring = makeRecurring({ sha256 })

const accountOf = (n: number): SetAccount => ({
  accountId: `acct_0000000000000000000000000${n}` as SetAccount["accountId"],
  bankId: "bank_00000000000000000000000001" as SetAccount["bankId"],
  bankName: "Bank",
  accountName: "Everyday",
  accountNumber: "****1234",
  accountType: "checking",
  currency: "EUR" as SetAccount["currency"]
})
export const accounts = [accountOf(1), accountOf(2)]

/** A record whose id says where it stands. */
export const payment = (
  date: string,
  amount: string,
  description = "Streamly",
  more: SetRecord["fields"] = {},
  account = 1
): SetRecord => ({
  recordId: `${description} ${date} ${amount} ${account}`,
  accountId: accounts[account - 1]!.accountId,
  fields: { date, amount, currency: "EUR", description, pending: false, ...more }
})

export const worldOn = (today: string, config: object = {}): SetWorld =>
  new SetWorld({
    kind: recurring,
    config: {
      lookbackMonths: 26,
      direction: "both",
      includeTransfers: true,
      minConfidence: "early",
      graceDays: 2,
      amountChangePercent: 1,
      ...config
    },
    dataType: "transactions",
    accounts,
    baseCurrency: accounts[0]!.currency,
    today: CalendarDate.make(today)
  })

/** What is said of a field, by record. */
export const claimed = (world: SetWorld, field: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    world.said.flatMap(([, { claims }]) =>
      claims.filter((claim) => claim.field === `recurring.${field}`).map(({ recordId, value }) => [recordId, value])
    )
  )
