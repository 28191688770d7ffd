/** A new key for the owner of a workspace, for whoever runs the server: the first one may have been lost. */
import { ApiKeyStore, WorkspaceStore } from "@millrace/core/storage"
import { Authenticator } from "@millrace/core/kernel"
import { allScopes } from "@millrace/core/access"
import { acrossWorkspaces } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Terminal from "./Terminal.ts"

class NoWorkspace extends Schema.TaggedError<NoWorkspace>()("NoWorkspace", { message: Schema.String }) {}

/** One key per workspace; the old ones stay as they are. */
export const newOwnerKeys = Effect.fn("OwnerKey.newOwnerKeys")(function* () {
  const store = yield* WorkspaceStore
  const authenticator = yield* Authenticator
  const workspaces = yield* store.all
  if (workspaces.length === 0) {
    return yield* new NoWorkspace({
      message: "There is no workspace yet: a first start makes one, and prints its key."
    })
  }
  for (const workspace of workspaces) {
    const createdBy = (yield* (yield* ApiKeyStore).list(workspace.id)).at(-1)?.createdBy
    if (createdBy === undefined) continue
    const { secret } = yield* authenticator.createKey({
      workspaceId: workspace.id,
      createdBy,
      name: "Owner (made on the server)",
      scopes: allScopes,
      expiresAt: null
    })
    yield* Terminal.field("API key", `${Terminal.bold(Redacted.value(secret))} ${Terminal.dim(workspace.id)}`)
    yield* Terminal.field("", Terminal.yellow("shown this once; keep it"))
  }
}, acrossWorkspaces("owner keys"))
