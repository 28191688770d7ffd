/** What an alert tells of the records that changed (enrichments C14). */
import type { MessageContent } from "../../../message/Message.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { derivedId } from "../../../shared/DerivedId.ts"
import type { Work } from "../../../shared/Work.ts"
import type { PlanContext } from "../Kind.ts"
import type {
  HeardInput,
  PartitionKey,
  PartitionPlan,
  PlanInput,
  PlannedEvent,
  PlannedMessage,
  SetRecord
} from "../SetKind.ts"
import * as Effect from "effect/Effect"
import {
  type AboutRecord,
  amountOf,
  briefOf,
  dayOf,
  eventContent,
  eventFields,
  recordContent,
  summaryContent
} from "./AlertContent.ts"
import { type AlertEventName, alertEvents } from "./AlertEvents.ts"
import { type Firing, follow } from "./Firing.ts"
import type { PreparedAlert } from "./PreparedAlert.ts"

type Input = PlanInput<PreparedAlert, Firing>
type AlertPartition = PartitionPlan<Firing, null>

/** Days after the one of the record for which it is known what was told of it. */
const keptDays = 400

/** Whether the record has gone: the ledger marks those that it still knows. */
const isGone = ({ fields }: SetRecord): boolean => fields["removed"] === true

const matching = ({ cells, matches }: PreparedAlert, record: SetRecord, context: PlanContext): boolean => {
  if (isGone(record)) return false
  cells.load(record.fields, context)
  return matches(cells)
}

/** For what is asked where the day makes no difference. */
const anyDay = CalendarDate.make("2000-01-01")

/** A record is a partition of its own. One that does not match, and never will by itself, is in none. */
export const placesOf = (prepared: PreparedAlert, record: SetRecord, work: Work): ReadonlyArray<PartitionKey> => {
  if (prepared.config.source === "event") return []
  // Which day it is makes no difference where nothing moves with it.
  const isIn = isGone(record) || prepared.moves || matching(prepared, record, { today: anyDay, work })
  return isIn ? [record.recordId] : []
}

interface ReportedAlert {
  readonly type: AlertEventName
  readonly about: AboutRecord
  readonly firing: Firing
  readonly before: Firing | undefined
  readonly removed: boolean
}

const keyOf = (recordId: string, { ordinal, since }: Firing): string => `${since}:${recordId}:${ordinal}`

/** When it is looked at again although nothing changes: each day where its conditions move with it, and when it is forgotten. */
const dueOf = (
  { prepared, today }: Input,
  day: CalendarDate.CalendarDate | undefined,
  firing: Firing
): CalendarDate.CalendarDate | undefined => {
  const isYoung = day === undefined || CalendarDate.daysBetween(day, today) <= prepared.config.maxAgeDays
  if (prepared.moves && (isYoung || firing.on)) return CalendarDate.addDays(today, 1)
  return day === undefined ? undefined : CalendarDate.addDays(day, keptDays)
}

const eventOf = (
  { enrichmentId, name }: Input,
  { about, firing, type }: ReportedAlert,
  content: MessageContent
): PlannedEvent =>
  alertEvents[type].planned({
    key: `${type}:${keyOf(about.recordId, firing)}`,
    subjectId: enrichmentId,
    data: { name, subject: about.recordId, ordinal: firing.ordinal, title: content.title.slice(0, 500) }
  })

const byDay = (a: ReportedAlert, b: ReportedAlert): number => {
  const [first, second] = [dayOf(a.about.fields) ?? "", dayOf(b.about.fields) ?? ""]
  return first < second ? -1 : first > second ? 1 : a.about.recordId < b.about.recordId ? -1 : 1
}

