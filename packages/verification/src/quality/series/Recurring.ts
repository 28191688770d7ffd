/** Series that are found in payments with known series (enrichments C10, G). */
import { type AnyKind, bundledKinds, type PartitionPlan, type SetKind, type SetRecord } from "@millrace/core/enrichment"
import { provenPatterns } from "@millrace/core/pattern"
import { clustersOf, merchantNameKey } from "@millrace/core/text"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import { type Figure, type Scene, sizeOf } from "../identity/Scene.ts"
import { drawRandom, drawSeries, merchantName, today, type TrueSeries, written } from "./PaymentHistory.ts"
import { accountOf, planWhole, sha256, valuesOf } from "./Whole.ts"

const isRecurring = (kind: AnyKind): kind is SetKind => kind.family === "set" && kind.type === "recurring"

export const recurringKind: SetKind = bundledKinds({ patterns: provenPatterns, sha256 }).find(isRecurring)!

const account = accountOf(1)

const plansOf = (records: ReadonlyArray<SetRecord>, day: string) =>
  planWhole({ kind: recurringKind, config: {}, records, accounts: [account], today: day })

interface FoundSeries {
  readonly cadence: string
  readonly state: string
  readonly recordIds: ReadonlyArray<string>
}

/** The series that the claims on payments say. */
export const seriesIn = (plans: ReadonlyArray<PartitionPlan<unknown, unknown>>): ReadonlyArray<FoundSeries> => {
  const cadences = valuesOf(plans, "recurring.cadence")
  const states = valuesOf(plans, "recurring.state")
  const ids = valuesOf(plans, "recurring.seriesId")
  return [...Map.groupBy(ids.keys(), (recordId) => ids.get(recordId)!).values()].map((recordIds) => ({
    cadence: cadences.get(recordIds[0]!)!,
    state: states.get(recordIds[0]!)!,
    recordIds
  }))
}

const counter = () => {
  let count = 0
  return () => ++count
}

/** Active series with the right cadence that hold at least four of five payments, and no more than a quarter of others. */
const matched = (truth: ReadonlyArray<TrueSeries>, found: ReadonlyArray<FoundSeries>) => {
  const ofRecord = new Map(truth.flatMap((one, n) => one.records.map(({ recordId }) => [recordId, n] as const)))
  const hits = new Set<number>()
  let wrong = 0
  for (const { cadence, recordIds, state } of found) {
    if (state === "ended") continue
    const counts = new Map<number, number>()
    for (const id of recordIds) {
      const n = ofRecord.get(id)
      if (n !== undefined) counts.set(n, (counts.get(n) ?? 0) + 1)
    }
    const [best, count] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? [-1, 0]
    const one = truth[best]
    if (one === undefined) wrong++
    // What stopped a while ago, and is not over yet, is neither right nor wrong.
    else if (!one.active) continue
    else if (one.cadence === cadence && count >= 0.8 * one.records.length && count >= 0.75 * recordIds.length) {
      hits.add(best)
    } else wrong++
  }
  return { right: hits.size, wrong, active: truth.filter(({ active }) => active).length }
}

const percent = (part: number, whole: number): number => (whole === 0 ? 100 : (100 * part) / whole)

/** Merchants of whom texts are compared: sets of so many for each history, which cost little beside its series. */
const nameSets = 10
const namesInSet = 60

/** Distinct names: two merchants of one name are one for everybody who reads it. */
const merchantNames = (random: Seeded): ReadonlyArray<string> => {
  const names = new Set<string>()
  while (names.size < namesInSet) names.add(merchantName(random))
  return [...names]
}

interface Pairs {
  same: number
  joined: number
  right: number
}

/** Four texts of each merchant of a set: which of them are taken for one. */
const countPairs = (random: Seeded, pairs: Pairs): void => {
  const texts = merchantNames(random).flatMap((name, n) =>
    Array.from({ length: 4 }, () => ({ n, key: merchantNameKey(written(name, random)) }))
  )
  const clusters = clustersOf(texts.map(({ key }) => key))
  const found = texts.map(({ key, n }) => ({ n, cluster: clusters.get(key) }))
  for (const [i, a] of found.entries()) {
    for (const b of found.slice(i + 1)) {
      const isJoined = a.cluster === b.cluster
      if (a.n === b.n) pairs.same++
      if (isJoined) pairs.joined++
      if (isJoined && a.n === b.n) pairs.right++
    }
  }
}

export const recurringSeries: Scene = {
  name: "recurring",
  title: "subscriptions, bills and wages of nine cadences among merchants where nothing recurs",
  play: Effect.fnUntraced(function* (effort) {
    const histories = sizeOf(effort, { small: 3, quick: 10, full: 60 })
    const total = { right: 0, wrong: 0, active: 0 }
    const prices = { changed: 0, found: 0 }
    const merchants = { drawn: 0, wrong: 0 }
    const pairs: Pairs = { same: 0, joined: 0, right: 0 }
    for (let history = 0; history < histories; history++) {
      const random = new Seeded((effort.drawn ?? effort.seed) * 10_007 + history)
      const next = counter()
      const truth = random.list(20, 30, () => drawSeries(random, next, account.accountId))
      const noise = random.list(20, 40, () => drawRandom(random, next, account.accountId))
      const plans = yield* plansOf([...truth.flatMap(({ records }) => records), ...noise.flat()], today)
      const found = matched(truth, seriesIn(plans))
      total.right += found.right
      total.wrong += found.wrong
      total.active += found.active
      // A price is known to have changed at the second payment of it.
      for (const { priced, records, steps } of truth) {
        if (!priced) continue
        for (const at of steps) {
          const until = steps.find((step) => step > at) ?? records.length
          if (at < 4 || until - at < 2) continue
          const seen = records.slice(0, at + 2)
          const plan = yield* plansOf(seen, String(seen.at(-1)!.fields["date"]))
          if (seriesIn(plan).length === 0) continue
          prices.changed++
          if (valuesOf(plan, "recurring.amountDelta").has(records[at]!.recordId)) prices.found++
        }
      }
      const alone = Array.from({ length: 100 }, () => drawRandom(random, next, account.accountId))
      merchants.drawn += alone.length
      merchants.wrong += seriesIn(yield* plansOf(alone.flat(), today)).length
      for (let set = 0; set < nameSets; set++) countPairs(random, pairs)
    }
    const precision = total.right / Math.max(1, total.right + total.wrong)
    const recall = total.right / Math.max(1, total.active)
    const figures: ReadonlyArray<Figure> = [
      { name: "F1 of active series", value: (2 * precision * recall) / (precision + recall), goal: { min: 0.95 } },
      { name: "precision, %", value: 100 * precision },
      { name: "recall, %", value: 100 * recall },
      {
        name: "price changes known at the second payment, %",
        value: percent(prices.found, prices.changed),
        goal: { min: 98 }
      },
      { name: "price changes drawn", value: prices.changed },
      {
        name: "series at random merchants, per 1,000",
        value: (1_000 * merchants.wrong) / merchants.drawn,
        goal: { max: 1 }
      },
      {
        name: "pairs of texts of one merchant: precision, %",
        value: percent(pairs.right, pairs.joined),
        goal: { min: 99.8 }
      },
      { name: "pairs of texts of one merchant: recall, %", value: percent(pairs.right, pairs.same), goal: { min: 95 } }
    ]
    return figures
  })
}
