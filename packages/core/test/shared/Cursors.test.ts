import * as NodeDigest from "@millrace/adapters/digest/NodeDigest"
import { Cursors } from "@millrace/core/shared/Cursors"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"

const layer = (key = "secret", ...previous: ReadonlyArray<string>) =>
  Cursors.layer(Redacted.make(key), ...previous.map((text) => Redacted.make(text))).pipe(
    Layer.provide(NodeDigest.layer)
  )
const Payload = Schema.Struct({ after: Schema.String })

describe("Cursors", () => {
  it.effect("gives back what was put in, in characters that a URL takes as they are", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors
      for (const after of ["", "a", "Zürich 日本 😀", "x".repeat(300)]) {
        const cursor = yield* cursors.encode("ws/op/1", "page", { after })
        expect(cursor).toMatch(/^[\w-]+\.[\w-]+$/)
        expect(yield* cursors.decode("ws/op/1", Payload, cursor)).toEqual({ after })
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("refuses a cursor that was altered anywhere", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors
      const cursor = yield* cursors.encode("b", "page", { after: "1" })
      const bad = ["", ".", "a.b", cursor.slice(1), `${cursor}A`, cursor.replace(".", ""), "x".repeat(2_000)]
      for (let at = 0; at < cursor.length; at++) {
        if (cursor[at] !== ".")
          bad.push(`${cursor.slice(0, at)}${cursor[at] === "A" ? "B" : "A"}${cursor.slice(at + 1)}`)
      }
      for (const one of bad) {
        expect(yield* Effect.flip(cursors.decode("b", Payload, one))).toMatchObject({ expired: false })
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("refuses a cursor of another list, key or form", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors
      const cursor = yield* cursors.encode("b", "page", { after: "1" })
      const other = yield* Cursors.pipe(Effect.provide(layer("other")))
      expect(yield* Effect.flip(cursors.decode("c", Payload, cursor))).toMatchObject({ expired: false })
      expect(yield* Effect.flip(other.decode("b", Payload, cursor))).toMatchObject({ expired: false })
      const Other = Schema.Struct({ before: Schema.String })
      expect(yield* Effect.flip(cursors.decode("b", Other, cursor))).toMatchObject({ expired: false })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("signs with the first of its keys, and takes cursors of all of them", () =>
    Effect.gen(function* () {
      const [old, both, next] = yield* Effect.all([
        Cursors.pipe(Effect.provide(layer("old"))),
        Cursors.pipe(Effect.provide(layer("next", "older", "old"))),
        Cursors.pipe(Effect.provide(layer("next")))
      ])
      const before = yield* old.encode("b", "page", { after: "1" })
      const since = yield* both.encode("b", "page", { after: "2" })
      expect(yield* both.decode("b", Payload, before)).toEqual({ after: "1" })
      expect(yield* both.decode("b", Payload, since)).toEqual({ after: "2" })
      expect(yield* next.decode("b", Payload, since)).toEqual({ after: "2" })
      expect(yield* Effect.flip(next.decode("b", Payload, before))).toMatchObject({ expired: false })
      expect(yield* Effect.flip(both.decode("c", Payload, before))).toMatchObject({ expired: false })
    })
  )

  it.effect("ends a page cursor after a day and a watermark after 180", () =>
    Effect.gen(function* () {
      const cursors = yield* Cursors
      const page = yield* cursors.encode("b", "page", { after: "1" })
      const mark = yield* cursors.encode("b", "watermark", { after: "1" })
      yield* TestClock.adjust("24 hours")
      expect(yield* cursors.decode("b", Payload, page)).toEqual({ after: "1" })
      yield* TestClock.adjust("1 millis")
      expect(yield* Effect.flip(cursors.decode("b", Payload, page))).toMatchObject({ expired: true })
      yield* TestClock.adjust("179 days")
      expect(yield* Effect.flip(cursors.decode("b", Payload, mark))).toMatchObject({ expired: true })
    }).pipe(Effect.provide(layer()))
  )
})
