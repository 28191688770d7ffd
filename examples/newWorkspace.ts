/** What the examples begin with: a workspace of its own, and its owner, who asks for everything. */
import { Currency } from "@millrace/core"
import { asOwner } from "@millrace/core/access"
import { Workspaces } from "@millrace/core/kernel"
import * as Effect from "effect/Effect"

export const newWorkspace = Effect.gen(function* () {
  const { owner, workspace } = yield* (yield* Workspaces).create({
    name: "Example",
    plan: "enterprise",
    timezone: "UTC",
    baseCurrency: Currency.make("EUR"),
    ownerEmail: "owner@example.com"
  })
  return { workspace, caller: asOwner(workspace, owner) }
})
