/** What people decide about what enrichments say, kept so that everything that follows from it follows (enrichments A8). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ActorRef } from "../access/ActorRef.ts"
import { NotFound, Unprocessable } from "../failure/Failure.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import { LocalRuns } from "../task/LocalRuns.ts"
import type { TaskStore } from "../task/TaskStore.ts"
import { AnalysisStore } from "./AnalysisStore.ts"
import { type EnrichmentFact, type EnrichmentFactId, type FactRequest, isWord } from "./kinds/EnrichmentFact.ts"

/** The records that facts are about, by account. */
export type FactRecords = ReadonlyArray<{ readonly scope: RecordScope; readonly recordIds: ReadonlyArray<string> }>

export class EnrichmentFacts extends Context.Service<
  EnrichmentFacts,
  {
    /**
     * Keeps facts. The records get new change numbers, partitions that hold them are planned again by the next run, and feeds
     * that show them deliver what follows (`LocalRuns`). A new word of a person (`isWord`) takes the place of an older one about the same field.
     */
    readonly add: (
      of: Pick<EnrichmentFact, "workspaceId" | "dataType">,
      records: FactRecords,
      facts: ReadonlyArray<FactRequest>,
      by: ActorRef
    ) => Effect.Effect<ReadonlyArray<EnrichmentFact>, Unprocessable | StorageUnavailable>
    /** Takes facts back: what they kept away returns. */
    readonly lift: (
      of: Pick<EnrichmentFact, "workspaceId" | "dataType">,
      records: FactRecords,
      ids: ReadonlyArray<EnrichmentFactId>,
      by: ActorRef
    ) => Effect.Effect<void, NotFound | StorageUnavailable>
  }
>()("@millrace/core/enrichment/EnrichmentFacts") {
  static readonly layer: Layer.Layer<
    EnrichmentFacts,
    never,
    AnalysisStore | RecordStore | FeedStore | TaskStore | Transactor | Ids
  > = Layer.effect(
    EnrichmentFacts,
    Effect.gen(function* () {
      const store = yield* AnalysisStore
      const records = yield* RecordStore
      const ids = yield* Ids
      const localRuns = yield* LocalRuns
      const { atomically } = yield* Transactor

      const follow = Effect.fnUntraced(function* (
        of: Pick<EnrichmentFact, "workspaceId" | "dataType">,
        touched: FactRecords,
        now: Timestamp.Timestamp
      ) {
        const ordered = touched.toSorted((a, b) => (a.scope.accountId < b.scope.accountId ? -1 : 1))
        for (const { recordIds, scope } of ordered) yield* records.touch(scope, recordIds)
        yield* localRuns.ofAccounts(
          of,
          touched.map(({ scope }) => scope.accountId)
        )
        // Any day that has come will do: the run takes it as of today.
        const day = CalendarDate.inZone(Timestamp.toMillis(now), "UTC")
        yield* store.disturb(
          of,
          touched.flatMap(({ recordIds }) => recordIds),
          CalendarDate.addDays(day, -1)
        )
      })

      return EnrichmentFacts.of({
        add: Effect.fn("EnrichmentFacts.add")(function* (of, touched, requests, by) {
          const at = yield* Timestamp.now
          const fresh = yield* ids.batch("fact", requests.length)
          const facts = requests.map((request, n): EnrichmentFact => ({ ...request, ...of, id: fresh[n]!, by, at }))
          return yield* atomically(
            Effect.gen(function* () {
              const held = yield* store.countFacts(of.workspaceId)
              if (held + facts.length > limits.enrichmentFacts) {
                const message = `At most ${limits.enrichmentFacts} decisions about enrichments can be kept`
                return yield* new Unprocessable({ code: "LIMIT_EXCEEDED", message, details: [] })
              }
              const about = facts.flatMap(({ recordId }) => (recordId === undefined ? [] : [recordId]))
              const older = (yield* store.facts(of, { recordIds: about })).filter(
                (fact) =>
                  isWord(fact) &&
                  facts.some((one) => isWord(one) && one.recordId === fact.recordId && one.field === fact.field)
              )
              yield* store.liftFacts(
                of.workspaceId,
                older.map(({ id }) => id),
                { by, at }
              )
              yield* store.addFacts(facts)
              yield* follow(of, touched, at)
              return facts
            })
          )
        }),
        lift: Effect.fn("EnrichmentFacts.lift")(function* (of, touched, which, by) {
          const at = yield* Timestamp.now
          yield* atomically(
            Effect.gen(function* () {
              for (const id of which) {
                const fact = yield* store.fact(of.workspaceId, id)
                if (fact === undefined || fact.lifted !== undefined) return yield* new NotFound({ resource: "Fact" })
              }
              yield* store.liftFacts(of.workspaceId, which, { by, at })
              yield* follow(of, touched, at)
            })
          )
        })
      })
    })
  ).pipe(Layer.provide(LocalRuns.layer))
}
