/** Everything that is stored, through a file and back: the same, or nothing. */
import { notes } from "../../../../examples/add-a-collection.ts"
import { layer as aesSecrets } from "../../src/secrets/AesSecrets.ts"
import { backup } from "../../src/storage/postgres/backup/Backup.ts"
import { restore } from "../../src/storage/postgres/backup/Restore.ts"
import { migrate } from "../../src/storage/postgres/Migrations.ts"
import { layer as storage } from "../../src/storage/postgres/PostgresStorage.ts"
import { AddedCollections } from "@millrace/core/collection"
import { DataKeys, RecordStore, Transactor, UploadStore } from "@millrace/core/storage"
import { Ids } from "@millrace/core"
import {
  makeUpload,
  makeWrites,
  scopeOf,
  storeAccount,
  storeBank,
  storeFeed,
  storeJob,
  storeWorkspace
} from "@millrace/testing/fixture"
import { byFiles, client, migratedDatabase } from "@millrace/verification/postgres/TestPostgres"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { execFileSync, spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { inject } from "vitest"

const address = inject("postgres")
const run = <Row extends object>(statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row>(statement))
const onServer = (statement: string) => Effect.orDie(Effect.provide(run(statement), client(address, "postgres", 1)))

const open = (name: string) => {
  const services = Layer.mergeAll(
    storage.pipe(Layer.provide(aesSecrets({ key: Redacted.make(Buffer.alloc(32, 1).toString("base64")) }))),
    Ids.layer
  ).pipe(Layer.provideMerge(client(address, name, 6)))
  return { on: <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof services>>) => Effect.provide(effect, services) }
}

const makeEmpty = Effect.gen(function* () {
  const name = `backup_${randomBytes(8).toString("hex")}`
  yield* Effect.acquireRelease(onServer(`create database ${name} ${byFiles}`), () =>
    onServer(`drop database ${name} with (force)`)
  )
  return open(name)
})

const makeMigrated = Effect.map(migratedDatabase(address), open)

const makeFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "millrace-backup-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** The same file with the digest of its lines, as somebody would write it who knows how. */
const resealed = (text: string): Buffer => {
  const lines = text.trimEnd().split("\n")
  const last = JSON.parse(lines.pop()!) as object
  const body = lines.map((line) => `${line}\n`).join("")
  const digest = createHash("sha256").update(body).digest("hex")
  return gzipSync(`${body}${JSON.stringify({ ...last, digest })}\n`)
}

const odd = "quote \" ' \\ comma, (paren) {brace} \n\r\t new line, NULL, \\N, Zürich 日本 😀, \u0001"

const fill = Effect.gen(function* () {
  const workspace = yield* storeWorkspace({ name: odd })
  const account = yield* storeAccount(yield* storeBank(workspace, { name: odd }))
  const records = yield* RecordStore
  yield* records.write(scopeOf(account), yield* makeWrites(3_000))
  const feed = yield* storeFeed(workspace, { source: "upload" })
  yield* storeJob(feed)
  const bytes = Uint8Array.from({ length: 2_200_000 }, (_, n) => (n * 7) % 256)
  yield* (yield* UploadStore).insert({ ...(yield* makeUpload(feed)), size: bytes.length }, bytes)
  yield* (yield* DataKeys).get("account numbers")
  yield* run(`update account set credit_limit = 12345678901234567890.123456789, balance = 0.1000`)
  yield* run(`update workspace set icon = ''`)
})

/** All rows of all tables of ours, and where sequences stand. */
const everything = Effect.gen(function* () {
  const tables = yield* run<{ readonly name: string }>(
    `select relname as name from pg_class where relnamespace = 'millrace'::regnamespace and relkind = 'r'
     and relname <> 'request_window' and relname <> 'schema_migration' order by 1`
  )
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(run<{ readonly row: string }>(`select t::text as row from ${name} t order by 1`), (found) => [
      name,
      found
    ])
  )
  const layout =
    yield* run(`select conrelid::regclass::text as t, pg_get_constraintdef(oid) as d, convalidated from pg_constraint
    where connamespace = 'millrace'::regnamespace
    union all select tgrelid::regclass::text, tgname::text || tgenabled::text, true from pg_trigger where not tgisinternal order by 1, 2`)
  const sequences = yield* run(
    `select sequencename, last_value from pg_sequences where schemaname = 'millrace' order by 1`
  )
  return { rows, layout, sequences }
})

