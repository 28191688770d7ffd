import { NodeDigest } from "@millrace/adapters"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { MemoryStorage } from "@millrace/adapters/memory"
import { CursorStore } from "../../src/cursor/CursorStore.ts"
import { limits } from "../../src/shared/Limits.ts"
import type { WorkspaceId } from "../../src/workspace/Workspace.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"

const layer = (key = "secret", ...previous: ReadonlyArray<string>) =>
  Cursors.layer(Redacted.make(key), ...previous.map((text) => Redacted.make(text))).pipe(
    Layer.provideMerge(Layer.mergeAll(NodeDigest.layer, MemoryStorage.layer))
  )
const workspaceId = "ws_00000000000000000000000000" as WorkspaceId
const bound = (list: string) => ({ workspaceId, list })
const Payload = Schema.Struct({ after: Schema.String })

describe("Cursors", () => {
  it.effect("gives back what was put in, in characters that a URL takes as they are", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors
      for (const after of ["", "a", "Zürich 日本 😀", "x".repeat(300)]) {
        const cursor = yield* cursors.encode(bound("op/1"), "page", { after })
        expect(cursor).toMatch(/^[\w-]+\.[\w-]+$/)
        expect(yield* cursors.decode(bound("op/1"), Payload, cursor)).toEqual({ after })
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("refuses a cursor that was altered anywhere", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors
      const cursor = yield* cursors.encode(bound("b"), "page", { after: "1" })
      const bad = ["", ".", "a.b", cursor.slice(1), `${cursor}A`, cursor.replace(".", ""), "x".repeat(2_000)]
      for (let at = 0; at < cursor.length; at++) {
        if (cursor[at] !== ".")
          bad.push(`${cursor.slice(0, at)}${cursor[at] === "A" ? "B" : "A"}${cursor.slice(at + 1)}`)
      }
      for (const one of bad) {
        expect(yield* Effect.flip(cursors.decode(bound("b"), Payload, one))).toMatchObject({ expired: false })
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("refuses a cursor of another list, key or form", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors
      const cursor = yield* cursors.encode(bound("b"), "page", { after: "1" })
      const other = yield* Cursors.pipe(Effect.provide(layer("other")))
      expect(yield* Effect.flip(cursors.decode(bound("c"), Payload, cursor))).toMatchObject({ expired: false })
      expect(yield* Effect.flip(other.decode(bound("b"), Payload, cursor))).toMatchObject({ expired: false })
      const Other = Schema.Struct({ before: Schema.String })
      expect(yield* Effect.flip(cursors.decode(bound("b"), Other, cursor))).toMatchObject({ expired: false })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("signs with the first of its keys, and takes cursors of all of them", () =>
    Effect.gen(function* () {
      const [old, both, next] = yield* Effect.all([
        Cursors.pipe(Effect.provide(layer("old"))),
        Cursors.pipe(Effect.provide(layer("next", "older", "old"))),
        Cursors.pipe(Effect.provide(layer("next")))
      ])
      const before = yield* old.encode(bound("b"), "page", { after: "1" })
      const since = yield* both.encode(bound("b"), "page", { after: "2" })
      expect(yield* both.decode(bound("b"), Payload, before)).toEqual({ after: "1" })
      expect(yield* both.decode(bound("b"), Payload, since)).toEqual({ after: "2" })
      expect(yield* next.decode(bound("b"), Payload, since)).toEqual({ after: "2" })
      expect(yield* Effect.flip(next.decode(bound("b"), Payload, before))).toMatchObject({ expired: false })
      expect(yield* Effect.flip(both.decode(bound("c"), Payload, before))).toMatchObject({ expired: false })
    })
  )

  it.effect("is short however much it carries, and keeps once what is the same on every page", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors
      const store = yield* CursorStore
      const kept: Array<string> = []
      const watching = Layer.succeed(CursorStore, {
        ...store,
        keep: (id, part) =>
          Effect.andThen(
            Effect.sync(() => kept.push(part.digest)),
            store.keep(id, part)
          )
      })
      const watched = yield* Cursors.pipe(
        Effect.provide(Cursors.layer(Redacted.make("secret")).pipe(Layer.provide([NodeDigest.layer, watching])))
      )
      const Long = Schema.Struct({ question: Schema.String, after: Schema.String, page: Schema.Int })
      const question = "日".repeat(100_000)
      for (const after of ["", "a", "x".repeat(5_000)]) {
        for (let page = 0; page < 3; page++) {
          const cursor = yield* watched.encode(bound("b"), "page", { question, after, page })
          expect(cursor.length).toBeLessThanOrEqual(limits.cursorLength)
          expect(yield* cursors.decode(bound("b"), Long, cursor)).toEqual({ question, after, page })
          const foreign = { workspaceId: "ws_1" as WorkspaceId, list: "b" }
          expect(yield* Effect.flip(cursors.decode(foreign, Long, cursor))).toMatchObject({ expired: false })
        }
      }
      expect(new Set(kept).size).toBe(2)
      // Where others took its room, the walk begins anew.
      const cursor = yield* watched.encode(bound("b"), "page", { question, after: "", page: 1 })
      for (let n = 0; n < limits.keptCursorParts; n++) {
        yield* store.keep(workspaceId, { digest: `${n}`, text: "", hours: 1 })
      }
      expect(yield* Effect.flip(cursors.decode(bound("b"), Long, cursor))).toMatchObject({ expired: true })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("ends a page cursor after a day and a watermark after 180", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors
      const page = yield* cursors.encode(bound("b"), "page", { after: "1" })
      const mark = yield* cursors.encode(bound("b"), "watermark", { after: "1" })
      yield* TestClock.adjust("24 hours")
      expect(yield* cursors.decode(bound("b"), Payload, page)).toEqual({ after: "1" })
      yield* TestClock.adjust("1 millis")
      expect(yield* Effect.flip(cursors.decode(bound("b"), Payload, page))).toMatchObject({ expired: true })
      yield* TestClock.adjust("179 days")
      expect(yield* Effect.flip(cursors.decode(bound("b"), Payload, mark))).toMatchObject({ expired: true })
    }).pipe(Effect.provide(layer()))
  )
})
