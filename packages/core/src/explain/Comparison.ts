/** What rows at destinations would be otherwise, counted feed by feed, with a few of them as samples (enrichments F2). */
import type { CompiledPipeline, PipelineFault, PipelineResult, WithLines } from "../enrichment/Pipeline.ts"
import type { Authority } from "../enrichment/history/RecordChange.ts"
import { authorityIn } from "../enrichment/history/RecordHistory.ts"
import type { Feed, FeedId } from "../feed/Feed.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import type { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import { contentOf } from "../sync/Decision.ts"
import { ofSets } from "../sync/OwnFields.ts"
import type { Waiting } from "./AiPending.ts"
import { sentenceOf } from "./ClaimChain.ts"

export interface DifferenceSample {
  readonly feedId: FeedId
  readonly recordId: string
  readonly before: FieldValue
  readonly after: FieldValue
  /** Whose value it would be. */
  readonly authority: Authority
  readonly sentence: string
}

export interface FieldDifference {
  readonly field: string
  /** Of rows: values that would come, be others, and go. */
  readonly added: number
  readonly changed: number
  readonly removed: number
  readonly samples: ReadonlyArray<DifferenceSample>
}

/** How many rows would change at a destination. */
interface RowChanges {
  create: number
  update: number
  remove: number
}

export interface DeliveryDifference extends Readonly<RowChanges> {
  readonly feedId: FeedId
  readonly destination: string
  /** What of it goes out with the next run: the rest is of rows that are too old. */
  readonly now: Readonly<RowChanges>
}

const mostSamples = 20

const valueOf = (result: PipelineResult | undefined, field: string): FieldValue =>
  result !== undefined && Object.hasOwn(result.fields, field) ? (result.fields[field] ?? null) : null

const isThere = (one: PipelineResult | undefined): boolean => one?.verdict.value === "deliver"

type Side = WithLines | undefined

/** The pipelines of a feed as they are, and as they might be. */
export interface TwoPipelines {
  readonly before: CompiledPipeline
  readonly after: CompiledPipeline
}

type Changing<A> = { -readonly [K in keyof A]: A[K] }

const none = (): RowChanges => ({ create: 0, update: 0, remove: 0 })

export class Comparison {
  private readonly contentHash: Digest["Service"]["contentHash"]
  private readonly found = new Map<string, Changing<FieldDifference> & { samples: Array<DifferenceSample> }>()
  private readonly delivered = new Map<FeedId, RowChanges & { readonly now: RowChanges } & DeliveryDifference>()
  private readonly faulty = new Map<string, PipelineFault>()
  private readonly asked = new Map<string, Map<string, number>>()
  readonly lines = { added: 0, removed: 0 }
  /** Fields that a person decided and that would have been written otherwise. */
  shadows = 0

  constructor({ contentHash }: Pick<Digest["Service"], "contentHash">) {
    this.contentHash = contentHash
  }

  /** Feeds are reported although nothing of them is another. */
  tell({ destinationConfig, id: feedId }: Feed): void {
    const destination = destinationConfig?.type ?? "none"
    this.delivered.set(feedId, { feedId, destination, ...none(), now: none() })
  }

