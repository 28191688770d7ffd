/** What enrichments found, as people read it and decide about it (decisions 5.5). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Caller } from "../access/Caller.ts"
import { Cursors } from "../cursor/Cursors.ts"
import { EventStore } from "../event/EventStore.ts"
import { Conflict, type CursorUnusable, type Forbidden, NotFound, type Unprocessable } from "../failure/Failure.ts"
import { CalendarDate } from "../shared/CalendarDate.ts"
import { Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { type Page, type PageRequest, sizeOf } from "../shared/Page.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { AnalysisStore } from "./AnalysisStore.ts"
import type { Enrichment, EnrichmentId } from "./Enrichment.ts"
import { EnrichmentFacts, type FactRecords } from "./EnrichmentFacts.ts"
import { EnrichmentStore } from "./EnrichmentStore.ts"
import { type Finding, type FindingId, FindingStatus } from "./Finding.ts"
import { findingEvent } from "./FindingEvents.ts"
import { FindingStore } from "./FindingStore.ts"
import type { EnrichmentFact, FactRequest } from "./kinds/EnrichmentFact.ts"
import { Kinds } from "./Kinds.ts"
import { makeOwnedEnrichment } from "./OwnedEnrichment.ts"

export interface FindingsRequest extends PageRequest {
  readonly status?: FindingStatus
  readonly kind?: string
  readonly from?: CalendarDate
  readonly to?: CalendarDate
}

/** What a person decides; what is left out stays. An empty note takes the old one away. */
export interface FindingDecision {
  readonly status: FindingStatus
  readonly note?: string
}

const narrowing = {
  status: Schema.optionalKey(FindingStatus),
  kind: Schema.optionalKey(Schema.String),
  from: Schema.optionalKey(CalendarDate),
  to: Schema.optionalKey(CalendarDate)
}
const FindingsCursor = Schema.Struct({
  before: Schema.Struct({ firstSeenAt: Timestamp, id: Id("finding") }),
  ...narrowing
})

/** What says the same, no matter who said it and when. */
const contentOf = ({ enrichmentId, field, kind, otherId, recordId, value }: FactRequest): string =>
  JSON.stringify([kind, enrichmentId, recordId, otherId, field, value])

export class Findings extends Context.Service<
  Findings,
  {
    /** Newest first. */
    readonly list: (
      caller: Caller,
      enrichmentId: EnrichmentId,
      request: FindingsRequest
    ) => Effect.Effect<Page<Finding>, NotFound | Forbidden | CursorUnusable | StorageUnavailable>
    /**
     * Keeps what a person decided, with what follows from it for the enrichment. Somebody else who decides at the same moment
     * is a `Conflict`.
     */
    readonly update: (
      caller: Caller,
      enrichmentId: EnrichmentId,
      id: FindingId,
      decision: FindingDecision
    ) => Effect.Effect<Finding, NotFound | Forbidden | Conflict | Unprocessable | StorageUnavailable>
  }
