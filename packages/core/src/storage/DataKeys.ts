/**
 * Keys that last as long as what is stored: random, made when they are first asked for, and kept sealed beside the data.
 *
 * A keyed digest that is compared for years, such as that of an account number, is made with one of these and not with
 * a key that comes from the installation's secret: the secret can be replaced, and then every digest would be another.
 * When it is, these are sealed again and stay what they are. Who has the database and not the secret has none of them.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** Names stay as they are for ever: another name is another key. */
export type DataKeyName =
  /** Digests of account numbers. */
  "account numbers"

export class DataKeys extends Context.Service<
  DataKeys,
  {
    /**
     * 32 bytes in base64; the same one for ever, in all processes of the installation. Is kept no matter what happens to a
     * transaction around it.
     */
    readonly get: (name: DataKeyName) => Effect.Effect<Redacted.Redacted, StorageUnavailable>
  }
>()("@millrace/core/storage/DataKeys") {}
