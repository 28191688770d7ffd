import { callerOf, type Caller } from "../../src/access/Caller.ts"
import { AuditStore } from "../../src/audit/AuditStore.ts"
import { entryOf } from "../../src/audit/Audit.ts"
import { collection } from "../../src/collection/Collection.ts"
import { AddedCollections, collectionFaults, Collections } from "../../src/collection/Collections.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { Ids } from "../../src/shared/Ids.ts"
import type { Scope } from "../../src/access/Scope.ts"
import type { Workspace } from "../../src/workspace/Workspace.ts"
import { notes } from "./Notes.ts"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { storeWorkspace } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"

const kernel = Collections.layer.pipe(
  Layer.provide(Cursors.layer(Redacted.make("a secret that only this test has"))),
  Layer.provide(Layer.succeed(AddedCollections, [notes])),
  Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer, NodeDigest.layer, Ids.layer))
)

const ownerOf = (workspace: Workspace): Caller =>
  callerOf({ kind: "user", workspace, userId: "usr_1", email: "a@example.com", role: "owner" }, "request")

const appOf = (workspace: Workspace, clientId: string, scopes: ReadonlyArray<Scope>): Caller =>
  callerOf(
    {
      kind: "oauth_app",
      workspace,
      app: { clientId, name: "App", firstParty: false },
      userId: "usr_1",
      role: "owner",
      scopes
    },
    "request"
  )

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  return { workspace, caller: ownerOf(workspace), rows: (yield* Collections).of(notes) }
})

