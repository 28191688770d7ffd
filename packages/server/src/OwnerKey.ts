/** What makes the operator of the server its owner: a new key, where the first one was lost, and sessions. */
import { ApiKeyStore, WorkspaceStore } from "@millrace/core/storage"
import { Authenticator } from "@millrace/core/kernel"
import { allScopes, OwnSessions } from "@millrace/core/access"
import { acrossTenants } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ownerEmail } from "./FirstStart.ts"
import * as Terminal from "./Terminal.ts"

class NoWorkspace extends Schema.TaggedError<NoWorkspace>()("NoWorkspace", { message: Schema.String }) {}

/** The workspaces of the installation with their owners, who made their first keys. */
const owned = Effect.gen(function* () {
  const store = yield* WorkspaceStore
  const keys = yield* ApiKeyStore
  const workspaces = yield* store.all
  if (workspaces.length === 0) {
    return yield* new NoWorkspace({
      message: "There is no workspace yet: a first start makes one, and prints its key."
    })
  }
  const all = yield* Effect.forEach(workspaces, (workspace) =>
    Effect.map(keys.list(workspace.id), (held) => ({ workspace, owner: held.at(-1)?.createdBy }))
  )
  return all.flatMap(({ owner, workspace }) => (owner === undefined ? [] : [{ workspace, owner }]))
})

/** One key per workspace; the old ones stay as they are. */
export const newOwnerKeys = Effect.fn("OwnerKey.newOwnerKeys")(function* () {
  const authenticator = yield* Authenticator
  for (const { owner, workspace } of yield* owned) {
    const { secret } = yield* authenticator.createKey({
      workspaceId: workspace.id,
      createdBy: owner,
      name: "Owner (made on the server)",
      scopes: allScopes,
      expiresAt: null
    })
    yield* Terminal.field("API key", `${Terminal.bold(Redacted.value(secret))} ${Terminal.dim(workspace.id)}`)
    yield* Terminal.field("", Terminal.yellow("shown this once; keep it"))
  }
}, acrossTenants("owner keys"))

/** One session per workspace. */
export const ownerSessions = Effect.fn("OwnerKey.ownerSessions")(function* () {
  const sessions = yield* OwnSessions
  for (const { owner, workspace } of yield* owned) {
    const { expiresAt, token } = yield* sessions.issue({ userId: owner, email: ownerEmail, workspaceId: workspace.id })
    yield* Terminal.field("Session", Terminal.bold(Redacted.value(token)))
    yield* Terminal.field("", `of ${workspace.name} ${Terminal.dim(workspace.id)}, until ${expiresAt}`)
  }
  yield* Terminal.field("", Terminal.yellow("sent as Authorization: Bearer <session>, with X-Workspace-ID"))
}, acrossTenants("owner keys"))
