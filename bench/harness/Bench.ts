/**
 * Benchmarks that compare: contenders do the same work side by side, and what counts is the ratio of their
 * speeds, measured round by round. Absolute figures depend on the machine and are only shown for orientation.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** What a run came to: equal for all contenders that did the same work. Undefined for one that did other work. */
export type Outcome = string | number | undefined

export interface Contender {
  readonly name: string
  /** Units of work in one run, where it is not that of the comparison: slow peers may do a slice. */
  readonly amount?: number
  /** What it must come to, where no other contender does as much work. */
  readonly expected?: Outcome
  /** The timed part. What it answers tells what came out, untimed. */
  readonly run: Effect.Effect<() => Outcome>
  /** Made before every run, untimed. */
  readonly before?: Effect.Effect<void>
}

export interface Ratio {
  /** Unique in the benchmark; goals refer to it. */
  readonly name: string
  /** Contender whose speed is divided ... */
  readonly of: string
  /** ... by the speed of this one. */
  readonly by: string
}

export interface Comparison {
  readonly name: string
  /** Units of work in one run. */
  readonly amount: number
  readonly unit: string
  /**
   * What a run costs: the time that passes, or that of the processor, garbage collection included, for work that never
   * waits: then other programs of the machine do not count.
   */
  readonly time?: "processor"
  /** Rounds that count, where a run takes so long that the usual number would not do. */
  readonly rounds?: number
  readonly contenders: ReadonlyArray<Contender>
  readonly ratios: ReadonlyArray<Ratio>
}

/** Something that is counted once and not timed: bytes, statements. */
interface Figure {
  /** Unique in the benchmark, as the names of ratios are. */
  readonly name: string
  readonly value: Effect.Effect<number>
}

/** Figures beside each other, of several contenders or sizes. An infinite one is something that did not happen in time. */
export interface Overview {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<{ readonly name: string; readonly values: ReadonlyArray<number> }>
}

interface BenchOptions {
  /** Asks for less work: the whole run should end within 50 seconds. */
  readonly quick: boolean
  /** Collects garbage, for figures of memory. */
  readonly collect: Effect.Effect<void>
}

export interface Bench {
  readonly name: string
  readonly title: string
  readonly make: (options: BenchOptions) => Effect.Effect<
    {
      readonly comparisons: ReadonlyArray<Comparison>
      /** Made after the comparisons and before the figures. */
      readonly overviews?: ReadonlyArray<Effect.Effect<Overview>>
      readonly figures?: ReadonlyArray<Figure>
    },
    never,
    Scope.Scope
  >
}

/** A contender that works without waiting. */
export const contender = <A>(
  name: string,
  run: () => A,
  outcome: (result: A) => Outcome,
  options: Pick<Contender, "amount" | "expected"> = {}
): Contender => ({
  name,
  ...options,
  run: Effect.sync(() => {
    const result = run()
    return () => outcome(result)
  })
})
