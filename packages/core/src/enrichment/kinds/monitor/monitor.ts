/** A standing condition with one open case for each thing that is wrong, not a stream of messages (enrichments C13). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import { dataTypes } from "../../../record/DataType.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { limits } from "../../../shared/Limits.ts"
import * as Timestamp from "../../../shared/Timestamp.ts"
import { suppression } from "../EnrichmentFact.ts"
import type { Partition, PartitionKey, PartitionPlan, PlanInput, SetAccount, SetKind, SetRecord } from "../SetKind.ts"
import { caseMessages } from "./CaseMessages.ts"
import { caseEvents, caseFinding, caseFindings, monitorEvents, nextCases, plannedEvent } from "./Cases.ts"
import { checkMonitor, type CheckOf, MonitorConfig, monitorStage } from "./MonitorConfig.ts"
import { isEmptyRow, isKept, keysBack, prepareMonitor, type PreparedMonitor, rowKey, rowOf } from "./MonitorRows.ts"
import { casesKey, type CasesState, keptBalances, type MonitorRow, MonitorState, type Seen } from "./MonitorState.ts"
import { readings, type Reads } from "./Readings.ts"
import { everyShift, explainResidual, tieOut } from "./TieOut.ts"

type Input = PlanInput<PreparedMonitor, MonitorState>
type MonitorPlan = PartitionPlan<MonitorState, null>

const accountOf = (key: PartitionKey): string => key.slice(key.indexOf(":") + 1)

const isTieOut = (check: PreparedMonitor["config"]["checks"][number]): check is CheckOf<"tieOut"> =>
  check.kind === "tieOut"

/** The balances that were seen of an account, the one of now included where it is a new one. */
const seenOf = (before: ReadonlyArray<Seen>, { status }: SetAccount, zone: Reads["zone"]): ReadonlyArray<Seen> => {
  if (status?.balanceAsOf === undefined) return before
  const now = { at: status.balanceAsOf, date: zone(status.balanceAsOf), balance: status.balance }
  const last = before.at(-1)
  if (last === undefined || last.at < now.at) return [...before, now]
  // A bank that corrects what it said of an instant is believed.
  return last.at === now.at ? [...before.slice(0, -1), now] : before
}

/** Days around two balances in which the cause of a difference is looked for. */
const aroundDays = 5

