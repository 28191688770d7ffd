/** The customer that the connections of a workspace belong to at each upstream: known to us before the upstream is asked. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { KeepSecrets, Subject } from "../provider/Connect.ts"
import { ProviderUnavailable } from "../provider/ProviderError.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { ConnectionSubjectStore } from "./ConnectionSubject.ts"
import { saveWithRetry } from "./SaveWithRetry.ts"

const unkept = new ProviderUnavailable({
  message: "Secrets of the provider's user could not be kept",
  retryAfter: 60
})

export class Subjects extends Context.Service<
  Subjects,
  {
    /** The subject of a workspace at an instance, stored before this returns. */
    readonly of: (workspaceId: WorkspaceId, instanceId: string) => Effect.Effect<Subject, StorageUnavailable>
    /** The same at the beginning of an attempt, in its transaction: none ends while an attempt begins with it. */
    readonly begin: (workspaceId: WorkspaceId, instanceId: string) => Effect.Effect<Subject, StorageUnavailable>
    /** What drivers keep secrets of it with. */
    readonly keeper: (workspaceId: WorkspaceId, instanceId: string) => KeepSecrets
  }
>()("@millrace/core/bank/Subjects") {
  static readonly layer: Layer.Layer<Subjects, never, ConnectionSubjectStore | Ids> = Layer.effect(
    Subjects,
    Effect.gen(function* () {
      const store = yield* ConnectionSubjectStore
      const ids = yield* Ids
      const begin = Effect.fn("Subjects.begin")(function* (workspaceId: WorkspaceId, instanceId: string) {
        const [ref, createdAt] = [yield* ids.next("connectionSubject"), yield* Timestamp.now]
        return yield* store.begin({ workspaceId, instanceId, ref, createdAt })
      })
      return Subjects.of({
        of: Effect.fn("Subjects.of")(function* (workspaceId, instanceId) {
          const held = yield* store.get(workspaceId, instanceId)
          return Option.isSome(held) ? held.value : yield* begin(workspaceId, instanceId)
        }),
        begin,
        keeper: (workspaceId, instanceId) => (secrets) =>
          saveWithRetry(
            Effect.flatMap(Timestamp.now, (now) => store.keepSecrets(workspaceId, instanceId, secrets, now))
          ).pipe(Effect.mapError(() => unkept))
      })
    })
  )
}
