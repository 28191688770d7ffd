/** How far an amount is from what is usual, and from when on that is too far (enrichments D4.2 to D4.4). */
import type { Usual } from "./Cell.ts"

export const levels = ["merchant", "series", "category", "account"] as const
export type Level = (typeof levels)[number]

export interface Baseline {
  readonly level: Level
  readonly n: number
  /** Logarithms of amounts. */
  readonly center: number
  readonly mad: number
  readonly spread: number
}

const base = { low: 6, normal: 4.5, high: 3.5 } as const
export type Sensitivity = keyof typeof base

const floors: Readonly<Record<Level, number>> = { merchant: 0.02, series: 0.02, category: 0.25, account: 0.35 }
const wellKnown = 12
/** What few values say is mixed with what is usual in the category. */
const mixedWith = 4
const within = 0.05

/** `prior`: the usual spread of merchants of the category. */
export const baselineOf = (level: Level, usual: Usual, prior: number): Baseline => {
  const { center, least, mad, most, n } = usual
  const weight = Math.exp(most - least) <= 1 + within ? 1 : mixedWith
  const isMixed = n < wellKnown && (level === "merchant" || level === "series")
  const mixed = isMixed ? (n * mad + weight * prior) / (n + weight) : mad
  return { level, n, center, mad, spread: Math.max(mixed, floors[level]) }
}

export const zOf = (value: number, { center, spread }: Pick<Baseline, "center" | "spread">): number =>
  (0.6745 * (value - center)) / spread

export const thresholdOf = (
  sensitivity: Sensitivity,
  { level, n }: Pick<Baseline, "level" | "n">,
  factor: number
): number =>
  level === "merchant" || level === "series" ? base[sensitivity] * (1 + 3 / n) * factor : base[sensitivity] * factor

export const severities = ["info", "low", "medium", "high"] as const
export type Severity = (typeof severities)[number]

export const severityOf = (z: number, threshold: number): Severity => {
  const ratio = z / threshold
  return ratio >= 2.5 ? "high" : ratio >= 1.5 ? "medium" : "low"
}

export const worst = (all: ReadonlyArray<Severity>): Severity =>
  severities[Math.max(...all.map((one) => severities.indexOf(one)))] ?? "info"

/** Rounded for comparing and telling. */
export const rounded = (value: number): number => Math.round(value * 100) / 100

/** How likely so many are, or more, where that many are usual (Poisson). */
export const tailOf = (count: number, mean: number): number => {
  let term = Math.exp(-mean)
  let below = 0
  for (let k = 0; k < count; k++) {
    below += term
    term *= mean / (k + 1)
  }
  // Small tails are summed by themselves, so that nothing is lost.
  if (below < 0.999) return 1 - below
  let tail = 0
  for (let k = count; k < count + 200; k++) {
    tail += term
    term *= mean / (k + 1)
  }
  return tail
}
