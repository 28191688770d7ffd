/** Lets enrichments learn from what people decided, between runs (enrichments B1 `learn`, D5). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { ActorRef } from "../access/ActorRef.ts"
import { EventStore } from "../event/EventStore.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { Feed } from "../feed/Feed.ts"
import type { DataType } from "../record/DataType.ts"
import { catalogOf } from "../record/FieldCatalog.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import { decode } from "../shared/StrictDecoding.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { AnalysisStore } from "./AnalysisStore.ts"
import { EnrichmentsOn } from "./EnrichmentsOn.ts"
import type { Enrichment } from "./Enrichment.ts"
import { EnrichmentStore } from "./EnrichmentStore.ts"
import { covers } from "./FeedPipelines.ts"
import { makeFindingKeeping } from "./FindingKeeping.ts"
import { FindingStore } from "./FindingStore.ts"
import { EnrichmentFault, type RecordKind } from "./kinds/Kind.ts"
import { Kinds } from "./Kinds.ts"
import { PersonsActs } from "./PersonsActs.ts"
import type { PipelineFault } from "./Pipeline.ts"

export interface LearningRun<E> {
  readonly workspace: Workspace
  readonly dataType: DataType
  readonly cause: ActorRef
  /** First call of each transaction: fails where the work may write no longer. */
  readonly guard: Effect.Effect<void, E>
}

/** An enrichment that learns, and about which fields. */
export interface Learner {
  readonly enrichment: Enrichment
  readonly kind: RecordKind
  readonly prepared: unknown
  readonly fields: ReadonlyArray<string>
}

/** Times that it is tried again because a person decided about a finding meanwhile. */
const conflictTries = 3

export class Learning extends Context.Service<
  Learning,
  {
    /** Those of the enrichments that learn; those that cannot run learn nothing. */
    readonly learners: (enrichments: ReadonlyArray<Enrichment>) => ReadonlyArray<Learner>
    /** Works out again what each enrichment of the data type has learnt. What failed is reported, and keeps what it knew. */
    readonly run: <E>(run: LearningRun<E>) => Effect.Effect<ReadonlyArray<PipelineFault>, E | StorageUnavailable>
  }
>()("@millrace/core/enrichment/Learning") {
  static readonly layer: Layer.Layer<
    Learning,
    never,
    AnalysisStore | EnrichmentStore | EventStore | FeedStore | FindingStore | Kinds | PersonsActs | Transactor | Digest
  > = Layer.effect(
    Learning,
    Effect.gen(function* () {
      const store = yield* AnalysisStore
      const all = yield* EnrichmentStore
      const events = yield* EventStore
      const feeds = yield* FeedStore
      const keepFindings = yield* makeFindingKeeping
      const kinds = yield* Kinds
      const acts = yield* PersonsActs
      const { atomically } = yield* Transactor
      const { sha256 } = yield* Digest
      const isOn = yield* EnrichmentsOn

      const learners: Learning["Service"]["learners"] = (enrichments) =>
        enrichments.flatMap((enrichment): ReadonlyArray<Learner> => {
          const kind = kinds.get(enrichment.type)
          if (!enrichment.enabled || kind?.family !== "record" || kind.learn === undefined) return []
          const catalog = catalogOf(enrichment.dataType)
          const config = decode(kind.Config, enrichment.config)
          if (Result.isFailure(config)) return []
          if (kind.check(config.success, catalog, enrichment.workspaceId).errors.length > 0) return []
          const prepared = kind.prepare(config.success, catalog)
          return [{ enrichment, kind, prepared, fields: kind.learnsFrom?.(prepared) ?? [] }]
        })

      /** `false` where somebody decided about a finding meanwhile. */
      const learn = Effect.fnUntraced(function* <E>(
        { cause, dataType, guard, workspace }: LearningRun<E>,
        enrichments: ReadonlyArray<Enrichment>,
        { enrichment, fields, kind, prepared }: Learner,
        scoped: ReadonlyArray<Feed>
      ) {
        const scope = { workspaceId: workspace.id, dataType }
        const { id: enrichmentId } = enrichment
        const facts = yield* store.facts(scope, { enrichmentId })
        const now = yield* Timestamp.now
        const lesson = yield* kind.learn!(prepared, {
          ...scope,
          enrichmentId,
          now,
          today: CalendarDate.inZone(Timestamp.toMillis(now), workspace.timezone),
          acts: yield* acts.of({ workspace, enrichments, enrichment, feeds: scoped, fields, facts }),
          facts: facts.filter((fact) => fact.enrichmentId === enrichmentId)
        })
        const types = new Map((kind.capabilities.emits ?? []).map((type) => [type.type, type]))
        return yield* atomically(
          Effect.gen(function* () {
            yield* guard
            yield* lesson.keep
            const kept = yield* keepFindings({
              scope,
              enrichmentId,
              planned: undefined,
              found: lesson.findings.map((finding) => ({ partition: "", finding })),
              quiet: false,
              cause,
              sha256
            })
            if (!kept) return yield* Effect.fail("overtaken" as const)
            yield* events.append(
              lesson.events.slice(0, limits.enrichmentEvents).map(({ data, subjectId, type }) => ({
                workspaceId: workspace.id,
                type,
                subject: { kind: types.get(type)!.subject, id: subjectId },
                cause,
                data
              }))
            )
            return true
          })
        )
      })

      const run = Effect.fn("Learning.run")(function* <E>(asked: LearningRun<E>) {
        if (!isOn) return []
        const { dataType, workspace } = asked
        const enrichments = yield* all.list([workspace.id])
        const faults: Array<PipelineFault> = []
        for (const learner of learners(enrichments)) {
          const { enrichment } = learner
          if (enrichment.dataType !== dataType) continue
          const scoped = (yield* feeds.list([workspace.id], { dataType })).filter((feed) => covers(enrichment, feed))
          // One that looks at nothing keeps what it knows.
          if (scoped.length === 0) continue
          for (let tries = 0; ; tries++) {
            const done = yield* Effect.result(learn(asked, enrichments, learner, scoped))
            if (Result.isSuccess(done)) break
            const error = done.failure
            if (error === "overtaken") {
              if (tries < conflictTries) continue
              faults.push({
                enrichmentId: enrichment.id,
                message: "conflict: others decided about it at the same time"
              })
              break
            }
            if (!isFault(error)) return yield* Effect.fail(error)
            faults.push({ enrichmentId: enrichment.id, message: error.message })
            break
          }
        }
        return faults
      })

      return Learning.of({ learners, run: run as Learning["Service"]["run"] })
    })
  )
}

const isFault = (error: unknown): error is EnrichmentFault => error instanceof EnrichmentFault
