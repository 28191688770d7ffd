import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { Flag } from "../../operation/Parameters.ts"
import { Accepted, deleted, orAccepted } from "../../operation/Success.ts"
import { BankRemovals } from "../../usecase/BankRemovals.ts"

export const deleteBank = operation({
  noun: "banks",
  id: "deleteBank",
  delete: "/v1/banks/:bank_id",
  summary: "Delete a bank connection; a signed-in person can remove it for good",
  description:
    "Deletes a bank that no feed uses (409 otherwise). It can be restored until the first of a month removes it for " +
    "good. `permanent=true` removes it at once, in the background (202): the connection is given back at the provider, " +
    "then all that is known of it is destroyed. That needs a signed-in session and cannot be taken back; after a " +
    "failure it goes on where it stopped when it is asked for again.",
  access: { anyOf: ["banks:write"], role: "admin", sessionParameter: "permanent" },
  repeats: "inherent",
  command: "banks delete",
  tool: "delete_bank",
  query: {
    permanent: Schema.optionalKey(
      Flag.annotate({
        description: "true: for good, with all that is known of it, in the background; needs a signed-in session."
      })
    )
  },
  success: orAccepted(deleted, Schema.Struct({ status: Schema.Literal("removing") })),
  errors: ["Conflict"],
  example: { accepted: { status: "removing" } },
  audits: audits(BankRemovals, "remove"),
  run: ({ caller, ids, query }) =>
    BankRemovals.use((removals) =>
      Effect.map(removals.remove(caller, ids.bank, { permanently: query.permanent === true }), (state) =>
        state === "deleted" ? undefined : new Accepted({ status: "removing" as const })
      )
    )
})
