/**
 * Every principal against every operation and every ownership. What must come out is written down here a second time,
 * operation by operation, and judged by another procedure.
 */
import { decide, type Decision, type Resource } from "../../src/access/Access.ts"
import { onBehalfOf, type Caller } from "../../src/access/Caller.ts"
import type { Operation } from "../../src/access/Operation.ts"
import { operations, type OperationId } from "../../src/access/catalogue.generated.ts"
import { actorOf, type Principal } from "../../src/access/Principal.ts"
import { allScopes, type Scope } from "../../src/access/Scope.ts"
import type { Timestamp } from "../../src/shared/Timestamp.ts"
import { planNames, type PlanName } from "../../src/workspace/Plan.ts"
import { roles, type Role } from "../../src/workspace/Role.ts"
import type { Workspace } from "../../src/workspace/Workspace.ts"
import { describe, expect, it } from "vitest"

/** `scopes role app` as the decisions have them: viewer V, editor E, admin A, owner O; apps reach all or their own. */
const table: Readonly<Partial<Record<OperationId, string>>> = {
  whoami: "- V all",
  listAuditEntries: "workspaces:read A none",
  verifyAudit: "workspaces:read A none",
  listBanks: "banks:read V all",
  getBank: "banks:read V all",
  updateBank: "banks:write A all",
  refreshBank: "banks:write A all",
  startConnection: "banks:write A all",
  completeConnection: "banks:write A all",
  receiveProviderWebhook: "- V all",
  deleteBank: "banks:write A all",
  restoreBank: "banks:write A all",
  reauthConnection: "banks:write A all",
  getConnectionAttempt: "banks:write A own",
  searchInstitutions: "institutions:read V all",
  listProviders: "institutions:read V all",
  listAccounts: "banks:read V all",
  getAccount: "banks:read V all",
  updateAccount: "banks:write A all",
  listTransactions: "banks:read V all",
  getBalance: "banks:read V all",
  listTrades: "banks:read V all",
  listHoldings: "banks:read V all",
  listOrders: "banks:read V all",
  getLoan: "banks:read V all",
  listMatches: "banks:read V own",
  undoMatch: "banks:write E own",
  redoMatch: "banks:write E own",
  listAccountJoins: "banks:read V own",
  joinAccounts: "banks:write E own",
  partAccounts: "banks:write E own",
  listSuggestions: "banks:read V own",
  acceptSuggestion: "banks:write E own",
  rejectSuggestion: "banks:write E own",
  deleteTransaction: "banks:write E own",
  restoreTransaction: "banks:write E own",
  listFeeds: "feeds:read V own",
  createFeed: "feeds:write E own",
  getFeed: "feeds:read V own",
  updateFeed: "feeds:write E own",
  deleteFeed: "feeds:write E own",
  getDataTypeSchema: "feeds:read V all",
  getWorkspace: "workspaces:read V all",
  updateWorkspace: "workspaces:write O all",
  uploadFeedFile: "jobs:write E own",
  startFeedUpload: "jobs:write E own",
  endFeedUpload: "jobs:write E own",
  listFeedUploads: "jobs:read V own",
  deleteFeedUpload: "banks:write E own",
  readFeedUpload: "banks:write E own",
  triggerSync: "feeds:write|jobs:write E own",
  triggerLearn: "jobs:write E own",
  listJobs: "jobs:read V own",
  getJob: "jobs:read V own",
  cancelJob: "jobs:write E own",
  pauseJob: "jobs:write E own",
  resumeJob: "jobs:write E own",
  listFeedRecords: "jobs:read V own",
  redeliverFeedRecords: "jobs:write E own",
  listEnrichments: "enrichments:read V own",
  createEnrichment: "enrichments:write E own",
  getEnrichment: "enrichments:read V own",
  updateEnrichment: "enrichments:write E own",
  deleteEnrichment: "enrichments:write E own",
  listFindings: "enrichments:read V own",
  updateFinding: "enrichments:write E own",
  listBudgetPeriods: "enrichments:read V own",
  listSeries: "enrichments:read V own",
  listLinks: "enrichments:read V own",
  listWithheld: "enrichments:read V own",
  listDecisions: "enrichments:read V own",
  undoDecision: "enrichments:write E own",
  updateSeries: "enrichments:write E own",
  mergeSeries: "enrichments:write E own",
  splitSeries: "enrichments:write E own",
  mergeMerchants: "enrichments:write E own",
  previewEnrichment: "enrichments:read V own",
  simulateEnrichments: "enrichments:read V own",
  explainRecord: "enrichments:read V own",
  setRecordFields: "banks:write E own",
  clearRecordFields: "banks:write E own",
  undoChange: "enrichments:write E own",
  undoRun: "enrichments:write E own",
  getSimulation: "enrichments:read V own",
  cancelSimulation: "enrichments:read V own",
  listTables: "tables:read V own",
  createTable: "tables:write E own",
  getTable: "tables:read V own",
  updateTable: "tables:write E own",
  deleteTable: "tables:write E own",
  restoreTable: "tables:write E own",
  createField: "tables:write E own",
  updateField: "tables:write E own",
  deleteField: "tables:write E own",
  listRows: "tables:read V own",
  queryRows: "tables:read V own",
  getRow: "tables:read V own",
  createRows: "tables:write E own",
  updateRows: "tables:write E own",
  deleteRows: "tables:write E own",
  updateRow: "tables:write E own",
  deleteRow: "tables:write E own",
  restoreRow: "tables:write E own"
}

