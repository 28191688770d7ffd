/** Three runners of one engine on one database, and everything that they have told. */
import { setTimeout as wait } from "node:timers/promises"
import type { Contestant } from "./Contestant.ts"
import type { Told } from "./Messages.ts"
import { type RunnerProcess, startRunner } from "./RunnerProcess.ts"
import type { Place, Shape } from "./Shape.ts"

const runnersInFleet = 3
const slotsOfRunner = 10
export const slotsOfFleet = runnersInFleet * slotsOfRunner

/** With the number of the runner that told it. */
export type Heard = Told & { readonly runner: number }

type OfKind<K extends Told["kind"]> = Extract<Told, { readonly kind: K }> & { readonly runner: number }

export interface Fleet {
  readonly runners: ReadonlyArray<RunnerProcess>
  readonly shape: (shape: Shape) => void
  /** All of that kind, oldest first. */
  readonly heard: <K extends Told["kind"]>(kind: K) => ReadonlyArray<OfKind<K>>
  readonly forget: () => void
  /** Waits until it holds; `false` when the time is up before. */
  readonly until: (holds: () => boolean, timeoutMillis: number) => Promise<boolean>
  readonly end: (signal?: NodeJS.Signals) => Promise<void>
}

const lookEvery = 5

export const startFleet = async (contestant: Contestant, place: Place): Promise<Fleet> => {
  let log: Array<Heard> = []
  const runners = await Promise.all(
    Array.from({ length: runnersInFleet }, (_, runner) =>
      startRunner(contestant, place, slotsOfRunner, (told) => void log.push({ ...told, runner }))
    )
  )
  return {
    runners,
    shape: (shape) => {
      for (const runner of runners) runner.send({ kind: "shape", shape })
    },
    heard: <K extends Told["kind"]>(kind: K) => log.filter((told): told is OfKind<K> => told.kind === kind),
    forget: () => {
      log = []
    },
    until: async (holds, timeoutMillis) => {
      const end = performance.now() + timeoutMillis
      while (!holds()) {
        if (performance.now() > end) return false
        await wait(lookEvery)
      }
      return true
    },
    end: async (signal = "SIGTERM") => {
      await Promise.all(runners.map((runner) => runner.end(signal)))
    }
  }
}
