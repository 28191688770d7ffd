/** Port: secrets of bank connections and contents of files, sealed before they reach a disk. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * Sealed secrets cannot be opened: `malformed` text, sealed with an `unknown_key`, or `forged`: changed, or
 * sealed for another context. It never tells any part of them.
 */
export class SecretsUnreadable extends Schema.TaggedError<SecretsUnreadable>()("SecretsUnreadable", {
  reason: Schema.Literals(["malformed", "unknown_key", "forged"])
}) {}

export class Secrets extends Context.Service<
  Secrets,
  {
    /** Names of the keys, as they stand in what they sealed: of the one that seals, and of former ones that still open. */
    readonly keyIds: { readonly current: string; readonly previous: ReadonlyArray<string> }
    /** `context` says whose they are: what is sealed for one bank cannot be opened as another's. */
    readonly seal: (plain: Readonly<Record<string, string>>, context: string) => Effect.Effect<string>
    readonly open: (
      sealed: string,
      context: string
    ) => Effect.Effect<Readonly<Record<string, string>>, SecretsUnreadable>
    /** The same for bytes, such as a piece of an uploaded file. */
    readonly sealBytes: (plain: Uint8Array, context: string) => Effect.Effect<Uint8Array>
    readonly openBytes: (sealed: Uint8Array, context: string) => Effect.Effect<Uint8Array, SecretsUnreadable>
  }
>()("@millrace/core/bank/Secrets") {}
