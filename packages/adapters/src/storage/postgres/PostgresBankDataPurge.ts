/** What PostgreSQL holds of the accounts of a bank, destroyed in parts. */
import { BankDataPurge } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { ofAccounts } from "./RecordRows.ts"
import { inTransaction, storedInBulk } from "./SqlFailure.ts"

/** Tables whose rows name an account. The records themselves come last: what else there is is found by them. */
const tablesOfAccounts = [
  "analysis_entry",
  "annotation",
  "analysis_mark",
  "record_history",
  "record_alias",
  "record_match",
  "record_suggestion",
  "identity_fact",
  "id_trust",
  "learnt_text",
  "upload_shown",
  "record_pull",
  "record_settled",
  "record_day",
  "feed_mark",
  "account_change"
] as const

/** Whether it is a record of one of the accounts. */
const isRecord = (dataType: string, id: string) =>
  `exists (select from record r where ${ofAccounts("r.scope_no", "$2::text[]")} and r.account_id = any ($2::text[])
    and r.data_type = ${dataType} and r.id = ${id})`

export const layer: Layer.Layer<BankDataPurge, never, SqlClient.SqlClient> = Layer.effect(
  BankDataPurge,
  Effect.map(SqlClient.SqlClient, (sql) => {
    /** Deletes at most so many rows that the condition holds for. */
    const clear = (table: string, condition: string, values: ReadonlyArray<unknown>, limit: number) =>
      Effect.map(
        storedInBulk(
          sql.unsafe(
            `delete from "${table}" where ctid = any (array(
              select ctid from "${table}" t where ${condition} limit ${limit})) returning 1`,
            values
          )
        ),
        (rows) => rows.length
      )

    /** What stands elsewhere about the records, while they are there to be found by it. */
    const beside = [
      ["enrichment_fact", `${isRecord("t.data_type", "t.record_id")} or ${isRecord("t.data_type", "t.other_id")}`],
      [
        "record_link",
        `exists (select from json_array_elements(t.members) m where ${isRecord("t.data_type", "m->>'recordId'")})`
      ],
      [
        "finding",
        `exists (select from regexp_matches(t.body::text, '[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}', 'g') m
          where m[1] = any ($2::text[]) or ${isRecord("t.body->>'dataType'", "m[1]")})`
      ]
    ] as const

    /** Some records, with what was noted of their deliveries: rows have the id of the record, or begin with it. */
    const clearRecords = Effect.fnUntraced(function* (
      workspaceId: string,
      accounts: ReadonlyArray<string>,
      limit: number
    ) {
      const records = yield* storedInBulk(
        sql.unsafe<{ readonly at: string; readonly id: string }>(
          `select ctid::text as at, id from record where ${ofAccounts("scope_no", "$2::text[]")}
            and account_id = any ($2::text[]) and workspace_id = $1 limit $3`,
          [workspaceId, accounts, limit]
        )
      )
      if (records.length === 0) return 0
      const ids = records.map(({ id }) => id)
      yield* storedInBulk(sql`delete from delivery d using feed f, unnest(${ids}::text[]) r(id)
        where f.workspace_id = ${workspaceId} and d.feed_id = f.id and d.record_id = r.id`)
      yield* storedInBulk(sql`delete from delivery d using feed f, unnest(${ids}::text[]) r(id)
        where f.workspace_id = ${workspaceId} and d.feed_id = f.id
          and d.record_id > r.id || ':' and d.record_id < r.id || ';'`)
      yield* storedInBulk(sql`delete from record where ctid = any (${records.map(({ at }) => at)}::text[]::tid[])
        and account_id = any (${[...accounts]}::text[])`)
      return records.length
    })

    return BankDataPurge.of({
      destroySome: Effect.fn("BankDataPurge.destroySome")(function* (workspaceId, bankId, limit) {
        return yield* Effect.gen(function* () {
          const found = yield* storedInBulk(sql<{ readonly id: string }>`select id from account
            where bank_id = ${bankId} and workspace_id = ${workspaceId}`)
          const accounts = found.map(({ id }) => id)
          const values = [workspaceId, accounts]
          let left = limit
          for (const [table, condition] of beside) {
            if (left <= 0) return limit - left
            left -= yield* clear(table, `t.workspace_id = $1 and (${condition})`, values, left)
          }
          if (left <= 0) return limit - left
          left -= yield* clearRecords(workspaceId, accounts, left)
          // What a feed noted of rows that no record stands behind: looked for once all records are gone.
          left -= yield* clear(
            "delivery",
            `t.account_id = any ($2::text[]) and t.feed_id in
              (select feed_id from feed_mark m where m.workspace_id = $1 and m.account_id = any ($2::text[]))`,
            values,
            left
          )
          for (const table of tablesOfAccounts) {
            if (left <= 0) return limit - left
            left -= yield* clear(table, "t.workspace_id = $1 and t.account_id = any ($2::text[])", values, left)
          }
          if (left <= 0) return limit - left
          left -= yield* clear(
            "account_join",
            "t.workspace_id = $1 and (t.account_id = any ($2::text[]) or t.joined_id = any ($2::text[]))",
            values,
            left
          )
          if (left <= 0) return limit - left
          // A checkpoint can be of the bank as a whole.
          return (
            limit -
            left +
            (yield* clear("checkpoint", "t.workspace_id = $1 and t.bank_id = $2", [workspaceId, bankId], left))
          )
        }).pipe(inTransaction(sql))
      })
    })
  })
)
