/**
 * A disk that really is full: a small file system of its own for the data folder, filled until PostgreSQL itself finds no
 * room. Needs the right to mount one.
 */
import { execFileSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmdirSync, writeSync } from "node:fs"
import { rm, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { client } from "@millrace/verification/postgres/TestPostgres"
import { call, type Sent } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { killServers, freePort, type ServerProcess, startServer } from "@millrace/verification/process/ServerProcess"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addressOf } from "../src/postgres/EmbeddedPostgres.ts"

const mebibyte = 1_048_576
const reserve = 16

const mount = (path: string): void => {
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=224m,mode=755", "tmpfs", path], { stdio: "pipe" })
}
const unmount = (path: string, ...options: ReadonlyArray<string>): void => {
  execFileSync("umount", [...options, path], { stdio: "pipe" })
}

const canMount = (() => {
  if (process.platform !== "linux") return false
  const path = mkdtempSync(join(tmpdir(), "millrace-mount-"))
  try {
    mount(path)
    unmount(path)
    return true
  } catch {
    return false
  } finally {
    rmdirSync(path)
  }
})()

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read as whatever they turn out to be
type Loose = any

let folder: DataFolder
let server: ServerProcess
let apiKey = ""
let port: number

const begin = () =>
  startServer({
    port,
    environment: {
      MILLRACE_DATA: folder.path,
      MILLRACE_DEMO: "false",
      MILLRACE_DISK_RESERVE_MIB: String(reserve)
    }
  })

const start = async () => {
  server = await begin()
  await server.line(/Serving/)
}

const ask = async (path: string, sent: Sent = {}) => {
  const answer = await call(server.url, apiKey, path, sent)
  return { status: answer.status, headers: answer.headers, body: answer.json() as Loose }
}

const made = async (path: string, json: unknown): Promise<Loose> => {
  const { body, status } = await ask(path, { json })
  expect([path, status, body]).toEqual([path, 201, body])
  return body.data
}

/** One statement on the database of the server, past the server and its limits of requests. */
const query = async <Row extends object = Record<string, Loose>>(statement: string): Promise<ReadonlyArray<Row>> => {
  const address = await Effect.runPromise(addressOf({ folder: join(folder.path, "postgres") }))
  if (address === undefined) throw new Error("PostgreSQL does not run")
  return Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.unsafe<Row>(statement)
  }).pipe(Effect.provide(client(address, "postgres", 1)), Effect.runPromise)
}

