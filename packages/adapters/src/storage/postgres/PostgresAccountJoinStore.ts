/** Joins of accounts in PostgreSQL. */
import type { AccountJoin } from "@millrace/core/bank"
import { AccountJoinStore, type RecordMove } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { ledgerText } from "./RecordRows.ts"
import { inTransaction, stored, storedInBulk } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

/** What an account is to its upstream, and what the upstream says of it. A column of accounts is here or in `ownColumns`. */
export const upstreamColumns = [
  "bank_id",
  "provider_account_id",
  "stable_keys",
  "account_number",
  "account_type",
  "account_subtype",
  "balance",
  "available_balance",
  "credit_limit",
  "balance_as_of",
  "history_from",
  "read_from",
  "supports",
  "state",
  "sign_override"
] as const

/** What stays with an account, whatever it is read from: who it is, what people call it, what became part of it. */
export const ownColumns = [
  "id",
  "workspace_id",
  "account_name",
  "given_name",
  // The same of both, or they are not joined.
  "currency",
  "joined_into",
  "joins",
  // Accounts are not joined while it is there.
  "sign_asked_at",
  "created_at",
  "updated_at"
] as const

/** Tables about how an account was read, by account; former ids are those of an upstream. */
const readTables = ["checkpoint", "record_pull", "id_trust", "learnt_text", "record_alias"] as const

/** Tables of annotations of records that name the account of the record, with the column that has its id. */
const besideRecords = [
  ["record_match", "record_id"],
  ["identity_fact", "record_id"],
  ["analysis_entry", "record_id"],
  ["annotation", "record_id"]
] as const

/** Fewer are looked up one by one. */
const manyIds = 1_000

const moveStatement = `
  with moving as (
    select r.id, row_number() over (order by r.change_no) as n
    from record r join unnest(string_to_array($6, $5)) as given(id) on given.id = r.id
    where ${ledgerText("$2", "$4", "$1")}
  ), counted as (
    select count(*)::int as n from moving
  ), numbers as (
    insert into account_change as a (account_id, workspace_id, change_seq) select $3, $1, n from counted where n > 0
    on conflict (account_id) do update set change_seq = a.change_seq + excluded.change_seq
    returning change_seq - (select n from counted) as base, (select n from counted) as n
  ), unsettled as (
    delete from record_settled where account_id in ($2, $3) and data_type = $4
  )
  update record r set account_id = $3, scope_no = record_scope($3, $4), change_no = numbers.base + m.n,
    public_change_no = numbers.base + m.n
  from moving m, numbers where ${ledgerText("$2", "$4", "$1")} and r.id = m.id`

