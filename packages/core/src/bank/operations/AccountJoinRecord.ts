import * as Schema from "effect/Schema"
import { ActorRef } from "../../access/ActorRef.ts"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { AccountRef } from "../Account.ts"
import type { AccountJoin } from "../AccountJoin.ts"

export const AccountJoinRecord = Schema.Struct({
  id: Id("accountJoin"),
  accountId: Id("account").annotate({ description: "The older account, which goes on." }),
  joinedId: Id("account").annotate({ description: "The younger account, which is part of it." }),
  matched: Schema.Int.annotate({ description: "Records that both accounts had, and that became one." }),
  suggested: Schema.Int.annotate({
    description: "Pairs that are not certain, or that people wrote on in both accounts: `listSuggestions` lists them."
  }),
  createdBy: ActorRef,
  createdAt: Timestamp.Timestamp
}).annotate({ identifier: "AccountJoin" })

/** Names every field: which records were whose is nobody's business. */
export const joinToWire = ({ accountId, at, by, id, joinedId, matches, suggested }: AccountJoin) => ({
  id,
  accountId,
  joinedId,
  matched: matches.reduce((sum, { ids }) => sum + ids.length, 0),
  suggested,
  createdBy: by,
  createdAt: at
})

export const refOf = (ids: {
  readonly bank: AccountRef["bankId"]
  readonly account: AccountRef["accountId"]
}): AccountRef => ({ bankId: ids.bank, accountId: ids.account })
