/** Categories of merchants that nobody knew before (enrichments C6, F). */
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import { type Scene, sizeOf } from "../identity/Scene.ts"
import { descriptorOf, newNames, newWord } from "./Descriptors.ts"
import { kindRun, valueOf } from "./KindRun.ts"

const labels = Array.from({ length: 10 }, (_, n) => `kind ${n}`)
const merchantsEach = 12
const examplesEach = 3

const paid = (text: string) => ({
  description: text,
  originalDescription: text,
  amount: "-12.5",
  category: "UNCATEGORIZED"
})

const rate = (some: ReadonlyArray<boolean>): number => some.filter(Boolean).length / some.length

export const newMerchants: Scene = {
  name: "new-merchants",
  title: "Merchants that people labelled three times, and others that nobody labelled",
  play: Effect.fnUntraced(function* (effort) {
    const random = new Seeded(effort.seed)
    const judgedEach = sizeOf(effort, { small: 2, quick: 8, full: 40 })
    const names = newNames(random, labels.length * merchantsEach)
    const owned = names.map((name, n) => ({ name, label: labels[n % labels.length]! }))
    const taught = owned.flatMap(({ label, name }) =>
      Array.from({ length: examplesEach }, () => ({ fields: paid(descriptorOf(random, name)), value: label }))
    )
    const categories = labels.map((id) => ({ id, label: id, seeds: [] }))
    const run = yield* kindRun("ai_categorize", { categories }, taught)
    const said = (text: string) => valueOf(run(paid(text)), "category")

    let [answered, right, all] = [0, 0, 0]
    for (const { label, name } of owned) {
      for (let n = 0; n < judgedEach; n++) {
        all++
        const answer = said(descriptorOf(random, name))
        if (answer === undefined) continue
        answered++
        if (answer === label) right++
      }
    }
    const taughtWords = new Set(names.flatMap((name) => name.split(" ")))
    const freshWord = (): string => {
      const word = newWord(random)
      return taughtWords.has(word) ? freshWord() : word
    }
    const count = 20 * judgedEach
    const strangers = Array.from({ length: count }, () => said(descriptorOf(random, `${freshWord()} ${freshWord()}`)))
    const shared = Array.from({ length: count }, () => {
      const { label, name } = random.pick(owned)
      const answer = said(descriptorOf(random, `${name.split(" ")[0]} ${freshWord()}`))
      return answer === undefined || answer === label
    })
    const torn = Array.from({ length: count }, () => {
      const [one, other] = [random.pick(owned), random.pick(owned)]
      if (one.label === other.label) return true
      return said(descriptorOf(random, `${one.name.split(" ")[0]} ${other.name.split(" ")[1]}`)) === undefined
    })
    return [
      { name: "right where it answers", value: right / answered, goal: { min: 0.97 } },
      { name: "answered of those that were labelled", value: answered / all, goal: { min: 0.95 } },
      {
        name: "abstained where no word is known",
        value: rate(strangers.map((one) => one === undefined)),
        goal: { min: 1 }
      },
      { name: "right or abstained where a word is shared", value: rate(shared), goal: { min: 0.85 } },
      { name: "abstained between two categories", value: rate(torn), goal: { min: 0.85 } }
    ]
  })
}
