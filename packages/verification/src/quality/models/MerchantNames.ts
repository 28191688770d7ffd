/** Texts of payments and the merchants behind them (enrichments C3, F; G). */
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import { merchants } from "../../../../core/src/merchant/MerchantCatalogue.ts"
import { type Scene, sizeOf } from "../identity/Scene.ts"
import { descriptorOf, misspelt, newNames } from "./Descriptors.ts"
import { kindRun, valueOf } from "./KindRun.ts"

const paid = (text: string) => ({ description: text, originalDescription: text, amount: "-12.5" })

const pairs = (count: number): number => (count * (count - 1)) / 2

/** Pairs within the same group. */
const pairsIn = <A>(groups: Map<A, ReadonlyArray<unknown>>): number =>
  [...groups.values()].reduce((total, { length }) => total + pairs(length), 0)

/** Shares of the pairs that were put together rightly, and of those that belong together. */
const clustered = (rows: ReadonlyArray<{ readonly truth: string; readonly id: string | undefined }>) => {
  const found = rows.filter(({ id }) => id !== undefined)
  const both = pairsIn(Map.groupBy(found, ({ id, truth }) => `${id} ${truth}`))
  return {
    precision: both / pairsIn(Map.groupBy(found, ({ id }) => id)),
    recall: both / pairsIn(Map.groupBy(rows, ({ truth }) => truth))
  }
}

export const merchantNames: Scene = {
  name: "merchant-names",
  title: "Texts of payments to merchants that Millrace knows, misspelt ones too, and to new ones",
  play: Effect.fnUntraced(function* (effort) {
    const random = new Seeded(effort.seed)
    const each = sizeOf(effort, { small: 2, quick: 4, full: 10 })
    const known = merchants.filter((_, n) => n % sizeOf(effort, { small: 20, quick: 4, full: 1 }) === 0)
    const fresh = newNames(random, known.length / 2)
    const run = yield* kindRun("ai_merchant", {}, [])
    const rows: Array<{ readonly truth: string; readonly id: string | undefined }> = []
    let [right, all] = [0, 0]
    for (const { keys, name } of known) {
      for (let n = 0; n < each; n++) {
        const outcome = run(paid(descriptorOf(random, random.pick(keys))))
        rows.push({ truth: name, id: valueOf(outcome, "merchantId") })
        all++
        if (valueOf(outcome, "merchantName") === name) right++
      }
    }
    let [near, nearAll] = [0, 0]
    for (const { keys, name } of known) {
      const long = keys.filter((key) => key.length >= 10)
      if (long.length === 0) continue
      nearAll++
      if (valueOf(run(paid(descriptorOf(random, misspelt(random, random.pick(long))))), "merchantName") === name) near++
    }
    for (const name of fresh) {
      for (let n = 0; n < each; n++) {
        rows.push({ truth: name, id: valueOf(run(paid(descriptorOf(random, name))), "merchantId") })
      }
    }
    const { precision, recall } = clustered(rows)
    return [
      { name: "known merchants named rightly", value: right / all, goal: { min: 0.98 } },
      { name: "misspelt merchants named rightly", value: near / nearAll },
      { name: "pairs put together rightly", value: precision, goal: { min: 0.998 } },
      { name: "pairs found", value: recall, goal: { min: 0.95 } }
    ]
  })
}
