import * as Effect from "effect/Effect"
import type { CredentialPrincipal } from "@millrace/core/access"
import { makeWhoami, type Self } from "@millrace/core/kernel"
import type { PlanName, Workspace } from "@millrace/core/workspace"
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

const planToWire = (id: PlanName, plan: Self["plan"]) => ({
  id,
  apiAccess: plan.apiAccess,
  requestsPerMinute: plan.requestsPerMinute,
  limits: {
    banks: plan.banks ?? null,
    feeds: plan.feeds ?? null,
    fastestSchedule: plan.fastestSchedule,
    historyDays: plan.historyDays ?? null,
    members: plan.members ?? null,
    portals: plan.portals ?? null,
    rows: plan.rows ?? null,
    automations: plan.automations ?? null,
    mailboxes: plan.mailboxes ?? null
  }
})

const credentialToWire = (of: CredentialPrincipal) => {
  switch (of.kind) {
    case "api_key":
      return {
        name: of.key.name,
        principal: { kind: of.kind, id: of.key.id, name: of.key.name },
        key: { id: of.key.id, keyPrefix: of.key.keyPrefix, name: of.key.name, expiresAt: of.key.expiresAt }
      }
    case "oauth_app":
      return {
        name: of.app.name,
        principal: { kind: of.kind, id: of.app.clientId, name: of.app.name }
      }
    case "user":
      return {
        name: of.email,
        principal: { kind: of.kind, id: of.userId, name: of.email },
        user: { id: of.userId, email: of.email }
      }
  }
}

const reachedOf = ({ id, name, plan }: Workspace) => ({ id, name, plan })

export const layer = serve(
  "identity",
  Effect.map(makeWhoami, (self) => ({
    whoami: Effect.fnUntraced(function* () {
      const of = yield* principal
      const { plan, scopes, serverTime } = yield* self(of)
      const said = { ...credentialToWire(of), serverTime, apiVersion: "1.0.0" as const }
      const { workspace } = of
      if (of.kind === "user" && of.workspaces !== undefined) {
        const workspaces = of.workspaces.map(({ role, workspace: reached }) => ({ role, ...reachedOf(reached) }))
        return one({
          ...said,
          workspaceId: null,
          workspaceName: null,
          workspace: null,
          plan: null,
          scopes: [],
          workspaces
        })
      }
      return one({
        ...said,
        workspaceId: workspace.id,
        workspaceName: workspace.name,
        ...("role" in of ? { role: of.role } : {}),
        scopes,
        workspace: workspaceOf(workspace),
        plan: planToWire(workspace.plan, plan)
      })
    })
  }))
)
