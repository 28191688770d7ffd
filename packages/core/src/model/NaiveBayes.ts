/**
 * The local classifier: multinomial naive Bayes over words, pieces of words and codes (enrichments D6.2).
 *
 * All counts are whole numbers, so that `unlearn` is the exact inverse of `learn`: what was taken back was never there.
 */
import { featuresOf, type Features, weightOf } from "./Features.ts"

/** What is known of a record, and what it was said to be. */
export interface Example {
  readonly features: Features
  readonly label: string
  /** In thousandths: 1,000 is one example. Whole. */
  readonly weight: number
}

export interface Ranked {
  readonly label: string
  readonly probability: number
}

export interface Verdict {
  /** Best first, at most three. Empty where nothing was learned. */
  readonly top: ReadonlyArray<Ranked>
  /** Whether a whole word, a merchant category code or a category of the provider was seen before. */
  readonly known: boolean
  /** Whether another label has a word to itself that is as well known as any word of the best one. */
  readonly torn: boolean
}

/** Added to each count, as a share of one observation. */
const alpha = 0.1
/** Counts of one example of weight 1,000: sixtieths times thousandths. */
const scale = 60_000
const smoothed = alpha * scale
/** The mass of all features together, at most: long texts would be sure of anything. */
const mostMass = 12
/** How far the first must be above the second. */
const lead = 2

/** Logarithms by place of a label: of its share of all examples, and of how likely it has a feature that it was never seen with. */
interface Standing {
  readonly priors: ReadonlyArray<number>
  readonly unseen: ReadonlyArray<number>
}

/** By how much more likely than one that was never seen a feature is, for each label that has it. */
interface Gains {
  readonly places: Int32Array
  readonly logs: Float64Array
}

export class NaiveBayes {
  /** 0.5 to 3: above 1 it is less sure than the counts say, below 1 more. */
  temperature = 1
  private readonly labels: ReadonlyArray<string>
  private readonly places: ReadonlyMap<string, number>
  /** Feature -> place of a label -> count. No count is 0. */
  private readonly counts = new Map<string, Map<number, number>>()
  private readonly totals: Array<number>
  private readonly documents: Array<number>
  private allDocuments = 0
  /** What follows from all counts, until one of them changes. */
  private standing: Standing | undefined
  /** What the counts of a feature add, until they change. */
  private readonly gains = new WeakMap<ReadonlyMap<number, number>, Gains>()

  constructor(labels: ReadonlyArray<string>) {
    this.labels = labels
    this.places = new Map(labels.map((label, at) => [label, at]))
    this.totals = labels.map(() => 0)
    this.documents = labels.map(() => 0)
  }

  /** A label that is none of the list teaches nothing. */
  learn(example: Example): void {
    this.count(example, 1)
  }

  /** Takes back what the very same example has taught. */
  unlearn(example: Example): void {
    this.count(example, -1)
  }

  /** One that knows the same, and learns by itself from now on. */
  copy(): NaiveBayes {
    const copy = new NaiveBayes(this.labels)
    for (const [feature, counts] of this.counts) copy.counts.set(feature, new Map(counts))
    for (const [at, total] of this.totals.entries()) {
      copy.totals[at] = total
      copy.documents[at] = this.documents[at]!
    }
    copy.allDocuments = this.allDocuments
    copy.temperature = this.temperature
    return copy
  }

  /** Logarithms of the odds of each label, before the temperature, by its place. */
  scores(features: Features): {
    readonly scores: ReadonlyArray<number>
    /** Of the words and codes that were seen before: place of a label -> count. */
    readonly telling: ReadonlyArray<ReadonlyMap<number, number>>
  } {
    const seen: Array<readonly [counts: ReadonlyMap<number, number>, weight: number]> = []
    const telling: Array<ReadonlyMap<number, number>> = []
    let mass = 0
    for (const feature of featuresOf(features)) {
      const counts = this.counts.get(feature.name)
      // What was never seen is evidence for nobody.
      if (counts === undefined) continue
      const weight = weightOf(feature)
      mass += weight
      if (feature.tells) telling.push(counts)
      seen.push([counts, weight])
    }
    const tempering = mass > mostMass ? mostMass / mass : 1
    const tempered = mass * tempering
    const { priors, unseen } = (this.standing ??= this.stand())
    const scores = priors.map((prior, at) => (tempered === 0 ? prior : prior + tempered * unseen[at]!))
    for (const [counts, weight] of seen) {
      const { logs, places } = this.gainsOf(counts)
      for (let n = 0; n < places.length; n++) scores[places[n]!]! += weight * tempering * logs[n]!
    }
    return { scores, telling }
  }

  private stand(): Standing {
    const all = this.allDocuments / 1_000 + this.labels.length
    const floor = smoothed * this.counts.size
    return {
      priors: this.documents.map((documents) => Math.log((documents / 1_000 + 1) / all)),
      unseen: this.totals.map((total) => Math.log(smoothed / (total + floor)))
    }
  }

