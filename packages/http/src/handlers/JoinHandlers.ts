import * as Effect from "effect/Effect"
import type { AccountId, AccountJoin, AccountRef } from "@millrace/core/bank"
import { AccountJoins } from "@millrace/core/kernel"
import { one } from "../api/Envelope.ts"
import { toWire as accountToWire } from "./AccountHandlers.ts"
import { serve } from "./Serve.ts"

/** Names every field: which records were whose is nobody's business. */
const joinToWire = ({ accountId, at, by, id, joinedId, matches, suggested }: AccountJoin) => ({
  id,
  accountId,
  joinedId,
  matched: matches.reduce((sum, { ids }) => sum + ids.length, 0),
  suggested,
  createdBy: by,
  createdAt: at
})

const refOf = (ids: {
  readonly bank: AccountRef["bankId"]
  readonly account: AccountRef["accountId"]
}): AccountRef => ({ bankId: ids.bank, accountId: ids.account })

export const layer = serve(
  "joins",
  Effect.gen(function* () {
    const accounts = yield* AccountJoins
    return {
      listAccountJoins: ({ caller, ids }) =>
        Effect.map(accounts.list(caller, refOf(ids)), ({ joins, suggestions }) =>
          one({ joins: joins.map(joinToWire), suggestions })
        ),
      joinAccounts: ({ caller, ids, payload }) =>
        Effect.map(accounts.join(caller, refOf(ids), payload.accountId as AccountId), ({ account, bank, join }) =>
          one({ account: accountToWire(bank)(account), join: joinToWire(join) })
        ),
      partAccounts: ({ caller, ids }) =>
        Effect.map(accounts.part(caller, refOf(ids)), ({ accounts: parted, left }) => ({
          ...one({ accounts: parted.map(({ account, bank }) => accountToWire(bank)(account)) }),
          meta: {
            warnings: left.map(
              ({ id, name }) =>
                `The enrichment "${name}" (${id}) was changed meanwhile: it names the older account still`
            )
          }
        }))
    }
  })
)
