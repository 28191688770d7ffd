/** What drivers keep of an attempt while it goes on. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { KeepSecrets } from "../provider/Connect.ts"
import { ProviderUnavailable } from "../provider/ProviderError.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { ConnectionAttemptId } from "./ConnectionAttempt.ts"
import { ConnectionAttemptStore } from "./ConnectionAttemptStore.ts"
import { saveWithRetry } from "./SaveWithRetry.ts"

const unkept = new ProviderUnavailable({ message: "Secrets of the attempt could not be kept", retryAfter: 60 })

/** What drivers keep secrets of an attempt with: beside those that are kept of it, in place of those of the same name. */
export const attemptKeeper: Effect.Effect<(id: ConnectionAttemptId) => KeepSecrets, never, ConnectionAttemptStore> =
  Effect.map(ConnectionAttemptStore, (attempts) => (id) => (secrets) => {
    const keep = Effect.gen(function* () {
      const before = Option.getOrElse(yield* attempts.part(id, "secrets"), () => ({}))
      yield* attempts.keep(id, "secrets", { ...before, ...secrets }, yield* Timestamp.now)
    })
    return Effect.mapError(saveWithRetry(keep), () => unkept)
  })