const plan = Effect.fnUntraced(function* (input: Input) {
  const { accounts, at, baseCurrency, dirty, enrichmentId, prepared, rates, read, revision, today, work } = input
  const { config, reachDays } = prepared
  const zone: Reads["zone"] = (instant) => CalendarDate.inZone(Timestamp.toMillis(instant), input.timezone)
  const months = dirty.filter((key) => key !== casesKey)
  const known = new Map<PartitionKey, Partition<MonitorState>>(yield* read([casesKey, ...months]))
  const held = known.get(casesKey)?.state
  const before: CasesState | undefined = held?.kind === "cases" ? held : undefined
  const next = new Map<PartitionKey, MonitorPlan>()
  const rows = new Map<PartitionKey, MonitorRow>()
  const all = [...accounts.values()].toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1))
  if (before === undefined) {
    const keys = all.flatMap(({ accountId }) => keysBack(accountId, today, reachDays))
    for (const { state } of (yield* read(keys)).values()) {
      if (state?.kind === "month") rows.set(state.row.key, state.row)
    }
  } else for (const row of before.rows) rows.set(row.key, row)
  const due = prepared.moves ? CalendarDate.addDays(today, 1) : undefined
  for (const key of months) {
    rows.delete(key)
    const { records } = known.get(key)!
    if (records.length === 0) continue
    const row = rowOf(prepared, key, accountOf(key), records, { baseCurrency, rates, today, work })
    rows.set(key, row)
    next.set(key, { state: { kind: "month", row }, claims: [], links: [], events: [], due })
  }
  const kept = [...rows.values()]
    .filter((row) => isKept(row.key, today, reachDays) && !isEmptyRow(row))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))

  // Balances against what was posted between them.
  const residuals = new Map<string, Reads["residuals"] extends ReadonlyMap<string, infer V> ? V : never>()
  const balances: Array<CasesState["balances"][number]> = []
  for (const account of config.checks.some(isTieOut) ? all : []) {
    const id: string = account.accountId
    const last = before?.balances.find((one) => one.account === id)
    const seen = seenOf(last?.seen ?? [], account, zone)
    if (seen.length === 0) continue
    const posted = kept.filter((row) => row.account === id).flatMap((row) => row.posted)
    const tolerance = config.checks
      .filter(isTieOut)
      .reduce<Decimal.Decimal>(
        (least, check) => (Decimal.compare(check.tolerance, least) < 0 ? check.tolerance : least),
        config.checks.find(isTieOut)!.tolerance
      )
    const found = tieOut(seen, last?.shifts ?? everyShift, posted, tolerance)
    // The anchor stays; of those after it the last ones tell.
    const few = found.seen.length > keptBalances ? [found.seen[0]!, ...found.seen.slice(1 - keptBalances)] : found.seen
    balances.push({ account: id, shifts: found.shifts, seen: few })
    if (found.residual === undefined) continue
    const [from, to] = [found.seen[0]!, found.seen.at(-1)!]
    const start = CalendarDate.addDays(from.date, -aroundDays)
    const near = yield* read(keysBack(id, today, Math.max(0, CalendarDate.daysBetween(start, today))))
    const records: ReadonlyArray<SetRecord> = [...near.values()]
      .flatMap((partition) => partition.records)
      .filter(({ fields }) => {
        const date = fields["date"]
        return (
          typeof date === "string" && date >= start && date.slice(0, 10) <= CalendarDate.addDays(to.date, aroundDays)
        )
      })
    residuals.set(id, {
      residual: found.residual,
      from: from.date,
      to: to.date,
      causes: explainResidual(found.residual, records, account.currency, tolerance).map((cause) => ({ ...cause }))
    })
  }

  const found = readings({ config, accounts: all, rows: kept, today, at, zone, residuals, baseCurrency })
  const cases = nextCases(before?.cases ?? [], found, config, at)
  const told = caseEvents(cases, revision)
  const isNothing = kept.length === 0 && balances.length === 0 && cases.length === 0
  if (!isNothing || !dirty.includes(casesKey)) {
    next.set(casesKey, {
      state: { kind: "cases", rows: kept, balances, cases },
      claims: [],
      links: [],
      events: told.map((event) => plannedEvent(event, enrichmentId)),
      messages: caseMessages(told, config.destinations, { ...input, config }),
      findings: caseFindings(cases, enrichmentId),
      // Time alone makes accounts stale, windows move and payments late.
      due: CalendarDate.addDays(today, 1)
    })
  }
  return { next }
})

/** The kind `monitor` on an engine for patterns. */
export const makeMonitor = ({
  patterns
}: {
  readonly patterns: PatternEngine
}): SetKind<MonitorConfig, PreparedMonitor, MonitorState, null> => ({
  type: "monitor",
  label: "Monitors",
  family: "set",
  stage: () => monitorStage,
  capabilities: {
    authority: "analysis",
    dataTypes,
    writes: [],
    emits: Object.values(monitorEvents),
    finds: [caseFinding],
    perWorkspace: limits.enrichmentsPerWorkspace
  },
  Config: MonitorConfig,
  check: (config, catalog) => checkMonitor(config, catalog, patterns),
  declares: () => new Map(),
  prepare: (config, catalog) => prepareMonitor(config, catalog, patterns),
  State: { version: 1, codec: MonitorState },
  Evidence: Schema.Null,
  watches: ["rates"],
  pulse: casesKey,
  removed: true,
  reads: ({ fields }) => fields,
  partitions: (_, record) => [rowKey(record)],
  plan,
  undo: suppression,
  // It claims nothing of records.
  explain: () => ({ sentence: "A monitor writes no field", recomputed: null, holds: false })
})
