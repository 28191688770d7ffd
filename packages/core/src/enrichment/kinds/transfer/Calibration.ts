/** What a score is worth as a probability, by default and as people's decisions have shown (enrichments D2.6, D2.7). */
import type { CalendarDate } from "../../../shared/CalendarDate.ts"

/** confidence = 1 / (1 + 2^-(a * bits + b)); both in thousandths. */
export interface Scale {
  readonly a: number
  readonly b: number
}

export const plainScale: Scale = { a: 1_000, b: 0 }

/** In ten-thousandths, never certain. */
export const confidenceOf = ({ a, b }: Scale, centibits: number): number => {
  const bits = (a * centibits) / 100_000 + b / 1_000
  return Math.min(9_999, Math.max(1, Math.round(10_000 / (1 + 2 ** -bits))))
}

/**
 * What a bit is worth by which a choice is ahead of the next one. The slope of a logistic regression over 360 made up
 * households, which goes through nothing: where two choices are as good, one of two is right.
 */
const perMargin = 1.25

/**
 * What is judged, in centibits: the score, and never more than what the distance to the next best choice says. A pair that has
 * no rival is as far from none as its score.
 */
export const judged = (score: number, margin: number): number => Math.min(score, Math.round(perMargin * margin))

/** What a pair that a person decided about was worth without their word. */
export interface Judgement {
  /** The day of the outflow. */
  readonly date: CalendarDate
  /** The records. */
  readonly out: string
  readonly in: string
  /** In centibits: without what was learnt of decisions before it, and with it. */
  readonly base: number
  readonly judged: number
  readonly accepted: boolean
}

const least = 50
const leastOfEach = 10
const step = 25
/** Decisions that the default counts as. */
const pseudo = 50
const rounds = 40

/** Scores at which the default is held to itself, in bits: as many above as below the bar of a suggestion. */
const anchors = [-2, 0, 1, 2, 3, 4, 5, 6, 8, 10] as const

const sigmoid = (bits: number): number => 1 / (1 + 2 ** -bits)

const clamp = (value: number, from: number, to: number): number => Math.min(to, Math.max(from, value))

/** Newton's method on the log loss; the sums run in a fixed order. */
const fitted = (judgements: ReadonlyArray<Judgement>): Scale => {
  const points = [
    ...anchors.map((x) => ({ x, y: sigmoid(x), weight: pseudo / anchors.length })),
    ...judgements.map((one) => ({ x: one.judged / 100, y: one.accepted ? 1 : 0, weight: 1 }))
  ]
  let [a, b] = [1, 0]
  for (let round = 0; round < rounds; round++) {
    let [ga, gb, haa, hab, hbb] = [0, 0, 1e-9, 0, 1e-9]
    for (const { weight, x, y } of points) {
      const p = sigmoid(a * x + b)
      const error = weight * (p - y)
      const curve = weight * p * (1 - p) * Math.LN2
      ga += error * x
      gb += error
      haa += curve * x * x
      hab += curve * x
      hbb += curve
    }
    const determinant = haa * hbb - hab * hab
    if (!(determinant > 1e-12)) break
    const [da, db] = [(hbb * ga - hab * gb) / determinant, (haa * gb - hab * ga) / determinant]
    a = clamp(a - clamp(da, -0.5, 0.5), 0.5, 1.5)
    b = clamp(b - clamp(db, -1, 1), -3, 3)
    if (Math.abs(da) + Math.abs(db) < 1e-7) break
  }
  return { a: Math.round(a * 1_000), b: Math.round(b * 1_000) }
}

/** The scale for outflows of each day: a new one after every 25 decisions, from the day behind the newest of them on. */
export class Calibration {
  private readonly ordered: ReadonlyArray<Judgement>
  /** Each is found where somebody asks for it: there are many, and a plan of a month needs a few. */
  private readonly from: ReadonlyArray<{ readonly after: CalendarDate; readonly count: number }>
  private readonly scales = new Map<number, Scale>()

  /** In any order: they count by the day of their outflow. */
  constructor(judgements: ReadonlyArray<Judgement>) {
    this.ordered = judgements.toSorted(
      (a, b) =>
        (a.date < b.date ? -1 : a.date > b.date ? 1 : 0) ||
        a.judged - b.judged ||
        Number(a.accepted) - Number(b.accepted)
    )
    const { ordered } = this
    const from: Array<{ readonly after: CalendarDate; readonly count: number }> = []
    let [accepted, seen] = [0, 0]
    for (let count = least; count <= ordered.length; count += step) {
      for (; seen < count; seen++) if (ordered[seen]!.accepted) accepted++
      if (accepted < leastOfEach || count - accepted < leastOfEach) continue
      from.push({ after: ordered[count - 1]!.date, count })
    }
    this.from = from
  }

  of(date: CalendarDate): Scale {
    const found = this.from.findLast(({ after }) => after < date)
    if (found === undefined) return plainScale
    let scale = this.scales.get(found.count)
    if (scale === undefined) this.scales.set(found.count, (scale = fitted(this.ordered.slice(0, found.count))))
    return scale
  }
}
