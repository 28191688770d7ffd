/** Opaque cursors: versioned, signed, and bound to what they were made for (decisions 1.6). */
import type * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { CursorUnusable } from "../failure/Failure.ts"
import { Digest } from "./Digest.ts"
import { limits } from "./Limits.ts"

const hourMillis = 3_600_000

export type CursorLife = "page" | "watermark"

const lifeMillis: Readonly<Record<CursorLife, number>> = {
  page: limits.pageCursorHours * hourMillis,
  watermark: limits.watermarkDays * 24 * hourMillis
}

const Envelope = Schema.fromJsonString(
  Schema.Struct({
    v: Schema.Literal(1),
    at: Schema.Int,
    life: Schema.Literals(["page", "watermark"]),
    payload: Schema.Json
  })
)
const encodeEnvelope = Schema.encodeSync(Envelope)
const decodeEnvelope = Schema.decodeEffect(Envelope)

const invalid = (): CursorUnusable => new CursorUnusable({ expired: false })

const toUrlSafe = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

const fromUrlSafe = (text: string): Effect.Effect<string, CursorUnusable> =>
  Effect.try({
    try: () => {
      const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0))
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    },
    catch: invalid
  })

export class Cursors extends Context.Service<
  Cursors,
  {
    /** `bound` names workspace, operation and resource: the cursor is good for nothing else. */
    readonly encode: (bound: string, life: CursorLife, payload: Schema.Json) => Effect.Effect<string>
    readonly decode: <A>(bound: string, schema: Schema.Decoder<A>, cursor: string) => Effect.Effect<A, CursorUnusable>
  }
>()("@millrace/core/shared/Cursors") {
  /** All servers of one installation share the keys. The first one signs; a cursor of the others is good as well. */
  static readonly layer = (
    ...keys: Arr.NonEmptyReadonlyArray<Redacted.Redacted>
  ): Layer.Layer<Cursors, never, Digest> =>
    Layer.effect(
      Cursors,
      Effect.gen(function* () {
        const digest = yield* Digest
        const signature = (bound: string, body: string, key = keys[0]) =>
          digest.sign(`${bound}\n${body}`, Redacted.value(key))

        return Cursors.of({
          encode: Effect.fnUntraced(function* (bound, life, payload) {
            const at = yield* Clock.currentTimeMillis
            const body = toUrlSafe(encodeEnvelope({ v: 1, at, life, payload }))
            return `${body}.${signature(bound, body)}`
          }),
          decode: Effect.fnUntraced(function* (bound, schema, cursor) {
            const dot = cursor.indexOf(".")
            if (cursor.length > limits.cursorLength || dot < 0) return yield* invalid()
            const body = cursor.slice(0, dot)
            const given = cursor.slice(dot + 1)
            if (!keys.some((key) => digest.equal(given, signature(bound, body, key)))) return yield* invalid()
            const text = yield* fromUrlSafe(body)
            const envelope = yield* Effect.mapError(decodeEnvelope(text), invalid)
            if ((yield* Clock.currentTimeMillis) - envelope.at > lifeMillis[envelope.life]) {
              return yield* new CursorUnusable({ expired: true })
            }
            return yield* Effect.mapError(Schema.decodeUnknownEffect(schema)(envelope.payload), invalid)
          })
        })
      })
    )
}
