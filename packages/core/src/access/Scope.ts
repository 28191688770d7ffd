/** The 34 scopes of credentials (specification 5). No scope implies another. */
import * as Schema from "effect/Schema"
import type { Role } from "../workspace/Role.ts"

/** Scope -> what it grants, in one line for consent pages and docs. */
export const scopes = {
  "account:read": "View the security status of the login and recent security activity",
  "automation_outputs:read": "Read the outputs of an automation run",
  "automations:read": "View automations, drafts, revisions, grants, approvals and run status",
  "automations:write": "Create, edit, publish, activate and delete automations; start and stop runs",
  "banks:read": "View bank connections, accounts, transactions, balances and holdings",
  "banks:write": "Connect, modify and disconnect banks",
  "content:read": "View folders, names, icons, trash and own stars",
  "content:write": "Create folders, rename, set icons, move, trash, restore and star",
  "dashboards:read": "View dashboards, widgets, queries, folders and query results",
  "dashboards:write": "Create, modify and delete dashboards, widgets, queries and folders",
  "enrichments:read": "View enrichments",
  "enrichments:write": "Create, modify and delete enrichments",
  "feed_sync:write": "Write, update and remove rows delivered to a destination, from an automation",
  "feedback:write": "Send product feedback",
  "feeds:read": "View feed configurations",
  "feeds:write":
    "Create, modify and delete feeds; a feed delivers what its banks hold, so this reads bank data as well",
  "institutions:read": "Search banks and see which providers can connect them",
  "integrations:read": "View connected destination integrations",
  "integrations:write": "Connect and remove destination integrations",
  "jobs:read": "View sync history and job status",
  "jobs:write": "Trigger manual syncs and cancel running jobs",
  "mailboxes:read": "Read messages and attachments that reached a mailbox",
  "mailboxes:write": "Release held mail, manage senders and addresses, send, reply and forward",
  "marketplace:read": "Search the marketplace, read templates, plan installs",
  "marketplace:write": "Save templates; install, update and remove installs",
  "notifications:write": "Raise in-app notifications",
  "portals:read": "View client portals and their members",
  "portals:write": "Create, modify and delete client portals",
  "support:read": "View support cases",
  "support:write": "Open, reply to and close support cases",
  "tables:read": "View tables, fields and rows",
  "tables:write": "Create and delete tables, change fields and rows",
  "workspaces:read": "View workspace metadata, members and integrations",
  "workspaces:write": "Modify workspace settings, members and integrations"
} as const

export type Scope = keyof typeof scopes

export const allScopes = Object.keys(scopes) as ReadonlyArray<Scope>

export const Scope = Schema.Literals(allScopes)

/** What the grant of an automation can hold (decisions 2.4). */
export const automationScopes: ReadonlySet<Scope> = new Set<Scope>([
  "automation_outputs:read",
  "automations:read",
  "banks:read",
  "content:read",
  "dashboards:read",
  "enrichments:read",
  "feed_sync:write",
  "feeds:read",
  "institutions:read",
  "integrations:read",
  "jobs:read",
  "jobs:write",
  "mailboxes:read",
  "mailboxes:write",
  "notifications:write",
  "tables:read",
  "tables:write"
])

/** Scopes that need more than the least role that may use their kind (decisions 2.3). */
const adminScopes: ReadonlySet<Scope> = new Set([
  "banks:write",
  "integrations:write",
  "portals:read",
  "portals:write",
  "workspaces:write"
])
const viewerWrites: ReadonlySet<Scope> = new Set(["support:write", "feedback:write"])
const editorReads: ReadonlySet<Scope> = new Set(["mailboxes:read", "automation_outputs:read"])

/** The weakest role that may do what the scope grants. */
export const leastRole = (scope: Scope): Role =>
  adminScopes.has(scope)
    ? "admin"
    : viewerWrites.has(scope) || (scope.endsWith(":read") && !editorReads.has(scope))
      ? "viewer"
      : "editor"
