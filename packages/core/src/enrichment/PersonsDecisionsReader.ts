/** What people said of a field, out of their facts and the records that these are about. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BankStore } from "../bank/BankStore.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { Fields } from "../record/FieldValue.ts"
import { RecordStore } from "../record/RecordStore.ts"
import { limits } from "../shared/Limits.ts"
import { AnalysisStore } from "./AnalysisStore.ts"
import { PersonsDecisions, type Said, type SaidValue } from "./kinds/ai/PersonsDecisions.ts"
import type { EnrichmentScope } from "./kinds/Kind.ts"

export const personsDecisions: Layer.Layer<
  PersonsDecisions,
  never,
  AnalysisStore | BankStore | FeedStore | RecordStore
> = Layer.effect(
  PersonsDecisions,
  Effect.gen(function* () {
    const analysis = yield* AnalysisStore
    const banks = yield* BankStore
    const feeds = yield* FeedStore
    const records = yield* RecordStore

    const accountsOf = Effect.fnUntraced(function* ({ dataType, workspaceId }: EnrichmentScope) {
      const own = yield* banks.list([workspaceId])
      const made = yield* Effect.forEach(yield* feeds.list([workspaceId], { dataType }), ({ id }) => banks.made(id))
      const ids = new Set([...own, ...made.flat()].map(({ id }) => id))
      return (yield* Effect.forEach(ids, (id) => banks.accounts(id))).flat()
    })

    return PersonsDecisions.of({
      read: Effect.fn("PersonsDecisions.read")(function* (scope, field) {
        const { dataType, enrichmentId, workspaceId } = scope
        const held = yield* analysis.facts({ workspaceId, dataType }, { enrichmentId })
        const facts = held.filter((fact) => fact.enrichmentId === enrichmentId)
        const said = held
          .filter((fact) => fact.kind === "set" && fact.field === field && typeof fact.value === "string")
          .slice(-limits.modelExamples)
        if (said.length === 0) return { values: [], facts } satisfies Said as Said
        const ids = [...new Set(said.flatMap(({ recordId }) => (recordId === undefined ? [] : [recordId])))]
        const found = new Map<string, Fields>()
        for (const { id: accountId } of yield* accountsOf(scope)) {
          if (found.size === ids.length) break
          const some = yield* records.fields({ workspaceId, accountId, dataType }, ids)
          for (const [id, fields] of some) found.set(id, fields)
        }
        const values = said.flatMap(({ at, recordId = "", value }): ReadonlyArray<SaidValue> => {
          const fields = found.get(recordId)
          return fields === undefined || typeof value !== "string" ? [] : [{ recordId, fields, value, at }]
        })
        return { values, facts } satisfies Said as Said
      })
    })
  })
)
