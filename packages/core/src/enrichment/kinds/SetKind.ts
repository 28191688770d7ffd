/**
 * Kinds that look at sets of records (enrichments A2, A10, B1).
 *
 * The records in scope fall into partitions. What the kind says of a partition follows from the records in it, what people
 * decided, the configuration and the day; so only partitions in which something changed are planned again, and the result is
 * the one that planning all of them would have.
 */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Posting } from "../../message/Outbox.ts"
import type { AccountType } from "../../provider/AccountType.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import type { FieldValue, Fields } from "../../record/FieldValue.ts"
import type { BusinessCalendar } from "../../shared/BusinessCalendar.ts"
import type { CalendarDate } from "../../shared/CalendarDate.ts"
import type { Currency } from "../../shared/Currency.ts"
import type { Sha256 } from "../../shared/DerivedId.ts"
import type { Id } from "../../shared/Ids.ts"
import type { Decimal } from "../../shared/Decimal.ts"
import type { Timestamp } from "../../shared/Timestamp.ts"
import type { RateTable } from "../../shared/RateTable.ts"
import type { Work } from "../../shared/Work.ts"
import type { StorageUnavailable } from "../../storage/StorageUnavailable.ts"
import type { EnrichmentFact, FactRequest, UndoTarget } from "./EnrichmentFact.ts"
import type { EnrichmentFault, EnrichmentScope, KindBase, PlanContext } from "./Kind.ts"
import type { PlannedFinding } from "./PlannedFinding.ts"

export type { PlannedFinding } from "./PlannedFinding.ts"

/** Names a partition within an enrichment, such as `2026-03`: 1 to 200 characters. */
export type PartitionKey = string

/** A record as a set kind sees it: the fields it reads, as they are at its place in the pipeline. */
export interface SetRecord {
  /** Of a line: that of its record, and its own (`lines`). */
  readonly recordId: string
  readonly accountId: Id<"account">
  readonly fields: Fields
}

/** What is known of an account besides its records. Times are absent where nobody told any. */
export interface AccountStatus {
  /** Signed: negative for a debt. */
  readonly balance: Decimal
  readonly balanceAsOf?: Timestamp
  /** When the data type of the enrichment was last read whole from upstream. */
  readonly syncedAt?: Timestamp
  readonly consentExpiresAt?: Timestamp
}

/** One of the accounts in scope. */
export interface SetAccount {
  readonly accountId: Id<"account">
  readonly bankId: Id<"bank">
  readonly bankName: string
  readonly accountName: string
  /** Masked: `****1234`. */
  readonly accountNumber: string
  readonly accountType: AccountType
  readonly currency: Currency
  /** For kinds with a `pulse`, and for the others only where one of those is in scope. */
  readonly status?: AccountStatus
  /** The day on which its balance was last read; absent where nobody knows. */
  readonly syncedOn?: CalendarDate
}

/** A partition as it is now. */
export interface Partition<State> {
  /** By id. */
  readonly records: ReadonlyArray<SetRecord>
  /** What was kept when it was planned last under the same revision; `undefined` before. */
  readonly state: State | undefined
}

/** What a kind remembers of a configuration that was replaced. */
export interface Remembered {
  /** The day on which it was replaced, in the workspace's time zone. */
  readonly until: CalendarDate
  readonly remembered: Schema.Json
}

/** A line of a plan in a period, as the enrichment that keeps it knows it: exact, in its own currency. */
export interface PlanFigure {
  readonly enrichmentId: Id<"enrichment">
  /** The line as people call it. */
  readonly name: string
  readonly from: CalendarDate
  /** The last day. */
  readonly to: CalendarDate
  readonly currency: Currency
  /** What there was to spend. */
  readonly planned: Decimal
  readonly spent: Decimal
}

