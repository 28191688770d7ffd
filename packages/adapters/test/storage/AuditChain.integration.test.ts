/** Entries of the audit in PostgreSQL: who may write them, and which tampering shows. */
import { NodeDigest } from "../../src/entry/main.ts"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { Ids } from "@millrace/core"
import { Audit, chainHash } from "@millrace/core/audit"
import { Cursors } from "@millrace/core/kernel"
import { AuditStore } from "@millrace/core/storage"
import { acrossTenants } from "@millrace/core/workspace"
import { makeAuditRow, storeWorkspace } from "@millrace/testing/fixture"
import { OwnerClient, walled } from "@millrace/verification/postgres/TestPostgres"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { createHash } from "node:crypto"
import { inject } from "vitest"

const every = acrossTenants("task engine")
const secret = Redacted.make(Buffer.alloc(32, 1).toString("base64"))

const services = Audit.layer.pipe(
  Layer.provide(Cursors.layer(Redacted.make("only for tests"))),
  Layer.provideMerge(storage.pipe(Layer.provide(aesSecrets({ key: secret })))),
  Layer.provideMerge(Layer.mergeAll(NodeDigest.layer, Ids.layer)),
  Layer.provideMerge(walled(inject("postgres")))
)

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** A workspace with a chain of entries. */
const chainOf = Effect.fnUntraced(function* (entries: number) {
  const { id } = yield* storeWorkspace()
  const store = yield* AuditStore
  for (let n = 0; n < entries; n++) yield* store.end(yield* makeAuditRow(id, { requestId: `r${n}` }))
  const { newest } = yield* store.ends(id)
  expect(newest.number).toBe(entries)
  return { id, newest }
})

layer(services, { excludeTestServices: true, timeout: "120 seconds" })("the audit in PostgreSQL", (it) => {
  it.effect("lets the role of the server add entries, and neither change nor remove them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* chainOf(3)
      const forbidden = [
        "update audit_entry set outcome = 'denied'",
        "update audit_entry set number = number + 1",
        "delete from audit_entry",
        "truncate audit_entry",
        "insert into audit_entry select * from audit_entry",
        "update audit_chain set newest_hash = ''",
        "delete from audit_chain",
        "truncate audit_chain",
        "insert into audit_chain (workspace_id) values ('ws_other')",
        "alter table audit_entry disable row level security",
        "create or replace function seal_audit(space text, minutes int) returns bigint language sql as 'select 1'"
      ]
      for (const statement of forbidden) {
        const exit = yield* Effect.exit(sql.unsafe(statement))
        expect(Exit.isFailure(exit), statement).toBe(true)
      }
      // Nothing is old enough to be removed, whatever is asked for.
      expect(yield* sql<{ readonly gone: number }>`select forget_audit(1000000) as gone`).toEqual([{ gone: 0 }])
      expect(yield* (yield* Audit).verify(id)).toMatchObject({ intact: true, entries: 3 })
    }).pipe(every)
  )

  it.effect("keeps the head of a chain whose workspace is deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, newest } = yield* chainOf(3)
      yield* sql`delete from workspace where id = ${id}`
      const store = yield* AuditStore
      expect(yield* store.chain(id, 0, 10)).toEqual([])
      expect((yield* store.ends(id)).newest).toEqual(newest)
    }).pipe(every)
  )

  it.effect("shows every tampering of somebody who owns the database", () =>
    Effect.gen(function* () {
      const owner = yield* OwnerClient
      const audit = yield* Audit
      let seed = 11
      const next = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below
      const texts = ["", "x", "{}", '{"id":"aud_1"}', "ok"]
      const columns = ["outcome", "actor_id", "operation_id", "resource_id", "id", "content", "hash", "at"]
      for (let round = 0; round < 60; round++) {
        const count = 4 + next(6)
        const { id } = yield* chainOf(count)
        const place = 1 + next(count)
        const at = `where workspace_id = '${id}' and number = ${place}`
        const column = columns[next(columns.length)]!
        const value = column === "outcome" ? "denied" : column === "at" ? "2020-01-01T00:00:00Z" : texts[next(5)]!
        const other = 1 + ((place + next(count - 1)) % count)
        const ways = [
          `update audit_entry set ${column} = '${value}' ${at}`,
          `update audit_entry set content = replace(content, '"updateFeed"', '"createFeed"') ${at}`,
          `delete from audit_entry ${at}`,
          `delete from audit_entry where workspace_id = '${id}' and number >= ${place}`,
          `delete from audit_entry where workspace_id = '${id}' and number <= ${place}`,
          // An entry is removed, and those behind it move up.
          `delete from audit_entry ${at};
           update audit_entry set number = -number where workspace_id = '${id}' and number > ${place};
           update audit_entry set number = -number - 1 where workspace_id = '${id}' and number < 0;
           update audit_chain set newest_number = newest_number - 1 where workspace_id = '${id}' and ${place} < ${count}`,
          `update audit_entry e set content = o.content, id = o.id from audit_entry o
           where e.workspace_id = '${id}' and e.number = ${place} and o.workspace_id = '${id}'
             and o.number = ${place === other ? (place % count) + 1 : other}`,
          `update audit_chain set newest_hash = repeat('0', 64) where workspace_id = '${id}'`,
          `update audit_chain set newest_number = newest_number + 1 where workspace_id = '${id}'`,
          `update audit_chain set forgotten_number = 1, forgotten_hash = repeat('0', 64) where workspace_id = '${id}'`
        ]
        const way = ways[round % ways.length]!
        for (const statement of way.split(";")) yield* owner.unsafe(statement)
        const found = yield* audit.verify(id)
        expect(found, way).toMatchObject({ intact: false })
      }
    }).pipe(every)
  )

  it.effect("shows a chain that was rewritten as a whole, against a place that was kept elsewhere", () =>
    Effect.gen(function* () {
      const owner = yield* OwnerClient
      const audit = yield* Audit
      const store = yield* AuditStore
      for (let changed = 1; changed <= 5; changed++) {
        const { id, newest } = yield* chainOf(5)
        let hash = ""
        for (const row of yield* store.chain(id, 0, 10)) {
          const content = row.number === changed ? row.content.replace("updateFeed", "createFeed") : row.content
          const operation = row.number === changed ? "createFeed" : row.operationId
          hash = chainHash(sha256, hash, content)
          yield* owner`update audit_entry set content = ${content}, hash = ${hash}, operation_id = ${operation}
            where workspace_id = ${id} and number = ${row.number}`
        }
        yield* owner`update audit_chain set newest_hash = ${hash} where workspace_id = ${id}`
        expect(yield* audit.verify(id)).toMatchObject({ intact: true })
        expect(yield* audit.verify(id, newest)).toMatchObject({ intact: false })
      }
    }).pipe(every)
  )
})
