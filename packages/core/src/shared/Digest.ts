/** Hashing as a port, so that the kernel needs no platform. */
import * as Context from "effect/Context"

/** All functions are synchronous: they run millions of times in a sync. */
export class Digest extends Context.Service<
  Digest,
  {
    /** SHA-256 of UTF-8 text, lower-case hexadecimal, 64 characters. */
    readonly sha256: (input: string | Uint8Array) => string
    /** The first 22 characters of SHA-256 in base64url (132 bits): content hashes of records. */
    readonly contentHash: (text: string) => string
    /** HMAC-SHA-256 in base64url: signs cursors. */
    readonly sign: (text: string, key: string) => string
    /** Compares without leaking where the difference is. */
    readonly equal: (a: string, b: string) => boolean
    /** Cryptographically secure base-62 text: secrets. */
    readonly randomText: (length: number) => string
  }
>()("@millrace/core/shared/Digest") {}