describe("a collection", () => {
  it.effect("makes, reads, changes and deletes things, each version once", () =>
    Effect.gen(function* () {
      const { caller, rows } = yield* arrange
      const made = yield* rows.create(caller, { title: "Rent", color: "red" })
      expect(made).toMatchObject({ title: "Rent", text: "", color: "red", rank: 0, version: 1, trashedAt: null })
      expect(made.id).toMatch(/^note_[0-9a-z]{26}$/)
      expect(yield* rows.get(caller, made.id)).toEqual(made)
      yield* TestClock.adjust("1 minute")
      const changed = yield* rows.update(caller, made.id, { text: "On the first", color: null }, 1)
      const { color: _, ...rest } = made
      expect(changed).toEqual({ ...rest, text: "On the first", version: 2, updatedAt: changed.updatedAt })
      expect(changed.updatedAt > made.updatedAt).toBe(true)
      expect(yield* rows.update(caller, made.id, { text: "On the first" })).toEqual(changed)
      expect(yield* Effect.flip(rows.update(caller, made.id, { text: "x" }, 1))).toMatchObject({
        _tag: "PreconditionFailed"
      })
      expect(yield* Effect.flip(rows.remove(caller, made.id, { ifVersion: 1 }))).toMatchObject({
        _tag: "PreconditionFailed"
      })
      yield* rows.remove(caller, made.id, { ifVersion: 2 })
      expect(yield* Effect.flip(rows.get(caller, made.id))).toMatchObject({ _tag: "NotFound", resource: "Note" })
      expect(yield* Effect.flip(rows.remove(caller, made.id))).toMatchObject({ _tag: "NotFound" })
    }).pipe(Effect.provide(kernel))
  )

  it.effect("keeps what is deleted in the trash for thirty days, from where it is restored or removed for good", () =>
    Effect.gen(function* () {
      const { caller, rows } = yield* arrange
      const { purge } = yield* Collections
      const [kept, gone, late] = yield* Effect.forEach(["a", "b", "c"], (title) => rows.create(caller, { title }))
      const early = yield* Effect.flip(rows.remove(caller, kept!.id, { permanent: true }))
      expect(early).toMatchObject({ code: "INVALID_STATE" })
      expect(yield* Effect.flip(rows.restore(caller, kept!.id))).toMatchObject({ message: "Note is live" })
      for (const { id } of [kept!, gone!]) yield* rows.remove(caller, id)
      expect((yield* rows.list(caller, {})).rows.map(({ id }) => id)).toEqual([late!.id])
      expect((yield* rows.list(caller, { trashed: true })).rows.map(({ id }) => id)).toEqual([kept!.id, gone!.id])
      expect(yield* rows.restore(caller, kept!.id)).toMatchObject({ trashedAt: null, version: 3 })
      yield* rows.remove(caller, gone!.id, { permanent: true })
      expect((yield* rows.list(caller, { trashed: true })).rows).toEqual([])
      yield* rows.remove(caller, late!.id)
      yield* TestClock.adjust("30 days")
      expect(yield* purge).toBe(0)
      yield* TestClock.adjust("1 second")
      expect([yield* purge, yield* purge]).toEqual([1, 0])
      expect(yield* Effect.flip(rows.restore(caller, late!.id))).toMatchObject({ _tag: "NotFound" })
    }).pipe(Effect.provide(kernel))
  )

  it.effect("lists page by page, and a cursor carries what was asked", () =>
    Effect.gen(function* () {
      const { caller, rows } = yield* arrange
      for (let n = 0; n < 7; n++) {
        yield* rows.create(caller, { title: `note ${n}`, rank: n % 3, ...(n % 2 === 0 ? { color: "green" } : {}) })
      }
      const all = (yield* rows.list(caller, {})).rows
      expect(all.map(({ rank }) => rank)).toEqual([2, 2, 1, 1, 0, 0, 0])
      expect(all.map(({ color }) => color)).toEqual([
        "green",
        undefined,
        "green",
        undefined,
        "green",
        "green",
        undefined
      ])
      const read: Array<string> = []
      let cursor: string | undefined
      do {
        const page: { rows: ReadonlyArray<{ title: string }>; cursor?: string } = yield* rows.list(caller, {
          limit: 2,
          ...(cursor === undefined ? { where: { color: "green" } } : { cursor, where: { color: "red" } })
        })
        read.push(...page.rows.map(({ title }) => title))
        cursor = page.cursor
      } while (cursor !== undefined)
      expect(read).toEqual(all.filter(({ color }) => color === "green").map(({ title }) => title))
      expect(yield* Effect.flip(rows.list(caller, { cursor: "x" }))).toMatchObject({ _tag: "CursorUnusable" })
      const other = ownerOf(yield* storeWorkspace())
      const first = yield* rows.list(caller, { limit: 1 })
      expect(yield* Effect.flip(rows.list(other, { cursor: first.cursor! }))).toMatchObject({ _tag: "CursorUnusable" })
      expect((yield* rows.list(other, {})).rows).toEqual([])
    }).pipe(Effect.provide(kernel))
  )

  it.effect("refuses a key that is taken and what means nothing, and keeps nothing of it", () =>
    Effect.gen(function* () {
      const { caller, rows } = yield* arrange
      yield* rows.create(caller, { title: "Rent" })
      const other = yield* rows.create(caller, { title: "Power" })
      const taken = { _tag: "Conflict", code: "KEY_TAKEN", details: [{ field: "title", message: "is taken" }] }
      expect(yield* Effect.flip(rows.create(caller, { title: "Rent" }))).toMatchObject(taken)
      expect(yield* Effect.flip(rows.update(caller, other.id, { title: "Rent" }))).toMatchObject(taken)
      const wrong = { _tag: "Unprocessable", code: "VALIDATION_FAILED", details: [{ field: "text" }] }
      expect(yield* Effect.flip(rows.create(caller, { title: "x", text: "x" }))).toMatchObject(wrong)
      expect(yield* Effect.flip(rows.update(caller, other.id, { text: "Power" }))).toMatchObject(wrong)
      expect((yield* rows.list(caller, {})).rows).toHaveLength(2)
    }).pipe(Effect.provide(kernel))
  )

  it.effect("lets an app reach what it made, page by page, and nobody without the scope or the role anything", () =>
    Effect.gen(function* () {
      const { caller, rows, workspace } = yield* arrange
      const app = appOf(workspace, "app_1", ["tables:read", "tables:write"])
      for (let n = 0; n < 9; n++) yield* rows.create(n % 3 === 0 ? app : caller, { title: `note ${n}` })
      const first = yield* rows.list(app, { limit: 2 })
      const second = yield* rows.list(app, { limit: 2, cursor: first.cursor! })
      expect([first, second].map((page) => page.rows.map(({ title }) => title))).toEqual([
        ["note 0", "note 3"],
        ["note 6"]
      ])
      const foreign = (yield* rows.list(caller, {})).rows.find(({ title }) => title === "note 1")!
      expect(yield* Effect.flip(rows.get(app, foreign.id))).toMatchObject({ _tag: "NotFound" })
      expect(yield* Effect.flip(rows.remove(app, foreign.id))).toMatchObject({ _tag: "NotFound" })
      const reader = appOf(workspace, "app_1", ["tables:read"])
      expect(yield* Effect.flip(rows.create(reader, { title: "x" }))).toMatchObject({ code: "INSUFFICIENT_SCOPE" })
      const viewer = callerOf(
        { kind: "user", workspace, userId: "usr_2", email: "b@example.com", role: "viewer" },
        "request"
      )
      expect(yield* Effect.flip(rows.update(viewer, foreign.id, { text: "y" }))).toMatchObject({
        code: "INSUFFICIENT_ROLE"
      })
      expect((yield* rows.list(viewer, {})).rows).toHaveLength(9)
    }).pipe(Effect.provide(kernel))
  )

  it.effect("tells in the log of events and in the audit what was done, and of what failed only in the audit", () =>
    Effect.gen(function* () {
      const { caller, rows, workspace } = yield* arrange
      const { id } = yield* rows.create(caller, { title: "Rent" })
      yield* rows.update(caller, id, { text: "Soon" })
      yield* rows.update(caller, id, { text: "Soon" })
      yield* Effect.flip(rows.create(caller, { title: "Rent" }))
      yield* rows.remove(caller, id)
      yield* rows.restore(caller, id)
      yield* rows.remove(caller, id)
      yield* rows.remove(caller, id, { permanent: true })
      const events = yield* (yield* EventStore).read(workspace.id, 0, 100)
      expect(events.map(({ data, subject, type }) => [type, subject, data])).toEqual([
        ["note.created", { kind: "note", id }, { id, version: 1 }],
        ["note.updated", { kind: "note", id }, { id, version: 2, changed: ["text"] }],
        ["note.deleted", { kind: "note", id }, { id, version: 3, permanent: false }],
        ["note.restored", { kind: "note", id }, { id, version: 4 }],
        ["note.deleted", { kind: "note", id }, { id, version: 5, permanent: false }],
        ["note.deleted", { kind: "note", id }, { id, version: 6, permanent: true }]
      ])
      const audit = yield* AuditStore
      yield* audit.ends(workspace.id)
      const entries = (yield* audit.chain(workspace.id, 0, 100)).map((row) => entryOf(row))
      expect(entries.map(({ operationId, outcome }) => `${operationId} ${outcome}`)).toEqual([
        "createNote ok",
        "updateNote ok",
        "updateNote ok",
        "createNote failed",
        "deleteNote ok",
        "restoreNote ok",
        "deleteNote ok",
        "deleteNote ok"
      ])
      expect(entries[1]).toMatchObject({
        resource: { kind: "note", id },
        changes: [{ field: "text", before: "", after: "Soon" }]
      })
    }).pipe(Effect.provide(kernel))
  )

  it.effect("lets no change be lost where many change the same thing", () =>
    Effect.gen(function* () {
      const { caller, rows } = yield* arrange
      const { id } = yield* rows.create(caller, { title: "Rent" })
      yield* Effect.forEach(
        Array.from({ length: 10 }, (_, n) => n + 1),
        (rank) => rows.update(caller, id, { rank }),
        {
          concurrency: "unbounded"
        }
      )
      expect((yield* rows.get(caller, id)).version).toBe(11)
    }).pipe(Effect.provide(kernel))
  )
})

