/**
 * What passes between the server and a thread that plans. What is large comes in portions, each when the one before was taken, so
 * that to pass it keeps nobody waiting.
 */
import type { RateTable } from "@millrace/core"
import type {
  PartitionKey,
  PlanData,
  PlanFigure,
  SetPlanRequest,
  SetRecord,
  StoredPlan
} from "@millrace/core/enrichment"

/** A plan that is asked for. */
export interface PlanQuestion extends Pick<SetPlanRequest, "config" | "catalog" | "units"> {
  readonly type: string
  readonly data: Omit<PlanData, "rates">
  readonly ratesVersion: string
  /** Absent where the thread has those of this version. */
  readonly rates?: RateTable.RateTable
}

/** To the thread. */
export type Request =
  | { readonly kind: "plan"; readonly question: PlanQuestion }
  | {
      readonly kind: "records"
      readonly id: number
      readonly key: PartitionKey
      readonly records: ReadonlyArray<SetRecord>
      readonly state: StoredPlan["state"] | undefined
    }
  /** All that was read has come. `news`: those of the records that are no past of the enrichment. */
  | { readonly kind: "read"; readonly id: number; readonly news: ReadonlyArray<string> }
  | { readonly kind: "figures"; readonly id: number; readonly figures: ReadonlyArray<PlanFigure> }
  | { readonly kind: "next" }

/** From the thread: that it can begin; then for each plan what it has to know, and at last the plans in portions or a fault. */
export type Answer =
  | { readonly kind: "ready" }
  | { readonly kind: "read"; readonly id: number; readonly keys: ReadonlyArray<PartitionKey> }
  | { readonly kind: "figures"; readonly id: number }
  | { readonly kind: "plans"; readonly plans: ReadonlyArray<readonly [PartitionKey, StoredPlan]> }
  | { readonly kind: "end" }
  | { readonly kind: "fault"; readonly reason: "defect" | "limit" | "input"; readonly message: string }
  /** It takes more work than it may. */
  | { readonly kind: "limit" }

/** Records, or things that are said of some, in one portion. */
export const portion = 2_000
