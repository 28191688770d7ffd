/**
 * What is kept of account numbers of files: a digest under a key of the installation, so that an account is known again
 * and its number is not to be found, however few digits it has.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { sealedName } from "../bank/AccountReference.ts"
import type { Digest } from "../shared/Digest.ts"
import type { DataKeys } from "../storage/DataKeys.ts"
import type { Seal } from "./FileAccounts.ts"

/** No number holds it: tells a digest from a number that an older version kept. */
const mark = "~"

const digestLength = 22

export const accountSeal = (keys: DataKeys["Service"], digest: Digest["Service"]) =>
  Effect.map(keys.get("account numbers"), (key): Seal => {
    const secret = Redacted.value(key)
    return (part) => mark + digest.sign(part, secret).slice(0, digestLength)
  })

/** Whether a key holds no number: it is a digest, or was made of something else. */
export const isSealedKey = (key: string): boolean =>
  key.includes(mark) || key.startsWith("words=") || key.startsWith("end=")

/** A key as an older version kept it, sealed; one that is sealed or holds no number stays as it is. */
export const sealedKey = (key: string, seal: Seal): string => (isSealedKey(key) ? key : sealedName(key, seal))