export const planAlert = Effect.fnUntraced(function* (input: Input) {
  const { dirty, isPast, prepared, read, revision, sha256, today } = input
  const { cells, config, title, watched } = prepared
  const partitions = yield* read(dirty)
  const next = new Map<PartitionKey, AlertPartition>()
  const told: Array<ReportedAlert> = []
  for (const recordId of dirty) {
    const { records, state } = partitions.get(recordId)!
    const record = records[0]
    const fields = record?.fields ?? {}
    const day = dayOf(fields) ?? state?.day
    // What was forgotten, and is never told again.
    if (day !== undefined && CalendarDate.daysBetween(day, today) >= keptDays) continue
    const { firing: followed, tell } = follow(state, {
      matches: record !== undefined && matching(prepared, record, input),
      isPast: isPast(recordId),
      isOld: day !== undefined && CalendarDate.daysBetween(day, today) > config.maxAgeDays,
      amount: amountOf(fields),
      watched: derivedId(sha256, ...watched.map((field) => String(fields[field] ?? ""))),
      everyChange: config.trigger === "everyChange",
      revision
    })
    const firing: Firing | undefined = followed && {
      ...followed,
      ...(day === undefined ? {} : { day }),
      ...(followed.told && record !== undefined && !isGone(record) ? { brief: briefOf(fields, input.locale) } : {})
    }
    if (firing === undefined) {
      // What may match on another day is looked at then.
      if (record === undefined || isGone(record) || !prepared.moves) continue
      const waiting: Firing = { on: false, ordinal: 0, since: revision, told: false }
      const due = dueOf(input, day, waiting)
      if (due !== undefined) next.set(recordId, { state: waiting, claims: [], links: [], events: [], due })
      continue
    }
    next.set(recordId, { state: firing, claims: [], links: [], events: [], due: dueOf(input, day, firing) })
    if (tell === undefined) continue
    cells.load(fields, input)
    const isKnown = record !== undefined && !isGone(record)
    const about = {
      recordId,
      fields,
      ordinal: firing.ordinal,
      title: isKnown ? (title?.(cells) ?? "") : "",
      brief: isKnown ? undefined : firing.brief
    }
    told.push({ type: tell, about, firing, before: state, removed: record === undefined || isGone(record) })
  }

  const add = (recordId: string, events: ReadonlyArray<PlannedEvent>, messages: ReadonlyArray<PlannedMessage>) => {
    const one = next.get(recordId)!
    next.set(recordId, { ...one, events: [...one.events, ...events], messages: [...(one.messages ?? []), ...messages] })
  }
  const { cooldownMinutes, destinations, notifyResolved, perRunCap } = config
  const common = { destinations, cooldownMinutes }
  const loud = told.filter(({ type }) => type !== "alert.retracted").toSorted(byDay)
  const alone = new Set(loud.length > perRunCap ? loud.slice(0, perRunCap - 1) : loud)
  const together = loud.slice(alone.size)
  for (const one of told) {
    const { about, before, firing, removed, type } = one
    const { recordId } = about
    const content = recordContent(input, type, about, removed)
    const key = keyOf(recordId, firing)
    const messages: ReadonlyArray<PlannedMessage> =
      type === "alert.retracted"
        ? [
            {
              ...common,
              key: `${key}:retracted`,
              content,
              retracts: { key: before?.key ?? key, quiet: !(notifyResolved || removed) }
            }
          ]
        : alone.has(one)
          ? [{ ...common, key, content }]
          : []
    add(recordId, [eventOf(input, one, content)], messages)
  }
  if (together.length > 0) {
    const key = `summary:${derivedId(sha256, ...together.map(({ about, firing }) => keyOf(about.recordId, firing)))}`
    const content = summaryContent(
      input,
      together.map(({ about }) => about)
    )
    add(together[0]!.about.recordId, [], [{ ...common, key, content }])
    for (const { about } of together) {
      const one = next.get(about.recordId)!
      // Anyone who was told of it together with others hears of it by that message.
      next.set(about.recordId, { ...one, state: { ...one.state, key } })
    }
  }
  for (const { about, firing } of alone) {
    const one = next.get(about.recordId)!
    next.set(about.recordId, { ...one, state: { ...one.state, key: keyOf(about.recordId, firing) } })
  }
  return { next }
})

/** What an alert tells of events of other enrichments: each is reported once, so it needs to remember nothing. */
export const hearEvents = (input: HeardInput<PreparedAlert>) => {
  const { enrichmentId, events, name, prepared, sha256 } = input
  const { cells, config, matches, title } = prepared
  if (config.source !== "event") return { events: [], messages: [] }
  const heard = events.flatMap((event) => {
    // Alerts do not tell of alerts: two could go on for ever.
    if (event.type.startsWith("alert.")) return []
    cells.load(eventFields(event), { today: anyDay, work: input.work })
    if (!matches(cells)) return []
    const key = `event:${derivedId(sha256, event.enrichmentId, event.key)}`
    return [{ key, event, content: eventContent(input, event, title?.(cells) ?? "") }]
  })
  const { cooldownMinutes, destinations, perRunCap } = config
  const common = { destinations, cooldownMinutes }
  const count = heard.length > perRunCap ? perRunCap - 1 : heard.length
  const rest = heard.slice(count)
  const last = rest[0]
  return {
    events: heard.map(({ content, event, key }) =>
      alertEvents["alert.fired"].planned({
        key,
        subjectId: enrichmentId,
        data: { name, subject: event.key, ordinal: 1, title: content.title.slice(0, 500) }
      })
    ),
    messages: [
      ...heard.slice(0, count).map(({ content, key }): PlannedMessage => ({ ...common, key, content })),
      ...(last === undefined
        ? []
        : [
            {
              ...common,
              key: `summary:${derivedId(sha256, ...rest.map(({ key }) => key))}`,
              content: {
                ...last.content,
                title: `${name}: ${rest.length} more`,
                brief: `${rest.length} more`,
                sections: [{ rows: rest.slice(0, 20).map(({ content }) => ({ label: content.brief, value: "" })) }],
                data: { ...last.content.data, count: rest.length }
              }
            }
          ])
    ]
  }
}
