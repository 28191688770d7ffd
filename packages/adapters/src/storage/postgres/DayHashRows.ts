/** The hashes of the days of an account, in PostgreSQL. */
import type { DayHash, DayHashChanges, DayHashes, RecordDay } from "@millrace/core/record"
import type { RecordScope } from "@millrace/core/storage"
import type { CalendarDate } from "@millrace/core"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { inLedger } from "./RecordRows.ts"
import { stored, storedInBulk } from "./SqlFailure.ts"

/** Stands for records without a day. */
const undated = "-infinity"

const dayText = (day: RecordDay): string => day ?? undated

const dayOf = (text: string): RecordDay => (text === undated ? null : (text as CalendarDate.CalendarDate))

interface DayHashesRow {
  readonly is_current: boolean
  /** Both in one order; null where there are none. */
  readonly days: ReadonlyArray<string> | null
  readonly hashes: ReadonlyArray<DayHash> | null
}

export const makeDayHashes = (sql: SqlClient.SqlClient) => {
  /** Each write of a record takes a number above all others of the account. */
  const newest = (scope: RecordScope): Fragment =>
    sql`select coalesce(max(change_no), 0) from record where ${inLedger(sql, scope)}`

  const read = Effect.fn("RecordStore.dayHashes")(function* (scope: RecordScope) {
    const ofScope = sql`account_id = ${scope.accountId} and data_type = ${scope.dataType}`
    // Two texts for all days, since the driver takes rows apart more slowly than JSON, and JSON objects more slowly than lists.
    const [row] = yield* storedInBulk(sql<DayHashesRow>`select days, hashes,
        exists (select from record_settled where ${ofScope} and change_no = (${newest(scope)})) as is_current
      from (select json_agg(day) as days, json_agg(hash) as hashes from record_day where ${ofScope}) stored`)
    const hashes = new Map<RecordDay, DayHash>()
    for (const [at, day] of (row?.days ?? []).entries()) hashes.set(dayOf(day), row?.hashes?.[at] ?? null)
    return { isCurrent: row?.is_current === true, hashes } satisfies DayHashes
  })

  const keep = Effect.fn("RecordStore.keepDayHashes")(function* (scope: RecordScope, { put, removed }: DayHashChanges) {
    const { accountId, dataType, workspaceId } = scope
    const hashes = JSON.stringify(Object.fromEntries(Array.from(put, ([day, hash]) => [dayText(day), hash])))
    yield* stored(
      sql`with settled as (
          insert into record_settled (account_id, workspace_id, data_type, change_no)
          select ${accountId}, ${workspaceId}, ${dataType}, (${newest(scope)})
          on conflict (account_id, data_type) do update set change_no = excluded.change_no
        ), removed as (
          delete from record_day where account_id = ${accountId} and data_type = ${dataType}
            and day = any(${removed.map(dayText)}::date[])
        )
        insert into record_day (account_id, workspace_id, data_type, day, hash)
        select ${accountId}, ${workspaceId}, ${dataType}, day::date, hash from json_each_text(${hashes}::json) as put(day, hash)
        on conflict (account_id, data_type, day) do update set hash = excluded.hash`.unprepared
    )
  })

  return { read, keep }
}