/** What the statement answers once it is what is waited for. */
const until = async <Row extends object>(statement: string, isSo: (rows: ReadonlyArray<Row>) => boolean) => {
  const end = Date.now() + 180_000
  for (;;) {
    const rows = await query<Row>(statement)
    if (isSo(rows)) return rows
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(rows)}: ${statement}`)
    await wait(200)
  }
}

const ballast = () => join(folder.path, "ballast")

/** Fills the file system until so many bytes are left. */
const fill = async (left: number): Promise<void> => {
  const file = openSync(ballast(), "a")
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(folder.path)
      const size = Math.min(bavail * bsize - left, mebibyte)
      if (size <= 0) return
      writeSync(file, Buffer.alloc(size, 1))
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOSPC") throw cause
  } finally {
    closeSync(file)
  }
}

const free = () => rm(ballast())

const rowsOfFile = 40
const fileOf = (month: string) => ({
  name: `${month}.csv`,
  type: "text/csv",
  bytes: new TextEncoder().encode(
    `Date;Description;Amount;Balance\n${Array.from(
      { length: rowsOfFile },
      (_, n) => `2026-${month}-${String(1 + (n % 28)).padStart(2, "0")};Purchase ${month} ${n};-${n + 1}.50;\n`
    ).join("")}`
  )
})

let isMounted = false
const lazily = () => {
  if (isMounted) unmount(folder.path, "--lazy")
}

beforeAll(async () => {
  if (!canMount) return
  folder = await makeDataFolder()
  mount(folder.path)
  isMounted = true
  process.once("exit", lazily)
  port = await freePort()
})

afterAll(async () => {
  if (!canMount) return
  await killServers()
  const postgres = await folder.postgres()
  if (postgres !== undefined) process.kill(postgres, "SIGQUIT")
  for (let tries = 0; isMounted; tries++) {
    try {
      // Not before the last process has left it.
      unmount(folder.path, ...(tries < 50 ? [] : ["--lazy"]))
      isMounted = false
    } catch (cause) {
      if (tries > 50) throw cause
      await wait(100)
    }
  }
  await folder.remove()
})

describe("a data folder whose disk becomes full", () => {
  it.skipIf(!canMount)(
    `refuses what is large, lets syncs wait, answers reads, and goes on once there is room (${canMount ? "a file system of 224 MiB" : "skipped: no right to mount one"})`,
    { timeout: 600_000 },
    async () => {
      await start()
      apiKey = server.stdout().match(/mill_[A-Za-z0-9]{44}/)?.[0] ?? ""
      const table = await made("/v1/tables", { name: "Bookings", fields: [] })
      const notes = await made("/v1/tables", { name: "Notes", fields: [{ name: "Text", type: "text" }] })
      const feed = await made("/v1/feeds", {
        name: "Files",
        source: "upload",
        dataType: "transactions",
        sourceConfig: { type: "upload" },
        destinationConfig: { type: "table", tableId: table.id }
      })
      const uploads = `/v1/feeds/${feed.id}/uploads`
      const counted = `select count(*)::int as rows, count(distinct field_values->>'description')::int as different
        from table_row where table_id = '${table.id}'`
      const delivered = (rows: number) =>
        until<{ rows: number; different: number }>(counted, ([found]) => found!.rows >= rows)
      const jobs = `select id, status, pause_reason, attempt from job where feed_id = '${feed.id}' order by id`
      const listed = async () => {
        const { body, status } = await ask(`/v1/tables/${table.id}/rows?limit=500`)
        return [status, body.data.length]
      }
      expect((await ask(uploads, { file: fileOf("01") })).status).toBe(201)
      expect(await delivered(rowsOfFile)).toEqual([{ rows: rowsOfFile, different: rowsOfFile }])
      await until<{ status: string }>(jobs, (all) => all.every(({ status }) => status === "completed"))

      // Less than syncs leave alone.
      await fill(3 * mebibyte)
      const refused = await ask(uploads, { file: fileOf("02") })
      expect(refused).toMatchObject({ status: 503, body: { code: "STORAGE_FULL" } })
      expect(refused.headers["retry-after"]).toBeDefined()
      expect((await ask(`/v1/feeds/${feed.id}/sync`, { method: "POST" })).status).toBe(201)
      await until<{ status: string }>(jobs, (all) => all.at(-1)?.status === "paused")
      expect((await query(jobs)).at(-1)).toMatchObject({ pause_reason: "storage_full", attempt: 1 })
      expect((await ask(`/v1/feeds/${feed.id}`)).body.data.state).toMatchObject({
        status: "waiting",
        reason: { code: "STORAGE_FULL" }
      })
      expect(await listed()).toEqual([200, rowsOfFile])
      await free()
      await until<{ status: string }>(jobs, (all) => all.at(-1)?.status === "completed")
      expect((await query(jobs)).at(-1)).toMatchObject({ attempt: 1 })
      expect((await ask(uploads, { file: fileOf("02") })).status).toBe(201)
      expect(await delivered(2 * rowsOfFile)).toEqual([{ rows: 2 * rowsOfFile, different: 2 * rowsOfFile }])
      await until<{ status: string }>(jobs, (all) => all.every(({ status }) => status === "completed"))

      // Nothing at all: PostgreSQL itself finds no room.
      await fill(0)
      let kept = 0
      let answer: Loose
      for (let tries = 0; tries < 5; tries++) {
        const rows = Array.from({ length: 15 }, () => ({ values: { text: "x".repeat(1_900) } }))
        answer = await ask(`/v1/tables/${notes.id}/rows`, { json: { rows } })
        if (answer.status !== 201) break
        kept += rows.length
      }
      expect(answer).toMatchObject({ status: 503, body: { code: "STORAGE_FULL" } })
      expect(await listed()).toEqual([200, 2 * rowsOfFile])
      expect((await ask(`/v1/tables/${notes.id}`)).body.data.rowCount).toBe(kept)

      // Without room for its log it ends, and with it the server: both begin again once there is some.
      const seen = { ended: false }
      const ended = server.ended.finally(() => (seen.ended = true))
      // A statement or a connection may find no room before the log does: then the log has to be filled further.
      const broken = (async () => {
        while (!seen.ended) {
          await query("select pg_switch_wal(), pg_logical_emit_message(true, 'full', repeat('x', 4000))").catch(() =>
            wait(50)
          )
        }
      })()
      expect(await ended).toEqual({ code: 1, signal: null })
      await broken
      expect(server.stderr()).toMatch(/The built-in PostgreSQL ended unexpectedly.*is full: free some space/)
      const early = await begin()
      expect(await early.ended).toEqual({ code: 1, signal: null })
      expect(early.stderr()).toContain("is full: free some space")
      await free()
      await start()
      expect(await listed()).toEqual([200, 2 * rowsOfFile])
      expect((await ask(`/v1/tables/${notes.id}`)).body.data.rowCount).toBe(kept)
      expect((await ask(uploads, { file: fileOf("03") })).status).toBe(201)
      expect(await delivered(3 * rowsOfFile)).toEqual([{ rows: 3 * rowsOfFile, different: 3 * rowsOfFile }])
      await until<{ status: string }>(jobs, (all) => all.every(({ status }) => status === "completed"))
      expect((await query(jobs)).every((job) => job["attempt"] === 1)).toBe(true)
      expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null })
    }
  )
})
