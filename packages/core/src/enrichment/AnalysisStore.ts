/**
 * Port: what set kinds keep, and the annotations of the records of the ledger.
 *
 * The analysis of a workspace and a data type has one version. Anyone who changed something of it has read it at that version,
 * and `commit` refuses where it is another one by then: so of two runs at the same time one plans again.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { DataType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Id } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { EnrichmentFact, EnrichmentFactId } from "./kinds/EnrichmentFact.ts"
import type { PartitionKey, PlannedLink } from "./kinds/SetKind.ts"
import type { RecordNotes } from "./RecordNotes.ts"

type AccountId = Id<"account">
type EnrichmentId = Id<"enrichment">

export interface AnalysisScope {
  readonly workspaceId: WorkspaceId
  readonly dataType: DataType
}

/** How far the changes of an account have been looked at, and under which enrichments. */
export interface AnalysisMark {
  readonly accountId: AccountId
  readonly changeNo: number
  readonly signature: string
}

export interface AnalysisHead {
  /** 0 before the first commit. */
  readonly version: number
  /** The latest day that a run believed it was; no later run believes in an earlier one. */
  readonly asOf: CalendarDate | null
  /** Enrichment -> what it was planned whole under: its revision, and the version of its state. */
  readonly planned: Readonly<Record<string, string>>
  readonly marks: ReadonlyArray<AnalysisMark>
  /** The earliest day on which a partition is due. */
  readonly due: CalendarDate | null
  /** Whether people decided anything that holds. */
  readonly hasFacts: boolean
}

/** A record in a partition. One in several partitions is there several times. */
export interface AnalysisEntry {
  readonly partition: PartitionKey
  readonly recordId: string
  readonly accountId: AccountId
  readonly fields: Fields
  /** Those of its lines that are in the partition, in its place; never empty. */
  readonly lines?: ReadonlyArray<{ readonly id: string; readonly fields: Fields }>
}

/** Claims about a record, made by one partition. */
export interface AnalysisNote {
  readonly recordId: string
  readonly accountId: AccountId
  readonly claims: ReadonlyArray<{
    readonly field: string
    readonly value: string | boolean | null
    readonly evidence: Schema.Json
    /** The line of the record that it is about, where it is not about all of it. */
    readonly line?: string
  }>
}

export interface AnalysisLink extends PlannedLink<Schema.Json> {
  /** Follows from enrichment, kind and members. */
  readonly id: string
}

/** What a partition keeps, besides its records. */
export interface PartitionState {
  readonly partition: PartitionKey
  /** What it was planned under, as in `AnalysisHead.planned`. */
  readonly tag: string
  readonly state: Schema.Json
  readonly due: CalendarDate | null
}

/** What a partition says. */
export interface PartitionOutput {
  readonly notes: ReadonlyArray<AnalysisNote>
  readonly links: ReadonlyArray<AnalysisLink>
}

/** Rows that changed; whatever is not named stays. */
export interface AnalysisChanges {
  readonly asOf: CalendarDate
  readonly planned: AnalysisHead["planned"]
  /** Marks that are set, and accounts whose mark goes. */
  readonly marks: ReadonlyArray<AnalysisMark>
  readonly unmarked: ReadonlyArray<AccountId>
  readonly enrichments: ReadonlyArray<{
    readonly enrichmentId: EnrichmentId
    /** All entries of these records, from now on. */
    readonly entries: ReadonlyArray<{
      readonly recordId: string
      readonly entries: ReadonlyArray<AnalysisEntry>
    }>
    /** All entries of other records, about which the enrichment keeps nothing until now, so that nobody need look; none unless given. */
    readonly fresh?: ReadonlyArray<AnalysisEntry>
    readonly partitions: ReadonlyArray<PartitionState>
    /** Nothing is kept of them. */
    readonly dropped: ReadonlyArray<PartitionKey>
    readonly notes: ReadonlyArray<AnalysisNote & { readonly partition: PartitionKey }>
    readonly droppedNotes: ReadonlyArray<{ readonly partition: PartitionKey; readonly recordId: string }>
    readonly links: ReadonlyArray<AnalysisLink & { readonly partition: PartitionKey }>
    readonly droppedLinks: ReadonlyArray<string>
  }>
}

