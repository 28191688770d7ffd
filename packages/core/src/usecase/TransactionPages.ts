/**
 * Pages of transactions (decisions 1.6 and 5.3).
 *
 * The page loop goes from new to old and carries the change number that was current when it began. Its last
 * page leads to a watermark: from there on only records whose public form changed since are answered, in change order,
 * with the ids of what vanished. Delivery by cursor is at-least-once.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { InvalidInput } from "../failure/Failure.ts"
import type { Fields } from "../record/FieldValue.ts"
import { recordStates, type ShownRecord } from "../record/LedgerRecord.ts"
import { matches } from "../record/RecordMatch.ts"
import { type PageQuery, type RecordFilter, type RecordScope, RecordStore } from "../record/RecordStore.ts"
import { CalendarDate } from "../shared/CalendarDate.ts"
import { type Bound, Cursors } from "../cursor/Cursors.ts"
import { DecimalText } from "../shared/Decimal.ts"
import { limits } from "../shared/Limits.ts"
import { sizeOf } from "../shared/Page.ts"
import type { TransactionsQuery, Window } from "./AccountData.ts"
import { toPublic } from "../bank/PublicRecord.ts"

/** The last row of a page. */
export const Position = Schema.Struct({ date: Schema.NullOr(CalendarDate), id: Schema.String })

const Filter = Schema.Struct({
  state: Schema.optionalKey(Schema.Literals(recordStates)),
  from: Schema.optionalKey(CalendarDate),
  to: Schema.optionalKey(CalendarDate),
  pending: Schema.optionalKey(Schema.Boolean),
  type: Schema.optionalKey(Schema.String),
  category: Schema.optionalKey(Schema.String),
  text: Schema.optionalKey(Schema.String),
  minAmount: Schema.optionalKey(DecimalText),
  maxAmount: Schema.optionalKey(DecimalText)
})

const TransactionsCursor = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("page"), filter: Filter, mark: Schema.Int, before: Position }),
  Schema.Struct({ kind: Schema.Literal("watermark"), filter: Filter, mark: Schema.Int })
])

export interface TransactionRows {
  readonly rows: ReadonlyArray<Fields>
  readonly hasMore: boolean
  readonly cursor: string
  readonly window: Window
  readonly removed?: ReadonlyArray<string>
}

const windowOf = (filter: RecordFilter): Window => ({
  ...(filter.from === undefined ? {} : { from: filter.from }),
  ...(filter.to === undefined ? {} : { to: filter.to })
})

const invalidRange = new InvalidInput({
  code: "INVALID_DATE_RANGE",
  message: "from must not be after to",
  details: [{ field: "from", message: "must not be after to" }]
})

/** What was found when the account was looked at. */
export interface Looked {
  /** The newest change number of the account, or an older one: what came later is reported with a later page. */
  readonly lastChange: number
  /** The page of `first`, where it was read since that number was. */
  readonly found?: ReadonlyArray<ShownRecord> | undefined
}

const isBackwards = ({ from, to }: RecordFilter): boolean => from !== undefined && to !== undefined && from > to

/** What is read of records where the query begins a list; one that goes on says that in its cursor. */
const first = ({ cursor, filter, limit }: TransactionsQuery): PageQuery | undefined =>
  cursor !== undefined || isBackwards(filter)
    ? undefined
    : { filter, limit: sizeOf(limits.transactionsPage, limit) + 1 }

const make = Effect.gen(function* () {
  const records = yield* RecordStore
  const cursors = yield* Cursors

  const newestFirst = Effect.fnUntraced(function* (
    scope: RecordScope,
    bound: Bound,
    owner: Fields,
    start: { readonly filter: RecordFilter; readonly mark: number; readonly before?: typeof Position.Type },
    limit: number,
    read?: ReadonlyArray<ShownRecord>
  ) {
    const found =
      read ??
      (yield* records.shownPage(scope, {
        filter: start.filter,
        limit: limit + 1,
        ...(start.before === undefined ? {} : { before: start.before })
      }))
    const hasMore = found.length > limit
    const rows = found.slice(0, limit).map((record) => toPublic("transactions", record, owner))
    const last = hasMore ? found[limit - 1] : undefined
    const { to: _, ...open } = start.filter
    const cursor =
      last !== undefined
        ? yield* cursors.encode(bound, "page", {
            kind: "page",
            filter: { ...start.filter },
            mark: start.mark,
            before: { date: last.date, id: last.id }
          })
        : yield* cursors.encode(bound, "watermark", { kind: "watermark", filter: open, mark: start.mark })
    return { rows, hasMore, cursor, window: windowOf(start.filter) } satisfies TransactionRows
  })

  const changesSince = Effect.fnUntraced(function* (
    scope: RecordScope,
    bound: Bound,
    owner: Fields,
    start: { readonly filter: RecordFilter; readonly mark: number },
    limit: number,
    upTo: number
  ) {
    const found = yield* records.publicChanges(scope, { after: start.mark, upTo, limit: limit + 1 })
    const page = found.slice(0, limit)
    const hasMore = found.length > limit
    const meets = matches(start.filter)
    const mark = hasMore ? page[page.length - 1]!.publicChangeNo : Math.max(start.mark, upTo)
    const cursor = yield* cursors.encode(bound, "watermark", { kind: "watermark", filter: { ...start.filter }, mark })
    return {
      rows: page.filter(meets).map((record) => toPublic("transactions", record, owner)),
      removed: page.filter((record) => !meets(record)).map((record) => record.id),
      hasMore,
      cursor,
      window: windowOf(start.filter)
    } satisfies TransactionRows
  })

  const read = Effect.fnUntraced(function* (
    scope: RecordScope,
    resource: string,
    owner: Fields,
    query: TransactionsQuery,
    { found, lastChange }: Looked
  ) {
    const bound = { workspaceId: scope.workspaceId, list: `transactions/${resource}` }
    const limit = sizeOf(limits.transactionsPage, query.limit)
    if (query.cursor !== undefined) {
      const start = yield* cursors.decode(bound, TransactionsCursor, query.cursor)
      return start.kind === "page"
        ? yield* newestFirst(scope, bound, owner, start, limit)
        : yield* changesSince(scope, bound, owner, start, limit, lastChange)
    }
    const { filter } = query
    if (isBackwards(filter)) return yield* invalidRange
    return yield* newestFirst(scope, bound, owner, { filter, mark: lastChange }, limit, found)
  })

  return { first, read }
})

/** Lists the transactions of an account, page by page. */
export class TransactionPages extends Context.Service<TransactionPages>()("@millrace/core/usecase/TransactionPages", {
  make
}) {
  static readonly layer: Layer.Layer<TransactionPages, never, RecordStore | Cursors> = Layer.effect(
    TransactionPages,
    make
  )
}