/** Operations that only look; all others act in the caller's own workspace alone. */
const looks = /^(?:whoami|list|get|search|explain|preview|simulate|queryRows|verify)/
const roleOfLetter = { V: "viewer", E: "editor", A: "admin", O: "owner" } as const
/** Scopes whose holder has to be an admin, of those that are used above. */
const adminScopes = new Set(["banks:write", "workspaces:write"])
/** Scopes that no automation is granted, of those that are used above. */
const neverGranted = new Set(["banks:write", "feeds:write", "enrichments:write", "workspaces:read", "workspaces:write"])
/** Operations of no noun above, for the rules that none of those uses. */
const special: Readonly<Record<string, Operation>> = {
  session: { ...operations.createFeed, scopes: { allOf: [] }, only: "session", role: "admin" },
  automation: { ...operations.createFeed, scopes: { anyOf: ["tables:write"] }, only: "automation" },
  noApp: { ...operations.getFeed, app: "none" },
  every: { ...operations.getFeed, scopes: { allOf: ["feeds:read", "tables:read"] } }
}

const workspaceOf = (id: string, plan: PlanName = "business"): Workspace => ({
  id: id as Workspace["id"],
  name: id,
  plan,
  timezone: "UTC",
  locale: "en",
  baseCurrency: "CHF" as Workspace["baseCurrency"],
  createdAt: "2026-01-01T00:00:00.000Z" as Timestamp,
  updatedAt: "2026-01-01T00:00:00.000Z" as Timestamp,
  version: 1
})

const grants = (needed: ReadonlyArray<Scope>): ReadonlyArray<ReadonlyArray<Scope>> => [
  allScopes,
  needed,
  ...needed.map((scope) => [scope]),
  allScopes.filter((scope) => !needed.includes(scope)),
  []
]

const keyOf = (workspace: Workspace, scopes: ReadonlyArray<Scope>): Principal => ({
  kind: "api_key",
  workspace,
  key: {
    id: "key_1" as never,
    workspaceId: workspace.id,
    keyPrefix: "mill_abc",
    name: "Key",
    scopes,
    expiresAt: null,
    createdAt: workspace.createdAt,
    createdBy: "usr_1" as never,
    revokedAt: null
  }
})

