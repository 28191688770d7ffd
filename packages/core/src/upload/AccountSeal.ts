/**
 * What is kept of account numbers of files: a digest under a key of the installation, so that an account is known again
 * and its number is not to be found, however few digits it has.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Digest } from "../shared/Digest.ts"
import { DataKeys } from "../storage/DataKeys.ts"
import type { Seal } from "./FileAccounts.ts"

/** No number holds it: tells a digest from a number. */
const mark = "~"

const digestLength = 22

const make = Effect.gen(function* () {
  const keys = yield* DataKeys
  const digest = yield* Digest

  /** The seal under the key of this installation. */
  const seal = Effect.map(keys.get("account numbers"), (key): Seal => {
    const secret = Redacted.value(key)
    return (part) => mark + digest.sign(part, secret).slice(0, digestLength)
  })

  return { seal }
})

/** Seals the account numbers of files. */
export class AccountSeal extends Context.Service<AccountSeal>()("@millrace/core/upload/AccountSeal", { make }) {
  static readonly layer: Layer.Layer<AccountSeal, never, DataKeys | Digest> = Layer.effect(AccountSeal, make)
}
