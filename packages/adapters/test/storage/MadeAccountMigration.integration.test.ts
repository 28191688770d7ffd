/** Banks of files that an earlier version stored: nothing of them is lost or hidden by accounts that feeds have made. */
import { migrateTo, newestSchema } from "../../src/storage/postgres/Migrations.ts"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import type { AccountId, BankId } from "@millrace/core/bank"
import { natureOf } from "@millrace/core/bank"
import type { FeedId } from "@millrace/core/feed"
import { BankStore, FeedStore, RecordStore } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import { makeMadeBank } from "@millrace/testing/fixture"
import { Ids } from "@millrace/core"
import { layer as database } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const services = Layer.merge(storage, Ids.layer).pipe(
  Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 5).toString("base64")) })),
  Layer.provideMerge(database(inject("postgres")))
)

const workspaceId = "ws_00000000000000000000000001" as WorkspaceId
const bankId = (n: number) => `bank_0000000000000000000000000${n}` as string as BankId
const [files, orphaned, connected] = [bankId(1), bankId(2), bankId(3)]
const accountId = "acct_00000000000000000000000001" as AccountId
const feedId = "feed_00000000000000000000000001" as FeedId
const scope = { workspaceId, accountId, dataType: "transactions" } as const

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("banks of files of an earlier version", (it) => {
  it.effect("are what they were, and their feeds can have accounts made beside them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // Another schema stands for the database of an earlier version.
      yield* sql`create schema earlier_files`
      yield* sql`set local search_path = earlier_files`
      yield* migrateTo(29)
      yield* sql`insert into workspace (id, name, plan, timezone, locale, base_currency, created_at, updated_at, version)
        values (${workspaceId}, 'Books', 'free', 'UTC', 'en', 'CHF', now(), now(), 1)`
      for (const [n, [id, source]] of [
        [files, "file"],
        [orphaned, "file"],
        [connected, "demo"]
      ].entries()) {
        yield* sql`insert into bank (id, workspace_id, name, source, type, position, created_at, updated_at)
          values (${id}, ${workspaceId}, ${`Bank ${n}`}, ${source}, 'other', ${n}, now(), now())`
      }
      yield* sql`insert into account (id, workspace_id, bank_id, provider_account_id, stable_keys, account_number,
          account_name, account_type, balance, available_balance, currency, supports, state, created_at, updated_at)
        values (${accountId}, ${workspaceId}, ${files}, 'one', '["end=****1234"]', '****1234', 'Salary', 'checking', 10, 10,
          'CHF', '["transactions","balances"]', 'open', now(), now())`
      yield* sql`insert into record (workspace_id, account_id, data_type, id, provider_id, date, pending, state, hash,
          fields, change_no)
        values (${workspaceId}, ${accountId}, 'transactions', 'txn_1', 'file:1', '2026-03-02', false, 'live', 'h',
          '{"amount":"-1"}', 1)`
      yield* sql`insert into feed (id, workspace_id, name, source, data_type, source_config, field_mappings,
          mappings_defaulted, data_type_options, position, created_by, created_by_user, created_at, updated_at, version,
          file_bank_id)
        values (${feedId}, ${workspaceId}, 'Statements', 'upload', 'transactions', '{"type":"upload"}', '[]', true,
          '{"dataType":"transactions","pendingMode":"sync_all"}', 0, '{"kind":"user","userId":"usr_1"}', 'usr_1', now(),
          now(), 1, ${files})`
      yield* migrateTo(newestSchema)

      const [banks, feeds, records] = [yield* BankStore, yield* FeedStore, yield* RecordStore]
      const listed = yield* banks.list([workspaceId])
      expect(listed.map((bank) => [bank.id, natureOf(bank)])).toEqual([
        [files, "files"],
        [orphaned, "files"],
        [connected, "connected"]
      ])
      const feed = Option.getOrThrow(yield* feeds.get(workspaceId, feedId))
      expect(feed.fileBankId).toBe(files)
      expect(yield* banks.made(feedId)).toEqual([])
      expect((yield* banks.accounts(files)).map(({ id }) => id)).toEqual([accountId])
      expect(Option.isSome(yield* banks.account(workspaceId, files, accountId))).toBe(true)
      expect((yield* records.page(scope, { filter: {}, limit: 5 })).map(({ id }) => id)).toEqual(["txn_1"])
      const made = yield* banks.holdMade(yield* makeMadeBank(feed, "file"))
      expect([natureOf(made), (yield* banks.list([workspaceId])).length]).toEqual(["made", 3])
      expect(yield* feeds.remove(workspaceId, feedId)).toBe(true)
      // A feed that would leave behind what was made for it cannot go.
      expect(yield* Effect.flip(sql`set constraints all immediate`)).toMatchObject({ _tag: "SqlError" })
    }).pipe(
      (steps) =>
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(Effect.andThen(steps, Effect.fail("undone")))),
      Effect.catchIf(
        (error) => error === "undone",
        () => Effect.void
      )
    )
  )
})
