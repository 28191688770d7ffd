import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, vi } from "@effect/vitest"
import type { Column } from "@millrace/core/destination"
import type { Fields } from "@millrace/core/record"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { fileDestination } from "../../../src/destination/file/FileDestination.ts"
import { Ids } from "@millrace/core"
import { makeWorkspace } from "@millrace/testing/fixture"
import { arrange, config } from "./FileWorld.ts"

const columns: ReadonlyArray<Column> = [
  { name: "Text", label: "Text", type: "str" },
  { name: "Amount", label: "Amount", type: "num" }
]

const rowsOf = (...rows: ReadonlyArray<Fields>) =>
  Stream.fromIterable(rows.map((values, i) => ({ key: `transactions:${i}`, values })))

type World = Effect.Success<typeof arrange>

const replace = ({ driver, feed }: World, path: string, ...rows: ReadonlyArray<Fields>) =>
  Effect.scoped(
    Effect.flatMap(driver.open(feed, { ...config, path }, columns), (session) => session.replace(rowsOf(...rows)))
  )

/** From the given write on, the disk has no space left. */
const diskThatFills = (writes: number) =>
  Effect.promise(() => open(".", "r")).pipe(
    Effect.tap((handle) => Effect.promise(() => handle.close())),
    Effect.map((handle) => {
      const prototype: FileHandle = Object.getPrototypeOf(handle)
      const write = prototype.write
      let count = 0
      return vi.spyOn(prototype, "write").mockImplementation(function (this: FileHandle, ...args) {
        if (count++ < writes) return Reflect.apply(write, this, args)
        return Promise.reject(Object.assign(new RangeError("no space left on device"), { code: "ENOSPC" }))
      })
    })
  )

const check = ({ driver, feed }: World, path: string) =>
  driver.check(feed.workspaceId, { ...config, path }, columns, true)

