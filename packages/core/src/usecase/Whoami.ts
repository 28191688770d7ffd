/** What a credential learns about itself: its scopes, and what the plan of its workspace allows (specification 3.2). */
import * as Effect from "effect/Effect"
import { type CredentialPrincipal, scopesOf } from "../access/Principal.ts"
import type { Scope } from "../access/Scope.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { rowLimitOf, TableSettings } from "../table/RowLimit.ts"
import { AgreedRate, type Plan, planWith } from "../workspace/Plan.ts"

export interface Self {
  readonly scopes: ReadonlyArray<Scope>
  /** With the rate that was agreed on, and the rows that the operator allows. */
  readonly plan: Plan
  readonly serverTime: Timestamp.Timestamp
}

export const makeWhoami = Effect.gen(function* () {
  const agreedRate = yield* AgreedRate
  const settings = yield* TableSettings
  return (principal: CredentialPrincipal): Effect.Effect<Self> =>
    Effect.map(Timestamp.now, (serverTime) => {
      const { plan } = principal.workspace
      const rows = rowLimitOf({ plan }, settings)
      return {
        scopes: scopesOf(principal),
        plan: { ...planWith(agreedRate, plan), rows: rows === Infinity ? undefined : rows },
        serverTime
      }
    })
})
