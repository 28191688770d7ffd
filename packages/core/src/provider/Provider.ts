/**
 * The provider port: what a driver of an upstream must do.
 *
 * A driver is a pure translator. It never touches our storage, never sleeps, never decides identity and
 * never retries more than its transport does; staging, atomic commit, matching, schedules and budgets are
 * the kernel's. `packages/testing/src/suite/UpstreamSuite.ts` holds every driver to this.
 */
import type * as Effect from "effect/Effect"
import type { OutboundResponse } from "../outbound/Outbound.ts"
import type { SyncDataType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Currency } from "../shared/Currency.ts"
import type { Decimal } from "../shared/Decimal.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { AccountType } from "./AccountType.ts"
import type { Capabilities, LimitReading } from "./Capabilities.ts"
import type {
  BeginConnect,
  ClientStep,
  CompleteConnect,
  CompletedConnection,
  Connection,
  ConnectOptions,
  Institution,
  InstitutionQuery,
  KeepSecrets,
  PsuContext,
  Subject
} from "./Connect.ts"
import type { ConnectionHealth } from "./ConnectionHealth.ts"
import type { ProviderError } from "./ProviderError.ts"
import type { ProviderKind } from "./ProviderKind.ts"
import type { UnreadAccount } from "./ReadAccounts.ts"
import type { InboundWebhook, Poke, WebhookRefused } from "./Webhook.ts"

/** An account as the upstream shows it now. */
export interface ObservedAccount {
  readonly providerAccountId: string
  /** Keys by which the account is known again after a reconnect, strongest first. */
  readonly stableKeys: ReadonlyArray<string>
  /** Full or partial number; only the last four characters are ever kept. */
  readonly number: string
  readonly name: string
  readonly type: AccountType
  readonly subtype?: string
  readonly currency: Currency
  /** Signed net position: negative for a debt. */
  readonly balance: Decimal
  readonly availableBalance?: Decimal
  readonly creditLimit?: Decimal
  readonly balanceAsOf?: Timestamp
  /** Data types that this account has; balances always. */
  readonly supports: ReadonlyArray<SyncDataType>
}

/** A record as the upstream shows it, translated to our fields but not yet identified. */
export interface ObservedRecord {
  readonly providerAccountId: string
  /** `""` when the upstream gives none. */
  readonly providerId: string
  /** The pending record that this one settles, when the upstream says so. */
  readonly pendingProviderId?: string
  readonly pending: boolean
  /** Fields of the data type (`record/DataType`) without the id and the owner's fields. */
  readonly fields: Fields
  /** What a document lists, in its order: the item fields of each. Of documents only. */
  readonly items?: ReadonlyArray<Fields>
  /** What the upstream wrote where we had to read it: kept as evidence. */
  readonly evidence?: Fields
}

/** The first day for which the upstream shows all posted rows of an account. */
export interface HistoryStart {
  readonly providerAccountId: string
  readonly from: CalendarDate
}

/**
 * What an upstream said itself of the accounts that it was asked for; never what a driver asked for, or what its
 * documentation promises. Many upstreams show less history than they say, and then the rows show it.
 */
export interface UpstreamSays {
  /**
   * How far back an account goes, such as an answered "history starts at". Without it a read of transactions, trades or
   * orders proves no more than the days after the oldest posted row that it shows of the account: a record that is
   * older stays as it is. With it, what is not shown of that day or later is gone. No row of the account is older. In a
   * window it is never before the first day of the window: of earlier days the upstream was not asked.
   */
  readonly historyFrom?: ReadonlyArray<HistoryStart>
  /** Accounts that have no holdings, or no loan. Without it an empty list of them says nothing. */
  readonly none?: ReadonlyArray<string>
}

/** What the rows of a page say about rows that are not in it. */
export type Coverage =
  /** Nothing: only what is listed is known. Removals come as `removed`. */
  | { readonly kind: "delta" }
  /** All rows dated in the range that the upstream still has, once every page of the run was read. */
  | ({
      readonly kind: "window"
      readonly from: CalendarDate
      readonly to: CalendarDate
      readonly complete: boolean
    } & UpstreamSays)
  /** All rows that the upstream still has, once every page of the run was read. */
  | ({ readonly kind: "full"; readonly complete: boolean } & UpstreamSays)

/**
 * What a page says of some of its rows only: of these accounts, of the rows in this status. An account or status that no
 * part names was not read, and nothing is known of what is not shown of it. Of several parts that name the same, the last
 * one counts.
 */
export type PartCoverage = Coverage & {
  /** Absent: all accounts that were asked for. */
  readonly providerAccountIds?: ReadonlyArray<string>
  /** Absent: posted and pending rows. */
  readonly status?: "pending" | "posted"
}

export type PageEnd =
  /** More pages; `position` is opaque, valid within this run only. */
  | { readonly kind: "more"; readonly position: string }
  /** The last page. `checkpoint` is where the next run begins; absent for sources without one. */
  | { readonly kind: "done"; readonly checkpoint?: string }