it.live("brings everything back as it was, whatever it holds, and numbers go on", () =>
  Effect.gen(function* () {
    const from = yield* makeMigrated
    const to = yield* makeEmpty
    const file = join(yield* makeFolder, "all")
    yield* from.on(fill)
    const told = yield* from.on(backup(file, "2026-03-01T00:00:00.000Z"))
    expect(told.rows).toMatchObject({ record: 3_000, upload_piece: 3, workspace: 1 })
    expect((yield* Effect.promise(() => stat(file))).mode & 0o777).toBe(0o600)
    const total = Object.values(told.rows).reduce((sum, n) => sum + n, 0)
    expect(yield* to.on(restore(file))).toEqual({ at: "2026-03-01T00:00:00.000Z", rows: total })
    expect(yield* to.on(everything)).toEqual(yield* from.on(everything))
    yield* to.on(fill)
    expect(yield* to.on(migrate)).toEqual([])
  }).pipe(Effect.scoped)
)

it.live("is of one moment: what is written meanwhile is in it whole or not at all", () =>
  Effect.gen(function* () {
    const from = yield* makeMigrated
    const to = yield* makeEmpty
    const file = join(yield* makeFolder, "all")
    yield* from.on(fill)
    // A workspace comes and goes with its records: the tables that are read first and last know of the same ones.
    const write = Effect.gen(function* () {
      const { atomically } = yield* Transactor
      const records = yield* RecordStore
      const writes = yield* makeWrites(20)
      yield* atomically(
        Effect.gen(function* () {
          const account = yield* storeAccount(yield* storeBank(yield* storeWorkspace()))
          yield* records.write(scopeOf(account), writes)
        })
      )
    })
    let made = 0
    const more = (than: number): Effect.Effect<void> =>
      Effect.suspend(() => (made > than ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), more(than))))
    const writer = yield* Effect.forkChild(
      Effect.forever(
        Effect.andThen(
          from.on(Effect.replicateEffect(write, 5)),
          Effect.sync(() => (made += 5))
        )
      )
    )
    yield* more(0)
    const before = made
    const { rows } = yield* from.on(backup(file, "now"))
    yield* more(before)
    yield* Fiber.interrupt(writer)
    yield* to.on(restore(file))
    expect(rows["workspace"]).toBeGreaterThan(1)
    const [counts] = yield* to.on(
      run(`select (select count(*)::int from workspace) as workspaces, (select count(*)::int from account) as accounts,
        (select count(*)::int from record) as records, (select count(*)::int from bank) as banks`)
    )
    const workspaces = rows["workspace"]!
    expect(counts).toEqual({
      workspaces,
      accounts: workspaces,
      banks: workspaces,
      records: 3_000 + (workspaces - 1) * 20
    })
  }).pipe(Effect.scoped)
)

