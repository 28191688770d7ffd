/** One case for each thing that is wrong: opened once, told again when it gets worse, closed once (enrichments C13). */
import * as Schema from "effect/Schema"
import { eventTypes } from "../../../event/EventType.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import * as Timestamp from "../../../shared/Timestamp.ts"
import type { PlannedEvent, PlannedFinding } from "../SetKind.ts"
import type { MonitorConfig } from "./MonitorConfig.ts"
import { type Case, mostCases } from "./MonitorState.ts"
import type { Reading } from "./Readings.ts"

const EventData = Schema.Struct({
  check: Schema.String,
  subject: Schema.String,
  title: Schema.String,
  value: Schema.String,
  since: Timestamp.Timestamp,
  data: Schema.Record(Schema.String, Schema.Json)
})

export const monitorEvents = eventTypes(
  { subject: "enrichment", outbound: true, data: EventData },
  {
    "monitor.breached": "A check of a monitor found something wrong, and opened a case.",
    "monitor.updated": "What a case of a monitor is about has become worse by a quarter.",
    "monitor.recovered": "What a case of a monitor was about is as it should be again."
  }
)
export type MonitorEventName = keyof typeof monitorEvents

export const caseFinding = "monitor_case"

const hourMillis = 3_600_000
/** What is reported about again is a quarter larger than when it was told last. */
const worse = Decimal.make("1.25")

const isWorse = (size: Decimal.Decimal, told: Decimal.Decimal): boolean => {
  const digits = Math.max(Decimal.scale(size), Decimal.scale(told)) + Decimal.scale(worse)
  const units = Decimal.toUnits(told, digits - Decimal.scale(worse)) * Decimal.toUnits(worse, Decimal.scale(worse))
  return told !== "0" && Decimal.toUnits(size, digits) >= units
}

const placeOf = ({ check, subject }: { readonly check: string; readonly subject: string }): string =>
  JSON.stringify([check, subject])

/** What holds after these readings. The same readings at the same instant change nothing. */
export const nextCases = (
  before: ReadonlyArray<Case>,
  readings: ReadonlyArray<Reading>,
  { confirmRuns }: MonitorConfig,
  at: Timestamp.Timestamp
): ReadonlyArray<Case> => {
  const known = new Map(before.map((one) => [placeOf(one), one]))
  const found = new Set<string>()
  const next: Array<Case> = []
  for (const reading of readings) {
    const { data, persistHours, size, title, value } = reading
    const of = { check: reading.check.key, subject: reading.subject }
    const place = placeOf(of)
    const last = known.get(place)
    found.add(place)
    const said = { ...of, title, data }
    if (last?.state === "open") {
      if (reading.state === "back") next.push({ ...last, lookedAt: at })
      else if (isWorse(size, last.toldSize)) {
        const told = { toldValue: value, toldSize: size, updates: last.updates + 1 }
        next.push({ ...last, ...said, ...told, lookedAt: at })
      } else next.push({ ...last, ...said, lookedAt: at })
      continue
    }
    if (reading.state === "back") {
      if (last?.state === "closed") next.push(last)
      continue
    }
    const isAgain = last?.state === "suspected"
    const looks = isAgain ? last.looks + (last.lookedAt === at ? 0 : 1) : 1
    const since = isAgain ? last.since : at
    const hours = (Timestamp.toMillis(at) - Timestamp.toMillis(since)) / hourMillis
    const isConfirmed = looks >= confirmRuns && hours >= persistHours
    next.push({
      ...said,
      n: isAgain ? last.n : (last?.n ?? 0) + 1,
      state: isConfirmed ? "open" : "suspected",
      looks,
      lookedAt: at,
      since,
      toldValue: value,
      toldSize: size,
      updates: 0
    })
  }
  for (const last of before) {
    if (found.has(placeOf(last))) continue
    if (last.state === "open") next.push({ ...last, state: "closed", lookedAt: at })
    // What was only suspected was nothing; it counts as never opened.
    else if (last.state === "closed") next.push(last)
    else if (last.n > 1) next.push({ ...last, n: last.n - 1, state: "closed", lookedAt: at })
  }
  const weight = { open: 0, suspected: 1, closed: 2 }
  return next
    .toSorted(
      (a, b) =>
        weight[a.state] - weight[b.state] ||
        (a.state === "closed" && a.lookedAt !== b.lookedAt ? (a.lookedAt > b.lookedAt ? -1 : 1) : 0) ||
        (placeOf(a) < placeOf(b) ? -1 : 1)
    )
    .slice(0, mostCases)
}

/** Something that happened to a case. */
export interface CaseEvent extends Schema.Schema.Type<typeof EventData> {
  readonly key: string
  readonly type: MonitorEventName
  /** Names the case, and which time it was opened. */
  readonly opening: string
}

/**
 * What happened to cases, each with a key of its own. It is named for as long as the case is known: anyone who keeps the keys
 * tells each once.
 */
export const caseEvents = (cases: ReadonlyArray<Case>, revision: number): ReadonlyArray<CaseEvent> =>
  cases.flatMap(({ check, data, n, since, state, subject, title, toldValue, updates }): ReadonlyArray<CaseEvent> => {
    if (state === "suspected") return []
    const opening = `${revision}:${check}:${n}:${subject}`
    const told = { check, subject, title, value: toldValue, since, data }
    const event = (type: MonitorEventName, suffix: string) => ({ ...told, key: opening + suffix, type, opening })
    return [
      event("monitor.breached", ""),
      ...(updates === 0 ? [] : [event("monitor.updated", `:worse:${updates}`)]),
      ...(state === "closed" ? [event("monitor.recovered", ":recovered")] : [])
    ]
  })

export const plannedEvent = ({ key, opening: _opening, type, ...told }: CaseEvent, subjectId: string): PlannedEvent =>
  monitorEvents[type].planned({ key, subjectId, data: told })

export const caseFindings = (cases: ReadonlyArray<Case>, enrichmentId: string): ReadonlyArray<PlannedFinding> =>
  cases.flatMap(({ check, data, since, state, subject, title }) =>
    state === "open"
      ? [
          {
            key: `${check}:${subject}`.slice(0, 500),
            kind: caseFinding,
            title: [...title].slice(0, 200).join(""),
            subject: { kind: "enrichment", id: enrichmentId },
            data: { ...data, check, subject, since }
          }
        ]
      : []
  )