describe("FileDestination", () => {
  it.effect("writes a header and the rows as CSV with CRLF, in the order of the columns", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      const answer = yield* replace(world, "a/b.csv", { Amount: "-12.5", Text: "Zürich, =1" }, { Text: "=1" })
      expect(answer).toMatchObject({ rows: 2, ref: "a/b.csv" })
      expect(readFileSync(join(world.folder, "a/b.csv"), "utf8")).toBe('Text,Amount\r\n"Zürich, =1",-12.5\r\n\'=1,\r\n')
    })
  )

  it.effect("writes the header also when there are no rows", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      yield* replace(world, "empty.csv")
      expect(readFileSync(join(world.folder, "empty.csv"), "utf8")).toBe("Text,Amount\r\n")
    })
  )

  it.effect("writes the same bytes for the same rows, however they are chunked", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      const rows = Array.from({ length: 20_000 }, (_, i) => ({
        key: `transactions:${i}`,
        values: { Text: `row ${i} – Zürich 😀`, Amount: `-${i}.5` }
      }))
      const session = yield* world.driver.open(world.feed, { ...config, path: "same.csv" }, columns)
      const bytes = () => readFileSync(join(world.folder, "same.csv"))
      expect(yield* session.replace(Stream.fromIterable(rows))).toMatchObject({ rows: 20_000, ref: "same.csv" })
      const first = bytes()
      yield* session.replace(Stream.fromIterable(rows, { chunkSize: 7 }))
      expect(bytes().equals(first)).toBe(true)
      expect(first.subarray(0, 3)).not.toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
      expect(first.toString("utf8").split("\r\n")).toHaveLength(20_002)
    })
  )

  it.effect("makes a file that its group may read and others may not", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      const before = process.umask(0o077)
      yield* Effect.ensuring(
        replace(world, "mode.csv"),
        Effect.sync(() => process.umask(before))
      )
      expect(statSync(join(world.folder, "mode.csv")).mode & 0o777).toBe(0o640)
      chmodSync(join(world.folder, "mode.csv"), 0o666)
      yield* replace(world, "mode.csv")
      expect(statSync(join(world.folder, "mode.csv")).mode & 0o777).toBe(0o640)
    })
  )

  it.effect("leaves nothing but the file", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      yield* replace(world, "only.csv", { Text: "a" })
      yield* Effect.flip(
        Effect.scoped(
          Effect.flatMap(world.driver.open(world.feed, { ...config, path: "only.csv" }, columns), (session) =>
            session.replace(Stream.concat(rowsOf({ Text: "b" }), Stream.fail("gone")))
          )
        )
      )
      expect(yield* world.everything).toEqual(["only.csv"])
    })
  )

  it.effect("clears away what a crashed run of the same feed left, and nothing of others", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      mkdirSync(world.folder, { recursive: true })
      writeFileSync(join(world.folder, `.millrace-${world.feed.id}-00ff.tmp`), "half a fi")
      writeFileSync(join(world.folder, ".millrace-feed_another-00ff.tmp"), "being written")
      writeFileSync(join(world.folder, "notes.txt"), "of a person")
      yield* replace(world, "a.csv")
      expect(yield* world.everything).toEqual([".millrace-feed_another-00ff.tmp", "a.csv", "notes.txt"])
    })
  )

  it.effect("refuses paths that leave the folder, and says so when the feed is saved", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      for (const path of ["../out.csv", "a/../../out.csv", "/etc/out.csv", ".."]) {
        expect(yield* check(world, path)).toEqual([
          { field: "path", message: `The path "${path}" must stay below the folder for files.` }
        ])
        expect(yield* Effect.flip(replace(world, path))).toMatchObject({ _tag: "DestinationRejected" })
      }
      expect(readdirSync(world.outside)).toEqual([])
    })
  )

  it.effect("refuses paths that name a folder, and names it keeps for itself", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      mkdirSync(join(world.folder, "books"), { recursive: true })
      for (const path of [".", "", "books", "books/", "./"]) {
        expect(yield* check(world, path)).toEqual([
          { field: "path", message: `The path "${path}" names a folder, not a file.` }
        ])
      }
      expect(yield* check(world, "x/.millrace-feed_1-00.tmp")).toMatchObject([{ field: "path" }])
      expect(yield* check(world, "./books/./a.csv")).toEqual([])
    })
  )

  it.effect("refuses links that leave the folder, wherever they are in the path", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      const elsewhere = join(world.outside, "elsewhere")
      mkdirSync(join(world.folder, "books"), { recursive: true })
      mkdirSync(elsewhere)
      writeFileSync(join(elsewhere, "secret.csv"), "keep me")
      symlinkSync(elsewhere, join(world.folder, "away"))
      symlinkSync(join(elsewhere, "secret.csv"), join(world.folder, "books/secret.csv"))
      symlinkSync(join(elsewhere, "new.csv"), join(world.folder, "books/dangling.csv"))
      symlinkSync(join(elsewhere, "none"), join(world.folder, "nowhere"))
      for (const path of [
        "away/secret.csv",
        "away/deep/new.csv",
        "books/secret.csv",
        "books/dangling.csv",
        "nowhere/a.csv"
      ]) {
        expect((yield* check(world, path)).map(({ field }) => field)).toEqual(["path"])
        expect(yield* Effect.flip(replace(world, path))).toMatchObject({ _tag: "DestinationRejected" })
      }
      expect(readdirSync(elsewhere)).toEqual(["secret.csv"])
      expect(readFileSync(join(elsewhere, "secret.csv"), "utf8")).toBe("keep me")
    })
  )

  it.effect("refuses a folder that became a link out of it after the run had begun", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      const session = yield* world.driver.open(world.feed, { ...config, path: "a/b.csv" }, columns)
      mkdirSync(join(world.outside, "elsewhere"))
      mkdirSync(world.folder, { recursive: true })
      symlinkSync(join(world.outside, "elsewhere"), join(world.folder, "a"))
      expect(yield* Effect.flip(session.replace(rowsOf()))).toMatchObject({ _tag: "DestinationRejected" })
      expect(readdirSync(join(world.outside, "elsewhere"))).toEqual([])
    })
  )

  it.effect("follows links that stay inside the folder, and a folder that is itself a link", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      const real = join(world.outside, "real")
      mkdirSync(join(real, "2026"), { recursive: true })
      mkdirSync(world.operators)
      symlinkSync(real, world.folder)
      symlinkSync("2026", join(real, "current"))
      symlinkSync("2026/a.csv", join(real, "latest.csv"))
      yield* replace(world, "current/a.csv", { Text: "one" })
      expect(readFileSync(join(real, "2026/a.csv"), "utf8")).toContain("one")
      yield* replace(world, "latest.csv", { Text: "two" })
      expect(readFileSync(join(real, "2026/a.csv"), "utf8")).toContain("two")
    })
  )

  it.effect("gives each workspace a folder of its own: none reaches the files of another, or learns of them", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      const other = { ...world.feed, workspaceId: (yield* makeWorkspace().pipe(Effect.provide(Ids.layer))).id }
      yield* replace(world, "books/a.csv", { Text: "one" })
      // Nobody's: what older versions wrote there, and what the operator keeps.
      mkdirSync(join(world.operators, "taken.csv"))
      const foreign = join(world.operators, other.workspaceId)
      for (const path of ["books", "books/a.csv", "taken.csv", world.workspace.id]) {
        const asked = { ...config, path }
        expect(yield* world.driver.check(other.workspaceId, asked, columns, true)).toEqual([])
        if (path !== "books") yield* replace({ ...world, feed: other }, path, { Text: "two" })
      }
      expect(readFileSync(join(world.folder, "books/a.csv"), "utf8")).toContain("one")
      expect(readFileSync(join(foreign, "books/a.csv"), "utf8")).toContain("two")
      // Nor over a link within the operator's folder.
      symlinkSync(world.folder, join(foreign, "theirs"))
      expect(
        yield* world.driver.check(other.workspaceId, { ...config, path: "theirs/books/a.csv" }, columns, true)
      ).toEqual([
        {
          field: "path",
          message: 'The path "theirs/books/a.csv" leads out of the folder for files over a link.'
        }
      ])
    })
  )

  it.effect("claims one place for all spellings of a path, and another for every other path and workspace", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      const claim = (path: string, workspaceId = world.workspace.id) =>
        Effect.map(world.driver.claim!(workspaceId, { ...config, path }), (claimed) => claimed?.place)
      mkdirSync(join(world.folder, "2026"), { recursive: true })
      symlinkSync("2026", join(world.folder, "current"))
      symlinkSync("2026/caf\u00e9.csv", join(world.folder, "latest.csv"))
      writeFileSync(join(world.folder, "2026/caf\u00e9.csv"), "")
      const place = yield* claim("2026/caf\u00e9.csv")
      expect(place).toEqual(expect.any(String))
      for (const path of [
        "./2026/./caf\u00e9.csv",
        "2026/Caf\u00c9.CSV",
        "2026/cafe\u0301.csv",
        "current/caf\u00e9.csv",
        "latest.csv"
      ]) {
        expect([path, yield* claim(path)]).toEqual([path, place])
      }
      for (const path of ["2026/cafe.csv", "caf\u00e9.csv", "2026/caf\u00e9 .csv"]) {
        expect(yield* claim(path)).not.toBe(place)
      }
      const other = yield* makeWorkspace().pipe(Effect.provide(Ids.layer))
      expect(yield* claim("2026/caf\u00e9.csv", other.id)).not.toBe(place)
      // Moved with everything in it, the folder holds the same places.
      renameSync(world.operators, join(world.outside, "moved"))
      const moved = fileDestination({ folder: join(world.outside, "moved") })
      const after = yield* moved.claim!(world.workspace.id, { ...config, path: "current/caf\u00e9.csv" })
      expect(after?.place).toBe(place)
      expect(yield* moved.claim!(world.workspace.id, { ...config, path: "../a.csv" })).toBeUndefined()
      expect(yield* fileDestination({ folder: undefined }).claim!(world.workspace.id, config)).toBeUndefined()
    })
  )

  it.effect("cannot be used where the operator named no folder", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      const driver = fileDestination({ folder: undefined })
      expect(yield* driver.check(world.feed.workspaceId, config, columns, true)).toEqual([
        { field: "type", message: "no folder for files is configured" }
      ])
      expect(yield* Effect.flip(driver.open(world.feed, config, columns))).toMatchObject({
        _tag: "DestinationRejected"
      })
    })
  )

  it.effect("says what is in the way, without naming the place on the machine", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      mkdirSync(world.folder, { recursive: true })
      writeFileSync(join(world.folder, "taken"), "")
      const refusal = yield* Effect.flip(replace(world, "taken/a.csv"))
      expect(refusal).toMatchObject({
        _tag: "DestinationRejected",
        message: 'The file "taken/a.csv" cannot be written: a part of the path is a file, not a folder.'
      })
      expect(yield* Effect.flip(replace(world, `${"x".repeat(300)}.csv`))).toMatchObject({
        _tag: "DestinationRejected",
        message: expect.stringContaining("a name in the path is too long")
      })
    })
  )

  it.effect("keeps the old file when the disk fills up midway, and tells that it may work later", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      yield* replace(world, "full.csv", { Text: "old" })
      const old = readFileSync(join(world.folder, "full.csv"), "utf8")
      const session = yield* world.driver.open(world.feed, { ...config, path: "full.csv" }, columns)
      const long = { key: "transactions:1", values: { Text: "x".repeat(400_000) } }
      const full = Effect.acquireRelease(diskThatFills(1), (spy) => Effect.sync(() => spy.mockRestore()))
      const failure = yield* Effect.scoped(
        Effect.andThen(full, Effect.flip(session.replace(Stream.make(long, long, long))))
      )
      expect(failure).toMatchObject({
        _tag: "DestinationUnavailable",
        message: 'The file "full.csv" cannot be written: the disk is full.'
      })
      expect(readFileSync(join(world.folder, "full.csv"), "utf8")).toBe(old)
      expect(yield* world.everything).toEqual(["full.csv"])
      yield* replace(world, "full.csv", { Text: "new" })
      expect(readFileSync(join(world.folder, "full.csv"), "utf8")).toContain("new")
    })
  )

  it.effect("keeps the old file when its draft is taken away", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      yield* replace(world, "lost.csv", { Text: "old" })
      const session = yield* world.driver.open(world.feed, { ...config, path: "lost.csv" }, columns)
      const takeAway = Stream.fromEffect(
        Effect.sync(() => {
          for (const name of readdirSync(world.folder)) if (name !== "lost.csv") unlinkSync(join(world.folder, name))
          return { key: "transactions:1", values: { Text: "new" } }
        })
      )
      expect(yield* Effect.flip(session.replace(takeAway))).toMatchObject({ _tag: "DestinationUnavailable" })
      expect(readFileSync(join(world.folder, "lost.csv"), "utf8")).toContain("old")
      expect(yield* world.everything).toEqual(["lost.csv"])
    })
  )

  it.effect("takes no rows one by one", () =>
    Effect.gen(function* () {
      const world = yield* arrange
      const session = yield* world.driver.open(world.feed, config, columns)
      expect(yield* Effect.flip(session.write([]))).toMatchObject({ _tag: "DestinationRejected" })
      expect(yield* Effect.flip(session.lookup([]))).toMatchObject({ _tag: "DestinationRejected" })
    })
  )
})
