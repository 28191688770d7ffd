/** Records that are unusual: few warnings, each with its reason, that people can correct (enrichments C11, D4). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Fields } from "../../../record/FieldValue.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { convert } from "../../../shared/RateTable.ts"
import { suppression } from "../EnrichmentFact.ts"
import type { Partition, PartitionPlan, PlanInput, SetKind } from "../SetKind.ts"
import { AnomalyConfig, Detector } from "./AnomalyConfig.ts"
import { AnomalyEvidence, explainAnomaly, fieldsOfEvidence, sentenceOfAll } from "./AnomalyEvidence.ts"
import { anomalyCleared, anomalyEventTypes, anomalyFlagged } from "./AnomalyEvents.ts"
import { Detection, type Excess, type Flag } from "./Detection.ts"
import { amountField, entriesOf, entryFields, isLookedAt } from "./Entry.ts"
import { calledCorrect, calledNormal, Feedback } from "./Feedback.ts"
import type { Severity } from "./Score.ts"

const anomalyStage = 120

const fields = ["kinds", "score", "severity", "baseline", "threshold"].map((name) => `anomaly.${name}`)

interface Prepared {
  readonly config: AnomalyConfig
  readonly amount: "amount" | "totalAmount"
}

const State = Schema.Struct({
  /** What is flagged, so that it can be told when it is not any more. */
  flagged: Schema.Array(Schema.Struct({ recordId: Schema.String, kinds: Schema.Array(Detector) }))
})
type State = typeof State.Type
type Input = PlanInput<Prepared, State>

/** Days after which a pending record is reported although it is not booked. */
const pendingDays = 2

/** Below what an excess does not count, in any currency. Without a rate the number is taken as it is. */
const excessOf = ({ baseCurrency, prepared, rates }: Input): Excess => {
  const least = Decimal.make(Decimal.parse(prepared.config.minExcess) ?? "0")
  return (code, day) => {
    const currency = Currency.parse(code)
    if (currency === undefined || currency === baseCurrency) return Number(least)
    return Number(convert(rates, least, baseCurrency, currency, CalendarDate.fromEpochDay(day))?.amount ?? least)
  }
}

const evidenceOf = ({ baseline, detected, entry }: Flag, { prepared }: Input): AnomalyEvidence => {
  const factor = detected.find(({ kind }) => kind === "amount")?.numbers["factor"] ?? 1
  return {
    sensitivity: prepared.config.sensitivity,
    value: entry.value,
    detected: [...detected],
    baseline: baseline === undefined ? null : { ...baseline, factor }
  }
}

/** Everything that is said of one record. */
const joined = (flags: ReadonlyArray<Flag>): ReadonlyArray<Flag> =>
  [...Map.groupBy(flags, ({ entry }) => entry.recordId).values()].map(([first, ...more]) => ({
    ...first!,
    detected: [...first!.detected, ...more.flatMap(({ detected }) => detected)]
  }))

/** Most characters of a title. */
const mostTitle = 200

/** Who was paid, for people, with what parts it from the day; nothing where nobody is named. */
const whoOf = (record: Fields): string => {
  for (const field of ["merchantName", "supplierName", "description"]) {
    const said = record[field]
    const name = typeof said === "string" ? said.trim() : ""
    if (name !== "") return `${[...name].slice(0, 60).join("")}, `
  }
  return ""
}

