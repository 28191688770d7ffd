/** Runs the contenders of a comparison in turn, round after round. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Comparison, Contender, Outcome, Ratio } from "./Bench.ts"

export interface Effort {
  /** Rounds that count; one more is run first to warm up. */
  readonly rounds: number
  /** A contender runs again within a round until this much time is spent on it. */
  readonly minMillis: number
  /** Made before each contender's turn, untimed: collects garbage of the one before. */
  readonly settle: Effect.Effect<void>
}

export interface MeasuredRatio {
  readonly name: string
  /** Median of the ratios of the rounds. */
  readonly value: number
  readonly rounds: ReadonlyArray<number>
}

export interface MeasuredComparison {
  readonly name: string
  readonly unit: string
  /** Median speed by contender, in units a second. */
  readonly speeds: Readonly<Record<string, number>>
  readonly ratios: ReadonlyArray<MeasuredRatio>
}

/** The benchmark itself is wrong: its contenders disagree, or a ratio names one that is not there. */
class BenchFault extends Schema.TaggedError<BenchFault>()("BenchFault", { message: Schema.String }) {}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Nanoseconds that all threads of this process have worked. */
const processorTime = Effect.sync(() => {
  const { system, user } = process.cpuUsage()
  return BigInt(user + system) * 1_000n
})

const round = Effect.fnUntraced(function* (contender: Contender, comparison: Comparison, effort: Effort) {
  const work = contender.amount ?? comparison.amount
  const now = comparison.time === "processor" ? processorTime : Clock.currentTimeNanos
  yield* effort.settle
  let nanos = 0n
  let runs = 0
  let outcome: Outcome
  do {
    if (contender.before !== undefined) yield* contender.before
    const from = yield* now
    const read = yield* contender.run
    nanos += (yield* now) - from
    outcome = read()
    runs++
  } while (nanos < BigInt(effort.minMillis) * 1_000_000n)
  return { outcome, speed: (work * runs) / (Number(nanos) / 1e9) }
})

/** Contenders that did the same amount of work must have come to the same. */
const disagreement = (comparison: Comparison, outcomes: ReadonlyMap<Contender, Outcome>): string | undefined => {
  const first = new Map<number, readonly [Contender, Outcome]>()
  for (const [contender, outcome] of outcomes) {
    if (contender.expected !== undefined && outcome !== contender.expected) {
      return `${comparison.name}: ${contender.name} came to ${outcome} and not to ${contender.expected}`
    }
    if (outcome === undefined) continue
    const work = contender.amount ?? comparison.amount
    const known = first.get(work)
    if (known === undefined) first.set(work, [contender, outcome])
    else if (known[1] !== outcome) {
      return `${comparison.name}: ${known[0].name} came to ${known[1]}, ${contender.name} to ${outcome}`
    }
  }
  return undefined
}

const ratioOf = (ratio: Ratio, rounds: ReadonlyArray<ReadonlyMap<string, number>>): MeasuredRatio => {
  const values = rounds.map((speeds) => speeds.get(ratio.of)! / speeds.get(ratio.by)!)
  return { name: ratio.name, value: median(values), rounds: values }
}

export const measure = Effect.fnUntraced(function* (comparison: Comparison, effort: Effort) {
  const names = new Set(comparison.contenders.map(({ name }) => name))
  for (const { name, of, by } of comparison.ratios) {
    const unknown = [of, by].find((each) => !names.has(each))
    if (unknown !== undefined) {
      return yield* new BenchFault({ message: `${comparison.name}: "${name}" names ${unknown}, which is no contender` })
    }
  }
  const rounds: Array<ReadonlyMap<string, number>> = []
  const wanted = comparison.rounds ?? effort.rounds
  for (let n = 0; n <= wanted; n++) {
    const speeds = new Map<string, number>()
    const outcomes = new Map<Contender, Outcome>()
    for (const contender of comparison.contenders) {
      const { outcome, speed } = yield* round(contender, comparison, effort)
      outcomes.set(contender, outcome)
      speeds.set(contender.name, speed)
    }
    const message = disagreement(comparison, outcomes)
    if (message !== undefined) return yield* new BenchFault({ message })
    if (n > 0) rounds.push(speeds)
  }
  const measured: MeasuredComparison = {
    name: comparison.name,
    unit: comparison.unit,
    speeds: Object.fromEntries(
      comparison.contenders.map(({ name }) => [name, median(rounds.map((speeds) => speeds.get(name)!))])
    ),
    ratios: comparison.ratios.map((ratio) => ratioOf(ratio, rounds))
  }
  return measured
})
