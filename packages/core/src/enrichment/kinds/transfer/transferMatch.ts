/** Links the two sides of a movement between one's own accounts, so that it is neither income nor spending (enrichments C8). */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { limits } from "../../../shared/Limits.ts"
import { type FactRequest, suppression, type UndoTarget } from "../EnrichmentFact.ts"
import type { SetKind, SetRecord } from "../SetKind.ts"
import { leaves, legDate, legFields } from "./Leg.ts"
import { monthsBetween } from "./UnrelatedInflows.ts"
import { checkTransfer, TransferConfig, transferStage } from "./TransferConfig.ts"
import { transferEvents } from "./TransferEvents.ts"
import { explainTransfer, TransferEvidence } from "./TransferEvidence.ts"
import { suggestionFeedback, suggestionKind } from "./Suggestion.ts"
import { planTransfers } from "./TransferPlan.ts"
import { TransferState } from "./TransferState.ts"

const fields = [
  ["transfer.id", "str"],
  ["transfer.role", "str"],
  ["transfer.kind", "str"],
  ["transfer.state", "str"],
  ["transfer.confidence", "num"],
  ["transfer.counterpartRecordId", "str"],
  ["transfer.counterpartAccountId", "str"],
  ["transfer.fee", "num"],
  ["transfer.rate", "num"]
] as const

/** Months of the days that were asked for, by window and day as it is written. */
const aroundDays = new Map<number, Map<string, ReadonlyArray<string>>>()
/** Days that are remembered of a window: those of thirty years in both directions. */
const mostDays = 20_000

const noMonths: ReadonlyArray<string> = []

/** None for what is no day. */
const monthsAround = (record: SetRecord, before: number, after: number): ReadonlyArray<string> => {
  const window = before * 100 + after
  let byDay = aroundDays.get(window)
  if (byDay === undefined) aroundDays.set(window, (byDay = new Map()))
  const text = record.fields["date"]
  const known = typeof text === "string" ? byDay.get(text) : undefined
  if (known !== undefined) return known
  const date = legDate(record)
  if (date === undefined) return noMonths
  const day = CalendarDate.epochDayOf(date)
  const months = monthsBetween(day - before, day + after)
  if (byDay.size >= mostDays) byDay.clear()
  byDay.set(date, months)
  return months
}

/** The months whose outflows it may matter to: its own, and where it is near the end of one, that beside it. */
const partitions = ({ mirrorAccountIds, windowDays }: TransferConfig, record: SetRecord): ReadonlyArray<string> => {
  const out = leaves(record)
  if (out === undefined) return noMonths
  const { after, before } = windowDays
  // An outflow matters where inflows of the month are held against it: it may be later than they are by `before`.
  return out !== mirrorAccountIds.includes(record.accountId)
    ? monthsAround(record, before, after)
    : monthsAround(record, after, before)
}

/** What two records are not is kept as a pair of records; a group is taken apart by each of its pairs. */
const undo = (target: UndoTarget): ReadonlyArray<FactRequest> => {
  const { enrichmentId, members = [] } = target
  const [first, ...others] = members
  if (first === undefined || others.length === 0) return suppression(target)
  return others.map((otherId) => ({ kind: "forbid", enrichmentId, recordId: first, otherId }))
}

export const transferMatch: SetKind<TransferConfig, TransferConfig, TransferState, TransferEvidence> = {
  type: "transfer_match",
  label: "Transfers",
  family: "set",
  stage: () => transferStage,
  capabilities: {
    authority: "analysis",
    dataTypes: ["transactions"],
    writes: [...fields.map(([field]) => field), "category"],
    emits: Object.values(transferEvents),
    finds: [suggestionKind],
    perWorkspace: limits.enrichmentsPerWorkspace
  },
  Config: TransferConfig,
  State: { version: 5, codec: TransferState },
  Evidence: TransferEvidence,
  check: checkTransfer,
  declares: () => new Map(fields),
  prepare: (config) => config,
  reads: () => legFields,
  partitions,
  watches: ["rates", "calendar"],
  plan: planTransfers,
  undo,
  feedback: suggestionFeedback,
  explain: explainTransfer,
  linkField: "transfer.id"
}
