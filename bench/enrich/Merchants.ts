/** What it costs to find the nearest of many names, and to judge a text that is new. */
import { Seeded } from "@millrace/testing/model"
import MiniSearch from "minisearch"
import { NameIndex } from "../../packages/core/src/merchant/NameIndex.ts"
import { defaultTaxonomy, seededClassifier } from "../../packages/core/src/enrichment/kinds/ai/Taxonomy.ts"
import { descriptorOf, misspelt, newWord } from "../../packages/verification/src/quality/models/Descriptors.ts"
import { type Comparison, contender } from "../harness/Bench.ts"
import { median } from "../harness/Measure.ts"

const names = 10_000
const searched = 2_000
/** A peer that is slow does so many. */
const slice = 100

const letters = "etaoinsrhldcumfpgwybvkxjqz"

/** Words of letters that are as frequent as they are in names: some of them often, some seldom. */
const wordOf = (random: Seeded): string =>
  Array.from({ length: 4 + random.below(6) }, () => letters[Math.min(random.below(26), random.below(26))]).join("")

const manyNames = (random: Seeded): ReadonlyArray<string> => {
  const words = Array.from({ length: 6_000 }, () => wordOf(random))
  const found = new Set<string>()
  while (found.size < names) found.add(`${random.pick(words)} ${random.pick(words)}`)
  return [...found]
}

/** Misspelt names against 10,000: the best one, whether or not it is near enough. */
export const nearestNames = (): Comparison => {
  const random = new Seeded(31)
  const all = manyNames(random)
  const texts = Array.from({ length: searched }, () => {
    const name = random.pick(all)
    return { name, text: misspelt(random, name) }
  })
  const index = new NameIndex(all.map((name) => [name, name]))
  const peer = new MiniSearch({ fields: ["name"], storeFields: ["name"], searchOptions: { fuzzy: 0.2, prefix: true } })
  peer.addAll(all.map((name, id) => ({ id, name })))
  const right = texts.filter(({ name, text }) => index.best(text)?.owner === name).length
  if (right < searched * 0.98) throw new Error(`only ${right} of ${searched} misspelt names were found`)
  return {
    name: "the nearest of 10,000 names",
    amount: searched,
    unit: "texts",
    time: "processor",
    contenders: [
      contender(
        "millrace",
        () => texts.filter(({ name, text }) => index.best(text)?.owner === name).length,
        (found) => found,
        { expected: right }
      ),
      contender(
        "minisearch",
        () => texts.slice(0, slice).filter(({ name, text }) => peer.search(text)[0]?.["name"] === name).length,
        // It ranks in another way, so there is nothing to compare.
        () => undefined,
        { amount: slice }
      )
    ],
    ratios: [{ name: "nearest name against minisearch", of: "millrace", by: "minisearch" }]
  }
}

/** Of one thread's processor, for a text that the classifier has not been asked about. */
export const microsecondsPerText = (): number => {
  const random = new Seeded(32)
  const classifier = seededClassifier(defaultTaxonomy)
  const words = ["market", "cafe", "apotheke", "tesco", "hotel", "energie", "tankstelle"]
  const texts = Array.from({ length: 5_000 }, () =>
    descriptorOf(random, `${random.pick(words)} ${newWord(random)}`).toLowerCase()
  )
  const once = () => {
    for (const textKey of texts) classifier.classify({ textKey, sign: "out", amount: "-12.5" }, 0.8)
  }
  once()
  return median(
    Array.from({ length: 5 }, () => {
      const before = process.threadCpuUsage()
      once()
      const { system, user } = process.threadCpuUsage(before)
      return (system + user) / texts.length
    })
  )
}
