/**
 * Port: the limits of upstream providers, shared by all processes of an installation.
 *
 * A limit is a line, in which requests take their places; a request takes one in every line that counts it, or in none.
 * Waiting is the caller's; places are given by the clock of the store.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Allowance } from "./Allowance.ts"

/** A line: of an instance of a provider, or of one of its limits; of all its connections together, or of one. */
export interface Upstream {
  /** The id of the instance; with `#` and a name, one of its lines. */
  readonly instanceId: string
  /** The upstream's reference of the connection; `undefined`: all together. */
  readonly connection: string | undefined
}

export interface Line extends Upstream {
  /** Absent: there is a place at once, unless the upstream wants to be left alone. */
  readonly allowance?: Allowance
}

export interface Place {
  /** `false`: it would have to wait longer than it wants to, and was given no place. */
  readonly granted: boolean
  /** Seconds to wait; 0: it may go at once. */
  readonly wait: number
}

export class UpstreamBudget extends Context.Service<
  UpstreamBudget,
  {
    /** Asks for a place in all of these lines. Who is refused by one has no place in the others either. */
    readonly take: (lines: ReadonlyArray<Line>, patienceSeconds: number) => Effect.Effect<Place, StorageUnavailable>
    /** Seconds until these may be asked again, as far as the upstream said so itself; 0: now. */
    readonly held: (lines: ReadonlyArray<Upstream>) => Effect.Effect<number, StorageUnavailable>
    /**
     * The upstream asked to wait: nobody asks before, from any process; where there is no limit, other processes hear of it
     * within seconds. A shorter wait ends no longer one.
     */
    readonly hold: (line: Upstream, seconds: number) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/rate/UpstreamBudget") {}
