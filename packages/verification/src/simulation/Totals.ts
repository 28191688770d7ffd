/** Sums over scenarios and sweeps, as workers tell them. */
import type { SweepReport } from "./CrashSweep.ts"
import type { ScenarioReport } from "./ScenarioReport.ts"
import { Sometimes } from "./Sometimes.ts"

export interface Failure {
  /** Of a scenario; a sweep has none. */
  readonly seed: number | undefined
  readonly invariant: string
  readonly message: string
  readonly story: ReadonlyArray<string>
}

export class Totals {
  syncs = 0
  runs = 0
  scenarios = { script: 0, engine: 0 }
  sweptDeaths = 0
  virtualSeconds = 0
  readonly sometimes = new Sometimes()
  readonly failures: Array<Failure> = []
  readonly #digests = new Map<number, string>()

  addScenario(report: ScenarioReport): void {
    this.scenarios[report.kind]++
    this.virtualSeconds += report.virtualSeconds
    this.#digests.set(report.seed, report.digest)
    this.#add(report, report.seed, report.story)
  }

  addSweep(report: SweepReport): void {
    this.sweptDeaths += report.deaths
    this.#add(report, undefined, [])
  }

  #add(
    { broken, happened, runs, syncs }: Pick<ScenarioReport, "broken" | "happened" | "runs" | "syncs">,
    seed: number | undefined,
    story: ReadonlyArray<string>
  ): void {
    this.syncs += syncs
    this.runs += runs
    this.sometimes.add(happened)
    if (broken !== undefined) this.failures.push({ ...broken, seed, story })
  }

  /** The same for the same seeds, no matter who played them and in whatever order. */
  get digest(): string {
    let digest = 0n
    for (const [, one] of [...this.#digests].toSorted(([a], [b]) => a - b)) {
      digest = BigInt.asUintN(64, (digest * 0x100000001b3n) ^ BigInt(`0x${one}`))
    }
    return digest.toString(16).padStart(16, "0")
  }
}
