/**
 * What a type of enrichment is made of (enrichments B): the parts that both families share, and the family that looks at one
 * record. The family that looks at sets of records is in `SetKind`.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { EventType } from "../../event/EventType.ts"
import type { PendingQuestion } from "../../model/Asking.ts"
import type { DataType } from "../../record/DataType.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import type { Fields, FieldValue } from "../../record/FieldValue.ts"
import type { Check } from "../../rule/Check.ts"
import type { Claim, Outcome, Verdict } from "../../rule/Outcome.ts"
import type { CalendarDate } from "../../shared/CalendarDate.ts"
import type { Id } from "../../shared/Ids.ts"
import type { Timestamp } from "../../shared/Timestamp.ts"
import type { Work } from "../../shared/Work.ts"
import type { StorageUnavailable } from "../../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Workspace.ts"
import type { EnrichmentFact, FactRequest } from "./EnrichmentFact.ts"
import type { EnrichmentType } from "./EnrichmentType.ts"
import type { PlannedFinding } from "./PlannedFinding.ts"

// What an author of a kind writes with, from one module.
export type { Check, Issue } from "../../rule/Check.ts"
export type { Claim, Line, LineDelivery, Outcome, Verdict } from "../../rule/Outcome.ts"

/** Why an enrichment could say nothing. It holds no secret: it is reported on the job. */
export class EnrichmentFault extends Schema.TaggedError<EnrichmentFault>()("EnrichmentFault", {
  reason: Schema.Literals(["defect", "timeout", "limit", "conflict", "input", "model"]),
  message: Schema.String
}) {}

/** A record on its way through the pipeline; later enrichments see what earlier ones wrote. */
export interface View {
  readonly recordId: string
  /** Source fields, then custom fields; absent keys are unknown. */
  readonly fields: Fields
  /** The fields that a person or an earlier enrichment has decided; none where it is left out. What is not in it is the provider's. */
  readonly decided?: { readonly has: (field: string) => boolean }
}

/** Everything a transform may know besides the record. */
export interface PlanContext extends Today {
  /** Counts what is done with the record: `plan` spends before it works, and is stopped at the limit. */
  readonly work: Work
}

export interface Today {
  /** Today in the workspace's time zone, fixed for the run. */
  readonly today: CalendarDate
}

/** Whose enrichment is about to run. */
export interface EnrichmentScope {
  readonly workspaceId: WorkspaceId
  readonly enrichmentId: Id<"enrichment">
  readonly dataType: DataType
}

/** What is gathered for, and whether anything may be asked outside for it. */
export interface GatherScope extends EnrichmentScope, PlanContext {
  /**
   * Only in runs. Where something is shown or told again, `gather` answers from what was kept, so that looking costs nothing
   * and changes nothing.
   */
  readonly mayAsk: boolean
}

/** Whose value counts more; between equals the later in (stage, order, id, position) wins (enrichments A6). */
export const authorities = { user: 70, rule: 60, lookup: 50, analysis: 40, memory: 30, ai: 20, provider: 10 } as const

export interface Capabilities {
  /** How much its word counts beside that of other enrichments. People and providers have the other two. */
  readonly authority: Exclude<keyof typeof authorities, "user" | "provider">
  readonly dataTypes: ReadonlyArray<DataType>
  /** `"*"`: any field a rule may write. */
  readonly writes: ReadonlyArray<string>
  /** The types of its events; none unless given. */
  readonly emits?: ReadonlyArray<Pick<EventType<never>, "type" | "subject" | "summary" | "outbound">>
  /** What it finds and a person should look at, such as `duplicate_charge`; nothing unless given. Set kinds, and kinds that learn. */
  readonly finds?: ReadonlyArray<string>
  /** Whether it may ask a language model; it does not unless given. */
  readonly model?: boolean
  /** How many a workspace may have. */
  readonly perWorkspace: number
  /** Of several that look at one feed the first, by order and id, alone has an effect. */
  readonly firstOnly?: true
}

/** What both families have. */
export interface KindBase<Config, Prepared> {
  readonly type: EnrichmentType
  /** Its name for people, such as `Rules`. */
  readonly label: string
  /** Place in the pipeline; smaller numbers run first (enrichments A3). */
  stage(config: Config): number
  readonly capabilities: Capabilities
  /** The configuration block as it is sent and stored. */
  readonly Config: Schema.Codec<Config, unknown>
  /**
   * What the schema cannot find: meaning, and everything that is only suspicious. `workspaceId`: whose configuration it is; without
   * it nothing counts that belongs to single workspaces.
   */
  check(config: Config, catalog: FieldCatalog, workspaceId?: WorkspaceId): Check
  /** Types of the fields it may add to the record. */
  declares(config: Config, catalog: FieldCatalog): FieldCatalog
  /** Compiles a configuration without errors, once per revision. */
  prepare(config: Config, catalog: FieldCatalog): Prepared
  /** Loads what its first use would wait for, in steps that let others have their turn; nothing unless given. */
  warm?(config: Config): Effect.Effect<void>
  /**
   * What follows for it when a person decides about a finding; nothing unless given. When they decide otherwise, these facts
   * are lifted.
   */
  feedback?(
    enrichmentId: Id<"enrichment">,
    finding: PlannedFinding,
    status: "open" | "acknowledged" | "dismissed" | "confirmed" | "resolved"
  ): ReadonlyArray<FactRequest>
}

