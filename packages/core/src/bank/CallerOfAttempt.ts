/** The kernel, at work on an attempt whose person has no credential here: a browser at a landing page, a callback. */
import type { Caller } from "../access/Caller.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { ConnectionAttempt } from "./ConnectionAttempt.ts"

/** Anyone who began the attempt stays the one who is said to have connected the bank. */
export const callerOfAttempt = (workspace: Workspace, attempt: ConnectionAttempt, requestId: string): Caller => ({
  principal: { kind: "system", workspace, reason: "connect", userId: attempt.credential },
  workspaces: [workspace],
  requestId,
  cause: attempt.createdBy
})
