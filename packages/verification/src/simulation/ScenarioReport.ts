/** What is reported about a simulated scenario. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { BrokenInvariant } from "./Invariant.ts"
import type { Happening } from "./Sometimes.ts"
import type { Watch } from "./Watch.ts"

export interface ScenarioReport {
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
  /** What happened in order, of a scenario that broke. */
  readonly story: ReadonlyArray<string>
  readonly broken: { readonly invariant: string; readonly message: string } | undefined
}

/** What broke, or `undefined`; a scenario without an end is broken, too. */
export const brokenOf = (watch: Watch, exit: Exit.Exit<unknown, unknown> | undefined): ScenarioReport["broken"] => {
  if (watch.broken === undefined && exit !== undefined && Exit.isSuccess(exit)) return undefined
  const ended = exit !== undefined && Exit.isFailure(exit) ? Cause.squash(exit.cause) : "it stands still for ever"
  const defect = watch.broken ?? ended
  return {
    invariant: defect instanceof BrokenInvariant ? defect.invariant : "nothing breaks inside",
    message: defect instanceof Error ? (defect.stack ?? defect.message) : String(defect)
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
  kind: ScenarioReport["kind"],
  watch: Watch,
  virtualSeconds: number,
  exit: Exit.Exit<unknown, unknown> | undefined
): ScenarioReport => {
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
