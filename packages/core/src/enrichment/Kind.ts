/**
 * What a type of enrichment is made of (enrichments B).
 *
 * This file holds the interface of per-record transforms: pure functions of the view so far and the
 * configuration. Kinds that look at whole sets of records come on top of the same parts.
 */
import type * as Schema from "effect/Schema"
import type { DataType } from "../record/DataType.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { EnrichmentType } from "./EnrichmentType.ts"
import type { Fault } from "../shared/StrictDecoding.ts"

/** A record on its way through the pipeline; later enrichments see what earlier ones wrote. */
export interface View {
  readonly recordId: string
  /** Source fields, then custom fields; absent keys are unknown. */
  readonly fields: Fields
}

/** What is wrong inside a configuration block. */
export type Issue = Fault

export interface Check {
  /** Stop the enrichment from being saved. */
  readonly errors: ReadonlyArray<Issue>
  /** Are shown, and block nothing. May be worked out when they are read. */
  readonly lints: ReadonlyArray<Issue>
}

/** "Field f of this record should be v", made by one rule of one enrichment. */
export interface Claim {
  readonly field: string
  readonly value: FieldValue
  /** Which part of the configuration says so: the id of a rule. */
  readonly path: string
}

export type Verdict = "deliver" | "hold" | "drop"

/** What one enrichment says about one record. */
export interface Outcome {
  /** In the order in which they were made; the last one of a field wins. Empty when nothing applies. */
  readonly claims: ReadonlyArray<Claim>
  /** Filters only. */
  readonly verdict?: {
    readonly value: Verdict
    readonly reason: string
    /** A row that was delivered before it was dropped is removed at the destination. */
    readonly removeDelivered?: boolean
  }
  /** Conditions of the enrichment held, whether or not a claim came of it. */
  readonly matched?: boolean
  /** Actions that had an input but could make nothing of it, such as arithmetic on text. */
  readonly skipped?: number
}

/** Everything a transform may know besides the record. */
export interface PlanContext {
  /** Today in the workspace's time zone, fixed for the run. */
  readonly today: CalendarDate
}

export interface Capabilities {
  readonly dataTypes: ReadonlyArray<DataType>
  /** `"*"`: any field a rule may write. */
  readonly writes: ReadonlyArray<string>
  /** How many a workspace may have. */
  readonly perWorkspace: number
}

export interface RecordKind<Config = unknown, Prepared = unknown> {
  readonly type: EnrichmentType
  readonly family: "record"
  /** Place in the pipeline; smaller numbers run first (enrichments A3). */
  stage(config: Config): number
  readonly capabilities: Capabilities
  /** The configuration block as it is sent and stored. */
  readonly Config: Schema.Codec<Config, unknown>
  /** What the schema cannot find: meaning, and everything that is only suspicious. */
  check(config: Config, catalog: FieldCatalog): Check
  /** Types of the fields it may add to the record. */
  declares(config: Config, catalog: FieldCatalog): FieldCatalog
  /** Compiles a configuration without errors, once per revision. */
  prepare(config: Config, catalog: FieldCatalog): Prepared
  /** Pure and synchronous. What it throws is a fault of this record in this enrichment, and of nothing else. */
  plan(prepared: Prepared, view: View, context: PlanContext): Outcome
  /** Filters only: the verdict on a record that `plan` failed on. */
  onFault?(config: Config): Verdict
  /** One sentence that says why a claim was made. */
  explain(config: Config, claim: Claim): string
}
