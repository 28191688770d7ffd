/** A closed list of categories, and the classifier that knows it from the start (enrichments C6, D6.2). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { categories as shipped, categoryOf, primaryCategories } from "../../../merchant/CategoryTree.ts"
import { categoryWords } from "../../../merchant/CategoryWords.ts"
import { merchantCodes } from "../../../merchant/MerchantCodes.ts"
import { merchants } from "../../../merchant/MerchantCatalogue.ts"
import type { Features } from "../../../model/Features.ts"
import { type Example, NaiveBayes } from "../../../model/NaiveBayes.ts"
import { fold } from "../../../text/Fold.ts"

export const TaxonomyEntry = Schema.Struct({
  /** What is written into the field. */
  id: Schema.String.check(Schema.isBetweenLength(1, 64)),
  label: Schema.String.check(Schema.isBetweenLength(1, 80)),
  description: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(300))),
  /** Codes of the categories that Millrace ships with, and that belong here. */
  seeds: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMaxLength(20)))
})
export type TaxonomyEntry = typeof TaxonomyEntry.Type

export const defaultTaxonomy: ReadonlyArray<TaxonomyEntry> = primaryCategories.map(({ code, label }) => ({
  id: code,
  label,
  seeds: [code]
}))

const byName: ReadonlyMap<string, string> = new Map(
  shipped.toReversed().flatMap(({ code, label }) => [
    [fold(code), code],
    [fold(label), code]
  ])
)

/** Seeds that are given, or else the shipped category of the same name. */
const seedsOf = ({ id, label, seeds }: TaxonomyEntry): ReadonlyArray<string> => {
  if (seeds !== undefined) return seeds
  const same = byName.get(fold(id)) ?? byName.get(fold(label))
  return same === undefined ? [] : [same]
}

/** Shipped code -> id of the list: a detailed code that is named belongs to who names it, else to who has its primary one. */
const mapping = (taxonomy: ReadonlyArray<TaxonomyEntry>): ReadonlyMap<string, string> => {
  const named = new Map<string, string>()
  for (const entry of taxonomy) for (const seed of seedsOf(entry)) if (!named.has(seed)) named.set(seed, entry.id)
  const found = new Map<string, string>()
  for (const { code, primary } of shipped) {
    const id = named.get(code) ?? named.get(primary)
    if (id !== undefined) found.set(code, id)
  }
  return found
}

const income: ReadonlySet<string> = new Set(["INCOME", "TRANSFER_IN"])

/** A code of a merchant category was given by anyone who knows the merchant: it counts as twenty texts do. */
const codeWeight = 20_000

/** What Millrace ships with, as examples of shipped codes. */
const seedExamples: ReadonlyArray<Example> = [
  ...merchants.flatMap(({ category, keys }) =>
    keys.map((textKey): Example => ({ features: { textKey, sign: "out" }, label: category, weight: 1_000 }))
  ),
  ...categoryWords
    .trim()
    .split("\n")
    .flatMap((line) => {
      const label = line.slice(0, line.indexOf(" "))
      const sign: Features["sign"] = income.has(categoryOf(label)?.primary ?? "") ? "in" : "out"
      const phrases = line.slice(label.length + 1).split(", ")
      return phrases.map((textKey): Example => ({ features: { textKey, sign }, label, weight: 1_000 }))
    }),
  ...Array.from(merchantCodes, ([mcc, label]): Example => ({
    features: { textKey: "", sign: "none", mcc },
    label,
    weight: codeWeight
  })),
  ...primaryCategories.map(({ code }): Example => ({
    features: { textKey: "", sign: "none", providerCategory: code },
    label: code,
    weight: 1_000
  }))
]

/** The id that a value of a field means: an id itself, or a label. */
export const meaningOf = (taxonomy: ReadonlyArray<TaxonomyEntry>): ((value: string) => string | undefined) => {
  const ids = new Map(
    taxonomy.toReversed().flatMap(({ id, label }) => [
      [fold(label), id],
      [fold(id), id]
    ])
  )
  return (value) => ids.get(fold(value.trim()))
}

/** Seeded classifiers that are kept for the next time: it takes a while to teach one. */
const mostSeeded = 8
const seeded = new Map<string, NaiveBayes>()

/** Examples after which others have their turn. */
const examplesOfTurn = 100

const keep = (key: string, classifier: NaiveBayes): NaiveBayes => {
  seeded.delete(key)
  seeded.set(key, classifier)
  if (seeded.size > mostSeeded) seeded.delete(seeded.keys().next().value!)
  return classifier
}

/** Teaches a classifier; it stops now and then, and goes on when it is asked to. */
const teaching = function* (taxonomy: ReadonlyArray<TaxonomyEntry>): Generator<void, NaiveBayes> {
  const classifier = new NaiveBayes(taxonomy.map(({ id }) => id))
  const ids = mapping(taxonomy)
  for (const [at, example] of seedExamples.entries()) {
    if (at % examplesOfTurn === 0) yield
    const label = ids.get(example.label)
    if (label !== undefined) classifier.learn({ ...example, label })
  }
  return classifier
}

/** A classifier that knows what Millrace ships with. It is shared: anyone who teaches it more takes a copy. */
export const seededClassifier = (taxonomy: ReadonlyArray<TaxonomyEntry>): NaiveBayes => {
  const key = JSON.stringify(taxonomy)
  const known = seeded.get(key)
  if (known !== undefined) return keep(key, known)
  const steps = teaching(taxonomy)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return keep(key, step.value)
}

/** Teaches it ahead, in small steps. */
export const warmClassifier = Effect.fnUntraced(function* (taxonomy: ReadonlyArray<TaxonomyEntry>) {
  const key = JSON.stringify(taxonomy)
  const steps = teaching(taxonomy)
  for (;;) {
    // Somebody may have needed it meanwhile.
    if (seeded.has(key)) return
    const step = steps.next()
    if (step.done === true) return void keep(key, step.value)
    yield* Effect.yieldNow
  }
})

/** Seeds that are no codes, by the place of their entry and their own. */
export const unknownSeeds = (
  taxonomy: ReadonlyArray<TaxonomyEntry>
): ReadonlyArray<{ readonly entry: number; readonly seed: number; readonly code: string }> =>
  taxonomy.flatMap(({ seeds = [] }, entry) =>
    seeds.flatMap((code, seed) => (categoryOf(code) === undefined ? [{ entry, seed, code }] : []))
  )
