/** Reading the balance of an account into the ledger. */
import * as Effect from "effect/Effect"
import type { Account } from "../bank/Account.ts"
import { balanceOf } from "../bank/Balance.ts"
import { RecordStore } from "../record/RecordStore.ts"
import { Digest } from "../shared/Digest.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { ingest } from "./Ingest.ts"

/**
 * What the account says of its balance, ready to be identified. Where the upstream does not say when it was true
 * and it is what we hold, it is as old as that: time alone makes no new version of a balance.
 */
export const makeBalanceRead = Effect.gen(function* () {
  const records = yield* RecordStore
  const digest = yield* Digest
  return Effect.fnUntraced(function* (account: Account) {
    const now = yield* Timestamp.now
    const fresh = ingest("balances", balanceOf(account, now), digest)
    if (account.balanceAsOf !== undefined || "quarantined" in fresh) return fresh
    const scope = { workspaceId: account.workspaceId, accountId: account.id, dataType: "balances" as const }
    const { providerId } = fresh.observation
    const [held] = yield* records.index(scope, { providerIds: [providerId] })
    if (held === undefined) return fresh
    const since = (yield* records.fields(scope, [held.id])).get(held.id)?.["date"]
    const at = typeof since === "string" ? Timestamp.parse(since) : undefined
    if (at === undefined) return fresh
    const same = ingest("balances", balanceOf(account, at), digest)
    return "observation" in same && same.observation.hash === held.hash ? same : fresh
  })
})
