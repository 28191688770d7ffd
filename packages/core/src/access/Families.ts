/** Reading a workspace together with its client portals (specification 2.1 and 4.1, decisions 2.2). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Forbidden, InvalidInput } from "../failure/Failure.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { atLeast } from "../workspace/Role.ts"
import { acrossTenants } from "../workspace/TenantScope.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { Caller } from "./Caller.ts"
import type { Principal } from "./Principal.ts"

const fault = (code: "INVALID_SCOPE_VALUE" | "FAMILY_SCOPE_ON_PORTAL", message: string, detail: string) =>
  new InvalidInput({ code, message, details: [{ field: "scope", message: detail }] })

/** API keys count as admin here, since only admins make them. Apps and automations never look into a family. */
const isAdmin = (principal: Principal): boolean => {
  switch (principal.kind) {
    case "api_key":
    case "system":
      return true
    case "user":
      return atLeast(principal.role, "admin")
    default:
      return false
  }
}

export class Families extends Context.Service<
  Families,
  {
    /**
     * The caller that reads as far as `scope` says: `self` or nothing for its own workspace, `family` for its portals as
     * well. Fails with `INVALID_SCOPE_VALUE` for anything else, with `FAMILY_SCOPE_ON_PORTAL` in a portal, and with
     * `INSUFFICIENT_ROLE` where it is less than an admin.
     */
    readonly reading: (
      caller: Caller,
      scope: string | undefined
    ) => Effect.Effect<Caller, InvalidInput | Forbidden | StorageUnavailable>
  }
>()("@millrace/core/access/Families") {
  static readonly layer: Layer.Layer<Families, never, WorkspaceStore> = Layer.effect(
    Families,
    Effect.gen(function* () {
      const store = yield* WorkspaceStore

      const reading = Effect.fnUntraced(function* (caller: Caller, scope: string | undefined) {
        const { principal } = caller
        if (scope === undefined || scope === "self") return caller
        if (scope !== "family")
          return yield* fault("INVALID_SCOPE_VALUE", "Invalid scope value", "must be self or family")
        if (principal.workspace.parentWorkspaceId !== undefined) {
          return yield* fault(
            "FAMILY_SCOPE_ON_PORTAL",
            "Family scope is not available in a portal workspace",
            "must be self in a portal workspace"
          )
        }
        if (!isAdmin(principal)) {
          return yield* new Forbidden({ code: "INSUFFICIENT_ROLE", message: "Requires admin role", details: [] })
        }
        const portals = yield* acrossTenants("family look-up")(store.portals(principal.workspace.id))
        return { ...caller, workspaces: [principal.workspace, ...portals] }
      })

      return Families.of({ reading })
    })
  )
}
