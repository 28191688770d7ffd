/** When a period is closed, and what is reported of it then (enrichments C16). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { dayStart } from "../../../shared/DayStart.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { periodIndex, periodStart, type Recurrence } from "../../../shared/Recurrence.ts"
import * as Timestamp from "../../../shared/Timestamp.ts"
import { wallInstant } from "../../../shared/WallTime.ts"
import type { PartitionPlan, PlanInput, PlannedEvent, PlannedMessage } from "../SetKind.ts"
import type { DigestConfig } from "./DigestConfig.ts"
import { breachesIn } from "./DigestBreach.ts"
import { digestContent, type Issue } from "./DigestContent.ts"
import { type DigestEventName, digestEvents } from "./DigestEvents.ts"
import { DigestFact, type Measured } from "./DigestFact.ts"
import type { DigestSubject } from "./DigestSubject.ts"

/** The one partition that decides; the others hold the records of their periods. */
export const ledgerKey = "periods"
/** Holds all records of what stands, such as balances. */
export const standingKey = "standing"

export const DigestState = Schema.Struct({
  /** The last period that was closed, by its first day. */
  closed: CalendarDate.CalendarDate,
  /** Whether the last one had no records: further ones like it are not told. */
  quiet: Schema.Boolean,
  /** Periods whose records changed, which have not been looked at since. */
  touched: Schema.Array(CalendarDate.CalendarDate),
  /** What was told of periods, the oldest first. */
  issued: Schema.Array(
    Schema.Struct({ start: CalendarDate.CalendarDate, amendments: Schema.Int, facts: Schema.Array(DigestFact) })
  )
})
export type DigestState = typeof DigestState.Type

export interface PreparedDigest {
  readonly config: DigestConfig
  readonly recurrence: Recurrence
  readonly subject: DigestSubject
}

type Input = PlanInput<PreparedDigest, DigestState>

const keptPeriods = 24
const earlierPeriods = 6
const mostAmendments = 3
const amendDays = 35
const hourMillis = 3_600_000

/** Whether a fact is another one by so much that people want to know: by a unit of money and by a hundredth. */
const hasMoved = (was: Decimal.Decimal, is: Decimal.Decimal): boolean => {
  const gap = Decimal.abs(Decimal.subtract(is, was))
  const digits = Math.max(Decimal.scale(gap), Decimal.scale(was))
  const [difference, old] = [Decimal.toUnits(gap, digits), Decimal.toUnits(Decimal.abs(was), digits)]
  return difference >= 10n ** BigInt(digits) && difference * 100n >= old
}

const isOther = (before: ReadonlyArray<DigestFact>, now: Measured): boolean => {
  const last = new Map(before.map((fact) => [fact.id, fact.value]))
  return [...new Set([...last.keys(), ...now.facts.keys()])].some(
    (id) =>
      // A budget that is made or changed later is no news of what was.
      !id.startsWith("budgets:") && hasMoved(last.get(id) ?? Decimal.zero, now.facts.get(id)?.value ?? Decimal.zero)
  )
}

const silent = (state: DigestState, due: CalendarDate.CalendarDate): PartitionPlan<DigestState, null> => ({
  state,
  claims: [],
  links: [],
  events: [],
  due
})

/** Of what stands there is what was told of it, the newest first: nobody kept how it stood otherwise. */
const toldBefore = (issued: DigestState["issued"]): ReadonlyArray<Measured> =>
  issued
    .slice(-earlierPeriods)
    .toReversed()
    .map(({ facts }) => ({
      facts: new Map(facts.map((fact) => [fact.id, fact])),
      unconverted: [],
      turnover: Decimal.zero,
      records: facts.length
    }))