const planAccount = ({ records, state }: Partition<State>, input: Input): PartitionPlan<State, AnomalyEvidence> => {
  const { config } = input.prepared
  const today = CalendarDate.toEpochDay(input.today)
  const detection = new Detection(config, excessOf(input), new Feedback(input.facts))
  const flags = joined(detection.run(entriesOf(records, input.prepared.amount)))
  const claims: Array<PartitionPlan<State, AnomalyEvidence>["claims"][number]> = []
  const events: Array<PartitionPlan<State, AnomalyEvidence>["events"][number]> = []
  const findings: Array<NonNullable<PartitionPlan<State, AnomalyEvidence>["findings"]>[number]> = []
  const flagged: Array<State["flagged"][number]> = []
  let due = Number.POSITIVE_INFINITY
  for (const flag of flags) {
    const { day, pending, recordId } = flag.entry
    const evidence = evidenceOf(flag, input)
    const said = fieldsOfEvidence(evidence)
    for (const [field, value] of said) claims.push({ recordId, field, value, evidence })
    const kinds = flag.detected.map(({ kind }) => kind)
    flagged.push({ recordId, kinds })
    const date = CalendarDate.fromEpochDay(day)
    const severity = said.get("anomaly.severity") as Severity
    const score = Number(said.get("anomaly.score"))
    const why = sentenceOfAll(evidence)
    const data = { recordId, date, kinds, severity, score, why }
    findings.push({
      key: recordId,
      kind: "anomaly",
      title: [...`${whoOf(flag.entry.fields)}${date}: ${why}`].slice(0, mostTitle).join(""),
      subject: { kind: "transaction", id: recordId },
      data
    })
    if (today - day > config.maxAgeDays) continue
    const tellFrom = pending ? day + pendingDays + 1 : day
    if (tellFrom > today) due = Math.min(due, tellFrom)
    else events.push(anomalyFlagged.planned({ key: `${recordId}:${kinds.join(",")}`, subjectId: recordId, data }))
  }
  const now = new Map(flagged.map(({ kinds, recordId }) => [recordId, kinds]))
  const held = new Set(records.map(({ recordId }) => recordId))
  for (const { kinds, recordId } of state?.flagged ?? []) {
    if (now.has(recordId) || !held.has(recordId)) continue
    const key = `${recordId}:${kinds.join(",")}:cleared`
    events.push(anomalyCleared.planned({ key, subjectId: recordId, data: { recordId, kinds } }))
  }
  return {
    state: { flagged },
    claims,
    links: [],
    events,
    findings,
    due: due === Number.POSITIVE_INFINITY ? undefined : CalendarDate.fromEpochDay(due)
  }
}

const kindsIn = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []

export const anomaly: SetKind<AnomalyConfig, Prepared, State, AnomalyEvidence> = {
  type: "anomaly",
  label: "Anomalies",
  family: "set",
  stage: () => anomalyStage,
  capabilities: {
    authority: "analysis",
    dataTypes: ["transactions", "receipts", "invoices"],
    writes: fields,
    emits: anomalyEventTypes,
    finds: ["anomaly"],
    perWorkspace: 20
  },
  Config: AnomalyConfig,
  State: { version: 1, codec: State },
  Evidence: AnomalyEvidence,
  check: () => ({ errors: [], lints: [] }),
  declares: () =>
    new Map(fields.map((field) => [field, field === "anomaly.score" || field === "anomaly.threshold" ? "num" : "str"])),
  prepare: (config, catalog) => ({ config, amount: amountField(catalog) }),
  reads: ({ amount }) => [...entryFields, amount],
  partitions: ({ amount }, record) => (isLookedAt(record, amount) ? [record.accountId] : []),
  watches: ["rates"],
  plan: Effect.fnUntraced(function* (input) {
    const partitions = yield* input.read(input.dirty)
    const next = new Map<string, PartitionPlan<State, AnomalyEvidence>>()
    for (const key of input.dirty) {
      const partition = partitions.get(key)!
      if (partition.records.length > 0) next.set(key, planAccount(partition, input))
    }
    return { next }
  }),
  feedback: (enrichmentId, { data, subject }, status) =>
    status === "dismissed"
      ? calledNormal(enrichmentId, subject.id, kindsIn(data["kinds"]))
      : status === "confirmed"
        ? calledCorrect(enrichmentId, subject.id, kindsIn(data["kinds"]))
        : [],
  undo: suppression,
  explain: (_, explained) => explainAnomaly(explained)
}