describe("the definition of a collection", () => {
  const names = {
    one: "Memo",
    many: "Memos",
    about: "Memos.",
    prefix: "memo",
    scopes: { read: "tables:read", write: "tables:write" },
    fields: { title: Schema.String, done: Schema.Boolean },
    example: { title: "x", done: true }
  } as const

  it("says what contradicts itself", () => {
    expect(() => collection({ ...names, one: "memo" })).toThrow(/"memo" must be letters, a capital one first/)
    expect(() => collection({ ...names, prefix: "bank" })).toThrow(/"bank" belongs to the bundled kind "bank"/)
    expect(() => collection({ ...names, prefix: "inv" })).toThrow(/"inv" is kept for later parts/)
    expect(() => collection({ ...names, prefix: "memory" })).toThrow(/2 to 4 small letters/)
    expect(() => collection({ ...names, filters: ["done"] })).toThrow(/"done" is neither text nor a whole number/)
    expect(() => collection({ ...names, path: "/v1/Memos" })).toThrow(/its path "\/v1\/Memos"/)
    expect(() => collection({ ...names, fields: { ...names.fields, version: Schema.Int } } as never)).toThrow(
      /"version" cannot be one of its fields/
    )
  })

  it("says what two of them, or one and what is bundled, have both", () => {
    const memos = collection(names)
    expect(collectionFaults([notes, memos])).toEqual([])
    expect(collectionFaults([memos, collection({ ...names, noun: "other" })])).toEqual(
      expect.arrayContaining([
        'the collection "Memos": the operation "listMemos" belongs to the collection "Memos"',
        'the collection "Memos": the path "/v1/memos" belongs to the collection "Memos"',
        'the collection "Memos": the prefix of ids "memo" belongs to the collection "Memos"',
        'the collection "Memos": the table "memo" belongs to the collection "Memos"'
      ])
    )
    const feeds = collection({ ...names, one: "Stream", many: "Feeds" })
    expect(collectionFaults([feeds])).toEqual([
      'the collection "Feeds": the operation "listFeeds" belongs to a bundled operation',
      'the collection "Feeds": the noun "feeds" belongs to a bundled noun'
    ])
  })
})