>()("@millrace/core/enrichment/Findings") {
  static readonly layer: Layer.Layer<
    Findings,
    never,
    FindingStore | EnrichmentStore | AnalysisStore | EnrichmentFacts | EventStore | Kinds | Cursors | Transactor
  > = Layer.effect(
    Findings,
    Effect.gen(function* () {
      const store = yield* FindingStore
      const analyses = yield* AnalysisStore
      const facts = yield* EnrichmentFacts
      const events = yield* EventStore
      const kinds = yield* Kinds
      const cursors = yield* Cursors
      const { atomically } = yield* Transactor

      const open = yield* makeOwnedEnrichment

      /** The accounts of records that an enrichment looks at. */
      const placed = Effect.fnUntraced(function* (
        { dataType, id, workspaceId }: Enrichment,
        about: ReadonlyArray<FactRequest>
      ) {
        const ids = [
          ...new Set(about.flatMap(({ otherId, recordId }) => [recordId, otherId].filter((one) => one !== undefined)))
        ]
        const entries = yield* analyses.entries({ workspaceId, dataType }, id, ids)
        const byAccount = Map.groupBy(ids, (recordId) => entries.get(recordId)?.[0]?.accountId)
        const touched: Array<FactRecords[number]> = []
        for (const [accountId, recordIds] of byAccount) {
          if (accountId !== undefined) touched.push({ scope: { workspaceId, dataType, accountId }, recordIds })
        }
        return touched
      })

      /** What the enrichment gets instead of what it was told before. */
      const follow = Effect.fnUntraced(function* (
        caller: Caller,
        enrichment: Enrichment,
        finding: Finding,
        before: FindingStatus
      ) {
        const { dataType, id, workspaceId } = enrichment
        const kind = kinds.get(enrichment.type)
        if (kind?.feedback === undefined || before === finding.status) return
        const wanted = kind.feedback(id, finding, finding.status)
        const outdated = new Set(kind.feedback(id, finding, before).map(contentOf))
        const kept = new Set(wanted.map(contentOf))
        const held = (yield* analyses.facts({ workspaceId, dataType }, { enrichmentId: id })).filter((fact) =>
          outdated.has(contentOf(fact))
        )
        const lifted = held.filter((fact: EnrichmentFact) => !kept.has(contentOf(fact)))
        const known = new Set(held.map(contentOf))
        const added = wanted.filter((fact) => !known.has(contentOf(fact)))
        if (lifted.length > 0) {
          const ids = lifted.map((fact) => fact.id)
          yield* facts
            .lift(enrichment, yield* placed(enrichment, lifted), ids, caller.cause)
            .pipe(Effect.catchTag("NotFound", () => Effect.void))
        }
        if (added.length > 0) {
          yield* facts.add({ workspaceId, dataType }, yield* placed(enrichment, added), added, caller.cause)
        }
      })

      return Findings.of({
        list: Effect.fn("Findings.list")(function* (caller, enrichmentId, request) {
          const { workspaceId } = yield* open(caller, "listFindings", enrichmentId)
          const bound = { workspaceId, list: `findings/${enrichmentId}` }
          const { cursor, limit: asked, ...filters } = request
          const start = cursor === undefined ? filters : yield* cursors.decode(bound, FindingsCursor, cursor)
          const limit = sizeOf(limits.page, asked)
          const found = yield* store.list(workspaceId, enrichmentId, { ...start, limit: limit + 1 })
          const rows = found.slice(0, limit)
          const last = rows.at(-1)
          if (found.length <= limit || last === undefined) return { rows, hasMore: false }
          const before = { firstSeenAt: last.firstSeenAt, id: last.id }
          return { rows, hasMore: true, cursor: yield* cursors.encode(bound, "page", { ...start, before }) }
        }),
        update: Effect.fn("Findings.update")(function* (caller, enrichmentId, id, { note, status }) {
          const enrichment = yield* open(caller, "updateFinding", enrichmentId)
          return yield* atomically(
            Effect.gen(function* () {
              const [before] = yield* store.get(enrichment.workspaceId, [id])
              if (before === undefined || before.enrichmentId !== enrichmentId) {
                return yield* new NotFound({ resource: "Finding" })
              }
              const { note: former, ...rest } = before
              const noted = note === undefined ? former : note.trim()
              const text = noted === undefined || noted === "" ? {} : { note: noted }
              if (status === before.status && text.note === former) return before
              const after: Finding = { ...rest, ...text, status, version: before.version + 1 }
              if (!(yield* store.putFindings([after]))) {
                return yield* new Conflict({
                  code: "INVALID_STATE",
                  message: "Finding was changed at the same moment: read it again, and decide again",
                  details: []
                })
              }
              yield* follow(caller, enrichment, after, before.status)
              yield* events.append([findingEvent(after, caller.cause)])
              return after
            })
          )
        })
      })
    })
  )
}
