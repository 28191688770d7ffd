/** One simulated life: everything in it follows from its seed. */
import * as MemoryStorage from "@millrace/adapters/storage/memory/MemoryStorage"
import { limits } from "@millrace/core/shared/Limits"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as References from "effect/References"
import { Seeded } from "../model/Seeded.ts"
import { EventLoop } from "./EventLoop.ts"
import { BrokenInvariant } from "./Invariant.ts"
import { play } from "./ScriptLife.ts"
import { makeSimulation } from "./Simulation.ts"
import type { Happening } from "./Sometimes.ts"
import { VirtualClock } from "./VirtualClock.ts"
import type { Watch } from "./Watch.ts"

export interface LifeReport {
  readonly seed: number
  readonly kind: "script" | "engine"
  /** Jobs that a run was begun for and that ended. */
  readonly syncs: number
  /** Runs that began; a job whose worker died has several. */
  readonly runs: number
  readonly virtualSeconds: number
  readonly happened: ReadonlyArray<readonly [Happening, number]>
  /** Follows from the order and the counts of everything that happened to jobs. */
  readonly digest: string
  /** What happened in order, of a life that broke. */
  readonly story: ReadonlyArray<string>
  readonly broken: { readonly invariant: string; readonly message: string } | undefined
}

/** Randomness for the kernel that is the same on every run. */
export const seededRandom = (random: Seeded) => ({
  nextIntUnsafe: () => random.below(0x1_0000_0000) * 0x10_0000 + random.below(0x10_0000),
  nextDoubleUnsafe: () => random.below(0x1_0000_0000) / 0x1_0000_0000
})

/** What broke, or `undefined`; a life without an end is broken, too. */
export const brokenOf = (watch: Watch, exit: Exit.Exit<unknown, unknown> | undefined): LifeReport["broken"] => {
  if (watch.broken === undefined && exit !== undefined && Exit.isSuccess(exit)) return undefined
  const ended = exit !== undefined && Exit.isFailure(exit) ? Cause.squash(exit.cause) : "it stands still for ever"
  const defect = watch.broken ?? ended
  return {
    invariant: defect instanceof BrokenInvariant ? defect.invariant : "nothing breaks inside",
    message: defect instanceof Error ? (defect.stack ?? defect.message) : String(defect)
  }
}

/** Small chunks, so that a few rows cross their borders. Returns how to put the sizes back. */
export const smallChunks = (commitChunk: number): (() => void) => {
  const sizes = limits as { commitChunk: number }
  const before = sizes.commitChunk
  sizes.commitChunk = commitChunk
  return () => {
    sizes.commitChunk = before
  }
}

const digestOf = (trace: ReadonlyArray<string>): string => {
  let [a, b] = [0x811c9dc5, 0x01000193]
  for (const line of trace) {
    for (let i = 0; i < line.length; i++) {
      a = Math.imul(a ^ line.charCodeAt(i), 0x01000193)
      b = Math.imul(b + line.charCodeAt(i), 0x9e3779b1) ^ (b >>> 13)
    }
    a ^= 10
  }
  return (a >>> 0).toString(16).padStart(8, "0") + (b >>> 0).toString(16).padStart(8, "0")
}

export const reportOf = (
  seed: number,
  kind: LifeReport["kind"],
  watch: Watch,
  virtualSeconds: number,
  exit: Exit.Exit<unknown, unknown> | undefined
): LifeReport => {
  const broken = brokenOf(watch, exit)
  return {
    seed,
    kind,
    syncs: watch.syncs,
    runs: watch.runs,
    virtualSeconds,
    happened: [...watch.sometimes.counts],
    digest: digestOf(watch.trace),
    story: broken === undefined ? [] : watch.trace,
    broken
  }
}

export const scriptLife = (seed: number): LifeReport => {
  const random = new Seeded(seed)
  const clock = new VirtualClock()
  const began = clock.now
  const model = random.pick(["upsertByKey", "readBack", "wholeFile"] as const)
  const restore = smallChunks(random.pick([1, 3, 3, 5_000]))
  const simulation = makeSimulation({ storage: MemoryStorage.layer, clock, model })
  const exit = new EventLoop(new Seeded(random.below(0x7fff_ffff))).complete(
    play(random.below(0x7fff_ffff), simulation, { steps: 14 }).pipe(
      Effect.provide(simulation.layer),
      Effect.provideService(Clock.Clock, clock),
      Effect.provideService(Random.Random, seededRandom(random)),
      Effect.provideService(References.MinimumLogLevel, "None")
    ),
    0
  )
  restore()
  return reportOf(seed, "script", simulation.watch, (clock.now - began) / 1000, exit)
}
