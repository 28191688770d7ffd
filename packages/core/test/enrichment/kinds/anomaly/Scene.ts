/** Purchases and worlds for the tests of anomalies. */
import { CalendarDate } from "@millrace/core"
import type { EnrichmentFact, FactRequest, SetAccount, SetKind, SetRecord } from "@millrace/core/enrichment"
import { Seeded, SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { anomaly } from "../../../../src/enrichment/kinds/anomaly/anomaly.ts"

export const kind: SetKind = anomaly as unknown as SetKind

export const account: SetAccount = {
  accountId: "acct_00000000000000000000000001" as SetAccount["accountId"],
  bankId: "bank_00000000000000000000000001" as SetAccount["bankId"],
  bankName: "Bank",
  accountName: "Everyday",
  accountNumber: "****1234",
  accountType: "checking",
  currency: "EUR" as SetAccount["currency"]
}

let count = 0

export const bought = (date: string, amount: string, more: SetRecord["fields"] = {}): SetRecord => ({
  recordId: `rec_${String(++count).padStart(8, "0")}`,
  accountId: account.accountId,
  fields: {
    date,
    amount: `-${amount}`,
    currency: "EUR",
    description: "Corner Grocery",
    category: "FOOD_AND_DRINK",
    pending: false,
    ...more
  }
})

const factOf = (fact: FactRequest, n: number): EnrichmentFact => ({
  ...fact,
  id: `fct_${String(n).padStart(26, "0")}` as EnrichmentFact["id"],
  workspaceId: "ws_00000000000000000000000001" as EnrichmentFact["workspaceId"],
  dataType: "transactions",
  by: { kind: "user", userId: "usr_1" },
  at: "2026-05-31T00:00:00.000Z" as EnrichmentFact["at"]
})

export const planned = Effect.fnUntraced(function* (
  today: string,
  records: ReadonlyArray<SetRecord>,
  config: object = {},
  facts: ReadonlyArray<FactRequest> = []
) {
  const world = new SetWorld({
    kind,
    config: Schema.decodeUnknownSync(kind.Config)(config),
    dataType: "transactions",
    accounts: [account],
    baseCurrency: account.currency,
    today: CalendarDate.make(today)
  })
  world.facts = facts.map(factOf)
  world.put(...records)
  return yield* world.plan()
})

/** What is claimed of a field, by record. */
export const claimed = (world: SetWorld, field: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    world.said.flatMap(([, { claims }]) =>
      claims.filter((claim) => claim.field === `anomaly.${field}`).map(({ recordId, value }) => [recordId, value])
    )
  )

/** Purchases around an amount, every third day. */
export const usual = (n: number, cents = 4_000, spread = 10, from = "2025-01-03"): ReadonlyArray<SetRecord> => {
  const random = new Seeded(n * 31 + cents)
  return Array.from({ length: n }, (_, at) => {
    const paid = Math.round(cents * (1 + (random.below(2 * spread + 1) - spread) / 100))
    return bought(CalendarDate.addDays(CalendarDate.make(from), at * 3), String(paid / 100))
  })
}
