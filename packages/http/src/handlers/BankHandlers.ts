import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { holds } from "@millrace/core/access/Principal"
import { purgedAt, type Bank } from "@millrace/core/bank/Bank"
import { Banks } from "@millrace/core/bank/Banks"
import { Api } from "../api/Api.ts"
import { many, one } from "../api/Envelope.ts"
import { answering, type Answer } from "../errors.ts"
import { principal, target, workspace } from "../middleware/CurrentRequest.ts"
import { refuse } from "../middleware/Refused.ts"
import { badgeOf } from "./Family.ts"
import { identified } from "./Identified.ts"

/** A bank as it is sent. Names every field, so that nothing internal can slip through. */
const toWire = (bank: Bank) => ({
  id: bank.id,
  name: bank.name,
  source: bank.source,
  type: bank.type,
  order: bank.order,
  ...(bank.icon === undefined ? {} : { icon: bank.icon }),
  ...(bank.connectionStatus === undefined ? {} : { connectionStatus: bank.connectionStatus }),
  ...(bank.institutionId === undefined ? {} : { institutionId: bank.institutionId }),
  ...(bank.providerInstanceId === undefined ? {} : { providerInstanceId: bank.providerInstanceId }),
  createdAt: bank.createdAt,
  updatedAt: bank.updatedAt,
  links: { self: `/v1/banks/${bank.id}`, accounts: `/v1/banks/${bank.id}/accounts` }
})

/** Whoever may not delete banks does not see which ones were deleted. */
const needsWrite: Answer = {
  status: 403,
  code: "INSUFFICIENT_SCOPE",
  message: "Missing scope: banks:write",
  details: [{ message: "banks:write" }]
}

export const layer = HttpApiBuilder.group(
  Api,
  "banks",
  Effect.fnUntraced(function* (handlers) {
    const banks = yield* Banks
    return handlers
      .handle("listBanks", ({ query }) =>
        answering(
          Effect.gen(function* () {
            const of = yield* principal
            const badge = yield* badgeOf(of, query.scope)
            const deleted = query.deleted === true
            if (deleted && !holds(of, { anyOf: ["banks:write"] })) return yield* refuse(needsWrite)
            const rows = yield* banks.list(of.workspace, deleted ? "deleted" : "live")
            return many(
              yield* target,
              rows.map((bank) => ({
                ...toWire(bank),
                ...(bank.deletedAt === undefined
                  ? {}
                  : { deletedAt: bank.deletedAt, purgeAt: purgedAt(bank.deletedAt) }),
                ...badge(bank.workspaceId)
              }))
            )
          })
        )
      )
      .handle("getBank", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const bank = yield* banks.get(yield* workspace, yield* identified("bank", params.bank_id))
            return one(toWire(bank))
          })
        )
      )
  })
)
