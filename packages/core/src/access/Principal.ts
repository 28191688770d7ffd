/** Whoever is behind a request, once the credential was checked (decisions 2.2). */
import type { Role } from "../workspace/Role.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { ActorRef } from "./ActorRef.ts"
import type { ApiKey } from "./ApiKey.ts"
import type { Scope } from "./Scope.ts"

export type Principal =
  | { readonly kind: "api_key"; readonly workspace: Workspace; readonly key: ApiKey }
  | {
      readonly kind: "user"
      readonly workspace: Workspace
      readonly userId: string
      readonly email: string
      readonly role: Role
    }

export const actorOf = (principal: Principal): ActorRef =>
  principal.kind === "api_key"
    ? { kind: "api", clientId: principal.key.id }
    : { kind: "user", userId: principal.userId }

/** The person behind a principal: a key stands for the user who made it. */
export const userOf = (principal: Principal): string =>
  principal.kind === "api_key" ? principal.key.createdBy : principal.userId

/** Scopes do not apply to signed-in users: their role decides. */
export const holds = (principal: Principal, anyOf: ReadonlyArray<Scope>): boolean =>
  principal.kind === "user" || anyOf.length === 0 || anyOf.some((scope) => principal.key.scopes.includes(scope))
