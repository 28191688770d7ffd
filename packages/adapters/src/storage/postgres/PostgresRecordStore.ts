/** The ledger of records in PostgreSQL. */
import type { AccountId } from "@millrace/core/bank"
import type { DataType, Fields, IndexEntry, RecordWrite, ShownStep } from "@millrace/core/record"
import { type Checkpoint, type IndexQuery, type RecordScope, RecordStore } from "@millrace/core/storage"
import { type CalendarDate, limits } from "@millrace/core"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { instant } from "./Column.ts"
import { listTexts, textColumnNames } from "./record/ListColumns.ts"
import { fieldsIn, storedFields, type StoredFields } from "./record/RecordFields.ts"
import { makeDayHashes } from "./DayHashRows.ts"
import { makePages } from "./RecordPages.ts"
import {
  type HeldRow,
  inLedger,
  ledgerText,
  ofAccounts,
  ownColumns,
  type OwnRow,
  recordColumns,
  recordOf,
  toHeld
} from "./RecordRows.ts"
import { inTransaction, stored, storedInBulk } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

const overThoseThatAre = `on conflict on constraint record_pkey do update set
    provider_id = excluded.provider_id, date = excluded.date, pending = excluded.pending, amount = excluded.amount,
    state = excluded.state, hash = excluded.hash, fields = excluded.fields, whole_texts = excluded.whole_texts,
    ${textColumnNames.map((name) => `${name} = excluded.${name}`).join(", ")}, change_no = excluded.change_no,
    public_change_no = case when record.state = excluded.state and record.merged_into is null
        and record.date is not distinct from excluded.date and record.pending = excluded.pending
        and record.fields = excluded.fields
      then record.public_change_no else excluded.public_change_no end,
    version = record.version + 1, missed = 0, missed_since = null, missed_at = null, merged_into = null,
    updated_at = excluded.updated_at`

/** The columns of written records, each a parameter that has it of all of them. */
const writtenColumns = [
  "id",
  "provider_id",
  "date",
  "pending",
  "amount",
  "state",
  "hash",
  ...textColumnNames,
  "fields",
  "whole_texts"
] as const

/**
 * Takes the next change numbers of the account and writes the rows in one statement. The row of
 * `account_change` stays locked until the transaction ends: so numbers come to light in their order.
 */
const writeStatement = (areNew: boolean): string => `
  with numbers as (
    insert into account_change as a (account_id, workspace_id, change_seq) values ($1, $2, $4::int)
    on conflict (account_id) do update set change_seq = a.change_seq + excluded.change_seq
    returning change_seq - $4::int as base
  )
  insert into record (workspace_id, account_id, data_type, scope_no, id, provider_id, date, pending, amount, state, hash,
    ${textColumnNames.join(", ")}, fields, whole_texts, change_no, public_change_no, apart)
  select $2, $1, $3::text, record_scope($1, $3::text), r.id, coalesce(r.provider_id, ''), r.date::date, r.pending::boolean, r.amount::numeric, r.state,
    coalesce(r.hash, ''), ${textColumnNames.map((name) => `r.${name}`).join(", ")}, r.fields::jsonb, r.whole_texts::json,
    numbers.base + r.n, numbers.base + r.n, $6::boolean
  from numbers, unnest(${writtenColumns.map((_, n) => `string_to_array($${n + 7}, $5, '')`).join(", ")})
    with ordinality as r(${writtenColumns.join(", ")}, n)
  ${areNew ? "" : overThoseThatAre}`

/** Ids that were just made are looked for nowhere, which costs a seventh of writing a record. */
const writeRows = { put: writeStatement(false), make: writeStatement(true) }

/** As `writeStatement`, where only annotations change: the hashes of days still hold. */
const touchStatement = `
  with numbers as (
    insert into account_change as a (account_id, workspace_id, change_seq) values ($1, $2, $4::int)
    on conflict (account_id) do update set change_seq = a.change_seq + excluded.change_seq
    returning change_seq - $4::int as base
  ), settled as (
    update record_settled s set change_no = numbers.base + $4::int from numbers
    where s.account_id = $1 and s.data_type = $3
      and s.change_no = (select coalesce(max(change_no), 0) from record where ${ledgerText("$1", "$3", "$2")})
  ), touched as (
    update record r set change_no = numbers.base + t.n, annotated = true
    from numbers, unnest(string_to_array($6, $5)) with ordinality as t(id, n)
    where ${ledgerText("$1", "$3", "$2")} and r.id = t.id
  )
  select base from numbers`

const amountOf = (fields: Fields): string => {
  const amount = fields["amount"]
  return typeof amount === "string" ? amount : ""
}

