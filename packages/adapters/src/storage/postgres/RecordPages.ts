/**
 * Pages of the ledger, newest first. Which records a page has is answered by the index of lists alone (`record_list`), however few
 * of an account match; then only they are read.
 */
import { fold } from "@millrace/core/text"
import type { LedgerRecord, ShownRecord } from "@millrace/core/record"
import type { PageQuery, RecordFilter, RecordScope, StorageUnavailable } from "@millrace/core/storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { cut, fewestBytesOfCut, type TextColumnName, textColumnNames } from "./record/ListColumns.ts"
import { ledgerText, recordColumns, type RecordRow, toRecord, wholeLedgerText } from "./RecordRows.ts"
import { SqlParameters } from "./SqlParameters.ts"
import { stored } from "./SqlFailure.ts"
import type { Reading } from "./TenantClient.ts"
import { fieldsIn, type StoredFields } from "./record/RecordFields.ts"

/** What is read of records that are only shown. */
const shownColumns = "id, date, fields"

/** A row of `shownReading`. */
export interface ShownRow extends Pick<ShownRecord, "date" | "id"> {
  readonly fields: StoredFields
}

export const toShown = ({ date, fields, id }: ShownRow): ShownRecord => ({ id, date, fields: fieldsIn(fields) })

/**
 * PostgreSQL plans for so many rows, however many fewer are asked for: for hardly more than most pages have, for more than any
 * page of transactions has, or for as many as the largest of trades. Planned for a thousand, a page of an account of a
 * thousand would be all of it, sorted.
 */
const planSizes = [128, 1_001, 2_001] as const

/** Milliseconds after which the size of the table is looked at again. */
const sizeMillis = 5_000

/** Written out, so that the planner knows which index covers it. */
const inState = {
  live: "state = 'live'",
  removed: "state = 'removed' and state <> 'live' and merged_into is null",
  deleted: "state = 'deleted' and state <> 'live'"
} as const

/** The order of pages. */
const newestFirst = "order by day desc, id desc"

/** The condition on either of the two texts that `q` looks in. */
const eitherText = (condition: (column: TextColumnName) => string): string =>
  `(${condition("folded_description")} or ${condition("folded_merchant")})`

/** A text of the record `whole` in full, where one of its texts was cut. */
const wholeText = (column: TextColumnName): string => `whole.whole_texts->>${textColumnNames.indexOf(column)}`

/** What a list asks of one account. */
class PageSql {
  readonly parameters = new SqlParameters()
  /** For records that are looked up by their ids. */
  readonly ledger: string
  /**
   * For all records of the account. PostgreSQL does not know the number while it plans, so it expects as many rows as accounts have
   * on average. Of an account whose rows it has not counted yet it would expect one, and sort all of them: the first page of
   * 1,000,000 rows took a second right after their sync.
   */
  readonly whole: string

  constructor({ accountId, dataType, workspaceId }: RecordScope) {
    const { text } = this.parameters
    const [account, type, workspace] = [text(accountId), text(dataType), text(workspaceId)]
    this.ledger = ledgerText(account, type, workspace)
    this.whole = wholeLedgerText(account, type, workspace)
  }

  /** Conditions that an index looks up. */
  range({ before, filter: { from, state = "live", to } }: PageQuery): string {
    const { date, text } = this.parameters
    return [
      this.whole,
      inState[state],
      ...(from === undefined ? [] : [`day >= ${date(from)}`]),
      ...(to === undefined ? [] : [`day <= ${date(to)} and day <> '-infinity'`]),
      ...(before === undefined ? [] : [`(day, id) < (${date(before.date ?? "-infinity")}, ${text(before.id)})`])
    ].join(" and ")
  }

