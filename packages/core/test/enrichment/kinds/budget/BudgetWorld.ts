/** Budgets over records that come and go, for tests. */
import { RateTable } from "@millrace/core"
import { everydayAccount } from "@millrace/testing/fixture"
import { SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { makeBudget } from "../../../../src/enrichment/kinds/budget/budget.ts"
import type { BudgetState } from "../../../../src/enrichment/kinds/budget/BudgetState.ts"
import type { SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import { provenPatterns } from "../../../../src/pattern/Pattern.ts"
import type { Fields } from "../../../../src/record/FieldValue.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import * as Currency from "../../../../src/shared/Currency.ts"
import * as Decimal from "../../../../src/shared/Decimal.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"

export const budget = makeBudget({ patterns: provenPatterns })

export const account = everydayAccount

export const rates: RateTable.RateTable = RateTable.rateTable("v", Currency.make("EUR"), [
  { date: CalendarDate.make("2026-01-05"), quotes: new Map([[Currency.make("USD"), Decimal.make("1.25")]]) }
])

export const is = (field: string, value: string) => ({
  logic: "and",
  conditions: [{ field, operator: "equals", value }]
})
export const everything = { logic: "and", conditions: [{ field: "amount", operator: "isNotEmpty" }] }

export const line = (change: object = {}) => ({ key: "all", name: "All", match: everything, amount: "400", ...change })

export const record = (recordId: string, date: string, amount: string, fields: Fields = {}): SetRecord => ({
  recordId,
  accountId: account.accountId,
  fields: { date, amount, currency: "EUR", pending: false, category: "FOOD", description: "SHOP", ...fields }
})

export interface WorldOptions {
  readonly today?: string
  readonly revision?: number
  readonly past?: ReadonlyArray<{ readonly until: string; readonly amounts: Readonly<Record<string, string>> }>
}

export const worldOf = (config: object, { past = [], revision = 1, today = "2026-03-10" }: WorldOptions = {}) => {
  const decoded = Result.getOrThrow(decode(budget.Config, config))
  return new SetWorld({
    kind: budget,
    config: decoded,
    dataType: "transactions",
    accounts: [account],
    baseCurrency: account.currency,
    today: CalendarDate.make(today),
    rates,
    revision,
    past: past.map(({ amounts, until }) => ({ until: CalendarDate.make(until), remembered: { amounts } }))
  })
}

/** What the table of periods was planned from, after everything that changed was planned. */
export const tableOf = Effect.fnUntraced(function* (world: SetWorld) {
  yield* world.plan()
  const state = world.said.find(([key]) => key === "table")?.[1].state as BudgetState | undefined
  return state?.kind === "table" ? state : undefined
})

/** Line and period -> minor units. */
export const sumsOf = Effect.fnUntraced(function* (world: SetWorld) {
  const sums = new Map<string, bigint>()
  for (const { booked } of (yield* tableOf(world))?.rows ?? []) {
    for (const [start, key, units] of booked) {
      const place = `${start} ${key}`
      sums.set(place, (sums.get(place) ?? 0n) + BigInt(units))
    }
  }
  return sums
})