/** In the order of `writtenColumns`. */
const columnsOf = (dataType: DataType, writes: ReadonlyArray<RecordWrite>) => {
  const { columns, whole } = listTexts(writes)
  return textColumns(
    [
      writes.map((write) => write.id),
      writes.map((write) => write.providerId),
      writes.map((write) => write.date ?? ""),
      writes.map((write) => (write.pending ? "t" : "f")),
      writes.map((write) => amountOf(write.fields)),
      writes.map((write) => write.state),
      writes.map((write) => write.hash),
      ...columns
    ],
    [writes.map(({ fields }) => storedFields(dataType, fields)), whole]
  )
}

const inCheckpoint = (sql: SqlClient.SqlClient, key: Checkpoint): Fragment =>
  sql`bank_id = ${key.bankId} and account_id = ${key.accountId ?? ""} and data_type = ${key.dataType}`

export const layer: Layer.Layer<RecordStore, never, SqlClient.SqlClient> = Layer.effect(
  RecordStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(recordColumns)
    const own = sql.literal(ownColumns)
    const pages = makePages(sql)
    const dayHashes = makeDayHashes(sql)

    const writeChunk = Effect.fnUntraced(function* (
      scope: RecordScope,
      writes: ReadonlyArray<RecordWrite>,
      apart: boolean,
      areNew: boolean
    ) {
      const { separator, texts } = yield* columnsOf(scope.dataType, writes)
      // Prepared, unlike what reads many rows: its plan depends on no table, and making it took a fifth of the writing.
      yield* sql.unsafe(areNew ? writeRows.make : writeRows.put, [
        scope.accountId,
        scope.workspaceId,
        scope.dataType,
        writes.length,
        separator,
        apart,
        ...texts
      ])
    })

    // Records without an upstream id are not in the index over those ids.
    const byProviderIds = (ids: ReadonlyArray<string>): Fragment => {
      const any = sql`provider_id = any(${ids}::text[])`
      return ids.includes("") ? any : sql.and([any, sql`provider_id <> ''`])
    }

    /**
     * Each by its key. Asked for together the planner may look for them in the index of days, which it reads from end to end,
     * where it knows nothing yet of how many records there have become.
     */
    const ofIds = (scope: RecordScope, ids: ReadonlyArray<string>): Fragment => sql`(
      select r.* from unnest(${[...new Set(ids)]}::text[]) as wanted(id)
        cross join lateral (select * from record where ${inLedger(sql, scope)} and record.id = wanted.id offset 0) r
    ) as record`

    /**
     * Each part by its own index: live records by their days, tombstones by being some. The order is that of the index of
     * days: with it the planner takes that one also where it knows nothing yet of how many records there have become.
     */
    const ofDays = (scope: RecordScope, days: NonNullable<IndexQuery["days"]>): Fragment => {
      const [from, to] = [days.map((one) => one.from), days.map((one) => one.to)]
      return sql`(
      select r.* from (values ('-infinity'::date, '-infinity'::date) union all
          select * from unnest(${from}::date[], ${to}::date[])) d(first, last)
        cross join lateral (
          select * from record where ${inLedger(sql, scope)} and state = 'live'
            and day between d.first and d.last
          order by day desc, id desc offset 0
        ) r
      union all
      select * from record where ${inLedger(sql, scope)} and state <> 'live'
    ) as record`
    }

    /** The hashes of days do not hold any more; part of the statement that makes it so. */
    const outdatingDayHashes = (scope: RecordScope): Fragment => sql`with unsettled as (
      delete from record_settled where account_id = ${scope.accountId} and data_type = ${scope.dataType}
    )`

    const lastOf = Effect.fnUntraced(function* (accountId: AccountId) {
      const rows = yield* stored(sql<{ readonly change_seq: bigint }>`select change_seq from account_change
        where account_id = ${accountId}`)
      return Number(rows[0]?.change_seq ?? 0)
    })

    // In windows of numbers, which are dense: where PostgreSQL knows nothing yet of how many there have become, it sorts all
    // that may follow for each page. A window with few is followed by a much wider one.
    const changesBy = (column: "change_no" | "public_change_no"): RecordStore["Service"]["changes"] => {
      const no = sql.literal(column)
      return Effect.fn("RecordStore.changes")(function* (scope, { after, limit, upTo }) {
        const found: Array<OwnRow> = []
        let from = after
        for (let width = 2 * limit; from < upTo && found.length < limit; width *= 8) {
          const to = Math.min(upTo, from + width)
          const rows = yield* storedInBulk(sql<OwnRow>`select ${own} from record where ${inLedger(sql, scope)}
            and ${no} > ${from} and ${no} <= ${to} order by ${no} limit ${limit - found.length}`)
          for (const row of rows) found.push(row)
          from = to
        }
        return found.map((row) => recordOf(scope, row))
      })
    }

    return RecordStore.of({
      // Measured on 200,000 rows: as fast as aggregating them into text and splitting that, and simpler.
      index: Effect.fn("RecordStore.index")(function* (scope, only) {
        const { days, from, ids, providerIds } = only
        const source = days !== undefined ? ofDays(scope, days) : ids !== undefined ? ofIds(scope, ids) : sql`record`
        return yield* storedInBulk(sql<IndexEntry>`select id, provider_id as "providerId", date, pending, state, hash, missed
          from ${source} where ${sql.and([
            inLedger(sql, scope),
            sql`merged_into is null`,
            ...(ids === undefined || days === undefined ? [] : [sql`id = any(${[...ids]}::text[])`]),
            ...(from === undefined ? [] : [sql`(date >= ${from}::date or date is null)`]),
            ...(providerIds === undefined ? [] : [byProviderIds(providerIds)])
          ])}`)
      }),
      held: Effect.fn("RecordStore.held")(function* (scope, ids) {
        if (ids.length === 0) return []
        const rows = yield* storedInBulk(sql<HeldRow>`select ${columns}, missed, missed_since, missed_at, apart
          from ${ofIds(scope, ids)} where merged_into is null`)
        return rows.map(toHeld)
      }),
      fields: Effect.fn("RecordStore.fields")(function* (scope, ids) {
        if (ids.length === 0) return new Map<string, Fields>()
        const rows = yield* storedInBulk(
          sql<{
            readonly id: string
            readonly fields: StoredFields
          }>`select id, fields from ${ofIds(scope, ids)}`
        )
        return new Map(rows.map((row) => [row.id, fieldsIn(row.fields)]))
      }),
      write: Effect.fn("RecordStore.write")(function* (scope, writes, options) {
        const { apart = false, areNew = false } = options ?? {}
        if (writes.length === 0) return
        if (writes.length <= limits.commitChunk) return yield* stored(writeChunk(scope, writes, apart, areNew))
        yield* Effect.forEach(
          Arr.chunksOf(writes, limits.commitChunk),
          (chunk) => writeChunk(scope, chunk, apart, areNew),
          { discard: true }
        ).pipe(inTransaction(sql))
      }),
      rename: Effect.fn("RecordStore.rename")(function* (scope, ids) {
        if (ids.length === 0) return
        const { separator, texts } = yield* textColumns([ids.map(({ id }) => id), ids.map((one) => one.providerId)], [])
        yield* storedInBulk(sql`${outdatingDayHashes(scope)} update record r set provider_id = coalesce(n.provider_id, ''), missed = 0,
            missed_since = null, missed_at = null
          from unnest(string_to_array(${texts[0]}, ${separator}), string_to_array(${texts[1]}, ${separator}, ''))
            as n(id, provider_id)
          where ${inLedger(sql, scope)} and r.id = n.id`)
      }),
      touch: Effect.fn("RecordStore.touch")(function* (scope, ids) {
        const before = ids.length === 0 ? yield* lastOf(scope.accountId) : undefined
        if (before !== undefined) return { before, after: before }
        const { separator, texts } = yield* textColumns([ids], [])
        const { accountId, dataType, workspaceId } = scope
        const rows = yield* stored(
          sql.unsafe<{ readonly base: bigint }>(touchStatement, [
            accountId,
            workspaceId,
            dataType,
            ids.length,
            separator,
            ...texts
          ]).unprepared
        )
        const base = Number(rows[0]!.base)
        return { before: base, after: base + ids.length }
      }),
      merge: Effect.fn("RecordStore.merge")(function* (scope, parts) {
        if (parts.length === 0) return
        const { separator, texts } = yield* textColumns([parts.map(({ id }) => id), parts.map(({ into }) => into)], [])
        yield* storedInBulk(sql`${outdatingDayHashes(scope)} update record r set merged_into = n.merged_into
          from unnest(string_to_array(${texts[0]}, ${separator}), string_to_array(${texts[1]}, ${separator}))
            as n(id, merged_into)
          where ${inLedger(sql, scope)} and r.id = n.id`)
      }),
      merged: Effect.fn("RecordStore.merged")(function* (scope) {
        const rows = yield* stored(
          sql<{ readonly id: string; readonly merged_into: string }>`select id, merged_into from record
            where ${inLedger(sql, scope)} and merged_into is not null and state <> 'live'`
        )
        return new Map(rows.map((row) => [row.id, row.merged_into]))
      }),
      setMissed: Effect.fn("RecordStore.setMissed")(function* (scope, ids, missed) {
        if (ids.length === 0) return
        const times =
          missed === 0
            ? sql`missed_since = null, missed_at = null`
            : sql`missed_since = coalesce(missed_since, store_now()), missed_at = store_now()`
        yield* storedInBulk(sql`${outdatingDayHashes(scope)} update record set missed = ${missed}, ${times}
          where ${inLedger(sql, scope)} and id = any(${ids}::text[]) and missed <> ${missed}`)
      }),
      keepDayHashes: dayHashes.keep,
      dayHashes: dayHashes.read,
      lastChange: Effect.fn("RecordStore.lastChange")(lastOf),
      lastChanges: Effect.fn("RecordStore.lastChanges")(function* (accountIds) {
        const rows = yield* stored(sql<{ readonly account_id: AccountId; readonly change_seq: bigint }>`
          select account_id, change_seq from account_change where account_id = any(${[...accountIds]}::text[])`)
        return new Map(rows.map((row) => [row.account_id, Number(row.change_seq)]))
      }),
      changes: changesBy("change_no"),
      publicChanges: changesBy("public_change_no"),
      page: pages.page,
      shownPage: pages.shownPage,
      forget: Effect.fn("RecordStore.forget")(function* (workspaceId, accountId) {
        yield* storedInBulk(
          sql.unsafe(
            `delete from record where ${ofAccounts("scope_no", "$1::text[]")} and account_id = any($1::text[])
              and workspace_id = $2`,
            [[accountId], workspaceId]
          )
        )
        for (const table of ["account_change", "record_pull", "record_settled", "record_day", "checkpoint"]) {
          yield* storedInBulk(sql`delete from ${sql(table)}
            where account_id = ${accountId} and workspace_id = ${workspaceId}`)
        }
      }),
      latestDate: Effect.fn("RecordStore.latestDate")(function* (scope) {
        const rows = yield* stored(sql<{
          readonly date: CalendarDate.CalendarDate | null
        }>`select nullif(max(day), '-infinity') as date
          from ((select day from record where ${inLedger(sql, scope)} and state = 'live' order by day desc, id desc limit 1)
            union all
            (select day from record where ${inLedger(sql, scope)} and state <> 'live' order by day desc, id desc limit 1)) r`)
        return rows[0]?.date ?? null
      }),
      checkpoint: Effect.fn("RecordStore.checkpoint")(function* (key) {
        const rows = yield* stored(sql<{ readonly value: string }>`select value from checkpoint
          where ${inCheckpoint(sql, key)}`)
        return rows[0]?.value
      }),
      saveCheckpoint: Effect.fn("RecordStore.saveCheckpoint")(function* (key, value) {
        yield* stored(
          value === undefined
            ? sql`delete from checkpoint where ${inCheckpoint(sql, key)}`
            : sql`insert into checkpoint (bank_id, account_id, data_type, value)
                values (${key.bankId}, ${key.accountId ?? ""}, ${key.dataType}, ${value})
                on conflict (bank_id, account_id, data_type) do update set value = excluded.value`
        )
      }),
      pulledTimes: Effect.fn("RecordStore.pulledTimes")(function* (dataType, accountIds) {
        if (accountIds.length === 0) return new Map()
        const rows = yield* stored(sql<{ readonly account_id: AccountId; readonly pulled_at: Date }>`
          select account_id, pulled_at from record_pull
          where data_type = ${dataType} and ${sql.in("account_id", accountIds)}`)
        return new Map(rows.map((row) => [row.account_id, instant(row.pulled_at)]))
      }),
      pulledAt: Effect.fn("RecordStore.pulledAt")(function* (scope) {
        const rows = yield* stored(sql<{ readonly pulled_at: Date }>`select pulled_at from record_pull
          where account_id = ${scope.accountId} and data_type = ${scope.dataType}`)
        return rows[0] === undefined ? undefined : instant(rows[0].pulled_at)
      }),
      shown: Effect.fn("RecordStore.shown")(function* (dataType, accountIds) {
        if (accountIds.length === 0) return new Map()
        const rows = yield* stored(sql<{
          readonly account_id: AccountId
          readonly shown: ReadonlyArray<ShownStep>
        }>`select account_id, shown from record_pull
          where data_type = ${dataType} and ${sql.in("account_id", accountIds)} and shown is not null`)
        return new Map(rows.map((row) => [row.account_id, row.shown]))
      }),
      setPulled: Effect.fn("RecordStore.setPulled")(function* (scopes) {
        if (scopes.length === 0) return
        const shown = scopes.map((scope) => (scope.shown === undefined ? "" : JSON.stringify(scope.shown)))
        yield* stored(sql`insert into record_pull (account_id, workspace_id, data_type, pulled_at, shown)
          select account_id, workspace_id, data_type, store_now(), nullif(shown, '')::json
          from unnest(${scopes.map(({ accountId }) => accountId)}::text[],
              ${scopes.map(({ workspaceId }) => workspaceId)}::text[],
              ${scopes.map(({ dataType }) => dataType)}::text[], ${shown}::text[])
            as pulled(account_id, workspace_id, data_type, shown)
          on conflict (account_id, data_type) do update set pulled_at = excluded.pulled_at,
            shown = coalesce(excluded.shown, record_pull.shown)`)
      })
    })
  })
)
