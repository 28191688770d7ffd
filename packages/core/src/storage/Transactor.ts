/** Several store calls as one. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

export class Transactor extends Context.Service<
  Transactor,
  {
    /**
     * All store calls inside `effect` take effect together, or not at all when it fails, dies or is
     * interrupted. Nested calls take effect with the outer one, and run one after the other; a nested one
     * that fails undoes only its own calls (a savepoint). Never fetch or wait inside: it holds a connection.
     */
    readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
  }
>()("@millrace/core/storage/Transactor") {}
