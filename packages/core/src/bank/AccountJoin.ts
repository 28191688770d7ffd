/** Two accounts that are one: an account came back under a new id, and nothing but a person could tell (decisions 12). */
import * as Schema from "effect/Schema"
import { ActorRef } from "../access/ActorRef.ts"
import { DataType } from "../record/DataType.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"

const ofType = Schema.Struct({ dataType: DataType, ids: Schema.Array(Schema.String) })

/** What is kept of a join, so that it can be taken back. */
export const AccountJoin = Schema.Struct({
  id: Id("accountJoin"),
  workspaceId: Id("workspace"),
  /** The older account: it goes on. */
  accountId: Id("account"),
  /** The younger one: it is part of the other. */
  joinedId: Id("account"),
  /** Whether the two have exchanged their upstreams: the older account is read where the younger one was. */
  exchanged: Schema.Boolean,
  /** Feeds that named either, with which of the two they named. */
  feeds: Schema.Array(Schema.Struct({ feedId: Id("feed"), named: Schema.Array(Id("account")) })),
  /** Enrichments that named the younger account, with what they said before, masks in the place of secrets. */
  enrichments: Schema.optionalKey(Schema.Array(Schema.Struct({ enrichmentId: Id("enrichment"), config: Schema.Json }))),
  /** Matches that it made of records that both had. */
  matches: Schema.Array(ofType),
  /** Pairs that were left to a person. */
  suggested: Schema.Int,
  /** Records that the older account had before, and those that came from the younger one: all others arrived since. */
  owned: Schema.Array(ofType),
  came: Schema.Array(ofType),
  by: ActorRef,
  at: Timestamp
})
export type AccountJoin = typeof AccountJoin.Type
export type AccountJoinId = AccountJoin["id"]
