/** Lists of a workspace with its portals (specification 2.1 and 4.1). */
import * as Schema from "effect/Schema"
import type { Caller } from "../access/Caller.ts"
import { Id } from "../shared/Ids.ts"
import type { Workspace, WorkspaceId } from "../workspace/Workspace.ts"

/** Name of the parameter in the OpenAPI document, which names its two values there. */
export const familyScopeComponent = "FamilyScope"

/** `self` or `family`; other values have a code of their own, so they are judged by the handler. */
export const familyScope = Schema.optionalKey(Schema.String.annotate({ identifier: familyScopeComponent }))

/** Owner of a row in family answers: the portal, or `null` for the workspace itself. */
export const family = {
  workspaceId: Schema.optionalKey(Id("workspace")),
  portal: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ id: Id("workspace"), name: Schema.String, icon: Schema.NullOr(Schema.String) }))
  )
}

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
