/** Events that are reported once: their keys are kept as those of set kinds are. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventStore } from "../event/EventStore.ts"
import { limits } from "../shared/Limits.ts"
import { Transactor } from "../storage/Transactor.ts"
import { AnalysisStore } from "./AnalysisStore.ts"
import { OnceOnlyEvents } from "./kinds/ai/OnceOnlyEvents.ts"

export const onceOnlyEvents: Layer.Layer<OnceOnlyEvents, never, AnalysisStore | EventStore | Transactor> = Layer.effect(
  OnceOnlyEvents,
  Effect.gen(function* () {
    const analysis = yield* AnalysisStore
    const events = yield* EventStore
    const { atomically } = yield* Transactor
    const began = "began"
    return OnceOnlyEvents.of({
      begins: Effect.fn("OnceOnlyEvents.begins")(function* ({ dataType, enrichmentId, workspaceId }) {
        return (yield* analysis.addEvents({ workspaceId, dataType }, enrichmentId, [began])).has(began)
      }),
      tell: Effect.fn("OnceOnlyEvents.tell")(function* ({ dataType, enrichmentId, workspaceId }, told) {
        if (told.length === 0) return
        yield* atomically(
          Effect.gen(function* () {
            const keys = [...new Set(told.map(({ key }) => key))].toSorted()
            const fresh = yield* analysis.addEvents({ workspaceId, dataType }, enrichmentId, keys)
            const seen = new Set<string>()
            const wanted = told.flatMap(({ event, key }) => {
              if (event === undefined || !fresh.has(key) || seen.has(key)) return []
              seen.add(key)
              return [event]
            })
            if (wanted.length > 0) yield* events.append(wanted.slice(0, limits.enrichmentEvents))
          })
        )
      })
    })
  })
)
