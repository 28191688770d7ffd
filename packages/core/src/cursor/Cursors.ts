/** Opaque cursors: versioned, signed, and bound to what they were made for (decisions 1.6). */
import type * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { CursorUnusable } from "../failure/Failure.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { CursorStore } from "./CursorStore.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import { signedText } from "../shared/SignedText.ts"

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
/** All of it is JSON already, which the compiler has checked. */
const encodeEnvelope = ({ at, kept, life, payload, v }: typeof Envelope.Type): string =>
  JSON.stringify({ v, at, life, payload, kept })
const decodeEnvelope = Schema.decodeEffect(Envelope)
const decodePart = Schema.decodeEffect(Schema.fromJsonString(Schema.Json))

const invalid = (): CursorUnusable => new CursorUnusable({ expired: false })

/** What a cursor is good for: a list of one workspace, and nothing else. */
export interface Bound {
  readonly workspaceId: WorkspaceId
  /** Names operation and resource. */
  readonly list: string
}

const purposeOf = ({ list, workspaceId }: Bound): string => `${workspaceId}/${list}`

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
        const signed = signedText(digest, keys)

        return Cursors.of({
          encode: Effect.fnUntraced(function* (bound, life, payload) {
            const at = yield* Clock.currentTimeMillis
            const cursorOf = (rest: Payload, kept?: Readonly<Record<string, string>>) => {
              const envelope = { v: 1 as const, at, life, payload: rest, ...(kept === undefined ? {} : { kept }) }
              return signed.seal(purposeOf(bound), encodeEnvelope(envelope))
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
            const text = cursor.length > limits.cursorLength ? Option.none() : signed.open(purposeOf(bound), cursor)
            if (Option.isNone(text)) return yield* invalid()
            const envelope = yield* Effect.mapError(decodeEnvelope(text.value), invalid)
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
