/** Signatures of callbacks: HMAC-SHA-256 over the bytes as they came, in base64. */
import { createHmac, timingSafeEqual } from "node:crypto"

type Part = string | Uint8Array

/** The signature of the parts, one after the other. */
const hmacBase64 = (key: Part, ...parts: ReadonlyArray<Part>): string => {
  const hmac = createHmac("sha256", key)
  for (const part of parts) hmac.update(part)
  return hmac.digest("base64")
}

/** Whether a key has signed the parts; takes the same time wherever a signature is wrong. */
export const isSignedWith = (keys: ReadonlyArray<Part>, signature: string, ...parts: ReadonlyArray<Part>): boolean => {
  const given = Buffer.from(signature)
  let found = false
  for (const key of keys) {
    const own = Buffer.from(hmacBase64(key, ...parts))
    if (own.length === given.length && timingSafeEqual(own, given)) found = true
  }
  return found
}