export interface PlanInput<Prepared, State> extends EnrichmentScope, PlanContext {
  /** As people call the enrichment. */
  readonly name: string
  /** Of the workspace: how people there write amounts and days. */
  readonly locale: string
  /** For kinds with `begins`: whether a record was there already when the enrichment began to look. */
  readonly isPast: (recordId: string) => boolean
  /** The instant that the run began to plan, the same for all partitions. */
  readonly at: Timestamp
  /** IANA name of the workspace's time zone. */
  readonly timezone: string
  readonly prepared: Prepared
  /** Counts changes of the enrichment. State that is kept is of this revision. */
  readonly revision: number
  /** What `remembers` gave of former configurations, the oldest first; those that remembered the same are one. */
  readonly past: ReadonlyArray<Remembered>
  readonly baseCurrency: Currency
  /** Daily mid rates: what `convert` cannot convert by them stays unconverted, and is reported as such. */
  readonly rates: RateTable
  /** Which days are business days in the workspace. */
  readonly calendar: BusinessCalendar
  /** For the ids of what follows (`shared/DerivedId`, `enrichment/kinds/LinkId`). */
  readonly sha256: Sha256
  readonly accounts: ReadonlyMap<Id<"account">, SetAccount>
  /** What has to be planned, in order. */
  readonly dirty: ReadonlyArray<PartitionKey>
  /** What people decided about this enrichment and holds, oldest first. */
  readonly facts: ReadonlyArray<EnrichmentFact>
  /** What enrichments that stand before show of their plans (`shows`), as it is after this run. */
  readonly figures: Effect.Effect<ReadonlyArray<PlanFigure>, StorageUnavailable>
  /** Partitions by key, those without records too: the dirty ones, their neighbours, and any others. */
  readonly read: (
    keys: ReadonlyArray<PartitionKey>
  ) => Effect.Effect<ReadonlyMap<PartitionKey, Partition<State>>, StorageUnavailable>
}

/** Events of this run that are reported for the first time, by enrichments that stand before. */
export interface HeardInput<Prepared> extends Pick<
  PlanInput<Prepared, unknown>,
  "prepared" | "name" | "locale" | "enrichmentId" | "workspaceId" | "sha256"
> {
  readonly events: ReadonlyArray<PlannedEvent & { readonly enrichmentId: Id<"enrichment"> }>
  readonly work: Work
}

/** "Field f of this record should be v", with all that is needed to see why. */
export interface SetClaim<Evidence> {
  readonly recordId: string
  readonly field: string
  readonly value: FieldValue
  readonly evidence: Evidence
}

/** Records that belong together. Its id follows from kind and members. */
export interface PlannedLink<Evidence> {
  /** Such as `transfer`. */
  readonly kind: string
  readonly members: ReadonlyArray<{ readonly recordId: string; readonly role: string }>
  readonly state: "suggested" | "auto" | "confirmed" | "broken"
  readonly evidence: Evidence
}

/** Something that is reported once: `key` names it for ever within the enrichment. */
export interface PlannedEvent {
  readonly key: string
  /** One of `capabilities.emits`. */
  readonly type: string
  readonly subjectId: string
  readonly data: Schema.Json
}

/** Something that is reported to people once, whatever is planned again. Like events, it is dropped while an enrichment begins. */
export type PlannedMessage = Posting

/** All that an enrichment says of a partition: what it said before and does not say now is taken back. */
export interface PartitionPlan<State, Evidence> {
  readonly state: State
  readonly claims: ReadonlyArray<SetClaim<Evidence>>
  readonly links: ReadonlyArray<PlannedLink<Evidence>>
  readonly events: ReadonlyArray<PlannedEvent>
  /** One that was found before and is not any more is resolved. */
  readonly findings?: ReadonlyArray<PlannedFinding>
  /** For people; none unless given. Keys name them for ever within the enrichment. */
  readonly messages?: ReadonlyArray<PlannedMessage>
  /** The next day on which it has to be planned again although nothing changed: something is late, a period ends. */
  readonly due?: CalendarDate | undefined
}

/**
 * Dirty partitions that are not named have nothing to say, and nothing is kept of them. Others that were read may be named
 * too; where that changes their state, they are planned again in the next round, at most `limits.planRounds` times.
 */
export interface Plan<State, Evidence> {
  readonly next: ReadonlyMap<PartitionKey, PartitionPlan<State, Evidence>>
}

/** What plans may depend on that belongs to no record: rates between currencies, and the days on which business is done. */
export type Surrounding = "rates" | "calendar"

