/** Workspaces: the boundary between tenants (specification 1, decisions 4.4). */
import * as Schema from "effect/Schema"
import { Currency } from "../shared/Currency.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import { PlanName } from "./Plan.ts"

export type WorkspaceId = Id<"workspace">
export type UserId = Id<"user">

export const Workspace = Schema.Struct({
  id: Id("workspace"),
  name: Schema.String,
  icon: Schema.optionalKey(Schema.String),
  plan: PlanName,
  /** IANA name; decides what day is "today". */
  timezone: Schema.String,
  locale: Schema.String,
  baseCurrency: Currency,
  /** Set for client portals: the workspace they belong to. */
  parentWorkspaceId: Schema.optionalKey(Id("workspace")),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: Schema.Int
})
export type Workspace = typeof Workspace.Type

export const User = Schema.Struct({
  id: Id("user"),
  email: Schema.String,
  name: Schema.optionalKey(Schema.String),
  createdAt: Timestamp
})
export type User = typeof User.Type
