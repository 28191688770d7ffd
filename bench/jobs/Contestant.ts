/** An engine under measurement, on both sides: where jobs are asked for, and in the processes that run them. */
import type { Place, Shape } from "./Shape.ts"

/** Asks for jobs and looks at the engine's own books. */
export interface Desk {
  /** One job, as an API makes it. Answers its name in what the runners tell. */
  readonly trigger: () => Promise<string>
  /** One job of another workspace than that of all others; like `trigger` where an engine knows no such thing. */
  readonly triggerElsewhere: () => Promise<string>
  /** Many jobs at once, by the fastest way there is. Resolves when they are all stored. */
  readonly queue: (count: number) => Promise<void>
  readonly cancel: (job: string) => Promise<void>
  /** Jobs that are neither done nor cancelled. */
  readonly unfinished: () => Promise<number>
  readonly close: () => Promise<void>
}

/** What handlers call on their way. */
export interface Hooks {
  readonly shape: () => Shape
  readonly begun: (job: string) => void
  readonly fetching: (job: string, page: number) => void
  /** A page was committed. Does not return where the runner has to die. */
  readonly committed: () => Promise<void>
  readonly ended: (job: string, done: boolean) => void
}

export interface RunnerPlace extends Place {
  /** Jobs at the same time. */
  readonly slots: number
  /** Free for the runner to be reached at. */
  readonly ownPort: number
}

export interface Contestant {
  readonly name: string
  /** Module that exports it as `contestant`, beside this one. */
  readonly module: string
  /** Makes the engine's tables in an empty database. */
  readonly install: (place: Place) => Promise<void>
  /** Ready for that many jobs. */
  readonly open: (place: Place, jobs: number) => Promise<Desk>
  /** Runs jobs in this process. What it answers stops that in order, as a deployment would. */
  readonly run: (place: RunnerPlace, hooks: Hooks) => Promise<() => Promise<void>>
}
