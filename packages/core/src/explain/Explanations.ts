/** Why a record is delivered as it is (enrichments A7, decisions 12): for every field, all that is said of it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Caller } from "../access/Caller.ts"
import type { Delivery } from "../destination/Delivery.ts"
import { DeliveryStore } from "../destination/DeliveryStore.ts"
import { type AnalysisLink, AnalysisStore } from "../enrichment/AnalysisStore.ts"
import type { RecordChange } from "../enrichment/history/RecordChange.ts"
import { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
import { Kinds } from "../enrichment/Kinds.ts"
import type { PipelineFault, PipelineVerdict } from "../enrichment/Pipeline.ts"
import type { Shadow } from "../enrichment/Progress.ts"
import type { FieldChange } from "../enrichment/Provenance.ts"
import type { Forbidden, NotFound } from "../failure/Failure.ts"
import type { Feed, FeedId } from "../feed/Feed.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import { limits } from "../shared/Limits.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { type ChainLink, chainsOf, ClaimTrace, explainLink } from "./ClaimChain.ts"
import { type Looked, RecordLooks, type RowLook } from "./RecordLooks.ts"

export interface FieldExplanation {
  readonly field: string
  /** What the provider says; `null` where it says nothing. */
  readonly provided: FieldValue
  /** What holds. */
  readonly value: FieldValue
  /** A person decides it; what enrichments would have written is a shadow. */
  readonly locked: boolean
  /** The strongest word first. */
  readonly chain: ReadonlyArray<ChainLink>
}

export interface VerdictExplanation extends PipelineVerdict {
  readonly sentence: string
  /** Whether the filter says so when it is asked again. */
  readonly holds: boolean
}

/** One row that a feed delivers of the record. */
export interface RowExplanation {
  readonly feed: Pick<Feed, "id" | "name">
  readonly rowId: string
  readonly fields: ReadonlyArray<FieldExplanation>
  readonly shadows: ReadonlyArray<Shadow>
  readonly verdict: VerdictExplanation
  /** Lines that it falls into, with what is different on them from what the provider says of the record. */
  readonly lines: ReadonlyArray<{ readonly lineId: string; readonly changes: ReadonlyArray<FieldChange> }>
  readonly deliveries: ReadonlyArray<Delivery>
  readonly faults: ReadonlyArray<PipelineFault>
}

export interface LinkExplanation extends Omit<AnalysisLink, "evidence"> {
  readonly enrichmentId: string
  readonly evidence: AnalysisLink["evidence"]
  readonly sentence: string
  /** Whether the same follows from its evidence again. */
  readonly holds: boolean
}

export interface Explanation {
  readonly record: LedgerRecord
  readonly rows: ReadonlyArray<RowExplanation>
  readonly links: ReadonlyArray<LinkExplanation>
  /** Newest first, at most `limits.toldChanges`. */
  readonly history: ReadonlyArray<RecordChange>
}

const fieldsOf = (look: RowLook, trace: ClaimTrace): ReadonlyArray<FieldExplanation> => {
  const { fields } = look.result.record
  return Array.from(chainsOf(look, trace), ([field, chain]) => ({
    field,
    provided: Object.hasOwn(look.provided, field) ? (look.provided[field] ?? null) : null,
    value: Object.hasOwn(fields, field) ? (fields[field] ?? null) : null,
    locked: look.notes.words.some((word) => word.field === field),
    chain
  }))
}

const verdictOf = ({ result }: RowLook, { all }: ClaimTrace): VerdictExplanation => {
  const { verdict } = result.record
  if (verdict.enrichmentId === null) return { ...verdict, sentence: "No filter objects", holds: true }
  const said = all.find(({ step }) => step.enrichment.id === verdict.enrichmentId)
  const again = said?.again?.verdict
  const sentence =
    verdict.reason === "" ? `A filter says ${verdict.value}` : `A filter says ${verdict.value}: ${verdict.reason}`
  return { ...verdict, sentence, holds: again?.value === verdict.value && again.reason === verdict.reason }
}