const appOf = (workspace: Workspace, role: Role, scopes: ReadonlyArray<Scope>, firstParty: boolean): Principal => ({
  kind: "oauth_app",
  workspace,
  app: { clientId: "app_1", name: "App", firstParty },
  userId: "usr_1",
  role,
  scopes
})

const runOf = (workspace: Workspace, scopes: ReadonlyArray<Scope>): Principal => ({
  kind: "automation",
  workspace,
  run: {
    kind: "automation",
    automationId: "auto_1",
    revision: 1,
    grantId: "grt_1",
    runId: "run_1",
    node: "n",
    startedBy: { kind: "user", userId: "usr_1" },
    depth: 1
  },
  userId: "usr_1",
  scopes
})

const principalsOf = (workspace: Workspace, needed: ReadonlyArray<Scope>): ReadonlyArray<Principal> => [
  { kind: "system", workspace, reason: "schedule", userId: "usr_1" },
  ...roles.map((role): Principal => ({ kind: "user", workspace, userId: "usr_1", email: "a@example.com", role })),
  ...grants(needed).flatMap((scopes) => [
    keyOf(workspace, scopes),
    runOf(workspace, scopes),
    ...roles.flatMap((role) => [true, false].map((firstParty) => appOf(workspace, role, scopes, firstParty)))
  ])
]

const portal = workspaceOf("portal")
const resources: ReadonlyArray<Resource | undefined> = [undefined, "ws", "portal", "foreign"].flatMap(
  (id): ReadonlyArray<Resource | undefined> =>
    id === undefined
      ? [undefined]
      : [
          undefined,
          { kind: "api", clientId: "app_1" },
          { kind: "api", clientId: "app_2" },
          { kind: "user", userId: "app_1" }
        ].map((createdBy) => ({
          workspaceId: id as Workspace["id"],
          ...(createdBy === undefined ? {} : { createdBy: createdBy as NonNullable<Resource["createdBy"]> })
        }))
)

interface Rules {
  readonly needs: ReadonlyArray<string>
  readonly all: boolean
  readonly role: Role
  readonly app: "all" | "own" | "none"
  readonly looks: boolean
  readonly only?: "session" | "automation"
  readonly everyPlan?: boolean
}

const rank = (role: Role): number => roles.indexOf(role)

/** The word for what must come out: `yes`, or why not. */
const expected = ({ principal: by, workspaces }: Caller, rules: Rules, resource: Resource | undefined): string => {
  const isKey = by.kind === "api_key"
  if (isKey && rules.everyPlan !== true && (by.workspace.plan === "free" || by.workspace.plan === "starter"))
    return "plan"
  const granted: ReadonlyArray<string> = isKey ? by.key.scopes : "scopes" in by ? by.scopes : allScopes
  const usable = new Set(
    granted.filter((scope) => {
      if (by.kind === "automation") return !neverGranted.has(scope)
      if (by.kind !== "oauth_app") return true
      return rank(by.role) >= (adminScopes.has(scope) ? 2 : scope.endsWith(":write") ? 1 : 0)
    })
  )
  const has = (scope: string) => usable.has(scope)
  if (!(rules.all ? rules.needs.every(has) : rules.needs.some(has))) return "scope"
  if (rules.only === "session" && by.kind !== "user") return "session"
  if (rules.only === "automation" && by.kind !== "automation") return "automation"
  if ("role" in by && rank(by.role) < rank(rules.role)) return "role"
  const isStranger = by.kind === "oauth_app" && !by.app.firstParty
  if (isStranger && rules.app === "none") return "app"
  if (resource === undefined) return "yes"
  const within = rules.looks ? workspaces.map(({ id }) => id) : [by.workspace.id]
  if (!within.includes(resource.workspaceId)) return "hidden"
  const { createdBy } = resource
  const isOwn = createdBy?.kind === "api" && createdBy.clientId === "app_1"
  return isStranger && rules.app === "own" && !isOwn ? "hidden" : "yes"
}

