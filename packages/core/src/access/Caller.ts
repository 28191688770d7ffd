/** Who asks for something, and in what request: the first thing that every use case gets. */
import type { User, Workspace, WorkspaceId } from "../workspace/Workspace.ts"
import type { ActorRef } from "./ActorRef.ts"
import { actorOf, userOf, type Principal } from "./Principal.ts"

export interface Caller {
  readonly principal: Principal
  /** The workspaces that it reads now: its own, or its own and its portals. What it changes is in its own. */
  readonly workspaces: ReadonlyArray<Workspace>
  /** Ties together what one request did, in logs, answers and the audit. */
  readonly requestId: string
  /** Who is said to have done what follows. */
  readonly cause: ActorRef
}

/** A caller that reads its own workspace. */
export const callerOf = (principal: Principal, requestId: string): Caller => ({
  principal,
  workspaces: [principal.workspace],
  requestId,
  cause: actorOf(principal)
})

/** The workspaces that it reads now, for the queries of stores. */
export const readableIds = (caller: Caller): ReadonlyArray<WorkspaceId> => caller.workspaces.map(({ id }) => id)

/** The kernel, at work that follows from what the caller did. It needs no scopes; the caller stays the one who did it. */
export const onBehalfOf = (caller: Caller, reason: string): Caller => ({
  ...caller,
  principal: { kind: "system", workspace: caller.principal.workspace, reason, userId: userOf(caller.principal) }
})

/** The owner of a workspace, for programs that embed the kernel and act for their own users. */
export const asOwner = (workspace: Workspace, owner: Pick<User, "id" | "email">, requestId = "embedded"): Caller =>
  callerOf({ kind: "user", workspace, userId: owner.id, email: owner.email, role: "owner" }, requestId)

/** The program itself, at work that no person asked for, such as telling at its start how things are. */
export const asSystem = (workspace: Workspace, reason: string, requestId = "embedded"): Caller =>
  callerOf({ kind: "system", workspace, reason, userId: "system" }, requestId)
