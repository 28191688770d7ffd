/** What a monitor tells people of its cases, where it has destinations of its own (enrichments C13). */
import type { MessageContent } from "../../../message/Message.ts"
import type { MessageDestination } from "../../../message/MessageDestination.ts"
import { dayText, labelText } from "../../../message/Wording.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Timestamp from "../../../shared/Timestamp.ts"
import type { PlannedMessage } from "../SetKind.ts"
import type { MonitorConfig } from "./MonitorConfig.ts"
import { type CaseEvent, type MonitorEventName } from "./Cases.ts"

interface Speaker {
  readonly enrichmentId: string
  readonly name: string
  readonly locale: string
  readonly timezone: string
  readonly config: MonitorConfig
}

const leads: Readonly<Record<MonitorEventName, string>> = {
  "monitor.breached": "",
  "monitor.updated": "Worse: ",
  "monitor.recovered": "As it should be again: "
}

const longestTitle = 200

const contentOf = (
  { check, data, since, subject, title, type, value }: CaseEvent,
  { config, enrichmentId, locale, name, timezone }: Speaker
): MessageContent => {
  const checkName = config.checks.find(({ key }) => key === check)?.name ?? labelText(check)
  const day = CalendarDate.inZone(Timestamp.toMillis(since), timezone)
  const line = [...`${leads[type]}${title}`].slice(0, longestTitle).join("")
  return {
    type,
    title: line,
    brief: line,
    sections: [
      {
        rows: [
          { label: "Check", value: checkName },
          { label: "Since", value: dayText(day, locale) }
        ]
      }
    ],
    footer: `You get this because of the monitor “${name}”.`,
    data: { monitor: { id: enrichmentId, name }, case: { check, subject, title, value, since, data } }
  }
}

/**
 * A message for each event, under its key. That something is well again is reported to those who heard that it was not; where they
 * did not yet, neither is sent.
 */
export const caseMessages = (
  events: ReadonlyArray<CaseEvent>,
  destinations: ReadonlyArray<MessageDestination>,
  speaker: Speaker
): ReadonlyArray<PlannedMessage> => {
  if (destinations.length === 0) return []
  return events.map((event) => {
    const breach = events.find(
      ({ check, opening, type }) => type === "monitor.breached" && check === event.check && opening === event.opening
    )
    return {
      key: event.key,
      destinations,
      content: contentOf(event, speaker),
      ...(event.type === "monitor.recovered" && breach !== undefined
        ? { retracts: { key: breach.key, quiet: false } }
        : {})
    }
  })
}
