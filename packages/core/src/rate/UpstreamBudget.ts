/**
 * Port: the request budgets of upstream providers, shared by all processes of an installation.
 *
 * An instance of a provider has one line for all requests, and one for each of its connections. Waiting is the
 * caller's; places are given by the clock of the store.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { RequestBudget } from "./RequestBudget.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"

export interface Upstream {
  readonly instanceId: string
  /** The upstream's reference of the connection; `undefined` for requests that are about none. */
  readonly connection: string | undefined
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
    /** Asks for a place for one request. A refusal may cost a place of the other line. */
    readonly take: (
      upstream: Upstream,
      /** `undefined`: there is a place at once, unless the upstream wants to be left alone. */
      budget: RequestBudget | undefined,
      patienceSeconds: number
    ) => Effect.Effect<Place, StorageUnavailable>
    /** Seconds until the upstream may be asked again, as far as it said so itself; 0: now. */
    readonly held: (upstream: Upstream) => Effect.Effect<number, StorageUnavailable>
    /**
     * The upstream asked to wait: nobody asks before, from any process; where there is no budget, other processes hear of it
     * within seconds. A shorter wait ends no longer one.
     */
    readonly hold: (upstream: Upstream, seconds: number) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/rate/UpstreamBudget") {}
