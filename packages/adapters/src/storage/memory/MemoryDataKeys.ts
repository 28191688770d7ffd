/** Data keys in memory. */
import { randomBytes } from "node:crypto"
import { type DataKeyName, DataKeys } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export const layer: Layer.Layer<DataKeys> = Layer.sync(DataKeys, () => {
  const keys = new Map<DataKeyName, Redacted.Redacted>()
  return DataKeys.of({
    get: (name) =>
      Effect.sync(() => {
        const key = keys.get(name) ?? Redacted.make(randomBytes(32).toString("base64"))
        keys.set(name, key)
        return key
      })
  })
})