export const layer: Layer.Layer<AccountJoinStore, never, SqlClient.SqlClient> = Layer.effect(
  AccountJoinStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const moveSome = Effect.fnUntraced(function* ({ dataType, from, ids, to, workspaceId }: RecordMove) {
      const { separator, texts } = yield* textColumns([ids], [])
      const given = sql`string_to_array(${texts[0]}, ${separator})`
      const inFrom = sql`account_id = ${from} and data_type = ${dataType} and workspace_id = ${workspaceId}`
      // Of an account whose records came a moment ago PostgreSQL knows of none, and would go through all of them for each.
      if (ids.length > manyIds) yield* sql`set local enable_nestloop = off`
      yield* sql.unsafe(moveStatement, [workspaceId, from, to, dataType, separator, ...texts]).unprepared
      if (ids.length > manyIds) yield* sql`set local enable_nestloop = default`
      for (const [table, column] of besideRecords) {
        yield* sql`update ${sql(table)} set account_id = ${to} where ${inFrom} and ${sql(column)} = any(${given})`
          .unprepared
      }
      // Feeds and fields tell what it is about: it has no data type.
      yield* sql`update record_history set account_id = ${to}
        where account_id = ${from} and workspace_id = ${workspaceId} and record_id = any(${given})`.unprepared
      // Lines are named by the id of their record with a colon behind it.
      const lines = sql`(select id || ':' as first, id || ';' as behind from unnest(${given}) r(id) offset 0) r`
      // Not by the account: PostgreSQL may take it that there are few: it would go through all of it for each line.
      yield* sql`update record_history set account_id = ${to} where account_id = ${from} and ctid = any(array(
          select line.at from ${lines} cross join lateral (select ctid as at from record_history
            where workspace_id = ${workspaceId} and record_id >= r.first and record_id < r.behind
            order by record_id) line
        ))`.unprepared
      // What feeds have sent of them would go with the former account.
      const feeds = sql`(select id from feed where workspace_id = ${workspaceId} and data_type = ${dataType} offset 0) f`
      const sent = sql`select ctid as at from delivery
        where workspace_id = ${workspaceId} and feed_id = f.id`
      yield* sql`update delivery set account_id = ${to} where account_id = ${from} and ctid = any(array(
          select row.at from ${feeds} cross join unnest(${given}) r(id)
            cross join lateral (${sent} and record_id = r.id order by feed_id, record_id) row
          union all
          select line.at from ${feeds} cross join ${lines} cross join lateral (${sent}
            and record_id >= r.first and record_id < r.behind order by feed_id, record_id) line
        ))`.unprepared
      yield* sql`delete from record_suggestion
        where ${inFrom} and (record_id = any(${given})) <> (observed_id = any(${given}))`.unprepared
      yield* sql`update record_suggestion set account_id = ${to} where ${inFrom} and record_id = any(${given})`
        .unprepared
    })

    /** Suggestions are judged by all that moves: ids go in one piece. */
    const move = Effect.fnUntraced(function* (all: RecordMove) {
      yield* moveSome(all)
      // Anyone who plans on what was read before plans again; an account that feeds show no more is emptied by its mark.
      const { dataType, from, to, workspaceId } = all
      yield* sql`update analysis set version = version + 1
        where workspace_id = ${workspaceId} and data_type = ${dataType}`
      yield* sql`insert into analysis_mark (workspace_id, data_type, account_id, change_no, signature)
        select workspace_id, data_type, ${to}, 0, '' from analysis_mark
        where workspace_id = ${workspaceId} and data_type = ${dataType} and account_id = ${from}
        on conflict do nothing`
    })

    const joinsOf = Effect.fnUntraced(function* (column: "account_id" | "joined_id", workspaceId: string, id: string) {
      const rows = yield* storedInBulk(sql<{ readonly body: AccountJoin }>`select body from account_join
        where ${sql(column)} = ${id} and workspace_id = ${workspaceId} order by id desc`)
      return rows.map(({ body }) => body)
    })

    return AccountJoinStore.of({
      insert: Effect.fn("AccountJoinStore.insert")(function* (join) {
        const { accountId, id, joinedId, workspaceId } = join
        // What files showed of the account is reported for the one that it is part of.
        yield* storedInBulk(sql`with uploads as (
            update upload_shown set account_id = ${accountId}
            where account_id = ${joinedId} and workspace_id = ${workspaceId} returning upload_id
          )
          insert into account_join (id, workspace_id, account_id, joined_id, uploads, body)
          select ${id}, ${workspaceId}, ${accountId}, ${joinedId}, array(select distinct upload_id::text from uploads),
            ${JSON.stringify(join)}::json`)
        yield* stored(sql`update account set joined_into = ${accountId}
          where id = ${joinedId} and workspace_id = ${workspaceId}`)
        yield* stored(sql`update account set joins = coalesce(joins, 0) + 1
          where id = ${accountId} and workspace_id = ${workspaceId}`)
      }),
      remove: Effect.fn("AccountJoinStore.remove")(function* ({ accountId, id, joinedId, matches, workspaceId }) {
        const [gone] = yield* stored(sql<{ readonly uploads: ReadonlyArray<string> }>`delete from account_join
          where id = ${id} and workspace_id = ${workspaceId} returning uploads`)
        if (gone === undefined) return
        yield* stored(sql`update upload_shown set account_id = ${joinedId}
          where account_id = ${accountId} and upload_id = any(${gone.uploads}::text[])`)
        yield* stored(sql`update account set joined_into = null where id = ${joinedId}`)
        yield* stored(sql`update account set joins = nullif(joins - 1, 0) where id = ${accountId}`)
        for (const some of Arr.chunksOf(
          matches.flatMap(({ ids }) => ids),
          limits.commitChunk
        )) {
          yield* storedInBulk(sql`delete from record_match
            where id = any(${some}::text[]) and workspace_id = ${workspaceId}`)
        }
      }),
      of: Effect.fn("AccountJoinStore.of")((workspaceId, accountId) => joinsOf("account_id", workspaceId, accountId)),
      into: Effect.fn("AccountJoinStore.into")((workspaceId, joinedId) =>
        Effect.map(joinsOf("joined_id", workspaceId, joinedId), Arr.head)
      ),
      exchange: Effect.fn("AccountJoinStore.exchange")(function* (workspaceId, one, other, at) {
        const columns = upstreamColumns.map((name) => `"${name}" = y."${name}"`).join(", ")
        yield* Effect.gen(function* () {
          yield* stored(sql`update account x set ${sql.literal(columns)}, updated_at = ${at} from account y
            where x.workspace_id = ${workspaceId} and y.workspace_id = ${workspaceId}
              and ((x.id = ${one} and y.id = ${other}) or (x.id = ${other} and y.id = ${one}))`)
          const aside = `${one} aside`
          for (const table of readTables) {
            for (const [from, to] of [
              [one, aside],
              [other, one],
              [aside, other]
            ] as const) {
              yield* stored(sql`update ${sql(table)} set account_id = ${to}
                where account_id = ${from} and workspace_id = ${workspaceId}`)
            }
          }
        }).pipe(inTransaction(sql))
      }),
      move: Effect.fn("AccountJoinStore.move")(function* (all) {
        if (all.ids.length > 0) yield* stored(move(all)).pipe(inTransaction(sql))
      })
    })
  })
)