it.live(
  "restores nothing of a file that was cut or altered, wherever, nor of one that is none, and a whole one from a pipe, too",
  () =>
    Effect.gen(function* () {
      const from = yield* makeMigrated
      const to = yield* makeEmpty
      const folder = yield* makeFolder
      const file = join(folder, "all")
      yield* from.on(fill)
      yield* from.on(backup(file, "now"))
      const whole = yield* Effect.promise(() => readFile(file))
      const text = gunzipSync(whole).toString()
      const lines = text.split("\n")
      const firstRow = lines.findIndex((line) => line.startsWith('"('))
      const without = (n: number) => gzipSync(lines.toSpliced(n, 1).join("\n"))
      const flipped = Buffer.from(whole)
      flipped[Math.floor(whole.length / 2)]! ^= 1
      const bad: ReadonlyArray<readonly [string, Buffer]> = [
        ["empty", Buffer.alloc(0)],
        ["of text", Buffer.from("select 1;\n")],
        ["cut in the middle", whole.subarray(0, whole.length >> 1)],
        ["cut at its last byte", whole.subarray(0, -1)],
        ["with a bit that flipped", flipped],
        ["without a row", without(firstRow)],
        ["with a row that is none", gzipSync(lines.with(firstRow, '"(x)"').join("\n"))],
        ["without its first line", without(0)],
        ["with another amount", gzipSync(text.replace("0.1000", "9.1000"))],
        ["with something after its end", gzipSync(`${text}"(1)"\n`)],
        ["of a later version", resealed(text.replace('"0001_baseline"', '"0001_other"'))],
        ["with a row that is none, its digest made anew", resealed(lines.with(firstRow, '"(x)"').join("\n"))]
      ]
      for (const [what, bytes] of bad) {
        const path = join(folder, "bad")
        yield* Effect.promise(() => writeFile(path, bytes))
        const error = yield* Effect.flip(to.on(restore(path)))
        expect([what, error._tag, error.message]).toEqual([
          what,
          "BackupUnusable",
          expect.stringMatching(/Nothing was restored\.$/)
        ])
        expect(yield* to.on(run("select nspname from pg_namespace where nspname = 'millrace'"))).toEqual([])
      }
      // A pipe can be read once.
      const pipe = join(folder, "pipe")
      execFileSync("mkfifo", [pipe])
      spawn("sh", ["-c", 'cat "$0" > "$1"', file, pipe])
      yield* to.on(restore(pipe))
    }).pipe(Effect.scoped)
)

it.live("restores over nothing that is there, and writes over no file", () =>
  Effect.gen(function* () {
    const from = yield* makeMigrated
    const folder = yield* makeFolder
    const file = join(folder, "all")
    yield* from.on(fill)
    yield* from.on(backup(file, "now"))
    const before = yield* from.on(everything)
    expect(yield* Effect.flip(from.on(restore(file)))).toMatchObject({
      _tag: "DatabaseUnfit",
      message: expect.stringContaining("It holds data already")
    })
    expect(yield* from.on(everything)).toEqual(before)
    const size = (yield* Effect.promise(() => stat(file))).size
    expect((yield* Effect.flip(from.on(backup(file, "later")))).message).toBe(
      `${file} exists already. Name another file.`
    )
    expect((yield* Effect.flip(from.on(backup(join(folder, "none", "all"), "later")))).message).toContain(
      "cannot be written: ENOENT"
    )
    expect((yield* Effect.promise(() => stat(file))).size).toBe(size)
    expect(yield* Effect.promise(() => readdir(folder))).toEqual(["all"])
  }).pipe(Effect.scoped)
)

it.live(
  "brings back what is kept in collections that a program adds, and asks for the program where it is another one",
  () =>
    Effect.gen(function* () {
      const from = yield* makeMigrated
      const to = yield* makeEmpty
      const file = join(yield* makeFolder, "all")
      const withNotes = Effect.provideService(AddedCollections, [notes])
      yield* from.on(withNotes(migrate))
      const note = Effect.flatMap(storeWorkspace(), ({ id }) =>
        run(`insert into note (id, workspace_id, version, body, title)
          values ('note_1', '${id}', 1, '{"id": "note_1",  "title": "Rent"}', 'Rent')`)
      )
      yield* from.on(note)
      yield* from.on(backup(file, "now"))
      const refused = yield* Effect.flip(to.on(restore(file)))
      expect(refused.message).toContain("holds a table note, or columns of it, that are not here")
      expect(refused.message).toContain("restore with the configuration file that names the module")
      yield* to.on(withNotes(restore(file)))
      expect(yield* to.on(everything)).toEqual(yield* from.on(everything))
      expect(yield* to.on(run("select body::text as body from note"))).toEqual([
        { body: '{"id": "note_1",  "title": "Rent"}' }
      ])
    }).pipe(Effect.scoped)
)