/** What was prepared, completed by what stands outside of the configuration. */
export interface OpenedKind<Prepared> {
  readonly prepared: Prepared
  /** Names what was read, such as the hash of a table: where it differs, everything is looked at again. */
  readonly version: string
}

/** One act of a person on a field of a record: the last one that holds. */
export interface PersonsAct {
  /** Of the fact that keeps it. */
  readonly id: string
  readonly recordId: string
  /** The record as the enrichment sees it. */
  readonly fields: Fields
  readonly field: string
  /** `null` where they want none; `undefined` where they took back what this enrichment had said. */
  readonly value: FieldValue | undefined
  readonly at: Timestamp
  readonly day: CalendarDate
}

export interface LearnInput extends EnrichmentScope, Today {
  readonly now: Timestamp
  readonly acts: ReadonlyArray<PersonsAct>
  /** What people decided about this enrichment and holds. */
  readonly facts: ReadonlyArray<EnrichmentFact>
}

/** What was learnt. */
export interface Lesson {
  /** Keeps it; runs in the transaction that tells the events. */
  readonly keep: Effect.Effect<void, StorageUnavailable>
  readonly events: ReadonlyArray<{ readonly type: string; readonly subjectId: string; readonly data: Schema.Json }>
  /** All that people should look at now. */
  readonly findings: ReadonlyArray<PlannedFinding>
}

export interface RecordKind<Config = unknown, Prepared = unknown, Gathered = unknown> extends KindBase<
  Config,
  Prepared
> {
  readonly family: "record"
  /**
   * Reads what the configuration names and does not hold, such as a table; once per run, before the first record. What it
   * needs is given to the function that makes the kind.
   */
  open?(prepared: Prepared, scope: EnrichmentScope): Effect.Effect<OpenedKind<Prepared>, EnrichmentFault>
  /**
   * Asks for what `plan` cannot know from a record, such as the answers of a model: for a chunk of at most `chunkSize` views,
   * in one go. Where it fails, `plan` runs with nothing gathered, and the fault is reported.
   */
  gather?(prepared: Prepared, views: ReadonlyArray<View>, scope: GatherScope): Effect.Effect<Gathered, EnrichmentFault>
  /** The fields about which it learns from people; a kind that does has `learn` as well. */
  learnsFrom?(prepared: Prepared): ReadonlyArray<string>
  /** Works out what follows from all that people did, between runs: `open` reads what it keeps. */
  learn?(prepared: Prepared, input: LearnInput): Effect.Effect<Lesson, EnrichmentFault | StorageUnavailable>
  /** Forgets all that it keeps of an enrichment that is deleted. */
  forget?(scope: Omit<EnrichmentScope, "dataType">): Effect.Effect<void, StorageUnavailable>
  /** Whether there is anything to gather for this configuration; there is unless given. */
  gathers?(prepared: Prepared): boolean
  /** What went wrong while the rest was gathered: it is reported, and `plan` runs with the rest. */
  complaints?(gathered: Gathered): ReadonlyArray<string>
  /** Where nothing might be asked: the questions that a run would ask a model, each once by its key. */
  pending?(gathered: Gathered): ReadonlyArray<PendingQuestion>
  /** Pure and synchronous. What it throws is a fault of this record in this enrichment, and of nothing else. */
  plan(prepared: Prepared, view: View, context: PlanContext, gathered?: Gathered): Outcome
  /**
   * Kinds that decide on delivery, and these alone: the verdict on a record that `plan` failed on. An enrichment of such a
   * kind that cannot run at all holds every record back.
   */
  onFault?(config: Config): Verdict
  /**
   * Whether what it says of a record may be another on another day; it may not unless given. Where something decides on
   * delivery, records are then looked at again each day.
   */
  movesWithTheDay?(config: Config, catalog: FieldCatalog): boolean
  /** The field by which the configuration asks destinations to take away rows that they have; `undefined` where it asks none. */
  removesRows?(config: Config): string | undefined
  /**
   * Whether `plan` may say that a record falls into lines; lines of kinds that do not tell so are passed over. Which rows there
   * are follows from them, so where one comes, changes or goes every record is looked at, whatever its age.
   */
  readonly makesLines?: true
  /** One sentence that says why a claim was made. That it holds is shown by running `plan` again. */
  explain(config: Config, claim: Claim): string
}

/** Views that `gather` is given at a time, at most. */
export const chunkSize = 1_000
