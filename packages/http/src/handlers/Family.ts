/** The query parameter `scope`: this workspace alone, or with its portals (decisions 2.2 and 4.1). */
import * as Effect from "effect/Effect"
import type { Principal } from "@millrace/core/access/Principal"
import { InvalidInput } from "@millrace/core/failure/Failure"
import { atLeast } from "@millrace/core/workspace/Role"
import type { WorkspaceId } from "@millrace/core/workspace/Workspace"
import type { Answer } from "../errors.ts"
import { refuse, type Refused } from "../middleware/Refused.ts"

const insufficientRole: Answer = { status: 403, code: "INSUFFICIENT_ROLE", message: "Requires admin role" }

/** Fields that name the owner of a row in family answers; none in answers of the workspace alone. */
export type Badge = (workspaceId: WorkspaceId) => { readonly workspaceId?: WorkspaceId; readonly portal?: null }

const none: Badge = () => ({})
const own: Badge = (workspaceId) => ({ workspaceId, portal: null })

const fault = (code: "INVALID_SCOPE_VALUE" | "FAMILY_SCOPE_ON_PORTAL", message: string, detail: string): InvalidInput =>
  new InvalidInput({ code, message, details: [{ field: "scope", message: detail }] })

/** API keys count as admin here: only admins make them. Apps never look into a family. */
export const badgeOf = Effect.fnUntraced(function* (
  principal: Principal,
  scope: string | undefined
): Effect.fn.Return<Badge, InvalidInput | Refused> {
  if (scope === undefined || scope === "self") return none
  if (scope !== "family") return yield* fault("INVALID_SCOPE_VALUE", "Invalid scope value", "must be self or family")
  if (principal.workspace.parentWorkspaceId !== undefined) {
    return yield* fault(
      "FAMILY_SCOPE_ON_PORTAL",
      "Family scope is not available in a portal workspace",
      "must be self in a portal workspace"
    )
  }
  if (principal.kind === "oauth_app" || (principal.kind === "user" && !atLeast(principal.role, "admin"))) {
    return yield* refuse(insufficientRole)
  }
  return own
})
