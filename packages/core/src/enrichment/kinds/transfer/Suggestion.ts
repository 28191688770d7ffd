/** Links that a person is asked about, and what follows from their answer (enrichments C8, D2.8). */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { Id } from "../../../shared/Ids.ts"
import type { FactRequest } from "../EnrichmentFact.ts"
import type { PlannedFinding, SetAccount } from "../SetKind.ts"
import type { ScoredPair, Side } from "./PairScore.ts"

/** The records of a link. */
export type Linked = Pick<ScoredPair, "in" | "out"> & {
  readonly second?: (Side & { readonly role: "out" | "in" }) | undefined
}

export const memberOf =
  (role: "out" | "in") =>
  ({ recordId }: Pick<Side, "recordId">) => ({ recordId, role })

export type Member = ReturnType<ReturnType<typeof memberOf>>

export const membersOf = ({ in: into, out, second }: Linked): ReadonlyArray<Member> => {
  const [left, arrived]: [Member, Member] = [
    { recordId: out.recordId, role: "out" },
    { recordId: into.recordId, role: "in" }
  ]
  if (second === undefined) return [left, arrived]
  const { recordId, role } = second
  return role === "out" ? [left, { recordId, role }, arrived] : [left, arrived, { recordId, role }]
}

export const suggestionKind = "transfer_suggestion"

/** What is kept with it, so that an answer is about the very records that were shown. */
const Data = Schema.Struct({
  linkId: Schema.String,
  outRecordIds: Schema.Array(Schema.String),
  inRecordIds: Schema.Array(Schema.String),
  amount: Schema.String,
  currency: Schema.String,
  confidence: Schema.String
})

const longestTitle = 200

export const suggestionOf = (
  pair: Linked,
  linkId: string,
  confidence: string,
  accounts: ReadonlyMap<Id<"account">, SetAccount>
): PlannedFinding => {
  const { in: into, out } = pair
  const nameOf = ({ accountId }: Side) => accounts.get(accountId as Id<"account">)?.accountName ?? accountId
  const idsOf = (role: "out" | "in") => membersOf(pair).flatMap((one) => (one.role === role ? [one.recordId] : []))
  const whole = pair.second?.role === "out" ? into : out
  const data: typeof Data.Type = {
    linkId,
    outRecordIds: idsOf("out"),
    inRecordIds: idsOf("in"),
    amount: whole.amount,
    currency: whole.currency,
    confidence
  }
  return {
    key: `suggestion:${linkId}`,
    kind: suggestionKind,
    title:
      `${Currency.amountText(Decimal.make(whole.amount), Currency.make(whole.currency))} from ${nameOf(out)} to ${nameOf(into)}`.slice(
        0,
        longestTitle
      ),
    subject: { kind: "transaction", id: out.recordId },
    data
  }
}

const decode = Schema.decodeUnknownResult(Data)

/** Yes links the records permanently, no keeps them apart. */
export const suggestionFeedback = (
  enrichmentId: Id<"enrichment">,
  { data, kind }: PlannedFinding,
  status: string
): ReadonlyArray<FactRequest> => {
  const read = decode(data)
  if (kind !== suggestionKind || Result.isFailure(read)) return []
  const decided = status === "confirmed" ? "confirm" : status === "dismissed" ? "forbid" : undefined
  if (decided === undefined) return []
  const { inRecordIds, outRecordIds } = read.success
  return outRecordIds.flatMap((recordId) =>
    inRecordIds.map((otherId) => ({ kind: decided, enrichmentId, recordId, otherId }))
  )
}
