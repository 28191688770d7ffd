import * as Schema from "effect/Schema"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { PlanName } from "../Plan.ts"
import type { Workspace } from "../Workspace.ts"

export const WorkspaceRecord = Schema.Struct({
  id: Id("workspace"),
  name: Schema.String,
  icon: Schema.NullOr(Schema.String),
  plan: PlanName,
  timezone: Schema.String,
  locale: Schema.String,
  baseCurrency: Schema.String,
  isPortal: Schema.Boolean,
  parentWorkspaceId: Schema.optionalKey(Id("workspace")),
  version: Schema.Int,
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp
}).annotate({ identifier: "WorkspaceRecord" })

export const shown = (workspace: Workspace) => ({
  id: workspace.id,
  name: workspace.name,
  icon: workspace.icon ?? null,
  plan: workspace.plan,
  timezone: workspace.timezone,
  locale: workspace.locale,
  baseCurrency: workspace.baseCurrency,
  isPortal: workspace.parentWorkspaceId !== undefined,
  ...(workspace.parentWorkspaceId === undefined ? {} : { parentWorkspaceId: workspace.parentWorkspaceId }),
  version: workspace.version,
  createdAt: workspace.createdAt,
  updatedAt: workspace.updatedAt
})
