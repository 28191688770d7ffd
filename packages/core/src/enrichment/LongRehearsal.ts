/**
 * What set kinds would say of more records than are looked at at once: slice by slice, as runs plan them, over a place of its
 * own (`ScratchAnalysis`) instead of what runs keep. Nothing else is written, sent or asked outside.
 *
 * What it holds in memory does not grow with the records, but with what is found and told of them.
 */
import * as Effect from "effect/Effect"
import { RecordStore } from "../record/RecordStore.ts"
import { Digest } from "../shared/Digest.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { AnalysisExtent } from "./AnalysisExtent.ts"
import type { AnalysisSlice, SliceResult } from "./AnalysisSlice.ts"
import { AnalysisStore } from "./AnalysisStore.ts"
import type { Enrichment, EnrichmentId } from "./Enrichment.ts"
import type { PartitionKey } from "./kinds/SetKind.ts"
import { otherFacts } from "./OtherFacts.ts"
import type { PipelineFault } from "./Pipeline.ts"
import { PlanningRoom } from "./PlanningRoom.ts"
import type { RecordNotes } from "./RecordNotes.ts"
import type { OwnedRecord } from "./Rehearsal.ts"
import { SetPlanner } from "./SetPlanner.ts"
import { rehearsalStage, type StageInput } from "./RehearsalStage.ts"
import { ScratchAnalysis } from "./ScratchAnalysis.ts"

/** What was found and told, by what names it. */
export interface Said {
  readonly findings: ReadonlyArray<string>
  /** Of the findings, those that are cases of monitors. */
  readonly cases: ReadonlyArray<string>
  readonly messages: ReadonlyArray<string>
}

export const longRehearsal = Effect.gen(function* () {
  const records = yield* RecordStore
  const scratches = yield* ScratchAnalysis
  const { sha256 } = yield* Digest
  const stageOf = yield* rehearsalStage
  const factsOf = yield* otherFacts
  const planner = yield* SetPlanner

  /** As though there had been no run; what it keeps goes with its scope. */
  return Effect.fnUntraced(function* (input: StageInput) {
    const { facts: other, workspace } = input
    const scope = { workspaceId: workspace.id, dataType: input.dataType }
    const extent = yield* AnalysisExtent
    const scratch = yield* scratches.open
    const { facts, notes: notesOfFacts } = factsOf(other)
    const notes = Effect.fnUntraced(function* (recordIds: ReadonlyArray<string>) {
      const claims = yield* scratch.notes(workspace.id, recordIds)
      const decided = yield* notesOfFacts(scope, recordIds)
      const both = new Map<string, RecordNotes>(decided)
      for (const [id, said] of claims) both.set(id, { ...said, ...both.get(id), claims: said.claims })
      return both as ReadonlyMap<string, RecordNotes>
    })
    const standing = { ...scratch, facts, notes: (_id: string, ids: ReadonlyArray<string>) => notes(ids) }
    const over = <A, E>(effect: Effect.Effect<A, E, AnalysisStore | RecordStore>) =>
      effect.pipe(
        Effect.provideService(AnalysisStore, standing),
        Effect.provideService(RecordStore, records),
        Effect.provideService(SetPlanner, planner)
      )
    const stage = yield* stageOf(input)
    const spoken = new Set(other?.added.map(({ recordId }) => recordId))

    let version = 0
    const faults = new Map<string, PipelineFault>()
    /** Enrichment and partition -> keys of what is found there. */
    const found = new Map<string, { readonly enrichment: Enrichment; readonly keys: ReadonlyArray<string> }>()
    const told = new Set<string>()
    const failed = new Map<EnrichmentId, ReadonlySet<PartitionKey>>()

    const keep = Effect.fnUntraced(function* ({ faults: some, planned }: SliceResult, today: StageInput["today"]) {
      yield* scratch.commit(scope, version, {
        asOf: today,
        planned: {},
        marks: [],
        unmarked: [],
        enrichments: planned.map(({ changes }) => changes)
      })
      version++
      for (const one of some) faults.set(`${one.enrichmentId} ${one.message}`, one)
      for (const { failed: own, findings, messages, planned: keys, step } of planned) {
        const { enrichment } = step
        if (own.size > 0) failed.set(enrichment.id, (failed.get(enrichment.id) ?? new Set()).union(own))
        for (const key of keys) found.delete(`${enrichment.id} ${key}`)
        for (const [key, all] of Map.groupBy(findings, ({ partition }) => partition)) {
          found.set(`${enrichment.id} ${key}`, { enrichment, keys: all.map(({ finding }) => finding.key) })
        }
        for (const message of messages) told.add(sha256(`${enrichment.id} ${JSON.stringify(message)}`))
      }
    })

    return {
      /** Records of one account; nothing is planned before all have been added. */
      add: Effect.fnUntraced(function* (owned: ReadonlyArray<OwnedRecord>) {
        const [first] = owned
        if (stage === undefined || first === undefined) return
        const slice: AnalysisSlice = stage.slice("beginning")
        const placed = yield* stage.place(first.bank, first.account)
        const marked = owned.map(({ record }) => (spoken.has(record.id) ? { ...record, annotated: true } : record))
        yield* over(slice.add(placed, marked))
        yield* keep(yield* over(slice.plan({ room: new PlanningRoom(0), isRead: false })), stage.today)
      }),
      /** Plans all that was added. `between`: after each slice. */
      plan: Effect.fnUntraced(function* <E>(between: Effect.Effect<void, E>) {
        if (stage === undefined) return
        for (;;) {
          const room = new PlanningRoom(extent.planned)
          const slice = stage.slice("beginning")
          yield* keep(yield* over(slice.plan({ room, isRead: true, aside: failed })), stage.today)
          if (!room.hasRest) return
          yield* between
        }
      }),
      /** The annotations that records would have. */
      notes: (recordIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, RecordNotes>, StorageUnavailable> =>
        notes(recordIds),
      /** What would be kept, for anyone who reads it from here. */
      scratch,
      scope,
      enrichments: stage?.steps.map(({ enrichment }) => enrichment) ?? [],
      faults: () => [...faults.values()],
      said: (): Said => {
        const all = [...found.values()]
        const keysOf = (some: typeof all) =>
          some.flatMap(({ enrichment, keys }) => keys.map((key) => `${enrichment.id} ${key}`))
        return {
          findings: keysOf(all),
          cases: keysOf(all.filter(({ enrichment }) => enrichment.type === "monitor")),
          messages: [...told]
        }
      }
    }
  })
})
export type LongRehearsal = Effect.Success<ReturnType<Effect.Success<typeof longRehearsal>>>
