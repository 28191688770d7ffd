/**
 * Port: what is remembered about the identity of records besides the records themselves (enrichments D1).
 *
 * Everything is scoped by account, and an account belongs to one workspace. Anyone who writes holds the lease of
 * the bank, so no two write about one account at the same time.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AccountId } from "../bank/Account.ts"
import type { RecordScope } from "../record/RecordStore.ts"
import type { Id } from "../shared/Ids.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { IdentityFact } from "./match/IdentityFact.ts"
import type { LearntText } from "./match/LearntTexts.ts"
import type { Decided, LoggedMatch, MatchId, MatchState } from "./LoggedMatch.ts"
import type { LoggedSuggestion, SuggestionId, SuggestionState } from "./LoggedSuggestion.ts"
import type { TrustCounter } from "./match/TrustCounter.ts"

/** What a read of an account has to know before it is matched. */
export interface Recalled {
  /** The store's clock, which also says since when records are missing. */
  readonly now: Timestamp
  readonly trust: TrustCounter
  /** Least recently shown first. */
  readonly learnt: ReadonlyArray<LearntText>
  /** Whether there are former upstream ids to ask for. */
  readonly hasAliases: boolean
  /** Facts that hold and that matching asks for (`forbid` and `keep`); in no order. */
  readonly facts: ReadonlyArray<IdentityFact>
}

/** A former upstream id of a record. */
export interface Alias {
  readonly providerId: string
  readonly recordId: string
}

/** Newest first. `before` is the last id of the page before. */
export interface LogQuery<State, LogId> {
  readonly recordId?: string
  /** Only these. */
  readonly ids?: ReadonlyArray<LogId>
  readonly state?: State
  readonly limit: number
  readonly before?: LogId
}

type Stored<A> = Effect.Effect<A, StorageUnavailable>

export class IdentityStore extends Context.Service<
  IdentityStore,
  {
    /** One look-up: it comes before every read. */
    readonly recall: (scope: RecordScope) => Stored<Recalled>
    readonly setTrust: (scope: RecordScope, trust: TrustCounter) => Stored<void>
    /** Replaces what is known of texts: at most `limits.learntTexts`. */
    readonly setLearnt: (scope: RecordScope, learnt: ReadonlyArray<LearntText>) => Stored<void>
    /** Ids of these accounts are trusted again as far as their driver declares. */
    readonly forgetTrust: (workspaceId: WorkspaceId, accountIds: ReadonlyArray<AccountId>) => Stored<void>
    /** Everything that is remembered of the records of an account goes, what people decided as well. */
    readonly forget: (workspaceId: WorkspaceId, accountId: AccountId) => Stored<void>

    /** Upstream id -> the record that had it once. */
    readonly aliases: (scope: RecordScope, providerIds: ReadonlyArray<string>) => Stored<ReadonlyMap<string, string>>
    /** Newest first: by when the record had the id last, by the store's clock. */
    readonly aliasesOf: (
      scope: RecordScope,
      recordId: string
    ) => Stored<ReadonlyArray<Alias & { readonly lastSeen: Timestamp }>>
    /** Record -> its former upstream ids, the oldest first; without records that have none. */
    readonly formerIds: (
      scope: RecordScope,
      recordIds: ReadonlyArray<string>
    ) => Stored<ReadonlyMap<string, ReadonlyArray<string>>>
    /**
     * Notes ids that records had until now. An id leads to the record that had it last; of one record only
     * the newest `limits.aliasesPerRecord` are kept. Ids are unique within one call.
     */
    readonly addAliases: (scope: RecordScope, aliases: ReadonlyArray<Alias>) => Stored<void>
    /** The ids lead to another record now; when they were seen last stays. */
    readonly moveAliases: (scope: RecordScope, providerIds: ReadonlyArray<string>, to: string) => Stored<void>

    /**
     * What was noted of records since matches were made goes to the records that the matches took from them: ids that were
     * seen last by then or later, but for the one that the record had before, and later matches.
     */
    readonly handBack: (
      scope: RecordScope,
      matches: ReadonlyArray<Pick<LoggedMatch, "id" | "recordId" | "at" | "before"> & { readonly separateId: string }>
    ) => Stored<void>

    /** Their time is that of the store. */
    readonly logMatches: (matches: ReadonlyArray<Omit<LoggedMatch, "at">>) => Stored<void>
    readonly match: (scope: RecordScope, id: MatchId) => Stored<Option.Option<LoggedMatch>>
    readonly matches: (scope: RecordScope, query: LogQuery<MatchState, MatchId>) => Stored<ReadonlyArray<LoggedMatch>>
    /** Replaces record, both contents, state, separate record and decision. */
    readonly setMatch: (
      match: Pick<
        LoggedMatch,
        "id" | "accountId" | "recordId" | "before" | "observed" | "state" | "separateId" | "decided"
      >
    ) => Stored<void>

    /** A pair that was suggested before is left as it is. Their time is that of the store. */
    readonly suggest: (suggestions: ReadonlyArray<Omit<LoggedSuggestion, "at" | "state">>) => Stored<void>
    readonly suggestion: (scope: RecordScope, id: SuggestionId) => Stored<Option.Option<LoggedSuggestion>>
    readonly suggestions: (
      scope: RecordScope,
      query: LogQuery<SuggestionState, SuggestionId>
    ) => Stored<ReadonlyArray<LoggedSuggestion>>
    readonly decideSuggestion: (
      suggestion: Pick<LoggedSuggestion, "id" | "accountId">,
      state: SuggestionState,
      decided: Decided | undefined
    ) => Stored<void>

    /** All that hold; in no order. */
    readonly facts: (scope: RecordScope) => Stored<ReadonlyArray<IdentityFact>>
    readonly addFact: (fact: IdentityFact) => Stored<void>
    readonly liftFacts: (accountId: AccountId, ids: ReadonlyArray<Id<"fact">>, decided: Decided) => Stored<void>
    /** Facts of a workspace that hold. */
    readonly countFacts: (workspaceId: WorkspaceId) => Stored<number>

    /**
     * Forgets matches and suggestions older than `limits.matchDays` and aliases that were not seen for `limits.aliasDays`, but
     * none of a record that a person deleted: at most `limit` of each. Returns how many.
     */
    readonly purge: (limit: number) => Stored<number>
  }
>()("@millrace/core/identity/IdentityStore") {}