  /**
   * A record of a feed that is reported, as it is and as it might be. `isOld`: a change of enrichments alone does not deliver it
   * again, unless it comes or goes, or an enrichment of sets says something else about it.
   */
  record(
    feed: Feed,
    pipelines: TwoPipelines,
    { isOld, recordId }: { readonly recordId: string; readonly isOld: boolean },
    before: WithLines,
    after: WithLines
  ): void {
    const counts = this.delivered.get(feed.id)!
    this.lines.added += [...after.lines.keys()].filter((id) => !before.lines.has(id)).length
    this.lines.removed += [...before.lines.keys()].filter((id) => !after.lines.has(id)).length
    for (const rowId of new Set([recordId, ...before.lines.keys(), ...after.lines.keys()])) {
      const [a, b] = [before, after].map((side: Side) => {
        if (rowId === recordId) return side!.shown ? side!.record : undefined
        return side!.linesShown ? side!.lines.get(rowId) : undefined
      })
      const delivered = this.deliveryOf(feed, a, b)
      if (delivered === undefined) continue
      counts[delivered]++
      if (!isOld || delivered !== "update" || this.isTouched(pipelines, a, b)) counts.now[delivered]++
    }
    this.shadows += after.record.shadows.filter(
      ({ enrichmentId, field, value }) =>
        !before.record.shadows.some(
          (one) => one.field === field && one.value === value && one.enrichmentId === enrichmentId
        )
    ).length
    const touched = new Set([...before.record.changes, ...after.record.changes].map(({ field }) => field))
    for (const field of touched) {
      const [was, is] = [valueOf(before.record, field), valueOf(after.record, field)]
      if (was !== is) this.field(feed, pipelines.after, recordId, { field, was, is, after: after.record })
    }
  }

  faults(faults: Iterable<PipelineFault>): void {
    for (const fault of faults) {
      if (this.faulty.size >= limits.enrichmentFaults) return
      this.faulty.set(`${fault.enrichmentId} ${fault.message}`, fault)
    }
  }

  /** What a run would ask models, each question once. */
  waits(waiting: Waiting): void {
    for (const [enrichmentId, questions] of waiting) {
      const own = this.asked.get(enrichmentId) ?? new Map<string, number>()
      this.asked.set(enrichmentId, own)
      for (const [key, tokens] of questions) own.set(key, tokens)
    }
  }

  get told() {
    return {
      fields: [...this.found.values()].toSorted((a, b) =>
        a.field < b.field ? -1 : 1
      ) as ReadonlyArray<FieldDifference>,
      lines: this.lines,
      deliveries: [...this.delivered.values()] as ReadonlyArray<DeliveryDifference>,
      shadows: this.shadows,
      faults: [...this.faulty.values()] as ReadonlyArray<PipelineFault>,
      waiting: this.asked as Waiting
    }
  }

  /** Whether an enrichment of sets that goes on says something else of the row. */
  private isTouched(
    { after: pipeline }: TwoPipelines,
    before: PipelineResult | undefined,
    after: PipelineResult | undefined
  ): boolean {
    const isOfSets = ofSets(pipeline)
    return [before, after].some((one) =>
      one?.changes.some(
        ({ enrichmentId, field }) => isOfSets(enrichmentId) && valueOf(before, field) !== valueOf(after, field)
      )
    )
  }

  /** How a row would change at the destination. */
  private deliveryOf(feed: Feed, before: PipelineResult | undefined, after: PipelineResult | undefined) {
    if (isThere(before) !== isThere(after)) {
      if (isThere(after)) return "create"
      // A filter may leave what was delivered before it.
      return after === undefined || after.verdict.removeDelivered ? "remove" : undefined
    }
    if (!isThere(after)) return undefined
    const [old, now] = [before, after].map((one) => contentOf(feed, one!.fields, false, this.contentHash).hash)
    return old === now ? undefined : "update"
  }

  private field(
    feed: Feed,
    pipeline: CompiledPipeline,
    recordId: string,
    { after, field, is, was }: { field: string; was: FieldValue; is: FieldValue; after: PipelineResult }
  ): void {
    const known = this.found.get(field) ?? { field, added: 0, changed: 0, removed: 0, samples: [] }
    this.found.set(field, known)
    known[was === null ? "added" : is === null ? "removed" : "changed"]++
    if (known.samples.length >= mostSamples) return
    const change = after.changes.find((one) => one.field === field)
    known.samples.push({
      feedId: feed.id,
      recordId,
      before: was,
      after: is,
      authority: change === undefined ? "provider" : authorityIn(pipeline)(change.enrichmentId),
      sentence:
        change !== undefined
          ? sentenceOf(pipeline, change)
          : is === null
            ? "Nobody says anything of it any more"
            : "The provider says so"
    })
  }
}
