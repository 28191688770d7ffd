/**
 * Everything that comes from the one secret of an installation (`MILLRACE_SECRET`, or the key file): a key for each
 * purpose, so that what one of them gives away helps with no other.
 *
 * A key is HMAC-SHA-256 of the purpose under the secret. That is how HKDF (RFC 5869) expands a secret that is random
 * already, but for the counter that it adds for long keys: what earlier versions sealed has to open, so it stays out.
 *
 * The secret can be replaced: for a time the new one and the former ones are given together. New things are sealed and
 * signed with the new one, what the former ones sealed and signed still opens, and `Resealing` seals it again. What must
 * never change with the secret, such as digests that are compared for years, is made with a data key (`DataKeys`): random,
 * kept in the database, and itself sealed.
 */
import { createHmac } from "node:crypto"
import * as Redacted from "effect/Redacted"

/** Names stay as they are for ever: another name is another key. */
export type KeyPurpose =
  /** Seals what is stored: credentials of banks, contents of files, addresses of webhooks, data keys. */
  | "bank secrets"
  /** Signs cursors of lists. */
  | "cursors"
  /** Signs sessions of the owner. */
  | "sessions"
  /** Tells whether two secrets are the same one; kept in the open. */
  | "fingerprint"

export interface SecretKeys {
  /** 32 bytes in base64, like all of them. */
  readonly current: Redacted.Redacted
  /** Former ones that still open. */
  readonly previous: ReadonlyArray<Redacted.Redacted>
}

/** 32 bytes in base64. */
export const derive = (secret: Redacted.Redacted, purpose: KeyPurpose): Redacted.Redacted =>
  Redacted.make(
    createHmac("sha256", Buffer.from(Redacted.value(secret), "base64"))
      .update(purpose)
      .digest("base64")
  )

/** The keys for a purpose. */
export const keysFor = ({ current, previous }: SecretKeys, purpose: KeyPurpose) => ({
  key: derive(current, purpose),
  previous: previous.map((secret) => derive(secret, purpose))
})