export interface SyncPage {
  readonly upserted: ReadonlyArray<ObservedRecord>
  /** Upstream ids of records that are gone. */
  readonly removed: ReadonlyArray<{ readonly providerAccountId: string; readonly providerId: string }>
  /** Rows that could not be read: they are counted and reported, the page goes on. */
  readonly quarantined: ReadonlyArray<{ readonly providerId: string; readonly reason: string }>
  /** Of everything that was asked for, or part by part: several accounts in one page, posted and pending rows apart. */
  readonly coverage: Coverage | ReadonlyArray<PartCoverage>
  /**
   * Why accounts could not be read though others could; no part of `coverage` names them. The job warns of it, and reads
   * them again the next time.
   */
  readonly troubles?: ReadonlyArray<{
    readonly providerAccountIds: ReadonlyArray<string>
    readonly error: ProviderError
  }>
  readonly end: PageEnd
}

export interface PullRequest {
  readonly dataType: Exclude<SyncDataType, "balances">
  /** Upstream accounts asked for; a driver of scope `connection` may answer for all of them. */
  readonly providerAccountIds: ReadonlyArray<string>
  /** Range of dates for drivers that read windows; delta drivers ignore it unless `checkpoint` is absent. */
  readonly from: CalendarDate
  readonly to: CalendarDate
  /** Where the last committed run ended; absent: everything from `from` on. */
  readonly checkpoint?: string
  /** Where the page before this one ended; absent: the first page. */
  readonly position?: string
}

export interface OpenSession {
  readonly connection: Connection
  readonly subject: Subject
  /**
   * Keeps new secrets of the connection, sealed and durable before it returns: to be called right after the upstream gave
   * them, before they are used. From then on every session is opened with them.
   */
  readonly keep: KeepSecrets
  /** Of a person who waits for the answer; absent in the background. */
  readonly psu?: PsuContext
}

/** What came of asking the upstream to read from the bank now. */
export interface RefreshStarted {
  readonly status: "refreshing" | "not_supported"
  readonly nextRefreshPossibleAt?: Timestamp
}

/**
 * A run's look at one connection. The kernel asks `inspect` and `listAccounts` once each and remembers what they answered;
 * a driver keeps for the session what its own answers have in common, such as one that serves accounts and rows alike.
 * An answer that failed may be asked for again.
 */
export interface ProviderSession {
  /** The only defence against a broken connection that still answers with old data: asked before each run. */
  readonly inspect: Effect.Effect<ConnectionHealth, ProviderError>
  /** All accounts that can be read, balances included. */
  readonly listAccounts: Effect.Effect<ReadonlyArray<ObservedAccount>, ProviderError>
  /**
   * The accounts that `listAccounts` leaves out because they cannot be read: they are there, and nothing of them is gone.
   * Asked after `listAccounts`, whose answer it is about. Absent: every account can be read.
   */
  readonly unreadAccounts?: Effect.Effect<ReadonlyArray<UnreadAccount>, ProviderError>
  readonly pull: (request: PullRequest) => Effect.Effect<SyncPage, ProviderError>
  /** Where `capabilities.refresh` says that the upstream can. */
  readonly refresh?: (dataTypes: ReadonlyArray<SyncDataType>) => Effect.Effect<RefreshStarted, ProviderError>
  /** An unknown connection counts as revoked. `pending`: the upstream goes on with it by itself. */
  readonly revoke: Effect.Effect<"done" | "pending", ProviderError>
}

export interface ProviderDriver {
  readonly kind: ProviderKind
  /** `<kind>:<instance>`. */
  readonly instanceId: string
  readonly name: string
  readonly countryCodes: ReadonlyArray<string>
  readonly capabilities: Capabilities
  /** Absent: it reads no field of its own. */
  readonly connectOptions?: ConnectOptions

  readonly listInstitutions: (query: InstitutionQuery) => Effect.Effect<ReadonlyArray<Institution>, ProviderError>
  /**
   * Makes the subject again where the upstream does not know it any more. `ConnectionGone` says that the upstream has lost the
   * connection of `reconnect`: then the kernel begins another one.
   */
  readonly beginConnect: (request: BeginConnect) => Effect.Effect<ClientStep, ProviderError>
  /**
   * Verifies upstream that what the payload names belongs to our subject. The same again for the same attempt, where the
   * upstream lets it: the kernel makes completing twice harmless, also where a payload works once. A connection keeps the `ref`
   * of `reconnect` at the same institution alone.
   */
  readonly completeConnect: (request: CompleteConnect) => Effect.Effect<CompletedConnection, ProviderError>
  /**
   * Takes back the customer that the connections of a workspace belonged to, with all that the upstream still holds of them. The
   * kernel asks once no bank and no attempt needs the subject any more, and asks again until it is `done`. What the upstream
   * made without our ever knowing its answer is found by `ref`. A subject that it does not know counts as taken back.
   * `pending`: the upstream goes on with it by itself. Absent: the upstream keeps nothing but connections.
   */
  readonly removeSubject?: (subject: Subject) => Effect.Effect<"done" | "pending", ProviderError>
  /** Opens a connection for one run. It asks nothing that the run may not need. */
  readonly open: (request: OpenSession) => Effect.Effect<ProviderSession, ProviderError>
  /** The signature first, over the raw bytes. Where `capabilities.webhooks` says that there are any. */
  readonly verifyWebhook?: (
    webhook: InboundWebhook
  ) => Effect.Effect<ReadonlyArray<Poke>, ProviderError | WebhookRefused>
  /** What an answer says of the limits that `capabilities.limits` names, such as what is left and when it is full again. */
  readonly readLimits?: (
    answer: Pick<OutboundResponse, "status" | "headers">,
    /** Milliseconds since 1970. */
    now: number
  ) => ReadonlyArray<LimitReading>
}
