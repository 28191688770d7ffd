/** What records were before, from what identity remembers and the ledger. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RecordPasts } from "../enrichment/kinds/dedupe/RecordPasts.ts"
import { RecordStore } from "../record/RecordStore.ts"
import { IdentityStore } from "./IdentityStore.ts"

export const recordPasts: Layer.Layer<RecordPasts, never, IdentityStore | RecordStore> = Layer.effect(
  RecordPasts,
  Effect.gen(function* () {
    const identity = yield* IdentityStore
    const records = yield* RecordStore
    return RecordPasts.of({
      read: Effect.fn("RecordPasts.read")(function* (scope, recordIds) {
        const [former, parts] = yield* Effect.all([identity.formerIds(scope, recordIds), records.merged(scope)], {
          concurrency: 2
        })
        // Hardly any record has been another one before.
        if (former.size + parts.size === 0) return new Map()
        const merged = Map.groupBy(parts, ([, into]) => into)
        const found = recordIds.flatMap((id) => {
          const aliases = former.get(id) ?? []
          const mergedFrom = (merged.get(id) ?? []).map(([part]) => part).toSorted()
          return aliases.length + mergedFrom.length === 0 ? [] : [[id, { aliases, mergedFrom }] as const]
        })
        return new Map(found)
      })
    })
  })
)
