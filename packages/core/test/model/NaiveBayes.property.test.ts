import { Seeded } from "@millrace/testing/model"
import { expect, it } from "vitest"
import type { Features } from "../../src/model/Features.ts"
import { chooseTemperature, type Example, NaiveBayes } from "../../src/model/NaiveBayes.ts"

const labels = ["GROCERIES", "COFFEE", "TRAVEL", "RENT"]
const words = ["market", "bean", "roast", "rail", "air", "flat", "harbour", "corner", "station", "north"]

const featuresOf = (random: Seeded): Features => ({
  textKey: random.list(1, 4, () => random.pick(words)).join(" "),
  sign: random.pick(["in", "out", "none"] as const),
  ...(random.once(3) ? { mcc: random.pick(["5411", "5814", "4111"]) } : {}),
  ...(random.once(3) ? { providerCategory: random.pick(["TRAVEL", "FOOD_AND_DRINK"]) } : {}),
  ...(random.once(2) ? { amount: `-${random.below(90_000) / 100}` } : {})
})
const exampleOf = (random: Seeded): Example => ({
  features: featuresOf(random),
  label: random.pick(labels),
  weight: 1 + random.below(3_000)
})

const rounds = process.env["MILLRACE_LONG"] === "1" ? 2_000 : 100

it("forgets exactly what is taken back, in any order", () => {
  for (let seed = 0; seed < rounds; seed++) {
    const random = new Seeded(seed)
    const kept = random.list(1, 12, () => exampleOf(random))
    const passing = random.list(1, 12, () => exampleOf(random))
    const plain = new NaiveBayes(labels)
    for (const one of kept) plain.learn(one)
    const busy = new NaiveBayes(labels)
    const steps = [...kept.map((one) => [one, 1] as const), ...passing.map((one) => [one, -1] as const)]
    for (const [one, count] of steps.toSorted(() => random.below(3) - 1)) {
      busy.learn(one)
      if (count < 0) busy.unlearn(one)
    }
    const asked = random.list(1, 5, () => featuresOf(random))
    for (const features of asked) expect(busy.rank(features)).toEqual(plain.rank(features))
  }
})

it("gives probabilities that are none below 0, sum to at most 1 and fall", () => {
  for (let seed = 0; seed < rounds; seed++) {
    const random = new Seeded(seed)
    const model = new NaiveBayes(labels)
    for (const one of random.list(0, 20, () => exampleOf(random))) model.learn(one)
    model.temperature = (50 + 5 * random.below(51)) / 100
    const { top } = model.rank(featuresOf(random))
    const chances = top.map(({ probability }) => probability)
    expect(chances.every((chance) => chance >= 0)).toBe(true)
    expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeLessThanOrEqual(1 + 1e-9)
    expect(chances.toSorted((a, b) => b - a)).toEqual(chances)
  }
})

const out = (textKey: string): Features => ({ textKey, sign: "out" })
const taught = (pairs: ReadonlyArray<readonly [text: string, label: string]>): NaiveBayes => {
  const model = new NaiveBayes(labels)
  for (const [text, label] of pairs) model.learn({ features: out(text), label, weight: 1_000 })
  return model
}

it("abstains where only pieces of words are known", () => {
  const model = taught([
    ["harbour market", "GROCERIES"],
    ["bean and roast", "COFFEE"]
  ])
  expect(model.classify(out("harbour market"), 0.8).answer).toBe("GROCERIES")
  expect(model.classify(out("harbours markets"), 0).answer).toBeUndefined()
  expect(model.classify({ ...out(""), sign: "in" }, 0).answer).toBeUndefined()
  expect(new NaiveBayes(labels).classify(out("harbour market"), 0).answer).toBeUndefined()
})

it("abstains where the first is less than twice the second", () => {
  const model = taught([
    ["harbour", "GROCERIES"],
    ["harbour", "COFFEE"]
  ])
  expect(model.classify(out("harbour"), 0).answer).toBeUndefined()
})

it("becomes less sure where its own examples say that it was too sure", () => {
  const random = new Seeded(7)
  const model = new NaiveBayes(labels)
  const examples = Array.from({ length: 200 }, (_, n): Example => ({
    features: out(`${random.pick(words)} ${random.pick(words)}`),
    label: labels[n % labels.length]!,
    weight: 1_000
  }))
  for (const one of examples) model.learn(one)
  chooseTemperature(model, labels, examples.slice(0, 99))
  expect(model.temperature).toBe(1)
  const before = model.rank(examples[0]!.features).top
  chooseTemperature(model, labels, examples)
  expect(model.temperature).toBeGreaterThan(1)
  expect(model.rank(examples[0]!.features).top[0]!.probability).toBeLessThan(before[0]!.probability)
})

it("abstains where another label has a word to itself that is as well known", () => {
  const model = taught([
    ["harbour market", "GROCERIES"],
    ["station kiosk", "TRAVEL"],
    ["harbour lane", "GROCERIES"]
  ])
  expect(model.classify(out("market kiosk"), 0.5).answer).toBeUndefined()
  expect(model.rank(out("market kiosk")).torn).toBe(true)
  // The better known word stands, if nothing else speaks against it.
  expect(model.rank(out("harbour kiosk")).torn).toBe(false)
})
