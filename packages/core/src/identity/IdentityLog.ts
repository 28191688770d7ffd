/** Matches and suggestions as people read them, page by page. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { AccountRef } from "../bank/Account.ts"
import { toPublic } from "../bank/PublicRecord.ts"
import type { DataType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import { type RecordScope, RecordStore } from "../record/RecordStore.ts"
import { type Bound, Cursors } from "../cursor/Cursors.ts"
import { Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { sizeOf, type Page, type PageRequest } from "../shared/Page.ts"
import { IdentityStore } from "./IdentityStore.ts"
import { matchStates, type LoggedMatch } from "./LoggedMatch.ts"
import { suggestionStates, type LoggedSuggestion } from "./LoggedSuggestion.ts"

/** The records of one type in one account of a bank. */
export interface LedgerRef extends AccountRef {
  readonly dataType: DataType
}

/** They exist, and this is whose they are. */
export interface Opened {
  readonly scope: RecordScope
  readonly owner: Fields
}

export interface MatchView {
  readonly match: LoggedMatch
  /** The record before the match, and what was taken for it, as everybody reads records. */
  readonly before: Fields
  readonly observed: Fields
}

export interface SuggestionView {
  readonly suggestion: LoggedSuggestion
  /** The record that could go on, and the one that its next observation got instead, as they are now. */
  readonly record: Fields
  readonly observed: Fields
}

export interface MatchesQuery extends PageRequest {
  readonly recordId?: string
  readonly state?: LoggedMatch["state"]
}

export interface SuggestionsQuery extends PageRequest {
  readonly recordId?: string
  readonly state?: LoggedSuggestion["state"]
}

const recordId = Schema.optionalKey(Schema.String)

const MatchesCursor = Schema.Struct({
  before: Id("match"),
  recordId,
  state: Schema.optionalKey(Schema.Literals(matchStates))
})

const SuggestionsCursor = Schema.Struct({
  before: Id("suggestion"),
  recordId,
  state: Schema.optionalKey(Schema.Literals(suggestionStates))
})

const boundOf = (what: string, { scope }: Opened, { accountId, bankId, dataType }: LedgerRef): Bound => ({
  workspaceId: scope.workspaceId,
  list: `${what}/${bankId}/${accountId}/${dataType}`
})

/** The filters of a list, without what is only about its pages. */
const filtersOf = <State extends string>(query: { readonly recordId?: string; readonly state?: State }) => ({
  ...(query.recordId === undefined ? {} : { recordId: query.recordId }),
  ...(query.state === undefined ? {} : { state: query.state })
})

export const matchView = ({ owner, scope }: Opened, match: LoggedMatch): MatchView => {
  const shown = (id: string, fields: Fields) => toPublic(scope.dataType, { id, fields }, owner)
  return {
    match,
    before: shown(match.recordId, match.before.fields),
    observed: shown(match.separateId ?? match.recordId, match.observed.fields)
  }
}

const make = Effect.gen(function* () {
  const identity = yield* IdentityStore
  const records = yield* RecordStore
  const cursors = yield* Cursors

  const suggestionViews = Effect.fnUntraced(function* (
    { owner, scope }: Opened,
    suggestions: ReadonlyArray<LoggedSuggestion>
  ) {
    const fields = yield* records.fields(
      scope,
      suggestions.flatMap((one) => [one.recordId, one.observedId])
    )
    const shown = (id: string) => toPublic(scope.dataType, { id, fields: fields.get(id) ?? {} }, owner)
    return suggestions.map((suggestion): SuggestionView => ({
      suggestion,
      record: shown(suggestion.recordId),
      observed: shown(suggestion.observedId)
    }))
  })

  const matches = Effect.fnUntraced(function* (opened: Opened, ref: LedgerRef, query: MatchesQuery) {
    const bound = boundOf("matches", opened, ref)
    const start = query.cursor === undefined ? query : yield* cursors.decode(bound, MatchesCursor, query.cursor)
    const limit = sizeOf(limits.page, query.limit)
    const found = yield* identity.matches(opened.scope, {
      ...filtersOf(start),
      ...("before" in start ? { before: start.before } : {}),
      limit: limit + 1
    })
    const page = found.slice(0, limit)
    const last = page[page.length - 1]
    const rows = page.map((match) => matchView(opened, match))
    if (found.length <= limit || last === undefined) return { rows, hasMore: false } satisfies Page<MatchView>
    const cursor = yield* cursors.encode(bound, "page", { ...filtersOf(start), before: last.id })
    return { rows, hasMore: true, cursor } satisfies Page<MatchView>
  })

  const suggestions = Effect.fnUntraced(function* (opened: Opened, ref: LedgerRef, query: SuggestionsQuery) {
    const bound = boundOf("suggestions", opened, ref)
    const start = query.cursor === undefined ? query : yield* cursors.decode(bound, SuggestionsCursor, query.cursor)
    const limit = sizeOf(limits.page, query.limit)
    const found = yield* identity.suggestions(opened.scope, {
      ...filtersOf(start),
      ...("before" in start ? { before: start.before } : {}),
      limit: limit + 1
    })
    const page = found.slice(0, limit)
    const last = page[page.length - 1]
    const rows = yield* suggestionViews(opened, page)
    if (found.length <= limit || last === undefined) return { rows, hasMore: false } satisfies Page<SuggestionView>
    const cursor = yield* cursors.encode(bound, "page", { ...filtersOf(start), before: last.id })
    return { rows, hasMore: true, cursor } satisfies Page<SuggestionView>
  })

  return { matches, suggestions, suggestionViews }
})

/** Lists matches and suggestions, page by page. */
export class IdentityLog extends Context.Service<IdentityLog>()("@millrace/core/identity/IdentityLog", { make }) {
  static readonly layer: Layer.Layer<IdentityLog, never, IdentityStore | RecordStore | Cursors> = Layer.effect(
    IdentityLog,
    make
  )
}