/** Why a claim or a link was made, and whether its evidence alone leads to the same. */
export interface Explanation {
  readonly sentence: string
  /** The value that follows from the evidence. */
  readonly recomputed: FieldValue
  readonly holds: boolean
}

/** What an explanation is asked for. */
export interface Explained<Evidence> {
  readonly field: string
  readonly value: FieldValue
  readonly evidence: Evidence
}

export interface SetKind<Config = unknown, Prepared = unknown, State = unknown, Evidence = unknown> extends KindBase<
  Config,
  Prepared
> {
  readonly family: "set"
  /** Kept with each partition. Another version discards what was kept, and everything is planned again. */
  readonly State: { readonly version: number; readonly codec: Schema.Codec<State, Schema.Json> }
  readonly Evidence: Schema.Codec<Evidence, Schema.Json>
  /**
   * Whether it is given the lines of a record in place of the record where it falls into some: each is a record with the id
   * `recordId:lineId`, and what is claimed of it stands on that line alone. Without it, kinds see records as they were booked.
   */
  readonly lines?: true
  /** The fields it looks at. A change of others is none for it. */
  reads(prepared: Prepared, catalog: FieldCatalog): ReadonlyArray<string>
  /** Where a record belongs: none, one or several. Pure; what takes long is counted. */
  partitions(prepared: Prepared, record: SetRecord, work: Work): ReadonlyArray<PartitionKey>
  /**
   * Where one of these changes, every partition is planned again; state is kept, and what was reported stays reported. A kind that looks
   * at them without naming them keeps to what they were when it last had another reason to plan.
   */
  readonly watches?: ReadonlyArray<Surrounding>
  /**
   * A partition that is planned whenever the status of an account is another one than before: its balance, when it was read,
   * how long it may be read.
   */
  readonly pulse?: PartitionKey
  /** Whether it is given records that are gone as well; the field `removed` of such a record is `true`. */
  readonly removed?: true
  /**
   * Names what of a configuration makes the enrichment start again where it is another, such as conditions. A kind that has this
   * decides itself what is news: it learns which records are the past, keeps its state over all other changes of its
   * configuration, and nothing that it tells is held back.
   */
  begins?(config: Config): string
  /** What it makes of events; pure, and once for each. It is reported together with them, or not at all. */
  hears?(input: HeardInput<Prepared>): {
    readonly events: ReadonlyArray<PlannedEvent>
    readonly messages: ReadonlyArray<PlannedMessage>
  }
  /** What has to be known of a configuration after it was replaced, such as amounts that held in former months. */
  remembers?(config: Config): Schema.Json
  /** What enrichments that stand behind may know of it: what follows from the state of one of its partitions. */
  readonly shows?: {
    readonly partition: PartitionKey
    of(
      state: State,
      known: Pick<PlanInput<Prepared, State>, "prepared" | "enrichmentId" | "past" | "baseCurrency" | "today">
    ): ReadonlyArray<PlanFigure>
  }
  /**
   * Whether it needs few of the partitions that changed, and reads those itself. All of them are read before it plans unless
   * given, and as many are planned in one transaction as there is room for their records.
   */
  readonly readsFew?: true
  /** Read together with a dirty partition, in one go. */
  neighbours?(prepared: Prepared, key: PartitionKey): ReadonlyArray<PartitionKey>
  /** Reads and decides, and writes nothing. The same input gives the same plan, to the byte. */
  plan(input: PlanInput<Prepared, State>): Effect.Effect<Plan<State, Evidence>, EnrichmentFault | StorageUnavailable>
  /** The facts that make it as if it had not spoken. */
  undo(target: UndoTarget): ReadonlyArray<FactRequest>
  explain(config: Config, explained: Explained<Evidence>): Explanation
  /**
   * Where it ties records together: the field that says what a record is tied to, by the id of the link or of another member. A
   * link is explained as this claim is, from its own evidence.
   */
  readonly linkField?: string
  /** Where not all that it says of the members of a link follows from the link: the fields that do. */
  readonly fieldsOfLink?: ReadonlyArray<string>
}
