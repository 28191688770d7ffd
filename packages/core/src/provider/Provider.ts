/**
 * The provider port: what a driver of an upstream must do.
 *
 * A driver is a pure translator. It never touches our storage, never sleeps, never decides identity and
 * never retries more than its transport does; staging, atomic commit, matching, schedules and budgets are
 * the kernel's. `packages/testing/src/suite/ProviderSuite.ts` holds every driver to this.
 */
import type * as Effect from "effect/Effect"
import type { AccountType } from "./AccountType.ts"
import type { BankType } from "./BankType.ts"
import type { ConnectionHealth } from "./ConnectionHealth.ts"
import type { SyncDataType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Currency } from "../shared/Currency.ts"
import type { Decimal } from "../shared/Decimal.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { Capabilities } from "./Capabilities.ts"
import type { ProviderError } from "./ProviderError.ts"
import type { ProviderKind } from "./ProviderKind.ts"

/** A connection as a driver sees it. Secrets are opened for the call and never logged. */
export interface Connection {
  /** The upstream's reference of the connection. */
  readonly ref: string
  readonly secrets: Readonly<Record<string, string>>
}

export interface Institution {
  readonly id: string
  readonly name: string
  readonly countryCodes: ReadonlyArray<string>
  readonly status: "ok" | "degraded" | "down"
  readonly logo?: string
  readonly url?: string
}

export type ConnectPayload =
  | { readonly kind: "plaid_public_token"; readonly publicToken: string; readonly institutionId?: string }
  | { readonly kind: "provider_connection_id"; readonly connectionId: string; readonly institutionId?: string }

export interface CompletedConnection {
  readonly connection: Connection
  readonly institution: Institution
  readonly bankType: BankType
  readonly consentExpiresAt?: Timestamp
}

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

/** The first day of which the upstream shows all posted rows of an account. */
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
  readonly coverage: Coverage
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

export interface BeginConnect {
  readonly attemptId: string
  readonly email: string
  readonly institutionId?: string
  readonly redirectUri?: string
  readonly reconnect?: Connection
  readonly options: Readonly<Record<string, unknown>>
}

/** What the person's browser needs to go on; each becomes one flow of the specification's section 2.2. */
export type ClientStep =
  | { readonly kind: "link"; readonly token: string; readonly expiresAt: Timestamp }
  | { readonly kind: "popup"; readonly url: string; readonly expiresAt: Timestamp }
  | { readonly kind: "redirect"; readonly url: string; readonly expiresAt: Timestamp }

export interface ProviderDriver {
  readonly kind: ProviderKind
  /** `<kind>:<instance>`. */
  readonly instanceId: string
  readonly name: string
  readonly countryCodes: ReadonlyArray<string>
  readonly capabilities: Capabilities

  readonly listInstitutions: (query: string) => Effect.Effect<ReadonlyArray<Institution>, ProviderError>
  readonly beginConnect: (request: BeginConnect) => Effect.Effect<ClientStep, ProviderError>
  /** Verifies upstream that the payload is ours; idempotent per attempt. */
  readonly completeConnect: (request: {
    readonly attemptId: string
    readonly payload: ConnectPayload
  }) => Effect.Effect<CompletedConnection, ProviderError>
  /** The only defence against a broken connection that still answers with old data: asked before each run. */
  readonly inspect: (connection: Connection) => Effect.Effect<ConnectionHealth, ProviderError>
  /** All accounts, balances included. */
  readonly listAccounts: (connection: Connection) => Effect.Effect<ReadonlyArray<ObservedAccount>, ProviderError>
  readonly pull: (connection: Connection, request: PullRequest) => Effect.Effect<SyncPage, ProviderError>
  /** An unknown connection counts as revoked. */
  readonly revoke: (connection: Connection) => Effect.Effect<"done" | "pending", ProviderError>
}
