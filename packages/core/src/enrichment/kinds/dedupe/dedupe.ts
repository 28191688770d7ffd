/**
 * One event is one record (enrichments C1 and D1). Identity is always resolved; this only tunes how, before a record is in
 * the ledger (`identity/MatchConfigs`), and says of each record whether it is final, and what it was before.
 */
import * as Effect from "effect/Effect"
import { dataTypes } from "../../../record/DataType.ts"
import { identityEventTypes } from "../../../record/RecordEvents.ts"
import type { Claim } from "../../../rule/Outcome.ts"
import type { Id } from "../../../shared/Ids.ts"
import { limits } from "../../../shared/Limits.ts"
import { EnrichmentFault, type RecordKind, type View } from "../Kind.ts"
import { checkDedupe, DedupeConfig, dedupeType } from "./DedupeConfig.ts"
import type { RecordPast, RecordPasts } from "./RecordPasts.ts"

const stage = 10

const stateField = "dedupe.state"
const aliasesField = "dedupe.aliases"
const firstSeenField = "dedupe.firstSeenAs"
const mergedField = "dedupe.mergedFrom"
const fields = [stateField, aliasesField, firstSeenField, mergedField]

/** What records were before, by id; of those of a document, one for all its rows. */
type GatheredPasts = ReadonlyMap<string, RecordPast>

/** Ends the id of a document before the key of its item. */
const itemSeparator = ":"
const recordOf = ({ recordId }: View): string => recordId.split(itemSeparator, 1)[0]!

const claim = (field: string, value: string): Claim => ({ field, value, path: "" })

const pastClaims = (past: RecordPast | undefined): ReadonlyArray<Claim> => {
  if (past === undefined) return []
  const { aliases, mergedFrom } = past
  const [first] = aliases
  return [
    ...(first === undefined ? [] : [claim(aliasesField, aliases.join(",")), claim(firstSeenField, first)]),
    ...(mergedFrom.length === 0 ? [] : [claim(mergedField, mergedFrom.join(","))])
  ]
}

const sentences: Readonly<Record<string, string>> = {
  [aliasesField]: "The source knew it under these ids before",
  [firstSeenField]: "The source showed it under this id first",
  [mergedField]: "These records turned out to be this one"
}

/** The kind `dedupe` over what is known of the past of records. */
export const makeDedupe = ({
  pasts
}: {
  readonly pasts: RecordPasts["Service"]
}): RecordKind<DedupeConfig, DedupeConfig, GatheredPasts> => ({
  type: dedupeType,
  label: "Duplicates",
  family: "record",
  stage: () => stage,
  capabilities: {
    authority: "analysis",
    dataTypes,
    writes: fields,
    emits: identityEventTypes,
    perWorkspace: limits.enrichmentsPerWorkspace,
    firstOnly: true
  },
  Config: DedupeConfig,
  check: checkDedupe,
  declares: () => new Map(fields.map((field) => [field, "str"])),
  prepare: (config) => config,
  gather: Effect.fnUntraced(
    function* (_, views, { dataType, workspaceId }) {
      const found = new Map<string, RecordPast>()
      for (const [accountId, own] of Map.groupBy(views, (view) => view.fields["accountId"])) {
        if (typeof accountId !== "string") continue
        const scope = { workspaceId, dataType, accountId: accountId as Id<"account"> }
        for (const [id, past] of yield* pasts.read(scope, [...new Set(own.map(recordOf))])) found.set(id, past)
      }
      return found
    },
    Effect.mapError(({ message }) => new EnrichmentFault({ reason: "input", message }))
  ),
  plan: (_, view, _context, gathered) => ({
    claims: [
      claim(stateField, view.fields["pending"] === true ? "pending" : "posted"),
      ...pastClaims(gathered?.get(recordOf(view)))
    ]
  }),
  explain: (_, { field, value }) =>
    sentences[field] ??
    (value === "pending" ? "The source says that it may still change" : "The source says that it is final")
})
