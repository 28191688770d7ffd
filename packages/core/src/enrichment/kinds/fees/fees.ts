/** Finds what banks and brokers charge, links each fee to its cause, and tells what could have been avoided (enrichments C9). */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { limits } from "../../../shared/Limits.ts"
import { type FactRequest, suppression, type UndoTarget } from "../EnrichmentFact.ts"
import type { SetKind, SetRecord } from "../SetKind.ts"
import { explainFee, FeeEvidence } from "./FeeEvidence.ts"
import { feeEventTypes } from "./FeeEvents.ts"
import { feeFields, feeItem, isWorded } from "./FeeItem.ts"
import { refundDays } from "./FeeMonths.ts"
import { checkFees, FeesConfig, feesStage } from "./FeesConfig.ts"
import { FeesState, planFees, type PreparedFees, prepareFees } from "./FeesPlan.ts"

const fields = [
  ["fee.isFee", "bool"],
  ["fee.kind", "str"],
  ["fee.causeRecordId", "str"],
  ["fee.refunded", "bool"],
  ["fee.embeddedAmount", "num"],
  ["fee.avoidable", "bool"]
] as const

/** Fees of a month depend on what lies within three windows of them: causes, fees that want these, and what those depend on. */
const reach = 3

const partitions = ({ config, months, words }: PreparedFees, record: SetRecord): ReadonlyArray<string> => {
  const { date } = record.fields
  const on = typeof date === "string" ? CalendarDate.parse(date) : undefined
  if (on === undefined) return []
  const day = CalendarDate.epochDayOf(on)
  if ("fees" in record.fields) return months.between(record.accountId, day, day)
  const item = feeItem(record, undefined, words)
  if (item === undefined) return []
  const near = reach * config.linkWindowDays
  // What has words of fees may give back one of the months before, or be what is given back instead of it.
  return months.between(
    record.accountId,
    isWorded(item) ? Math.min(day - near, day - refundDays) : day - near,
    day + near
  )
}

/** A fee without its cause is no fee any more only where a person says so of the record. */
const undo = (target: UndoTarget): ReadonlyArray<FactRequest> => {
  const { enrichmentId, members = [] } = target
  const [recordId, otherId] = members
  return recordId === undefined || otherId === undefined
    ? suppression(target)
    : [{ kind: "forbid", enrichmentId, recordId, otherId }]
}

export const fees: SetKind<FeesConfig, PreparedFees, FeesState, FeeEvidence> = {
  type: "fees",
  label: "Fees",
  family: "set",
  stage: () => feesStage,
  capabilities: {
    authority: "analysis",
    dataTypes: ["transactions", "trades"],
    writes: [...fields.map(([field]) => field), "category"],
    emits: feeEventTypes,
    perWorkspace: limits.enrichmentsPerWorkspace
  },
  Config: FeesConfig,
  State: { version: 1, codec: FeesState },
  Evidence: FeeEvidence,
  check: checkFees,
  declares: ({ setCategory }, catalog) =>
    new Map([
      ...fields,
      ...(setCategory === undefined || catalog.has("category") ? [] : [["category", "str"] as const])
    ]),
  prepare: prepareFees,
  reads: (_, catalog) => (catalog.has("fees") ? ["date", "fees", "currency"] : feeFields),
  partitions,
  watches: ["rates"],
  plan: planFees,
  undo,
  explain: explainFee,
  linkField: "fee.causeRecordId",
  // A fee is one without its cause, too.
  fieldsOfLink: ["fee.causeRecordId"]
}