  private gainsOf(counts: ReadonlyMap<number, number>): Gains {
    const known = this.gains.get(counts)
    if (known !== undefined) return known
    const gains: Gains = {
      places: Int32Array.from(counts.keys()),
      logs: Float64Array.from(counts.values(), (count) => Math.log((count + smoothed) / smoothed))
    }
    this.gains.set(counts, gains)
    return gains
  }

  rank(features: Features): Verdict {
    const { scores, telling } = this.scores(features)
    const order = topThree(scores)
    const best = scores[order[0] ?? 0] ?? 0
    let sum = 0
    for (const score of scores) sum += Math.exp((score - best) / this.temperature)
    const top = order.map((at) => ({
      label: this.labels[at]!,
      probability: Math.exp((scores[at]! - best) / this.temperature) / sum
    }))
    return { top, known: telling.length > 0, torn: isTorn(telling, order[0]) }
  }

  /** The label, or `undefined` where it abstains: pieces of words alone never decide. */
  classify(
    features: Features,
    abstainBelow: number
  ): { readonly answer: string | undefined; readonly verdict: Verdict } {
    const verdict = this.rank(features)
    return { answer: decided(verdict, abstainBelow), verdict }
  }

  private count({ features, label, weight }: Example, direction: 1 | -1): void {
    const at = this.places.get(label)
    if (at === undefined) return
    this.standing = undefined
    for (const feature of featuresOf(features)) {
      const added = feature.weight * weight * direction
      const counts = this.counts.get(feature.name) ?? new Map<number, number>()
      this.gains.delete(counts)
      const next = (counts.get(at) ?? 0) + added
      if (next === 0) counts.delete(at)
      else counts.set(at, next)
      if (counts.size === 0) this.counts.delete(feature.name)
      else this.counts.set(feature.name, counts)
      this.totals[at]! += added
    }
    this.documents[at]! += weight * direction
    this.allDocuments += weight * direction
  }
}

/** The answer that a verdict stands for, if it is sure enough. */
export const decided = ({ known, top: [first, second], torn }: Verdict, abstainBelow: number): string | undefined =>
  known &&
  !torn &&
  first !== undefined &&
  first.probability >= abstainBelow &&
  first.probability >= lead * (second?.probability ?? 0)
    ? first.label
    : undefined

/** Whether a word that the best label never had belongs to another one, and is as well known there as its own words are here. */
const isTorn = (telling: ReadonlyArray<ReadonlyMap<number, number>>, best: number | undefined): boolean => {
  if (best === undefined || telling.length < 2) return false
  let own = 0
  let foreign = 0
  for (const counts of telling) {
    const here = counts.get(best)
    if (here !== undefined) own = Math.max(own, here)
    else for (const there of counts.values()) foreign = Math.max(foreign, there)
  }
  return foreign >= own
}

/** Places of the three greatest, greatest first; of equals the first. */
const topThree = (scores: ReadonlyArray<number>): Array<number> => {
  const top: Array<number> = []
  for (let at = 0; at < scores.length; at++) {
    let place = top.length
    while (place > 0 && scores[at]! > scores[top[place - 1]!]!) place--
    if (place < 3) {
      top.splice(place, 0, at)
      if (top.length > 3) top.pop()
    }
  }
  return top
}

const temperatures = Array.from({ length: 51 }, (_, n) => (50 + 5 * n) / 100)
/** Below so many examples there is nothing to choose a temperature by. */
const fewestExamples = 100

/**
 * Chooses the temperature under which the probabilities of these examples fit best, each judged by all the others; of equals
 * the one nearest to 1. Leaves it alone where there are too few.
 */
export const chooseTemperature = (
  model: NaiveBayes,
  labels: ReadonlyArray<string>,
  own: ReadonlyArray<Example>
): void => {
  const examples = own.filter(({ label }) => labels.includes(label))
  if (examples.length < fewestExamples) return
  const judged = examples.map((example) => {
    model.unlearn(example)
    const { scores } = model.scores(example.features)
    model.learn(example)
    return { scores, at: labels.indexOf(example.label) }
  })
  let best = { temperature: 1, loss: Infinity }
  for (const temperature of temperatures.toSorted((a, b) => Math.abs(a - 1) - Math.abs(b - 1) || a - b)) {
    let loss = 0
    for (const { at, scores } of judged) {
      const most = Math.max(...scores)
      let sum = 0
      for (const score of scores) sum += Math.exp((score - most) / temperature)
      loss -= (scores[at]! - most) / temperature - Math.log(sum)
    }
    if (loss < best.loss - 1e-9) best = { temperature, loss }
  }
  model.temperature = best.temperature
}
