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

/** One of the records that a record falls into. */
export interface Line {
  /** Names it within its record, the same whatever its content is. */
  readonly id: string
  /** What makes it a line, such as its amount: stands above whatever was said of the record. */
  readonly claims: ReadonlyArray<Claim>
  /** What it is called: stands above whatever is inherited from the record, but not above people. */
  readonly labels: ReadonlyArray<Claim>
}

/** What is delivered of a record that falls into lines: they alone, the record alone, or all of them. */
export type LineDelivery = "lines" | "parent" | "both"

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
  /** The records that this one falls into; later enrichments see each of them. The first that a record has are its lines. */
  readonly lines?: {
    readonly of: ReadonlyArray<Line>
    readonly deliver: LineDelivery
  }
  /** Conditions of the enrichment held, whether or not a claim came of it. */
  readonly matched?: boolean
  /** Actions that had an input but could make nothing of it, such as arithmetic on text. */
  readonly skipped?: number
}
