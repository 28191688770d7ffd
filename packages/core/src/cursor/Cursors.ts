/** Opaque cursors: versioned, signed, and bound to what they were made for (decisions 1.6). */
import type * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { CursorUnusable } from "../failure/Failure.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { CursorStore } from "./CursorStore.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"

const hourMillis = 3_600_000

export type CursorLife = "page" | "watermark"

const lifeMillis: Readonly<Record<CursorLife, number>> = {
  page: limits.pageCursorHours * hourMillis,
  watermark: limits.watermarkDays * 24 * hourMillis
}

const Payload = Schema.Record(Schema.String, Schema.Json)
type Payload = typeof Payload.Type

const Envelope = Schema.fromJsonString(
  Schema.Struct({
    v: Schema.Literal(1),
    at: Schema.Int,
    life: Schema.Literals(["page", "watermark"]),
    payload: Payload,
    /** Members of the payload that are kept on our side, by their digests. */
    kept: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  })
)
const encodeEnvelope = Schema.encodeSync(Envelope)
const decodeEnvelope = Schema.decodeEffect(Envelope)
const decodePart = Schema.decodeEffect(Schema.fromJsonString(Schema.Json))

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

/** What a cursor is good for: a list of one workspace, and nothing else. */
export interface Bound {
  readonly workspaceId: WorkspaceId
  /** Names operation and resource. */
  readonly list: string
}

export class Cursors extends Context.Service<
  Cursors,
  {
    /**
     * A cursor is never longer than `limits.cursorLength`: members of the payload that do not fit are kept on our side,
     * the longest first. One that is the same on every page is kept once.
     */
    readonly encode: (bound: Bound, life: CursorLife, payload: Payload) => Effect.Effect<string, StorageUnavailable>
    readonly decode: <A>(
      bound: Bound,
      schema: Schema.Decoder<A>,
      cursor: string
    ) => Effect.Effect<A, CursorUnusable | StorageUnavailable>
  }
>()("@millrace/core/cursor/Cursors") {
  /** All servers of one installation share the keys. The first one signs; a cursor of the others is good as well. */
  static readonly layer = (
    ...keys: Arr.NonEmptyReadonlyArray<Redacted.Redacted>
  ): Layer.Layer<Cursors, never, Digest | CursorStore> =>
    Layer.effect(
      Cursors,
      Effect.gen(function* () {
        const digest = yield* Digest
        const store = yield* CursorStore
        const signature = ({ list, workspaceId }: Bound, body: string, key = keys[0]) =>
          digest.sign(`${workspaceId}/${list}\n${body}`, Redacted.value(key))

        return Cursors.of({
          encode: Effect.fnUntraced(function* (bound, life, payload) {
            const at = yield* Clock.currentTimeMillis
            const cursorOf = (rest: Payload, kept?: Readonly<Record<string, string>>) => {
              const envelope = { v: 1 as const, at, life, payload: rest, ...(kept === undefined ? {} : { kept }) }
              const body = toUrlSafe(encodeEnvelope(envelope))
              return `${body}.${signature(bound, body)}`
            }
            let cursor = cursorOf(payload)
            const rest = { ...payload }
            const kept: Record<string, string> = {}
            const texts = Object.entries(payload).map(([name, part]) => [name, JSON.stringify(part)] as const)
            for (const [name, text] of texts.toSorted(([, a], [, b]) => b.length - a.length)) {
              if (cursor.length <= limits.cursorLength) break
              kept[name] = digest.contentHash(text)
              delete rest[name]
              yield* store.keep(bound.workspaceId, { digest: kept[name], text, hours: lifeMillis[life] / hourMillis })
              cursor = cursorOf(rest, kept)
            }
            return cursor
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
            const payload: Record<string, Schema.Json> = { ...envelope.payload }
            for (const [name, hash] of Object.entries(envelope.kept ?? {})) {
              const part = yield* store.find(bound.workspaceId, hash)
              // Others took its room.
              if (part === undefined) return yield* new CursorUnusable({ expired: true })
              payload[name] = yield* Effect.mapError(decodePart(part), invalid)
            }
            return yield* Effect.mapError(Schema.decodeUnknownEffect(schema)(payload), invalid)
          })
        })
      })
    )
}