const wordOf = (decision: Decision): string => (decision.allowed ? "yes" : decision.reason)

const callersOf = (principal: Principal): ReadonlyArray<Caller> => {
  const own: Caller = { principal, workspaces: [principal.workspace], requestId: "req_1", cause: actorOf(principal) }
  return [own, { ...own, workspaces: [principal.workspace, portal] }]
}

const checkAll = (operation: Operation, rules: Rules) => {
  for (const plan of planNames) {
    for (const principal of principalsOf(workspaceOf("ws", plan), rules.needs as ReadonlyArray<Scope>)) {
      for (const caller of callersOf(principal)) {
        for (const resource of resources) {
          const decision = decide(caller, operation, resource)
          const wanted = expected(caller, rules, resource)
          if (wordOf(decision) !== wanted) {
            expect.fail(
              `${operation.id}: ${wordOf(decision)}, not ${wanted}: ${JSON.stringify({ principal, resource })}`
            )
          }
        }
      }
    }
  }
}

/** What is not harmless when it is sent twice: a repeat with the same `Idempotency-Key` is told the first answer (decisions 2.9). */
const keyed = `
  refreshBank startConnection completeConnection restoreBank reauthConnection undoMatch redoMatch
  acceptSuggestion rejectSuggestion restoreTransaction joinAccounts partAccounts createFeed uploadFeedFile
  readFeedUpload triggerSync pauseJob resumeJob redeliverFeedRecords createEnrichment undoDecision mergeSeries
  splitSeries mergeMerchants undoChange undoRun createTable restoreTable createField createRows deleteRows
  restoreRow
`

describe("deciding who may do what", () => {
  it.each(Object.entries(table))("agrees with what is written down of %s: %s", (id, line) => {
    const [scopes, letter, app] = line.split(" ") as [string, keyof typeof roleOfLetter, "all" | "own"]
    checkAll(operations[id as OperationId], {
      needs: scopes === "-" ? [] : scopes.split("|"),
      all: scopes === "-",
      role: roleOfLetter[letter],
      app,
      looks: looks.test(id),
      everyPlan: id === "whoami"
    })
  })

  it("keeps the answers to what must not be done twice, and to nothing else", () => {
    const found = Object.values(operations).filter(({ idempotency }) => idempotency === "key")
    expect(found.map(({ id }) => id).toSorted()).toEqual(keyed.trim().split(/\s+/).toSorted())
  })

  it("keeps what only people, only automations and no apps may do to them", () => {
    const base = { all: false, role: "editor", app: "own", looks: false } as const
    checkAll(special["session"]!, { ...base, needs: [], all: true, role: "admin", only: "session" })
    checkAll(special["automation"]!, { ...base, needs: ["tables:write"], only: "automation" })
    checkAll(special["noApp"]!, { needs: ["feeds:read"], all: false, role: "viewer", app: "none", looks: true })
    checkAll(special["every"]!, {
      needs: ["feeds:read", "tables:read"],
      all: true,
      role: "viewer",
      app: "own",
      looks: true
    })
  })

  it("lets the kernel do what follows from what somebody did, in that person's name", () => {
    const workspace = workspaceOf("ws")
    const [caller] = callersOf(keyOf(workspace, ["banks:write"]))
    expect(wordOf(decide(caller!, operations.triggerSync))).toBe("scope")
    const behalf = onBehalfOf(caller!, "upload")
    expect(wordOf(decide(behalf, operations.triggerSync))).toBe("yes")
    expect(wordOf(decide(behalf, operations.triggerSync, { workspaceId: "foreign" as Workspace["id"] }))).toBe("hidden")
    expect(behalf.cause).toEqual({ kind: "api", clientId: "key_1" })
    expect(behalf.principal).toMatchObject({ kind: "system", userId: "usr_1" })
  })
})
