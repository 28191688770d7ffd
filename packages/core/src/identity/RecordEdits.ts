/** Port: the records that people have written on, wherever the records were delivered. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { RecordScope } from "../record/RecordStore.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"

export class RecordEdits extends Context.Service<
  RecordEdits,
  {
    /** Those of the ids whose records carry something that a person wrote. */
    readonly among: (
      scope: RecordScope,
      recordIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
  }
>()("@millrace/core/identity/RecordEdits") {}
