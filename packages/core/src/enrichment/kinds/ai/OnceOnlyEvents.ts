/** Port: events of enrichments that look at one record: each is reported once, by its key. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { NewEvent } from "../../../event/Event.ts"
import type { StorageUnavailable } from "../../../storage/StorageUnavailable.ts"
import type { EnrichmentScope } from "../Kind.ts"

export interface TellableEvent {
  /** Names the event for ever within the enrichment. */
  readonly key: string
  /** `undefined`: it is known from now on, and nobody is informed. */
  readonly event: NewEvent | undefined
}

export class OnceOnlyEvents extends Context.Service<
  OnceOnlyEvents,
  {
    /** Whether the enrichment has never looked at anything: what is so now was so before it, and is no news. */
    readonly begins: (scope: EnrichmentScope) => Effect.Effect<boolean, StorageUnavailable>
    /** Tells those about which nothing was known yet, at most `limits.enrichmentEvents`. */
    readonly tell: (
      scope: EnrichmentScope,
      events: ReadonlyArray<TellableEvent>
    ) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/enrichment/OnceOnlyEvents") {}
