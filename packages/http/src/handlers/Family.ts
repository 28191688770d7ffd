/** The query parameter `scope`: this workspace alone, or with its portals (decisions 2.2 and 4.1). */
import type { Caller } from "@millrace/core/access"
import type { Workspace, WorkspaceId } from "@millrace/core/workspace"

/** Fields that name the owner of a row in family answers; none in answers of the workspace alone. */
export type Badge = (workspaceId: WorkspaceId) => {
  readonly workspaceId?: WorkspaceId
  readonly portal?: { readonly id: WorkspaceId; readonly name: string; readonly icon: string | null } | null
}

const portalOf = ({ icon, id, name }: Workspace) => ({ id, name, icon: icon ?? null })

/** `reading` is the caller as far as it reads. The workspace itself is no portal. */
export const badgeOf = (reading: Caller, scope: string | undefined): Badge => {
  if (scope !== "family") return () => ({})
  const own = reading.principal.workspace.id
  const portals = new Map(reading.workspaces.map((one) => [one.id, one.id === own ? null : portalOf(one)]))
  return (workspaceId) => ({ workspaceId, portal: portals.get(workspaceId) ?? null })
}