export const planDigest = Effect.fnUntraced(function* (input: Input) {
  const { accounts, at, baseCurrency: currency, dirty, enrichmentId, prepared, read, timezone, today } = input
  const { config, recurrence, subject } = prepared
  const current = periodIndex(recurrence, today)
  const startOf = (index: number) => periodStart(recurrence, index)
  const kept = (yield* read([ledgerKey])).get(ledgerKey)!.state
  // What had ended when the digest was made is the past.
  const state: DigestState = kept ?? { closed: startOf(current - 1), quiet: false, touched: [], issued: [] }
  const told = new Set<string>(state.issued.map(({ start }) => start))
  const touched = [
    ...new Set([...state.touched, ...dirty.filter((key) => told.has(key)).map(CalendarDate.make)])
  ].toSorted()
  if (!dirty.includes(ledgerKey)) {
    // Told in the round that follows, by the partition that knows what was told.
    return touched.length === state.touched.length
      ? { next: new Map<string, PartitionPlan<DigestState, null>>() }
      : { next: new Map([[ledgerKey, silent({ ...state, touched }, startOf(current + 1))]]) }
  }

  const measured = new Map<string, Measured>()
  const measureOf = Effect.fnUntraced(function* (index: number) {
    const start = startOf(index)
    const known = measured.get(start)
    if (known !== undefined) return known
    const key = subject.manner === "standing" ? standingKey : start
    const found = subject.measure((yield* read([key])).get(key)!.records, {
      currency,
      rates: input.rates,
      sha256: input.sha256,
      day: CalendarDate.addDays(startOf(index + 1), -1)
    })
    measured.set(start, found)
    return found
  })

  const issued = [...state.issued]
  const issueOf = Effect.fnUntraced(function* (index: number, incomplete: ReadonlyArray<string>) {
    const before: Array<Measured> = []
    if (subject.manner === "standing") before.push(...toldBefore(issued))
    else for (let back = 1; back <= earlierPeriods; back++) before.push(yield* measureOf(index - back))
    const issue: Issue = {
      enrichmentId,
      name: input.name,
      locale: input.locale,
      currency,
      config,
      start: startOf(index),
      end: startOf(index + 1),
      now: yield* measureOf(index),
      before,
      incomplete,
      subject,
      dataType: input.dataType,
      breaches: breachesIn(yield* input.figures, startOf(index), startOf(index + 1))
    }
    return issue
  })

  const events: Array<PlannedEvent> = []
  const messages: Array<PlannedMessage> = []
  const tell = (issue: Issue, type: DigestEventName, ordinal: number) => {
    const content = digestContent(issue, type)
    const key = `${input.revision}:${issue.start}:${ordinal}`
    const to = CalendarDate.addDays(issue.end, -1)
    events.push(
      digestEvents[type].planned({
        key: `${type}:${key}`,
        subjectId: enrichmentId,
        data: { name: input.name, from: issue.start, to, title: content.title.slice(0, 500) }
      })
    )
    if (config.destinations.length === 0) return
    const when = Timestamp.fromMillis(wallInstant(issue.end, config.timeOfDay, timezone))
    messages.push({ key, destinations: config.destinations, content, ...(when > at ? { at: when } : {}) })
  }

  let { closed, quiet } = state
  let due: CalendarDate.CalendarDate | undefined
  for (let index = periodIndex(recurrence, closed) + 1; index < current; index++) {
    const end = dayStart(startOf(index + 1), timezone)
    const incomplete = [...accounts.values()]
      .filter(({ status }) => status?.syncedAt !== undefined && status.syncedAt < end)
      .map(({ accountName }) => accountName)
      .toSorted()
    const isDue = Timestamp.toMillis(at) >= Timestamp.toMillis(end) + config.watermarkHours * hourMillis
    if (incomplete.length > 0 && !isDue) {
      due = CalendarDate.addDays(today, 1)
      break
    }
    const issue = yield* issueOf(index, incomplete)
    closed = issue.start
    const isEmpty = issue.now.records === 0
    if (!(isEmpty && quiet)) {
      tell(issue, "digest.issued", 0)
      issued.push({ start: issue.start, amendments: 0, facts: [...issue.now.facts.values()] })
    }
    quiet = isEmpty
  }

  // Periods that changed after they were told.
  for (const [place, one] of issued.entries()) {
    if (!touched.includes(one.start) || one.amendments >= mostAmendments || !config.amend) continue
    const index = periodIndex(recurrence, one.start)
    if (CalendarDate.daysBetween(startOf(index + 1), today) > amendDays) continue
    if (!isOther(one.facts, yield* measureOf(index))) continue
    const issue = yield* issueOf(index, [])
    const amendments = one.amendments + 1
    tell(issue, "digest.amended", amendments)
    issued[place] = { ...one, amendments, facts: [...issue.now.facts.values()] }
  }

  const plan: PartitionPlan<DigestState, null> = {
    state: { closed, quiet, touched: [], issued: issued.slice(-keptPeriods) },
    claims: [],
    links: [],
    events,
    messages,
    due: due ?? startOf(current + 1)
  }
  return { next: new Map([[ledgerKey, plan]]) }
})