const make = Effect.gen(function* () {
  const looks = yield* RecordLooks
  const analyses = yield* AnalysisStore
  const deliveries = yield* DeliveryStore
  const history = yield* RecordChangeStore
  const kinds = yield* Kinds

  /** What its enrichments of sets tie it to. */
  const linksOf = Effect.fnUntraced(function* ({ record, scope }: Looked, rows: ReadonlyArray<RowLook>) {
    const found = new Map<string, LinkExplanation>()
    const steps = new Map(
      rows.flatMap(({ pipeline }) => pipeline.steps.map((step) => [step.enrichment.id, step] as const))
    )
    for (const [id, { enrichment, kind }] of steps) {
      if (kind?.family !== "set") continue
      const entries = (yield* analyses.entries(scope, id, [record.id])).get(record.id) ?? []
      const outputs = yield* analyses.outputs(
        scope,
        id,
        entries.map(({ partition }) => partition)
      )
      for (const { links } of outputs.values()) {
        for (const link of links) {
          if (!link.members.some(({ recordId }) => recordId === record.id)) continue
          const others = link.members.filter(({ recordId }) => recordId !== record.id).length
          const label = kinds.get(enrichment.type)?.label ?? enrichment.type
          const tie = `${label} (${enrichment.name}) ties it to ${others} other${others === 1 ? "" : "s"} as ${link.kind}`
          const { holds, sentence } = explainLink({ enrichment, kind }, link)
          found.set(link.id, { ...link, enrichmentId: id, sentence: `${tie}. ${sentence}`, holds })
        }
      }
    }
    return [...found.values()]
  })

  const deliveriesOf = Effect.fnUntraced(function* (feedId: FeedId, rowId: string, lines: ReadonlyArray<string>) {
    const found: Array<Delivery> = []
    for (const recordId of [rowId, ...lines]) {
      found.push(...(yield* deliveries.list(feedId, { recordId, limit: 1 })))
    }
    return found
  })

  return Explanations.of({
    explain: Effect.fn("Explanations.explain")(function* (caller, recordId) {
      const looked = yield* looks.open(caller, "explainRecord", recordId)
      const traces = new Map<string, ClaimTrace>()
      const traceOf = (feedId: string, rowId: string): ClaimTrace => {
        const key = `${feedId} ${rowId}`
        const known = traces.get(key) ?? new ClaimTrace()
        traces.set(key, known)
        return known
      }
      const rows = yield* looks.rows(caller, looked, { trace: (feed, rowId) => traceOf(feed.id, rowId).trace })
      const explained = yield* Effect.forEach(
        rows,
        Effect.fnUntraced(function* (look) {
          const { feed, result, rowId } = look
          const trace = traceOf(feed.id, rowId)
          return {
            feed: { id: feed.id, name: feed.name },
            rowId,
            fields: fieldsOf(look, trace),
            shadows: result.record.shadows,
            verdict: verdictOf(look, trace),
            lines: Array.from(result.lines, ([lineId, { changes }]) => ({ lineId, changes })),
            deliveries: yield* deliveriesOf(feed.id, rowId, [...result.lines.keys()]),
            faults: [...look.faults, ...result.record.faults]
          } satisfies RowExplanation
        })
      )
      return {
        record: looked.record,
        rows: explained,
        links: yield* linksOf(looked, rows),
        history: yield* history.ofRecord(looked.scope.workspaceId, recordId, limits.toldChanges)
      }
    })
  })
})

export class Explanations extends Context.Service<
  Explanations,
  {
    readonly explain: (
      caller: Caller,
      recordId: string
    ) => Effect.Effect<Explanation, NotFound | Forbidden | StorageUnavailable>
  }
>()("@millrace/core/explain/Explanations") {
  static readonly layer: Layer.Layer<
    Explanations,
    never,
    RecordLooks | AnalysisStore | DeliveryStore | RecordChangeStore | Kinds
  > = Layer.effect(Explanations, make)
}
