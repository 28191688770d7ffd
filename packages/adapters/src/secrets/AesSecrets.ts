/**
 * Secrets sealed with AES-256-GCM.
 *
 * Sealed text is `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. Sealed bytes are the byte 1,
 * the key id, the nonce, ciphertext and tag. The context is authenticated with them. Nonces are 96 random bits, so a key is good for 2^32 seals; the key id is cut from
 * a hash of the key, so that a key that was replaced is recognised.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import { Secrets, SecretsUnreadable } from "@millrace/core/bank"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** A key that is not 32 bytes of base64. */
export class InvalidSecretsKey extends Schema.TaggedError<InvalidSecretsKey>()("InvalidSecretsKey", {
  message: Schema.String
}) {}

const version = "v1"
const cipherName = "aes-256-gcm"
const keyBytes = 32
const keyIdLength = 8
const nonceBytes = 12
const tagBytes = 16

interface Key {
  readonly id: string
  readonly bytes: Buffer
}

const toKey = (text: Redacted.Redacted): Effect.Effect<Key, InvalidSecretsKey> => {
  const bytes = Buffer.from(Redacted.value(text), "base64")
  return bytes.length === keyBytes
    ? Effect.succeed({ id: createHash("sha256").update(bytes).digest("base64url").slice(0, keyIdLength), bytes })
    : Effect.fail(new InvalidSecretsKey({ message: `the secrets key must be ${keyBytes} bytes in base64` }))
}

const PlainJson = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

/** Nonce, ciphertext and tag. */
const seal = (key: Key, plain: Uint8Array, context: string): ReadonlyArray<Buffer> => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(cipherName, key.bytes, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(context))
  return [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]
}

const sealText = (key: Key, plain: string, context: string): string => {
  const [nonce, ...sealed] = seal(key, Buffer.from(plain), context)
  return `${version}.${key.id}.${nonce!.toString("base64url")}.${Buffer.concat(sealed).toString("base64url")}`
}

const unseal = (key: Key, nonce: Uint8Array, sealed: Uint8Array, context: string): Buffer => {
  const decipher = createDecipheriv(cipherName, key.bytes, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const plain = decipher.update(sealed.subarray(0, -tagBytes))
  decipher.final()
  return plain
}

const bytesVersion = 1
const bytesHead = 1 + keyIdLength + nonceBytes

export interface AesSecretsOptions {
  /** Seals, and opens what it sealed: 32 bytes in base64. */
  readonly key: Redacted.Redacted
  /** Keys used before: they still open. */
  readonly previous?: ReadonlyArray<Redacted.Redacted>
}

export const layer = (options: AesSecretsOptions): Layer.Layer<Secrets, InvalidSecretsKey> =>
  Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const current = yield* toKey(options.key)
      const previous = yield* Effect.forEach(options.previous ?? [], toKey)
      const keys = new Map([current, ...previous].map((k) => [k.id, k]))
      const opened = (keyId: string, nonce: Uint8Array, sealed: Uint8Array, context: string) => {
        const key = keys.get(keyId)
        if (key === undefined) return Effect.fail(new SecretsUnreadable({ reason: "unknown_key" }))
        return Effect.try({
          try: () => unseal(key, nonce, sealed, context),
          catch: () => new SecretsUnreadable({ reason: "forged" })
        })
      }
      return Secrets.of({
        keyIds: { current: current.id, previous: previous.map(({ id }) => id).filter((id) => id !== current.id) },
        seal: (plain, context) => Effect.sync(() => sealText(current, JSON.stringify(plain), context)),
        open: Effect.fn("Secrets.open")(function* (text, context) {
          const [prefix, keyId, nonceText, sealedText, ...rest] = text.split(".")
          const nonce = Buffer.from(nonceText ?? "", "base64url")
          const sealed = Buffer.from(sealedText ?? "", "base64url")
          if (prefix !== version || nonce.length !== nonceBytes || sealed.length < tagBytes || rest.length > 0) {
            return yield* new SecretsUnreadable({ reason: "malformed" })
          }
          const plain = (yield* opened(keyId ?? "", nonce, sealed, context)).toString("utf8")
          return yield* Effect.mapError(
            Schema.decodeEffect(PlainJson)(plain),
            () => new SecretsUnreadable({ reason: "malformed" })
          )
        }),
        sealBytes: (plain, context) =>
          Effect.sync(() =>
            Buffer.concat([
              Buffer.of(bytesVersion),
              Buffer.from(current.id, "latin1"),
              ...seal(current, plain, context)
            ])
          ),
        openBytes: Effect.fnUntraced(function* (sealed, context) {
          if (sealed[0] !== bytesVersion || sealed.length < bytesHead + tagBytes) {
            return yield* new SecretsUnreadable({ reason: "malformed" })
          }
          const keyId = Buffer.from(sealed.subarray(1, 1 + keyIdLength)).toString("latin1")
          return yield* opened(keyId, sealed.subarray(1 + keyIdLength, bytesHead), sealed.subarray(bytesHead), context)
        })
      })
    })
  )
