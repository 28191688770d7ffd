/** Warnings about histories in which nothing is wrong, and about amounts and charges that are (enrichments C11). */
import { type AnyKind, bundledKinds, type SetKind, type SetRecord } from "@millrace/core/enrichment"
import { CalendarDate } from "@millrace/core"
import { provenPatterns } from "@millrace/core/pattern"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import { type Figure, type Scene, sizeOf } from "../identity/Scene.ts"
import { merchantName, today, written } from "./PaymentHistory.ts"
import { accountOf, planWhole, sha256, valuesOf } from "./Whole.ts"

const isAnomaly = (kind: AnyKind): kind is SetKind => kind.family === "set" && kind.type === "anomaly"
const anomalyKind: SetKind = bundledKinds({ patterns: provenPatterns, sha256 }).find(isAnomaly)!

const account = accountOf(1)
const categories = ["FOOD_AND_DRINK", "GENERAL_MERCHANDISE", "SERVICES", "ENTERTAINMENT", "MEDICAL"]

/** Nearly normal: the sum of twelve. */
const normal = (random: Seeded): number => {
  let sum = -6
  for (let n = 0; n < 12; n++) sum += random.below(1_000_000) / 1_000_000
  return sum
}

interface Purchase {
  readonly record: SetRecord
  readonly merchant: number
  readonly day: number
}

interface Household {
  readonly purchases: ReadonlyArray<Purchase>
  /** Of each merchant, by number: spread of its amounts. */
  readonly spreads: ReadonlyArray<number>
  readonly next: () => number
}

const days = 540

const recordOf = (n: number, day: number, cents: number, text: string, category: string): SetRecord => ({
  recordId: `rec_${String(n).padStart(10, "0")}`,
  accountId: account.accountId,
  fields: {
    date: CalendarDate.addDays(today, day - days),
    amount: `-${cents / 100}`,
    currency: "EUR",
    description: text,
    category,
    pending: false
  }
})

/** Merchants that each keep to its amounts, and to how often it is visited, all the time. */
const household = (random: Seeded): Household => {
  let count = 0
  const next = () => ++count
  const purchases: Array<Purchase> = []
  const spreads: Array<number> = []
  const merchants = 15 + random.below(25)
  for (let merchant = 0; merchant < merchants; merchant++) {
    const name = merchantName(random)
    const category = random.pick(categories)
    const middle = 300 + random.below(9_000)
    const spread = (5 + random.below(45)) / 100
    const every = 3 + random.below(40)
    spreads.push(spread)
    for (let day = random.below(every); day <= days; day += 1 + random.below(2 * every - 1)) {
      const cents = Math.max(50, Math.round(middle * Math.exp(spread * normal(random))))
      purchases.push({ record: recordOf(next(), day, cents, written(name, random), category), merchant, day })
    }
  }
  return { purchases, spreads, next }
}

const plan = (records: ReadonlyArray<SetRecord>, detectors: ReadonlyArray<string> | undefined) =>
  planWhole({
    kind: anomalyKind,
    config: detectors === undefined ? {} : { detectors },
    records,
    accounts: [account],
    today
  })

const fewestBefore = 12
const mostSpread = 0.3

export const anomalies: Scene = {
  name: "anomalies",
  title: "households that keep to their habits, ten-fold amounts among them, and charges that came twice",
  play: Effect.fnUntraced(function* (effort) {
    const households = sizeOf(effort, { small: 3, quick: 20, full: 100 })
    const calm = { records: 0, flags: 0 }
    const tenfold = { drawn: 0, found: 0 }
    const charges = { drawn: 0, right: 0, wrong: 0 }
    for (let n = 0; n < households; n++) {
      const random = new Seeded((effort.drawn ?? effort.seed) * 20_011 + n)
      const { next, purchases, spreads } = household(random)
      const records = purchases.map(({ record }) => record)
      calm.records += records.length
      calm.flags += valuesOf(yield* plan(records, undefined), "anomaly.kinds").size
      // One payment of each merchant that is known is ten times what it was, where that exceeds what is reported at all.
      const strange = new Set<string>()
      const had = new Set<number>()
      const raised = purchases.map(({ day, merchant, record }) => {
        const before = purchases.filter(
          (one) => one.merchant === merchant && one.day < day && day - one.day <= 365
        ).length
        const excess = -9 * Number(record.fields["amount"])
        if (before < fewestBefore || spreads[merchant]! > mostSpread || excess < 30 || had.has(merchant)) return record
        if (!random.once(10)) return record
        had.add(merchant)
        strange.add(record.recordId)
        return { ...record, fields: { ...record.fields, amount: String(Number(record.fields["amount"]) * 10) } }
      })
      const amounts = valuesOf(yield* plan(raised, ["amount"]), "anomaly.kinds")
      tenfold.drawn += strange.size
      tenfold.found += [...strange].filter((id) => amounts.has(id)).length
      // One of a hundred is charged again on the next day.
      const again = new Set<string>()
      const twice = purchases.flatMap(({ day, record }) => {
        if (day === days || !random.once(100)) return [record]
        const copy = recordOf(next(), day + random.below(2), 1, "", "")
        const date = copy.fields["date"]!
        again.add(copy.recordId)
        return [record, { ...copy, fields: { ...record.fields, date } }]
      })
      const kinds = valuesOf(yield* plan(twice, ["duplicateCharge"]), "anomaly.kinds")
      charges.drawn += again.size
      for (const id of kinds.keys()) {
        // Of two on one day either is the second.
        const one = twice.find(({ recordId }) => recordId === id)!
        const isAgain =
          again.has(id) ||
          twice.some(
            ({ fields, recordId }) =>
              again.has(recordId) && fields["amount"] === one.fields["amount"] && fields["date"] === one.fields["date"]
          )
        if (isAgain) charges.right++
        else charges.wrong++
      }
    }
    const figures: ReadonlyArray<Figure> = [
      { name: "flags per 1,000 where nothing is wrong", value: (1_000 * calm.flags) / calm.records, goal: { max: 2 } },
      {
        name: "ten-fold amounts found, %",
        value: (100 * tenfold.found) / Math.max(1, tenfold.drawn),
        goal: { min: 90 }
      },
      { name: "ten-fold amounts drawn", value: tenfold.drawn },
      {
        name: "duplicate charges: precision, %",
        value: (100 * charges.right) / Math.max(1, charges.right + charges.wrong),
        goal: { min: 90 }
      },
      { name: "duplicate charges: found, %", value: (100 * charges.right) / Math.max(1, charges.drawn) }
    ]
    return figures
  })
}
