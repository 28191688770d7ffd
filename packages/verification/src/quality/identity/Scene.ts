/** What `npm run quality` measures: scenes with the truth known, and what their figures have to reach. */
import type * as Effect from "effect/Effect"

/** At most or at least; one of the two. */
export type Goal = { readonly max: number } | { readonly min: number }

export interface Figure {
  /** Unique in its scene. */
  readonly name: string
  readonly value: number
  /** Absent for what is only shown. */
  readonly goal?: Goal
}

/** How much is played. `small` is for tests and takes a second or so; `quick` is for a first look. */
export const sizes = ["small", "quick", "full"] as const
export type Size = (typeof sizes)[number]

export interface Effort {
  readonly seed: number
  /** Of what is drawn again each run; the same as `seed` unless given. */
  readonly drawn?: number
  readonly size: Size
}

export interface Scene {
  /** What `--only` names; unique. */
  readonly name: string
  /** What happens, in one sentence. */
  readonly title: string
  /** What it needs and is not there: then it is left out, and that is said. */
  readonly missing?: () => string | undefined
  /** The same effort gives the same figures. */
  readonly play: (effort: Effort) => Effect.Effect<ReadonlyArray<Figure>>
}

/** Histories that are played. */
export const sizeOf = ({ size }: Effort, histories: Readonly<Record<Size, number>>): number => histories[size]

export const isMet = ({ goal, value }: Figure): boolean =>
  goal === undefined || ("max" in goal ? value <= goal.max : value >= goal.min)
