import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import * as Effect from "effect/Effect"
import { Client } from "pg"
import { generate } from "../generate.ts"
import { corrected } from "../sync/Corrections.ts"
import * as RowLog from "../sync/RowLog.ts"
import * as Upsert from "../sync/Upsert.ts"

describe("corrected", () => {
  const accounts = generate({ seed: 3, transactions: 1_000, accounts: 2 })
  const changedBetween = (before: typeof accounts, after: typeof accounts) =>
    before.flatMap((account, n) => account.rows.flatMap((row, i) => (after[n]!.rows[i] === row ? [] : [i])))

  it("changes one row in a hundred, others each time", () => {
    const once = corrected(accounts, 0)
    const twice = corrected(once, 1)
    expect(changedBetween(accounts, once)).toEqual([0, 100, 200, 300, 400, 0, 100, 200, 300, 400])
    expect(changedBetween(once, twice)).toEqual([1, 101, 201, 301, 401, 1, 101, 201, 301, 401])
  })

  it("changes a row again when its turn comes again", () => {
    const once = corrected(accounts, 0)
    expect(changedBetween(once, corrected(once, 100))).toHaveLength(10)
  })
})

describe("writing rows by hand", () => {
  let database: ServerDatabase
  let connection: Client

  beforeAll(async () => {
    database = await makeServerDatabase(inject("postgres"))
    connection = new Client({ connectionString: database.url })
    await connection.connect()
    // The log is read as far as it is on disk, which the servers of tests leave for later.
    await connection.query("set synchronous_commit = on")
    await connection.query(`create table note (kind text, id int, body json, at timestamptz, primary key (kind, id));
      create index on note (at);
      create table other (id int primary key)`)
    await Effect.runPromise(RowLog.prepare(connection))
  })
  afterAll(async () => {
    await connection.end()
    await database.drop()
  })

  const logOf = (statement: string) =>
    Effect.runPromise(
      RowLog.during(
        connection,
        ["note"],
        Effect.promise(() => connection.query(statement))
      )
    )

  it("counts the rows of a table that were written, however that was", async () => {
    const rows = "select 'a', n, '{}', now() from generate_series(1, 300) n"
    expect(await logOf(`insert into note ${rows}`)).toMatchObject({ rows: 300 })
    expect(await logOf("update note set at = now() where id <= 20")).toMatchObject({ rows: 20 })
    expect(await logOf("delete from note where id > 290")).toMatchObject({ rows: 10 })
  })

  it("counts neither rows that were only read or locked nor those of other tables", async () => {
    expect(await logOf("select from note for update")).toEqual({ rows: 0, bytes: 0 })
    expect(await logOf("insert into other select n from generate_series(1, 50) n")).toEqual({ rows: 0, bytes: 0 })
  })

  it("writes the rows that are there once more, as they are", async () => {
    const before = await Effect.runPromise(Upsert.take(connection, "note"))
    const log = await Effect.runPromise(
      RowLog.during(connection, ["note"], Upsert.put(connection, Upsert.unpacked([before])))
    )
    const after = await Effect.runPromise(Upsert.take(connection, "note"))
    expect(log.rows).toBe(before.count)
    expect(log.bytes).toBeGreaterThan(before.count * 20)
    expect(Upsert.rowsOf(after)).toEqual(expect.arrayContaining([...Upsert.rowsOf(before)]))
    expect(after.count).toBe(before.count)
    expect(Upsert.rowsOf(before, 3)).toEqual(Upsert.rowsOf(before).slice(0, 3))
  })
})
