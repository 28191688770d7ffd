/** Workspaces, their plans and the roles of their users. */
export { AgreedRate, PlanName, plans, planWith } from "../workspace/Plan.ts"
export {
  acrossWorkspaces,
  type Crossing,
  crossings,
  CurrentReach,
  type Reach,
  reaches,
  withinWorkspaces
} from "../workspace/Reach.ts"
export { atLeast, Role } from "../workspace/Role.ts"
export { User, type UserId, Workspace, type WorkspaceId } from "../workspace/Workspace.ts"
