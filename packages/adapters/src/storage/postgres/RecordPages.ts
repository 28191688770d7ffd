/** Pages of the ledger, newest first. */
import { shownPage, type ShownPage } from "@millrace/core/record"
import type { PageQuery, RecordFilter, RecordScope, StorageUnavailable } from "@millrace/core/storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { recordDay } from "./migrations/lateIndex.ts"
import { inLedger, inState, ledgerText, matching, recordColumns, type RecordRow, toRecord } from "./RecordRows.ts"
import { fieldSql } from "./RecordFields.ts"
import { isSearched, searched } from "./RecordSearch.ts"
import { searchOf } from "./SearchBlock.ts"
import { stored, storedInBulk } from "./SqlFailure.ts"
import type { Reading } from "./WalledClient.ts"
import { pageOf, shownColumns, type ShownRow, toShown } from "./WrittenPage.ts"

/** The one row of `shownReading`. */
export interface PageRow {
  readonly page: Uint8Array
}

export const toPage = ([row]: ReadonlyArray<PageRow>): ShownPage => pageOf(row!.page)

/**
 * PostgreSQL plans for so many rows, however many fewer are asked for: for hardly more than most pages have, for more than any
 * page of transactions has, or for as many as the largest of trades. Planned for a thousand, a page of an account of a
 * thousand would be all of it, sorted.
 */
const planSizes = [128, 1_001, 2_001] as const
const mostShown = planSizes[2]

/** Milliseconds after which the size of the table is looked at again. */
const sizeMillis = 5_000

/** What the statement of a page depends on; the values go beside it. */
type Shape = Pick<RecordFilter, "state" | "from" | "to" | "pending" | "type">

const textOf = (shape: Shape, continued: boolean, most: number, size: number): string => {
  let n = 3
  const next = (): string => `$${++n}`
  const { from, pending, state = "live", to, type } = shape
  const conditions = [
    ledgerText("$1", "$2", "$3"),
    inState[state],
    ...(from === undefined ? [] : [`${recordDay} >= ${next()}::date`]),
    ...(to === undefined ? [] : [`${recordDay} <= ${next()}::date and date is not null`]),
    ...(pending === undefined ? [] : [`pending = ${next()}`]),
    ...(type === undefined ? [] : [`${fieldSql("type")} = ${next()}`]),
    ...(continued ? [`(${recordDay}, id) < (coalesce(${next()}::date, '-infinity'), ${next()})`] : [])
  ]
  // One value in bytes: nothing is made of each row, neither here nor in the driver.
  return `select convert_to(coalesce(json_agg(page)::text, '[]'), 'UTF8') as page from (select ${shownColumns}
      from (select ${shownColumns} from record where ${conditions.join(" and ")}
        order by ${recordDay} desc, id desc limit ${most}) planned limit ${next()}) page /* ${size} */`
}

const valuesOf = (scope: RecordScope, { before, filter, limit }: PageQuery): ReadonlyArray<unknown> => {
  const { from, pending, to, type } = filter
  return [
    scope.accountId,
    scope.dataType,
    scope.workspaceId,
    ...[from, to, pending, type].filter((value) => value !== undefined),
    ...(before === undefined ? [] : [before.date, before.id]),
    limit
  ]
}

/**
 * Plans are kept for statements of the same text. One that was made for a small table reads all of it, so the text says
 * how large the table is, in powers of four: as it grows, it is planned anew.
 */
const makeSize = (sql: SqlClient) => {
  let at = -Infinity
  let size = 0
  return Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<number, StorageUnavailable> => {
    if (now - at < sizeMillis && now >= at) return Effect.succeed(size)
    at = now
    return Effect.map(
      stored(sql.unsafe<{ readonly bytes: bigint }>("select pg_relation_size('record') as bytes")),
      ([row]) => (size = Math.floor(Math.log2(Number(row?.bytes ?? 0) + 1) / 2))
    )
  })
}

/** Whether an index has the page in its order, so that nothing needs to be searched. */
const isPlain = ({ filter: { category, maxAmount, minAmount, text }, limit }: PageQuery): boolean =>
  limit <= mostShown && [category, maxAmount, minAmount, text].every((value) => value === undefined)

export const makePages = (sql: SqlClient) => {
  const day = sql.literal(recordDay)
  const tableSize = makeSize(sql)
  const texts = new Map<string, string>()

  /** A page however it is found, planned for what is asked. */
  const planned = Effect.fnUntraced(function* <Row extends { readonly id: string }>(
    scope: RecordScope,
    { before, filter, limit }: PageQuery,
    columns: string
  ) {
    const conditions = [
      ...matching(sql, filter),
      ...(before === undefined ? [] : [sql`(${day}, id) < (coalesce(${before.date}::date, '-infinity'), ${before.id})`])
    ]
    const search = isSearched(scope.dataType) ? searchOf(filter) : undefined
    if (search !== undefined) {
      const found = yield* searched<Row>(sql, scope, search, { columns, conditions, limit, size: yield* tableSize })
      if (found !== undefined) return found
    }
    return yield* storedInBulk(
      sql<Row>`select ${sql.literal(columns)} from record where ${sql.and([inLedger(sql, scope), ...conditions])}
        order by ${day} desc, id desc limit ${limit}`
    )
  })

  /** A page that an index has in its order. It is planned once for each connection: that costs more than to read it. */
  const prepared = (scope: RecordScope, query: PageQuery): Effect.Effect<Reading, StorageUnavailable> =>
    Effect.map(tableSize, (size) => {
      const { from, pending, state, to, type } = query.filter
      const shape = [state, from, to, pending, type, query.before].map((value) => value !== undefined)
      const most = planSizes.find((rows) => query.limit <= rows) ?? mostShown
      const key = `${shape.join()} ${state} ${most} ${size}`
      let text = texts.get(key)
      if (text === undefined) texts.set(key, (text = textOf(query.filter, query.before !== undefined, most, size)))
      return { text, values: valuesOf(scope, query) }
    })

  return {
    page: (scope: RecordScope, query: PageQuery) =>
      Effect.map(planned<RecordRow>(scope, query, recordColumns), (rows) => rows.map(toRecord)),
    shownPage: (scope: RecordScope, query: PageQuery): Effect.Effect<ShownPage, StorageUnavailable> =>
      isPlain(query)
        ? Effect.flatMap(prepared(scope, query), ({ text, values }) =>
            Effect.map(stored(sql.unsafe<PageRow>(text, values)), toPage)
          )
        : Effect.map(planned<ShownRow>(scope, query, shownColumns), (rows) => shownPage(rows.map(toShown))),
    /** The statement of a page of `shownPage`, where it is one that needs no look before it. */
    shownReading: (scope: RecordScope, query: PageQuery) =>
      isPlain(query) ? prepared(scope, query) : Effect.succeed(undefined)
  }
}
