/**
 * Whether a caller may do something (specification 5). Use cases ask here themselves, so that whoever reaches them, by
 * HTTP, as a tool, from an automation or in the same program, meets the same wall.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Forbidden, NotFound } from "../failure/Failure.ts"
import { plans } from "../workspace/Plan.ts"
import { atLeast, type Role } from "../workspace/Role.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { ActorRef } from "./ActorRef.ts"
import type { Caller } from "./Caller.ts"
import { scopesOf, scopesText, type Operation, type ScopesNeeded } from "./Operation.ts"
import { operations, type OperationId } from "./catalogue.generated.ts"
import { holds, sees, type Principal } from "./Principal.ts"

/** What an operation is about. */
export interface Resource {
  readonly workspaceId: WorkspaceId
  /** Absent where nobody is known to have made it. */
  readonly createdBy?: ActorRef
}

/** Why something is refused. `hidden`: for this caller the resource does not exist. */
export type Denial =
  | { readonly reason: "plan" }
  | { readonly reason: "scope"; readonly needed: ScopesNeeded }
  | { readonly reason: "role"; readonly needed: Role }
  | { readonly reason: "session" }
  | { readonly reason: "automation" }
  | { readonly reason: "app" }
  | { readonly reason: "hidden" }

export type Decision = { readonly allowed: true } | ({ readonly allowed: false } & Denial)

const allowed: Decision = { allowed: true }
const denied = (denial: Denial): Decision => ({ allowed: false, ...denial })

/** People have a role and apps the role of a person; keys, automations and the kernel have none. */
const roleOf = (principal: Principal): Role | undefined =>
  principal.kind === "user" || principal.kind === "oauth_app" ? principal.role : undefined

/** Only keys are API access: sessions are not, and apps work on every plan. */
const hasPlan = (principal: Principal, operation: Operation): boolean =>
  principal.kind !== "api_key" || operation.everyPlan || plans[principal.workspace.plan].apiAccess

/** A person's role says it all, whatever the scopes are. */
const hasScopes = (principal: Principal, operation: Operation): boolean =>
  principal.kind === "user" || holds(principal, operation.scopes)

const isHidden = ({ principal, workspaces }: Caller, operation: Operation, resource: Resource): boolean => {
  const reached = operation.idempotency === "read" ? workspaces : [principal.workspace]
  return (
    !reached.some(({ id }) => id === resource.workspaceId) ||
    (operation.app === "own" && !sees(principal, resource.createdBy))
  )
}

/**
 * Whether the caller may do it: at all, and to this resource where one is given. Pure, and decides every case. What is
 * wrong with the caller is told before anything about the resource.
 */
export const decide = (caller: Caller, operation: Operation, resource?: Resource): Decision => {
  const { principal } = caller
  if (!hasPlan(principal, operation)) return denied({ reason: "plan" })
  if (!hasScopes(principal, operation)) return denied({ reason: "scope", needed: operation.scopes })
  if (operation.only === "session" && principal.kind !== "user") return denied({ reason: "session" })
  if (operation.only === "automation" && principal.kind !== "automation") return denied({ reason: "automation" })
  const role = roleOf(principal)
  if (role !== undefined && !atLeast(role, operation.role)) return denied({ reason: "role", needed: operation.role })
  if (operation.app === "none" && principal.kind === "oauth_app" && !principal.app.firstParty) {
    return denied({ reason: "app" })
  }
  return resource !== undefined && isHidden(caller, operation, resource) ? denied({ reason: "hidden" }) : allowed
}

const forbidden = (denial: Exclude<Denial, { readonly reason: "hidden" }>): Forbidden => {
  switch (denial.reason) {
    case "plan":
      return new Forbidden({
        code: "PLAN_WITHOUT_API_ACCESS",
        message: "The plan does not include API access",
        details: []
      })
    case "scope":
      return new Forbidden({
        code: "INSUFFICIENT_SCOPE",
        message: `Missing scope: ${scopesText(denial.needed)}`,
        details: scopesOf(denial.needed).map((scope) => ({ message: scope }))
      })
    case "role":
      return new Forbidden({ code: "INSUFFICIENT_ROLE", message: `Requires ${denial.needed} role`, details: [] })
    case "session":
      return new Forbidden({
        code: "SIGNED_IN_SESSION_REQUIRED",
        message: "This operation requires a signed-in session",
        details: []
      })
    case "automation":
      return new Forbidden({
        code: "AUTOMATION_ONLY",
        message: "This operation belongs to the run of an automation",
        details: []
      })
    case "app":
      return new Forbidden({
        code: "APP_NOT_ALLOWED",
        message: "Installed apps cannot use this operation",
        details: []
      })
  }
}

/** Fails where the caller lacks scopes that a part of an operation needs besides its own. */
export const needScopes = (caller: Caller, needed: ScopesNeeded): Effect.Effect<void, Forbidden> =>
  holds(caller.principal, needed) ? Effect.void : Effect.fail(forbidden({ reason: "scope", needed }))

/** Fails where the caller is no signed-in person: for a part of an operation that needs one. */
export const needSession = ({ principal }: Caller): Effect.Effect<void, Forbidden> =>
  principal.kind === "user" ? Effect.void : Effect.fail(forbidden({ reason: "session" }))

/** Fails where the caller may not do it, whatever it is about. */
export const authorize = (caller: Caller, operation: Operation): Effect.Effect<void, Forbidden> => {
  const decision = decide(caller, operation)
  return decision.allowed || decision.reason === "hidden" ? Effect.void : Effect.fail(forbidden(decision))
}

/** A bundled operation by its id, or one that a program adds. */
export type AnyOperation = OperationId | Operation

export const operationOf = (operation: AnyOperation): Operation =>
  typeof operation === "string" ? operations[operation] : operation

/** The same for an operation of the catalogue. */
export const permit = (caller: Caller, operation: AnyOperation): Effect.Effect<void, Forbidden> =>
  authorize(caller, operationOf(operation))

/** What was found, where the caller may do this to it; else it is as though it were not there. */
export const reach = <A extends Resource>(
  caller: Caller,
  operation: AnyOperation,
  /** As in "Bank not found". */
  noun: string,
  found: Option.Option<A>
): Effect.Effect<A, NotFound | Forbidden> => {
  const decision = decide(caller, operationOf(operation), Option.getOrUndefined(found))
  if (!decision.allowed && decision.reason !== "hidden") return Effect.fail(forbidden(decision))
  return decision.allowed && Option.isSome(found)
    ? Effect.succeed(found.value)
    : Effect.fail(new NotFound({ resource: noun }))
}

/** Whether it matters to this caller who made a resource. */
export const isNarrowed = ({ principal }: Caller, operation: AnyOperation): boolean =>
  operationOf(operation).app === "own" && !sees(principal, undefined)

/** Whether a list of this operation shows it to the caller. */
export const shows = (caller: Caller, operation: AnyOperation, resource: Resource): boolean =>
  decide(caller, operationOf(operation), resource).allowed
