/** Port: callbacks of providers that were taken in, so that a repeat is known as one. Of the whole installation. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"

export class ReceivedWebhooks extends Context.Service<
  ReceivedWebhooks,
  {
    /** Those of the keys that were not there yet for the instance; they are from now on, for `limits.webhookDays`. */
    readonly note: (
      instanceId: string,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
    /** Forgets at most `limit` that are older. Returns how many. */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/bank/ReceivedWebhooks") {}
