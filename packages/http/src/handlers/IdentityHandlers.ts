import * as Effect from "effect/Effect"
import { allScopes, type CredentialPrincipal, leastRole } from "@millrace/core/access"
import { Timestamp } from "@millrace/core"
import { rowLimitOf, TableSettings } from "@millrace/core/table"
import { AgreedRate, atLeast, type PlanName, planWith, type Workspace } from "@millrace/core/workspace"
import { one } from "../api/Envelope.ts"
import { principal } from "../request/CurrentRequest.ts"
import { serve } from "./Serve.ts"

const workspaceOf = ({ id, name, icon, plan, timezone, parentWorkspaceId }: Workspace) => ({
  id,
  name,
  ...(icon === undefined ? {} : { icon }),
  plan,
  timezone,
  isPortal: parentWorkspaceId !== undefined,
  ...(parentWorkspaceId === undefined ? {} : { parentWorkspaceId })
})

const planOf = (id: PlanName, agreedRate: number, settings: typeof TableSettings.Service) => {
  const { apiAccess, requestsPerMinute, banks, feeds, fastestSchedule, historyDays, members, portals } = planWith(
    agreedRate,
    id
  )
  const rows = rowLimitOf({ plan: id }, settings)
  return {
    id,
    apiAccess,
    requestsPerMinute,
    limits: {
      banks: banks ?? null,
      feeds: feeds ?? null,
      fastestSchedule,
      historyDays: historyDays ?? null,
      members: members ?? null,
      portals: portals ?? null,
      rows: rows === Infinity ? null : rows
    }
  }
}

const selfOf = (of: CredentialPrincipal) =>
  of.kind === "api_key"
    ? {
        name: of.key.name,
        principal: { kind: of.kind, id: of.key.id, name: of.key.name },
        scopes: of.key.scopes,
        key: { id: of.key.id, keyPrefix: of.key.keyPrefix, name: of.key.name, expiresAt: of.key.expiresAt }
      }
    : of.kind === "oauth_app"
      ? {
          name: of.app.name,
          principal: { kind: of.kind, id: of.app.clientId, name: of.app.name },
          role: of.role,
          scopes: of.scopes.filter((scope) => atLeast(of.role, leastRole(scope)))
        }
      : {
          name: of.email,
          principal: { kind: of.kind, id: of.userId, name: of.email },
          role: of.role,
          scopes: allScopes.filter((scope) => atLeast(of.role, leastRole(scope))),
          user: { id: of.userId, email: of.email }
        }

export const layer = serve(
  "identity",
  Effect.gen(function* () {
    const agreedRate = yield* AgreedRate
    const settings = yield* TableSettings
    return {
      whoami: Effect.fnUntraced(function* () {
        const of = yield* principal
        return one({
          workspaceId: of.workspace.id,
          workspaceName: of.workspace.name,
          ...selfOf(of),
          workspace: workspaceOf(of.workspace),
          plan: planOf(of.workspace.plan, agreedRate, settings),
          serverTime: yield* Timestamp.now,
          apiVersion: "1.0.0" as const
        })
      })
    }
  })
)
