/** The workspaces of a replay, and their keys. */
import { Currency, Ids } from "@millrace/core"
import { allScopes, asOwner, type Scope } from "@millrace/core/access"
import { Authenticator, Workspaces } from "@millrace/core/kernel"
import { WorkspaceStore } from "@millrace/core/storage"
import { type PlanName, withinWorkspaces, type Workspace } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const newWorkspace = (name: string, plan: PlanName, ownerEmail: string) =>
  Effect.flatMap(Workspaces, (workspaces) =>
    workspaces.create({ name, plan, timezone: "Europe/Zurich", baseCurrency: Currency.make("USD"), ownerEmail })
  )

const keyOf = (workspace: Workspace, createdBy: string, name: string, scopes: ReadonlyArray<Scope>) =>
  Effect.flatMap(Authenticator, ({ createKey }) =>
    createKey({ workspaceId: workspace.id, createdBy: createdBy as never, name, scopes, expiresAt: null })
  ).pipe(Effect.map(({ secret }) => Redacted.value(secret)))

/** A client portal of the workspace. */
const newPortal = Effect.fnUntraced(function* (parent: Workspace) {
  const [store, ids] = [yield* WorkspaceStore, yield* Ids]
  const id = yield* ids.next("workspace")
  const portal: Workspace = { ...parent, id, name: "Portal", parentWorkspaceId: parent.id }
  const owner = { id: yield* ids.next("user"), email: "client@example.com", createdAt: parent.createdAt }
  yield* withinWorkspaces(id)(store.create(portal, owner))
  return { portal, owner }
})

/** A workspace with a client portal and a key for each scope, one of somebody else, and one whose plan has no API. */
export const makeHome = Effect.gen(function* () {
  const home = yield* newWorkspace("Home", "enterprise", "owner@example.com")
  const stranger = yield* newWorkspace("Stranger", "enterprise", "stranger@example.com")
  const free = yield* newWorkspace("Free", "free", "free@example.com")
  const { owner: client, portal } = yield* newPortal(home.workspace)
  const { owner, workspace } = home
  const single: Record<string, string> = {}
  for (const scope of allScopes) single[scope] = yield* keyOf(workspace, owner.id, scope, [scope])
  return {
    workspace,
    owner: asOwner(workspace, owner),
    secrets: {
      owner: Redacted.value(home.secret),
      stranger: Redacted.value(stranger.secret),
      free: Redacted.value(free.secret),
      portal: yield* keyOf(portal, client.id, "Portal", allScopes),
      none: yield* keyOf(workspace, owner.id, "None", [])
    },
    single
  }
})

export type Home = Effect.Success<typeof makeHome>