  /** Conditions that are asked of each entry of the index. */
  tests({ category, maxAmount, minAmount, pending, text, type }: RecordFilter): ReadonlyArray<string> {
    const { boolean, number } = this.parameters
    return [
      ...(pending === undefined ? [] : [`pending = ${boolean(pending)}`]),
      ...(type === undefined ? [] : [this.is("type", type)]),
      ...(category === undefined ? [] : [this.is("category", category)]),
      ...(minAmount === undefined ? [] : [`amount >= ${number(minAmount)}`]),
      ...(maxAmount === undefined ? [] : [`amount <= ${number(maxAmount)}`]),
      ...(text === undefined ? [] : [this.saysSomewhere(fold(text))])
    ]
  }

  private is(column: TextColumnName, value: string): string {
    const { text } = this.parameters
    const short = cut(value)
    if (Buffer.byteLength(short) < fewestBytesOfCut) return `${column} = ${text(value)}`
    return `(${column} = ${text(short)} and coalesce(${this.ofWhole((whole) => whole(column))}, ${column}) = ${text(value)})`
  }

  private saysSomewhere(wanted: string): string {
    const needle = this.parameters.text(wanted)
    const has = (text: string): string => `strpos(${text}, ${needle}) > 0`
    const inWhole = this.ofWhole((whole) => eitherText((column) => has(whole(column))))
    const mayBeCut = eitherText((column) => `octet_length(${column}) >= ${fewestBytesOfCut}`)
    // An `and` would look at the row of each record that has one of the texts alone: of the other it is not known.
    return `(${eitherText(has)} or case when ${mayBeCut} then ${inWhole} else false end)`
  }

  /** Said of the whole texts of a record, which its row alone has; null where none was cut. */
  private ofWhole(said: (whole: typeof wholeText) => string): string {
    return `(select ${said(wholeText)} from record whole where ${this.ledger} and whole.id = record.id)`
  }
}

/**
 * A page with some columns. Records are found first where something is asked of them that the index has and the order has not:
 * PostgreSQL reads the index alone for what is no more than there. It guesses that half of what a `case` is asked of meets it, and so
 * walks through the index in its order, where it would sort an account for which it expects a row or two.
 */
export const pageSql = (scope: RecordScope, query: PageQuery, columns: string, size: number): Reading => {
  const { filter, limit } = query
  const page = new PageSql(scope)
  const { ledger, parameters } = page
  const range = page.range(query)
  const tests = page.tests(filter)
  const most = planSizes.find((rows) => limit <= rows) ?? limit
  const found =
    tests.length === 0
      ? `select ${columns} from record where ${range} ${newestFirst} limit ${most}`
      : `select ${columns} from (
          select id as found_id from record where ${range} and case when ${tests.join(" and ")} then true else false end
          ${newestFirst} limit ${most}
        ) found cross join lateral (select * from record where ${ledger} and id = found_id offset 0) record
        ${newestFirst}`
  return {
    text: `select * from (${found}) planned limit ${parameters.integer(limit)} /* ${size} */`,
    values: parameters.values
  }
}

/**
 * Plans are kept for statements of the same text. One that was made for a small table reads all of it, so the text says
 * how large the table is, in powers of four: as it grows, it is planned again.
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

export const makePages = (sql: SqlClient) => {
  const tableSize = makeSize(sql)

  /** The statement of a page of `shownPage`. */
  const shownReading = (scope: RecordScope, query: PageQuery): Effect.Effect<Reading, StorageUnavailable> =>
    Effect.map(tableSize, (size) => pageSql(scope, query, shownColumns, size))

  return {
    shownReading,
    page: (scope: RecordScope, query: PageQuery): Effect.Effect<ReadonlyArray<LedgerRecord>, StorageUnavailable> =>
      Effect.flatMap(tableSize, (size) => {
        const { text, values } = pageSql(scope, query, recordColumns, size)
        return Effect.map(stored(sql.unsafe<RecordRow>(text, values)), (rows) => rows.map(toRecord))
      }),
    shownPage: (scope: RecordScope, query: PageQuery): Effect.Effect<ReadonlyArray<ShownRecord>, StorageUnavailable> =>
      Effect.flatMap(shownReading(scope, query), ({ text, values }) =>
        Effect.map(stored(sql.unsafe<ShownRow>(text, values)), (rows) => rows.map(toShown))
      )
  }
}
