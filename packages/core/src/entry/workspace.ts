/** Workspaces, their plans and the roles of their users. */
export { AgreedRate, PlanName, plans, planWith } from "../workspace/Plan.ts"
export {
  acrossTenants,
  type SystemReason,
  systemReasons,
  CurrentTenantScope,
  type TenantScope,
  isInScope,
  withinWorkspaces
} from "../workspace/TenantScope.ts"
export { atLeast, Role } from "../workspace/Role.ts"
export { User, type UserId, Workspace, type WorkspaceId } from "../workspace/Workspace.ts"