export class AnalysisStore extends Context.Service<
  AnalysisStore,
  {
    readonly head: (scope: AnalysisScope) => Effect.Effect<AnalysisHead, StorageUnavailable>
    /** By record, those of a record by partition; records without entries are left out. */
    readonly entries: (
      scope: AnalysisScope,
      enrichmentId: EnrichmentId,
      recordIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<AnalysisEntry>>, StorageUnavailable>
    /** Some of the records of an account that are in any partition, at most `limit`, by id. */
    readonly accountRecords: (
      scope: AnalysisScope,
      accountId: AccountId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** The records of partitions, by partition and id; at most one more than `limits.partitionRecords` of each. */
    readonly members: (
      scope: AnalysisScope,
      enrichmentId: EnrichmentId,
      partitions: ReadonlyArray<PartitionKey>
    ) => Effect.Effect<ReadonlyArray<AnalysisEntry>, StorageUnavailable>
    /** What partitions keep; those that keep nothing are left out. */
    readonly partitions: (
      scope: AnalysisScope,
      enrichmentId: EnrichmentId,
      partitions: ReadonlyArray<PartitionKey>
    ) => Effect.Effect<ReadonlyArray<PartitionState>, StorageUnavailable>
    /** What an enrichment keeps, by partition: those behind one, at most `limit`. */
    readonly states: (
      scope: AnalysisScope,
      enrichmentId: EnrichmentId,
      page: { readonly after: PartitionKey; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<PartitionState>, StorageUnavailable>
    /** The links of an enrichment by id: those behind one, at most `limit`. */
    readonly linksOf: (
      scope: AnalysisScope,
      enrichmentId: EnrichmentId,
      page: { readonly after: string; readonly limit: number; readonly state?: AnalysisLink["state"] }
    ) => Effect.Effect<ReadonlyArray<AnalysisLink>, StorageUnavailable>
    /** What partitions say; those that say nothing are left out. */
    readonly outputs: (
      scope: AnalysisScope,
      enrichmentId: EnrichmentId,
      partitions: ReadonlyArray<PartitionKey>
    ) => Effect.Effect<ReadonlyMap<PartitionKey, PartitionOutput>, StorageUnavailable>
    /** Partitions that are due on that day or earlier, or were planned under another tag; by key, at most `limit`. */
    readonly stale: (
      scope: AnalysisScope,
      enrichmentId: EnrichmentId,
      since: { readonly tag: string; readonly today: CalendarDate; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<PartitionKey>, StorageUnavailable>
    /** Those of the keys of events that were not there yet; they are from now on. */
    readonly addEvents: (
      scope: AnalysisScope,
      enrichmentId: EnrichmentId,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
    /** Writes changes and makes the version one higher; `false`, and nothing is written, where it is not `version`. */
    readonly commit: (
      scope: AnalysisScope,
      version: number,
      changes: AnalysisChanges
    ) => Effect.Effect<boolean, StorageUnavailable>
    /** Forgets an enrichment: all that it keeps, says and was told, facts about it included. */
    readonly forget: (workspaceId: WorkspaceId, enrichmentId: EnrichmentId) => Effect.Effect<void, StorageUnavailable>

    /** Annotations of records; those without any are left out. */
    readonly notes: (
      workspaceId: WorkspaceId,
      recordIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, RecordNotes>, StorageUnavailable>
    /** Links by id. */
    readonly links: (
      workspaceId: WorkspaceId,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<AnalysisLink & { readonly enrichmentId: EnrichmentId }>, StorageUnavailable>

    readonly addFacts: (facts: ReadonlyArray<EnrichmentFact>) => Effect.Effect<void, StorageUnavailable>
    readonly liftFacts: (
      workspaceId: WorkspaceId,
      ids: ReadonlyArray<EnrichmentFactId>,
      lifted: NonNullable<EnrichmentFact["lifted"]>
    ) => Effect.Effect<void, StorageUnavailable>
    readonly fact: (
      workspaceId: WorkspaceId,
      id: EnrichmentFactId
    ) => Effect.Effect<EnrichmentFact | undefined, StorageUnavailable>
    /**
     * Those that hold, by id: of one enrichment together with what people said for themselves, or of some records; of records
     * also with those that were lifted.
     */
    readonly facts: (
      scope: AnalysisScope,
      of:
        | { readonly enrichmentId: EnrichmentId }
        | { readonly recordIds: ReadonlyArray<string>; readonly lifted?: boolean }
    ) => Effect.Effect<ReadonlyArray<EnrichmentFact>, StorageUnavailable>
    readonly countFacts: (workspaceId: WorkspaceId) => Effect.Effect<number, StorageUnavailable>
    /** The partitions of an enrichment that hold these records have to be planned again: their due day is `today`. */
    readonly disturb: (
      scope: AnalysisScope,
      recordIds: ReadonlyArray<string>,
      today: CalendarDate
    ) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/enrichment/AnalysisStore") {}
