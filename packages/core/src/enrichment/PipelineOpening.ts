/** What pipelines need that is not in the records: read when a run begins, and asked for chunk by chunk. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DataType } from "../record/DataType.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { chunkSize, type GatherScope, type View } from "./kinds/Kind.ts"
import {
  type CompiledPipeline,
  type Gathered,
  holdAll,
  type PipelineFault,
  reopened,
  type RunContext,
  type Step,
  viewBefore
} from "./Pipeline.ts"
import { nextTurn } from "./PlanningTurns.ts"
import type { RecordNotes } from "./RecordNotes.ts"

export interface PipelineScope {
  readonly workspaceId: WorkspaceId
  readonly dataType: DataType
}

const opens = ({ kind }: Step): boolean => kind?.family === "record" && kind.open !== undefined
const gathers = ({ kind, prepared }: Step): boolean =>
  kind?.family === "record" && kind.gather !== undefined && kind.gathers?.(prepared) !== false

/** The pipeline with what its enrichments read from elsewhere. The same object where there is nothing to read. */
export const open = Effect.fnUntraced(function* (pipeline: CompiledPipeline, scope: PipelineScope) {
  if (!pipeline.steps.some(opens)) return pipeline
  const steps: Array<Step> = []
  const broken: Array<Step> = []
  const faults: Array<PipelineFault> = [...pipeline.faults]
  const versions: Array<string> = []
  for (const step of pipeline.steps) {
    const { enrichment, kind, onFault, prepared } = step
    if (kind?.family !== "record" || kind.open === undefined) {
      steps.push(step)
      continue
    }
    const opened = yield* Effect.result(kind.open(prepared, { ...scope, enrichmentId: enrichment.id }))
    if (Result.isSuccess(opened)) {
      steps.push(reopened(step, kind, opened.success.prepared))
      versions.push(`${enrichment.id}:${opened.success.version}`)
    } else {
      faults.push({ enrichmentId: enrichment.id, message: opened.failure.message })
      // It keeps its place, so that what was gathered for others keeps theirs.
      steps.push(
        onFault === undefined ? { ...step, kind: undefined, plan: () => ({ claims: [] }) } : holdAll(enrichment)
      )
      versions.push(`${enrichment.id}:-`)
    }
  }
  return {
    ...pipeline,
    steps: [...steps, ...broken],
    faults,
    signature: [pipeline.signature, ...versions].join(",")
  } satisfies CompiledPipeline
})

/** Whether records have to be gathered for before they are run. */
export const isGathering = ({ steps }: CompiledPipeline): boolean => steps.some(gathers)

/** A record that is about to be run. */
export interface Pending {
  readonly view: View
  readonly notes?: RecordNotes | undefined
}

/** What was gathered for a record, and the record as it was before it was enriched: it need not be made again. */
export interface GatheredFor {
  readonly view: View
  readonly gathered: Gathered
}

const chunksOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / chunkSize) }, (_, n) => all.slice(n * chunkSize, (n + 1) * chunkSize))

/** Whether anything may be asked outside: runs may, and what shows or tells again may not. */
export type Gathering = Pick<GatherScope, "mayAsk">

/**
 * Asks for what these records need, step by step: each sees them as the steps before leave them. The answers are for these
 * records alone, chunk by chunk.
 */
export const gather = Effect.fnUntraced(function* (
  pipeline: CompiledPipeline,
  scope: PipelineScope,
  records: ReadonlyArray<Pending>,
  context: RunContext & Gathering
) {
  const faults: Array<PipelineFault> = []
  /** Enrichment -> questions that nobody has answered -> tokens. */
  const waiting = new Map<string, Map<string, number>>()
  const chunks: Array<{ readonly records: ReadonlyArray<Pending>; readonly gathered: Gathered }> = []
  for (const chunk of isGathering(pipeline) ? chunksOf(records) : []) {
    const gathered = new Map<number, unknown>()
    for (const [at, step] of pipeline.steps.entries()) {
      const { enrichment, kind, prepared } = step
      if (kind?.family !== "record" || kind.gather === undefined || !gathers(step)) continue
      const views: Array<View> = []
      for (const { notes, view } of chunk) {
        views.push(viewBefore(pipeline, view, context, { notes, gathered, before: at }))
        yield* nextTurn(context.work)
      }
      const asked = yield* Effect.result(
        kind.gather(prepared, views, { ...scope, ...context, enrichmentId: enrichment.id })
      )
      if (Result.isSuccess(asked)) {
        gathered.set(at, asked.success)
        const said = kind.complaints?.(asked.success) ?? []
        for (const { key, tokens } of kind.pending?.(asked.success) ?? []) {
          const own = waiting.get(enrichment.id) ?? new Map<string, number>()
          waiting.set(enrichment.id, own.set(key, tokens))
        }
        for (const message of said) faults.push({ enrichmentId: enrichment.id, message })
      } else faults.push({ enrichmentId: enrichment.id, message: asked.failure.message })
    }
    chunks.push({ records: chunk, gathered })
  }
  return { chunks, faults, waiting }
})
