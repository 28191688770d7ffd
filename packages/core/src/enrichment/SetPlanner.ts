/**
 * Port: who plans for set kinds. The layer of the kernel plans in the thread that calls; an installation plans in threads of its
 * own, so that a large partition keeps nobody waiting (decision 74).
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import { Work, WorkExceeded } from "../shared/Work.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Enrichment } from "./Enrichment.ts"
import { EnrichmentFault } from "./kinds/Kind.ts"
import type { Partition, PartitionKey, PartitionPlan, PlanInput, SetKind, SetRecord } from "./kinds/SetKind.ts"
import { asideMessage } from "./RunWork.ts"

/** A partition as it is now, with its state as it is stored. */
export interface StoredPartition {
  readonly records: ReadonlyArray<SetRecord>
  readonly state: Schema.Json | undefined
}

/** A plan of a partition with state and evidence as they are stored. */
export type StoredPlan = PartitionPlan<Schema.Json, Schema.Json>

/** What of the input of a kind is data. */
export type PlanData = Omit<PlanInput<unknown, unknown>, "prepared" | "read" | "figures" | "isPast" | "sha256" | "work">

export interface SetPlanRequest extends Pick<PlanInput<unknown, unknown>, "figures" | "isPast" | "sha256"> {
  readonly kind: SetKind
  /** Of its configuration, with the fields that there are at its place. */
  readonly prepared: unknown
  readonly config: Enrichment["config"]
  readonly catalog: FieldCatalog
  readonly data: PlanData
  /** Units of work that the plan may take. */
  readonly units: number
  readonly read: (
    keys: ReadonlyArray<PartitionKey>
  ) => Effect.Effect<ReadonlyMap<PartitionKey, StoredPartition>, StorageUnavailable>
}

/** The plan takes more work than it may. */
export const tooMuchWork = new EnrichmentFault({ reason: "limit", message: asideMessage })

const asFault = (error: unknown): EnrichmentFault =>
  new EnrichmentFault({ reason: "defect", message: error instanceof Error ? error.message : String(error) })

/** Plans in this thread. */
export const planHere = Effect.fnUntraced(function* (request: SetPlanRequest) {
  const { data, figures, isPast, kind, prepared, sha256, units } = request
  const decodeState = Schema.decodeUnknownSync(kind.State.codec)
  const encodeState = Schema.encodeSync(kind.State.codec)
  const encodeEvidence = Schema.encodeSync(kind.Evidence)
  const work = new Work()
  work.allow(units)
  const known = new Map<PartitionKey, Partition<unknown>>()
  const read = (keys: ReadonlyArray<PartitionKey>) =>
    Effect.map(request.read(keys.filter((key) => !known.has(key))), (found) => {
      for (const [key, { records, state }] of found) {
        known.set(key, { records, state: state === undefined ? undefined : decodeState(state) })
      }
      return new Map(keys.map((key) => [key, known.get(key)!]))
    })
  const { next } = yield* Effect.suspend(() =>
    kind.plan({ ...data, figures, isPast, sha256, prepared, read, work })
  ).pipe(
    Effect.catchCause((cause) =>
      Effect.failCause(Cause.squash(cause) instanceof WorkExceeded ? Cause.fail(tooMuchWork) : cause)
    )
  )
  return yield* Effect.try({
    try: () =>
      new Map<PartitionKey, StoredPlan>(
        Array.from(next, ([key, plan]) => [
          key,
          {
            ...plan,
            state: encodeState(plan.state),
            claims: plan.claims.map((claim) => ({ ...claim, evidence: encodeEvidence(claim.evidence) })),
            links: plan.links.map((link) => ({ ...link, evidence: encodeEvidence(link.evidence) }))
          }
        ])
      ),
    catch: asFault
  })
})

/** Who plans. */
export interface SetPlans {
  /** `EnrichmentFault` where the kind fails; `tooMuchWork` where it was stopped. */
  readonly plan: (
    request: SetPlanRequest
  ) => Effect.Effect<ReadonlyMap<PartitionKey, StoredPlan>, EnrichmentFault | StorageUnavailable>
  /** Whether plans of this kind are made in another thread, with limits of time and memory of its own. */
  readonly isApart: (kind: SetKind) => boolean
}

export const SetPlanner = Context.Reference<SetPlans>("@millrace/core/enrichment/SetPlanner", {
  defaultValue: () => ({ plan: planHere, isApart: () => false })
})
