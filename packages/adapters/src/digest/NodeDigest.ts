/** `Digest` on node:crypto. */
import { createHmac, hash, randomInt, timingSafeEqual } from "node:crypto"
import { Digest } from "@millrace/core"
import * as Layer from "effect/Layer"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const contentHashLength = 22

const bytesOf = (text: string): Buffer => hash("sha256", text, "buffer")

/** SHA-256 of text in hexadecimal. */
export const sha256 = (input: string | Uint8Array): string => hash("sha256", input, "hex")

export const layer: Layer.Layer<Digest> = Layer.succeed(
  Digest,
  Digest.of({
    sha256,
    contentHash: (text) => hash("sha256", text, "base64url").slice(0, contentHashLength),
    sign: (text, key) => createHmac("sha256", key).update(text).digest("base64url"),
    // Texts of any length become 32 bytes, so that not even the length leaks.
    equal: (a, b) => timingSafeEqual(bytesOf(a), bytesOf(b)),
    randomText: (length) => {
      let text = ""
      for (let i = 0; i < length; i++) text += base62[randomInt(base62.length)]!
      return text
    }
  })
)
