/** The use cases of joined accounts in memory: one join and one suggestion. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AccountRef } from "@millrace/core/bank"
import { AccountJoins } from "@millrace/core/kernel"
import { only } from "./Checks.ts"
import * as Records from "./Records.ts"

const within = Effect.fnUntraced(function* (ref: AccountRef) {
  yield* only("Bank", Records.bank.id, ref.bankId, undefined)
  yield* only("Account", Records.account.id, ref.accountId, undefined)
})

const own = { bank: Records.bank, account: Records.account }

export const layer = (note: (operation: string, ...args: ReadonlyArray<unknown>) => Effect.Effect<void>) =>
  Layer.succeed(
    AccountJoins,
    AccountJoins.of({
      list: Effect.fnUntraced(function* (_, ref) {
        yield* note("listAccountJoins")
        yield* within(ref)
        return { joins: [Records.accountJoin], suggestions: [Records.joinSuggestion] }
      }),
      join: Effect.fnUntraced(function* (caller, ref, other) {
        yield* note("joinAccounts", caller.cause, other)
        yield* within(ref)
        return { ...own, join: Records.accountJoin }
      }),
      part: Effect.fnUntraced(function* (caller, ref) {
        yield* note("partAccounts", caller.cause)
        yield* within(ref)
        return { accounts: [own, own] as const, left: [] }
      })
    })
  )
