/** Workspaces: making one with its owner (decisions 5.1). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { Authenticator } from "../access/Authenticator.ts"
import { allScopes } from "../access/Scope.ts"
import type { Currency } from "../shared/Currency.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { PlanName } from "../workspace/Plan.ts"
import type { User, Workspace } from "../workspace/Workspace.ts"
import { withinWorkspaces } from "../workspace/Reach.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

export interface NewWorkspace {
  readonly name: string
  readonly plan: PlanName
  readonly timezone: string
  readonly baseCurrency: Currency
  readonly ownerEmail: string
}

export class Workspaces extends Context.Service<
  Workspaces,
  {
    /** A workspace, its owner, and the owner's key with every scope. The secret is shown this once. */
    readonly found: (
      request: NewWorkspace
    ) => Effect.Effect<
      { readonly workspace: Workspace; readonly owner: User; readonly secret: Redacted.Redacted<string> },
      StorageUnavailable
    >
  }
>()("@millrace/core/usecase/Workspaces") {
  static readonly layer: Layer.Layer<Workspaces, never, WorkspaceStore | Authenticator | Transactor | Ids> =
    Layer.effect(
      Workspaces,
      Effect.gen(function* () {
        const store = yield* WorkspaceStore
        const authenticator = yield* Authenticator
        const { atomically } = yield* Transactor
        const ids = yield* Ids

        return Workspaces.of({
          found: Effect.fn("Workspaces.found")(function* (request) {
            const now = yield* Timestamp.now
            const workspace: Workspace = {
              id: yield* ids.next("workspace"),
              name: request.name,
              plan: request.plan,
              timezone: request.timezone,
              locale: "en",
              baseCurrency: request.baseCurrency,
              createdAt: now,
              updatedAt: now,
              version: 1
            }
            const owner: User = { id: yield* ids.next("user"), email: request.ownerEmail, createdAt: now }
            return yield* atomically(
              Effect.gen(function* () {
                yield* store.create(workspace, owner)
                const { secret } = yield* authenticator.createKey({
                  workspaceId: workspace.id,
                  createdBy: owner.id,
                  name: "Owner",
                  scopes: allScopes,
                  expiresAt: null
                })
                return { workspace, owner, secret }
              })
            ).pipe(withinWorkspaces(workspace.id))
          })
        })
      })
    )
}
