import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { exampleIds, exampleTime } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { makeWhoami, type Self } from "../../usecase/Whoami.ts"
import { PlanName } from "../../workspace/Plan.ts"
import { Role } from "../../workspace/Role.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import { type CredentialPrincipal, isCredential } from "../Principal.ts"
import { Scope } from "../Scope.ts"

const limit = Schema.NullOr(Schema.Int)

const WhoAmI = Schema.Struct({
  workspaceId: Schema.NullOr(Id("workspace")),
  workspaceName: Schema.NullOr(Schema.String),
  /** Of the principal. */
  name: Schema.String,
  principal: Schema.Struct({
    kind: Schema.Literals(["user", "api_key", "oauth_app"]),
    id: Schema.String,
    name: Schema.String
  }),
  /** Of signed-in users, in the workspace. */
  role: Schema.optionalKey(Role),
  scopes: Schema.Array(Scope),
  workspace: Schema.NullOr(
    Schema.Struct({
      id: Id("workspace"),
      name: Schema.String,
      icon: Schema.optionalKey(Schema.String),
      plan: PlanName,
      timezone: Schema.String,
      isPortal: Schema.Boolean,
      parentWorkspaceId: Schema.optionalKey(Id("workspace"))
    })
  ),
  plan: Schema.NullOr(
    Schema.Struct({
      id: PlanName,
      apiAccess: Schema.Boolean,
      requestsPerMinute: Schema.Int,
      /** `null`: no limit. */
      limits: Schema.Struct({
        banks: limit,
        feeds: limit,
        fastestSchedule: Schema.String,
        historyDays: limit,
        members: limit,
        portals: limit,
        rows: limit,
        automations: limit,
        mailboxes: limit
      })
    })
  ),
  /** Of a session that names no workspace: all that the person reaches. */
  workspaces: Schema.optionalKey(
    Schema.Array(Schema.Struct({ id: Id("workspace"), name: Schema.String, role: Role, plan: PlanName }))
  ),
  user: Schema.optionalKey(Schema.Struct({ id: Schema.String, email: Schema.String })),
  key: Schema.optionalKey(
    Schema.Struct({
      id: Id("apiKey"),
      keyPrefix: Schema.String,
      name: Schema.String,
      expiresAt: Schema.NullOr(Timestamp.Timestamp)
    })
  ),
  serverTime: Timestamp.Timestamp,
  apiVersion: Schema.Literal("1.0.0")
}).annotate({ identifier: "WhoAmI" })

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

const whoAmIExample = {
  workspaceId: exampleIds.workspace,
  workspaceName: "My workspace",
  name: "Spreadsheet",
  principal: { kind: "api_key", id: exampleIds.key, name: "Spreadsheet" },
  scopes: ["banks:read", "feeds:read", "jobs:read"],
  workspace: {
    id: exampleIds.workspace,
    name: "My workspace",
    plan: "enterprise",
    timezone: "Europe/Berlin",
    isPortal: false
  },
  plan: {
    id: "enterprise",
    apiAccess: true,
    requestsPerMinute: 600,
    limits: {
      banks: null,
      feeds: null,
      fastestSchedule: "hourly",
      historyDays: null,
      members: null,
      portals: null,
      rows: null,
      automations: null,
      mailboxes: null
    }
  },
  key: { id: exampleIds.key, keyPrefix: "mill_Q3x", name: "Spreadsheet", expiresAt: null },
  serverTime: exampleTime,
  apiVersion: "1.0.0"
}

export const whoami = operation({
  noun: "identity",
  id: "whoami",
  get: "/v1/whoami",
  summary: "Tell whose credential this is and what it may do",
  description:
    "Tells the workspace, the plan with its limits, and the scopes of the credential. Answers on every plan.",
  access: { allOf: [], role: "viewer", everyPlan: true },
  repeats: "read",
  command: "whoami",
  tool: "whoami",
  success: record(WhoAmI),
  example: { data: whoAmIExample },
  run: ({ caller: { principal: of } }) =>
    Effect.gen(function* () {
      const self = yield* makeWhoami
      if (!isCredential(of)) return yield* Effect.die("only a credential asks whose it is")
      const { plan, scopes, serverTime } = yield* self(of)
      const said = { ...credentialToWire(of), serverTime, apiVersion: "1.0.0" as const }
      const { workspace } = of
      if (of.kind === "user" && of.workspaces !== undefined) {
        const workspaces = of.workspaces.map(({ role, workspace: { id, name, plan: planId } }) => ({
          id,
          name,
          role,
          plan: planId
        }))
        return {
          ...said,
          workspaceId: null,
          workspaceName: null,
          workspace: null,
          plan: null,
          scopes: [],
          workspaces
        }
      }
      return {
        ...said,
        workspaceId: workspace.id,
        workspaceName: workspace.name,
        ...("role" in of ? { role: of.role } : {}),
        scopes,
        workspace: workspaceOf(workspace),
        plan: planToWire(workspace.plan, plan)
      }
    })
})
