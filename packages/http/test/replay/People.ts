/** People and apps with tokens: those whom an identity provider would know. */
import { CredentialInvalid } from "@millrace/core/kernel"
import { type Scope, SessionRequests } from "@millrace/core/access"
import type { Role, Workspace } from "@millrace/core/workspace"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

export const roles: ReadonlyArray<Role> = ["viewer", "editor", "admin", "owner"]

const decision = { admitted: true, limit: 600, retryAfter: 0 }

type Arrivals = NonNullable<Context.Service.Shape<typeof SessionRequests>>

/** Tokens are `person-<role>`, and `app-<role>` for an app with the scopes that it was given. */
export const makePeople = () => {
  let home: Workspace | undefined
  let granted: ReadonlyArray<Scope> = []
  const arrivals: Arrivals = {
    authenticate: (token) => {
      const [kind, name] = Redacted.value(token).split("-")
      const role = roles.find((one) => one === name)
      if (home === undefined || role === undefined) return Effect.fail(new CredentialInvalid())
      const userId = `usr_${role.padEnd(26, "0")}`
      if (kind === "person") {
        const principal = { kind: "user", workspace: home, userId, email: `${role}@example.com`, role } as const
        return Effect.succeed({ principal, decision })
      }
      const app = { clientId: "app_other", name: "Other app", firstParty: kind === "ours" }
      return Effect.succeed({
        principal: { kind: "oauth_app", workspace: home, app, userId, role, scopes: granted },
        decision
      })
    }
  }
  return {
    arrivals,
    /** Says which workspace they are in. */
    moveTo: (workspace: Workspace) => {
      home = workspace
    },
    /** Says which scopes apps have. */
    grant: (scopes: ReadonlyArray<Scope>) => {
      granted = scopes
    }
  }
}

export type People = ReturnType<typeof makePeople>
