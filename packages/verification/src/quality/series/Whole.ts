/** A set kind over a whole history at once, without the machinery of an installation. */
import { createHash } from "node:crypto"
import { BusinessCalendar, CalendarDate, Currency, RateTable, Timestamp, Work } from "@millrace/core"
import type { PartitionPlan, PlanInput, SetAccount, SetKind, SetRecord } from "@millrace/core/enrichment"
import { catalogOf } from "@millrace/core/record"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

export const accountOf = (n: number, currency = "EUR"): SetAccount => ({
  accountId: `acct_${String(n).padStart(26, "0")}` as SetAccount["accountId"],
  bankId: "bank_00000000000000000000000001" as SetAccount["bankId"],
  bankName: "Bank",
  accountName: `Account ${n}`,
  accountNumber: "****0001",
  accountType: "checking",
  currency: Currency.make(currency)
})

export interface WholeInput {
  readonly kind: SetKind
  readonly config: object
  readonly records: ReadonlyArray<SetRecord>
  readonly accounts: ReadonlyArray<SetAccount>
  readonly today: string
  readonly facts?: PlanInput<unknown, unknown>["facts"]
}

/** What is said of each partition. */
export const planWhole = Effect.fnUntraced(function* (input: WholeInput) {
  const { accounts, config, facts = [], kind, records, today } = input
  const work = new Work()
  const catalog = catalogOf("transactions")
  const prepared = kind.prepare(Schema.decodeUnknownSync(kind.Config)(config), catalog)
  const partitions = new Map<string, Array<SetRecord>>()
  for (const record of records.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))) {
    for (const key of kind.partitions(prepared, record, work)) {
      const known = partitions.get(key)
      if (known === undefined) partitions.set(key, [record])
      else known.push(record)
    }
  }
  const plan = yield* kind.plan({
    work,
    workspaceId: "ws_00000000000000000000000001" as PlanInput<unknown, unknown>["workspaceId"],
    enrichmentId: "enr_00000000000000000000000001" as PlanInput<unknown, unknown>["enrichmentId"],
    dataType: "transactions",
    prepared,
    revision: 1,
    past: [],
    at: Timestamp.make(`${today}T12:00:00.000Z`),
    timezone: "UTC",
    name: "Enrichment",
    locale: "en",
    isPast: () => false,
    baseCurrency: accounts[0]!.currency,
    rates: RateTable.noRates,
    calendar: BusinessCalendar.standardWeek,
    sha256,
    accounts: new Map(accounts.map((account) => [account.accountId, account])),
    today: CalendarDate.make(today),
    dirty: [...partitions.keys()].toSorted(),
    figures: Effect.succeed([]),
    facts,
    read: (keys) =>
      Effect.succeed(new Map(keys.map((key) => [key, { records: partitions.get(key) ?? [], state: undefined }])))
  })
  return [...plan.next.values()]
}, Effect.orDie)

/** The values that are claimed of a field, by record. */
export const valuesOf = (plans: ReadonlyArray<PartitionPlan<unknown, unknown>>, field: string) =>
  new Map(
    plans.flatMap(({ claims }) =>
      claims.flatMap((claim) => (claim.field === field ? [[claim.recordId, String(claim.value)] as const] : []))
    )
  )
