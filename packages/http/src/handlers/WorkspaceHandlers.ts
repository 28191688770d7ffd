import * as Effect from "effect/Effect"
import { Workspaces } from "@millrace/core/kernel"
import type { Workspace } from "@millrace/core/workspace"
import { one } from "../api/Envelope.ts"
import { serve } from "./Serve.ts"
import { demanded, versioned } from "./Versions.ts"

const shown = (workspace: Workspace) =>
  one({
    id: workspace.id,
    name: workspace.name,
    icon: workspace.icon ?? null,
    plan: workspace.plan,
    timezone: workspace.timezone,
    locale: workspace.locale,
    baseCurrency: workspace.baseCurrency,
    isPortal: workspace.parentWorkspaceId !== undefined,
    ...(workspace.parentWorkspaceId === undefined ? {} : { parentWorkspaceId: workspace.parentWorkspaceId }),
    version: workspace.version,
    createdAt: workspace.createdAt,
    updatedAt: workspace.updatedAt
  })

export const layer = serve(
  "workspaces",
  Effect.gen(function* () {
    const workspaces = yield* Workspaces
    return {
      getWorkspace: Effect.fnUntraced(function* ({ caller, headers, ids }) {
        const workspace = yield* workspaces.get(caller, ids.workspace)
        return yield* versioned(workspace.version, headers["if-none-match"], shown(workspace))
      }),
      updateWorkspace: ({ caller, headers, ids, payload }) =>
        Effect.map(workspaces.update(caller, ids.workspace, payload, demanded(headers["if-match"])), shown)
    }
  })
)
