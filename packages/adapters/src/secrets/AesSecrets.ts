/**
 * Secrets sealed with AES-256-GCM.
 *
 * Sealed text is `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. The context is
 * authenticated with it. Nonces are 96 random bits, so a key is good for 2^32 seals; the key id is cut from
 * a hash of the key, so that a key that was replaced is recognised.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import { Secrets, SecretsUnreadable } from "@millrace/core/bank/Secrets"
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
const nonceBytes = 12
const tagBytes = 16

interface Key {
  readonly id: string
  readonly bytes: Buffer
}

const toKey = (text: Redacted.Redacted): Effect.Effect<Key, InvalidSecretsKey> => {
  const bytes = Buffer.from(Redacted.value(text), "base64")
  return bytes.length === keyBytes
    ? Effect.succeed({ id: createHash("sha256").update(bytes).digest("base64url").slice(0, 8), bytes })
    : Effect.fail(new InvalidSecretsKey({ message: `the secrets key must be ${keyBytes} bytes in base64` }))
}

const PlainJson = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

const seal = (key: Key, plain: string, context: string): string => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(cipherName, key.bytes, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()])
  return `${version}.${key.id}.${nonce.toString("base64url")}.${sealed.toString("base64url")}`
}

const unseal = (key: Key, nonce: Buffer, sealed: Buffer, context: string): string => {
  const decipher = createDecipheriv(cipherName, key.bytes, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  return decipher.update(sealed.subarray(0, -tagBytes), undefined, "utf8") + decipher.final("utf8")
}

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
      const keys = new Map([current, ...(yield* Effect.forEach(options.previous ?? [], toKey))].map((k) => [k.id, k]))
      return Secrets.of({
        seal: (plain, context) => Effect.sync(() => seal(current, JSON.stringify(plain), context)),
        open: Effect.fn("Secrets.open")(function* (text, context) {
          const [prefix, keyId, nonceText, sealedText, ...rest] = text.split(".")
          const nonce = Buffer.from(nonceText ?? "", "base64url")
          const sealed = Buffer.from(sealedText ?? "", "base64url")
          if (prefix !== version || nonce.length !== nonceBytes || sealed.length < tagBytes || rest.length > 0) {
            return yield* new SecretsUnreadable({ reason: "malformed" })
          }
          const key = keys.get(keyId ?? "")
          if (key === undefined) return yield* new SecretsUnreadable({ reason: "unknown_key" })
          const plain = yield* Effect.try({
            try: () => unseal(key, nonce, sealed, context),
            catch: () => new SecretsUnreadable({ reason: "forged" })
          })
          return yield* Effect.mapError(
            Schema.decodeEffect(PlainJson)(plain),
            () => new SecretsUnreadable({ reason: "malformed" })
          )
        })
      })
    })
  )
