/** What one enrichment says about one record. */
import type * as Schema from "effect/Schema"
import type { FieldValue } from "../record/FieldValue.ts"

/** "Field f of this record should be v", made by one rule of one enrichment. */
export interface Claim {
  readonly field: string
  readonly value: FieldValue
  /** Which part of the configuration says so: the id of a rule. */
  readonly path: string
  /** What the value follows from besides record and configuration, such as the row of a table. */
  readonly evidence?: Schema.Json
}

export type Verdict = "deliver" | "hold" | "drop"

/** What one enrichment says about one record. */
export interface Outcome {
  /** In the order in which they were made; the last one of a field wins. Empty when nothing applies. */
  readonly claims: ReadonlyArray<Claim>
  /** Kinds that decide on delivery only. */
  readonly verdict?: {
    readonly value: Verdict
    readonly reason: string
    /** Which part of the configuration says so; absent where none of it does. */
    readonly path?: string
    /** A row that was delivered before it was dropped is removed at the destination. */
    readonly removeDelivered?: boolean
  }
  /** Conditions of the enrichment held, whether or not a claim came of it. */
  readonly matched?: boolean
  /** Actions that had an input but could make nothing of it, such as arithmetic on text. */
  readonly skipped?: number
}
