/** Whoever is behind a request, once that was found out (specification 5, decisions 2.2). */
import { atLeast, type Role } from "../workspace/Role.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { ActorRef } from "./ActorRef.ts"
import type { ApiKey } from "./ApiKey.ts"
import type { ScopesNeeded } from "./Operation.ts"
import { allScopes, automationScopes, leastRole, type Scope } from "./Scope.ts"

/** Known by a credential that it showed. */
export type CredentialPrincipal =
  | { readonly kind: "api_key"; readonly workspace: Workspace; readonly key: ApiKey }
  | {
      readonly kind: "oauth_app"
      readonly workspace: Workspace
      readonly app: {
        readonly clientId: string
        readonly name: string
        /** Marked by the operator: it sees the whole workspace. */
        readonly firstParty: boolean
      }
      /** Who consented, and the role that person has now. */
      readonly userId: string
      readonly role: Role
      readonly scopes: ReadonlyArray<Scope>
    }
  | {
      readonly kind: "user"
      readonly workspace: Workspace
      readonly userId: string
      readonly email: string
      readonly role: Role
      /** Where the request names no workspace: all that the person reaches. `workspace` is then their own. */
      readonly workspaces?: ReadonlyArray<{ readonly workspace: Workspace; readonly role: Role }>
    }

export type Principal =
  | CredentialPrincipal
  | {
      /** The run of an automation, with what a person granted it. */
      readonly kind: "automation"
      readonly workspace: Workspace
      readonly run: Extract<ActorRef, { readonly kind: "automation" }>
      /** Who granted it. */
      readonly userId: string
      readonly scopes: ReadonlyArray<Scope>
    }
  | {
      /** The kernel, or the program that embeds it, at its own work. */
      readonly kind: "system"
      readonly workspace: Workspace
      /** What the work is, such as `schedule`. */
      readonly reason: string
      /** The person for whom it is done; `system` where there is none. */
      readonly userId: string
    }

/** Id of the key, the app, the person or the automation: what logs and visibility know it by. */
export const credentialOf = (principal: Principal): string => {
  switch (principal.kind) {
    case "api_key":
      return principal.key.id
    case "oauth_app":
      return principal.app.clientId
    case "user":
      return principal.userId
    case "automation":
      return principal.run.automationId
    case "system":
      return principal.reason
  }
}

/** Whether it is a person, a key or an app, and not the kernel at work. */
export const isCredential = (principal: Principal): principal is CredentialPrincipal =>
  principal.kind !== "automation" && principal.kind !== "system"

export const actorOf = (principal: Principal): ActorRef => {
  switch (principal.kind) {
    case "user":
      return { kind: "user", userId: principal.userId }
    case "automation":
      return principal.run
    case "system":
      return { kind: "system", reason: principal.reason }
    default:
      return { kind: "api", clientId: credentialOf(principal) }
  }
}

/** The person behind a principal: a key stands for the user who made it, an app for the one who consented. */
export const userOf = (principal: Principal): string =>
  principal.kind === "api_key" ? principal.key.createdBy : principal.userId

/** Keys have scopes, people a role, apps need both, automations what was granted of what can be. The kernel has all. */
const holdsScope = (principal: Principal, scope: Scope): boolean => {
  switch (principal.kind) {
    case "api_key":
      return principal.key.scopes.includes(scope)
    case "oauth_app":
      return principal.scopes.includes(scope) && atLeast(principal.role, leastRole(scope))
    case "user":
      return atLeast(principal.role, leastRole(scope))
    case "automation":
      return principal.scopes.includes(scope) && automationScopes.has(scope)
    case "system":
      return true
  }
}

export const holds = (principal: Principal, needed: ScopesNeeded): boolean =>
  "allOf" in needed
    ? needed.allOf.every((scope) => holdsScope(principal, scope))
    : needed.anyOf.some((scope) => holdsScope(principal, scope))

/** Apps of third parties see what they made themselves, everybody else sees all (decisions 2.6). */
export const sees = (principal: Principal, createdBy: ActorRef | undefined): boolean =>
  principal.kind !== "oauth_app" ||
  principal.app.firstParty ||
  (createdBy?.kind === "api" && createdBy.clientId === principal.app.clientId)

/** The scopes that a credential holds: those of a key or a consent in their order, of a person by the role. */
export const scopesOf = (principal: CredentialPrincipal): ReadonlyArray<Scope> => {
  const granted =
    principal.kind === "api_key" ? principal.key.scopes : principal.kind === "oauth_app" ? principal.scopes : allScopes
  return granted.filter((scope) => holdsScope(principal, scope))
}
