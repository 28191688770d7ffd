/** Whoever is behind a request, once the credential was checked (decisions 2.2). */
import { atLeast, type Role } from "../workspace/Role.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { ActorRef } from "./ActorRef.ts"
import type { ApiKey } from "./ApiKey.ts"
import type { ScopesNeeded } from "./Operation.ts"
import { leastRole, type Scope } from "./Scope.ts"

export type Principal =
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
    }

/** Id of the key, the app or the person: what logs and visibility know it by. */
export const credentialOf = (principal: Principal): string => {
  switch (principal.kind) {
    case "api_key":
      return principal.key.id
    case "oauth_app":
      return principal.app.clientId
    case "user":
      return principal.userId
  }
}

export const actorOf = (principal: Principal): ActorRef =>
  principal.kind === "user"
    ? { kind: "user", userId: principal.userId }
    : { kind: "api", clientId: credentialOf(principal) }

/** The person behind a principal: a key stands for the user who made it, an app for the one who consented. */
export const userOf = (principal: Principal): string =>
  principal.kind === "api_key" ? principal.key.createdBy : principal.userId

const holdsScope = (principal: Principal, scope: Scope): boolean =>
  (principal.kind === "user" ||
    (principal.kind === "api_key" ? principal.key.scopes : principal.scopes).includes(scope)) &&
  (principal.kind === "api_key" || atLeast(principal.role, leastRole(scope)))

/** Keys have scopes, users a role, apps need both. */
export const holds = (principal: Principal, needed: ScopesNeeded): boolean =>
  "allOf" in needed
    ? needed.allOf.every((scope) => holdsScope(principal, scope))
    : needed.anyOf.some((scope) => holdsScope(principal, scope))

/** Apps of third parties see what they made themselves, everybody else sees all (decisions 2.6). */
export const sees = (principal: Principal, createdBy: ActorRef): boolean =>
  principal.kind !== "oauth_app" ||
  principal.app.firstParty ||
  (createdBy.kind === "api" && createdBy.clientId === principal.app.clientId)
