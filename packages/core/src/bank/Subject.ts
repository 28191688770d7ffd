/** Whoever the connections of a workspace belong to at an upstream. */
import type { Subject } from "../provider/Connect.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

/** The id of the workspace says nothing of a person, and is known before any upstream is asked. */
export const subjectOf = (workspaceId: WorkspaceId, _instanceId: string): Subject => ({ ref: workspaceId, secrets: {} })
