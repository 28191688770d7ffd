/**
 * What a type of enrichment is made of (enrichments B).
 *
 * This file holds the interface of per-record transforms: pure functions of the view so far and the
 * configuration. Kinds that look at whole sets of records come on top of the same parts.
 */
import type * as Schema from "effect/Schema"
import type { DataType } from "../../record/DataType.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import type { Fields } from "../../record/FieldValue.ts"
import type { Check } from "../../rule/Check.ts"
import type { Claim, Outcome, Verdict } from "../../rule/Outcome.ts"
import type { CalendarDate } from "../../shared/CalendarDate.ts"
import type { EnrichmentType } from "./EnrichmentType.ts"

// What an author of a kind writes with, from one module.
export type { Check, Issue } from "../../rule/Check.ts"
export type { Claim, Outcome, Verdict } from "../../rule/Outcome.ts"

/** A record on its way through the pipeline; later enrichments see what earlier ones wrote. */
export interface View {
  readonly recordId: string
  /** Source fields, then custom fields; absent keys are unknown. */
  readonly fields: Fields
}

/** Everything a transform may know besides the record. */
export interface PlanContext {
  /** Today in the workspace's time zone, fixed for the run. */
  readonly today: CalendarDate
}

/** Whose word counts more; between equals the later in (stage, order, id, position) wins (enrichments A6). */
export const authorities = { user: 70, rule: 60, lookup: 50, analysis: 40, memory: 30, ai: 20, provider: 10 } as const

export interface Capabilities {
  /** How much its word counts beside that of other enrichments. People and providers have the other two. */
  readonly authority: Exclude<keyof typeof authorities, "user" | "provider">
  readonly dataTypes: ReadonlyArray<DataType>
  /** `"*"`: any field a rule may write. */
  readonly writes: ReadonlyArray<string>
  /** How many a workspace may have. */
  readonly perWorkspace: number
}

export interface RecordKind<Config = unknown, Prepared = unknown> {
  readonly type: EnrichmentType
  /** Its name for people, such as `Rules`. */
  readonly label: string
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
  /**
   * Kinds that decide on delivery, and these alone: the verdict on a record that `plan` failed on. An enrichment of such a
   * kind that cannot run at all holds every record back.
   */
  onFault?(config: Config): Verdict
  /** One sentence that says why a claim was made. */
  explain(config: Config, claim: Claim): string
}
