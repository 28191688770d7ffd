/** What alerts say. */
import type { MessageContent } from "../../../message/Message.ts"
import { dayText, labelText, moneyText } from "../../../message/Wording.ts"
import type { Fields, FieldValue } from "../../../record/FieldValue.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { PlannedEvent } from "../SetKind.ts"
import type { AlertEventName } from "./AlertEvents.ts"

/** Who says it, and to whom. */
export interface Speaker {
  readonly enrichmentId: string
  readonly name: string
  readonly locale: string
}

export interface AboutRecord {
  readonly recordId: string
  readonly fields: Fields
  readonly ordinal: number
  /** By the template; empty where there is none. */
  readonly title: string
  /** What it was in one line, where nothing else is known of it any more. */
  readonly brief?: string | undefined
}

const textOf = (value: FieldValue | undefined): string => (typeof value === "string" ? value.trim() : "")

/** The first field that says something. */
const first = (fields: Fields, ...names: ReadonlyArray<string>): string =>
  names.map((name) => textOf(fields[name])).find((text) => text !== "") ?? ""

export const amountOf = (fields: Fields): Decimal.Decimal | undefined => Decimal.parse(first(fields, "amount", "total"))

/** The day that the age of a record counts from; `undefined` where it has none, and is never too old. */
export const dayOf = (fields: Fields): CalendarDate.CalendarDate | undefined =>
  CalendarDate.ofText(first(fields, "date", "issueDate", "nextPaymentDueDate", "asOf"))

const moneyOf = (fields: Fields, locale: string): string => {
  const amount = amountOf(fields)
  return amount === undefined ? "" : moneyText(amount, first(fields, "currency") || undefined, locale)
}

const whatOf = (fields: Fields): string =>
  first(fields, "merchantName", "vendorName", "customerName", "securityName", "title", "description")

/** Such as `−12,99 € · Blue Heron Cafe`. */
export const briefOf = (fields: Fields, locale: string): string =>
  [moneyOf(fields, locale), whatOf(fields) || first(fields, "accountName")].filter((text) => text !== "").join(" · ") ||
  "a record"

const row = (label: string, value: string, note?: string) =>
  value === "" ? [] : [{ label, value, ...(note === undefined || note === "" ? {} : { note }) }]

const rowsOf = (fields: Fields, locale: string) => {
  const day = dayOf(fields)
  const what = whatOf(fields)
  const description = first(fields, "description")
  const account = first(fields, "accountName")
  return [
    ...row("Amount", moneyOf(fields, locale), fields["pending"] === true ? "not booked yet" : undefined),
    ...row("With", what === description ? "" : what),
    ...row("Description", description),
    ...row("Date", day === undefined ? "" : dayText(day, locale)),
    ...row("Category", labelText(first(fields, "category"))),
    ...row("Status", first(fields, "status")),
    ...row(
      "Account",
      account,
      [first(fields, "accountNumber"), first(fields, "bank")].filter((text) => text !== "").join(", ")
    )
  ]
}

const footerOf = ({ name }: Speaker): string => `You get this because of the alert “${name}”.`

const leads: Readonly<Record<AlertEventName, string>> = {
  "alert.fired": "",
  "alert.amended": "Changed: ",
  "alert.retracted": "No longer so: "
}

/** What programs receive of a record: what people are, by the names of its fields. */
const recordData = (recordId: string, fields: Fields) => ({ id: recordId, ...fields })

export const recordContent = (
  speaker: Speaker,
  type: AlertEventName,
  { brief: known, fields, ordinal, recordId, title }: AboutRecord,
  isRemoved = false
): MessageContent => {
  const { enrichmentId, locale, name } = speaker
  const brief = known ?? briefOf(fields, locale)
  return {
    type,
    title: `${leads[type]}${title === "" ? `${name}: ${brief}` : title}`,
    brief: `${leads[type]}${brief}`,
    ...(type === "alert.retracted"
      ? {
          intro: isRemoved
            ? "The bank does not show this any more. What you were told before does not hold."
            : "This does not match the alert any more. What you were told before does not hold."
        }
      : {}),
    sections: [{ rows: rowsOf(fields, locale) }],
    footer: footerOf(speaker),
    data: { alert: { id: enrichmentId, name }, subject: recordId, ordinal, record: recordData(recordId, fields) }
  }
}

/** Rows that a message lists; programs get all. */
const listed = 20

const totalsOf = (
  all: ReadonlyArray<AboutRecord>
): ReadonlyArray<readonly [currency: string, sum: Decimal.Decimal]> => {
  const byCurrency = Map.groupBy(all, ({ fields }) => first(fields, "currency"))
  return [...byCurrency]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([currency, some]) => {
      const amounts = some.flatMap(({ fields }) => amountOf(fields) ?? [])
      return amounts.length === 0 ? [] : [[currency, Decimal.sum(amounts)] as const]
    })
}

/** Many at once, with their number and sum. */
export const summaryContent = (speaker: Speaker, all: ReadonlyArray<AboutRecord>): MessageContent => {
  const { enrichmentId, locale, name } = speaker
  const totals = totalsOf(all)
  const sum = totals.map(([currency, amount]) => moneyText(amount, currency || undefined, locale)).join(", ")
  const rest = all.length - listed
  return {
    type: "alert.fired",
    title: `${name}: ${all.length} more${sum === "" ? "" : `, together ${sum}`}`,
    brief: `${all.length} more${sum === "" ? "" : ` (${sum})`}`,
    intro: "More matched at once than the alert tells one by one.",
    sections: [
      {
        rows: all.slice(0, listed).map(({ fields }) => {
          const day = dayOf(fields)
          return {
            label: whatOf(fields) || "A record",
            value: moneyOf(fields, locale) || "–",
            ...(day === undefined ? {} : { note: dayText(day, locale) })
          }
        })
      },
      ...(rest > 0 ? [{ text: `And ${rest} more.`, rows: [] }] : [])
    ],
    footer: footerOf(speaker),
    data: {
      alert: { id: enrichmentId, name },
      count: all.length,
      sums: totals.map(([currency, amount]) => ({ currency, amount })),
      records: all.map(({ fields, recordId }) => recordData(recordId, fields))
    }
  }
}

/** What an event is called by people, as far as its name tells: `budget.threshold` -> `Budget threshold`. */
const eventTitle = (type: string): string => {
  const words = type
    .replaceAll(/[._]/g, " ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const scalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** The scalars of an event, as conditions and templates name them. */
export const eventFields = ({
  data,
  enrichmentId,
  subjectId,
  type
}: PlannedEvent & { readonly enrichmentId: string }): Fields => {
  const own = typeof data === "object" && data !== null && !Array.isArray(data) ? data : {}
  return {
    ...Object.fromEntries(
      Object.entries(own).flatMap(([key, value]) =>
        scalar(value) ? [[`event.${key}`, typeof value === "boolean" ? value : String(value)]] : []
      )
    ),
    "event.type": type,
    "event.enrichmentId": enrichmentId,
    "event.subject": subjectId
  }
}

const numeric = new Set(["amount", "budget"])

export const eventContent = (
  speaker: Speaker,
  event: PlannedEvent & { readonly enrichmentId: string },
  title: string
): MessageContent => {
  const { enrichmentId, locale, name } = speaker
  const fields = eventFields(event)
  const currency = first(fields, "event.currency") || undefined
  const shownOf = (key: string, text: string): string => {
    const amount = numeric.has(key) ? Decimal.parse(text) : undefined
    if (amount !== undefined) return moneyText(amount, currency, locale)
    const day = CalendarDate.parse(text)
    return day === undefined ? text : dayText(day, locale)
  }
  const hidden = new Set(["type", "enrichmentId", "subject", "currency", "seriesId", "recordId", "accountId"])
  const rows = Object.entries(fields).flatMap(([field, value]) => {
    const key = field.slice("event.".length)
    const text = typeof value === "boolean" ? (value ? "yes" : "no") : textOf(value)
    return hidden.has(key) || text === "" ? [] : [{ label: eventTitle(key), value: shownOf(key, text) }]
  })
  const amount = Decimal.parse(first(fields, "event.amount"))
  const brief = [
    eventTitle(event.type),
    first(fields, "event.name", "event.merchant", "event.title", "event.line"),
    ...(amount === undefined ? [] : [moneyText(amount, currency, locale)])
  ]
    .filter((text) => text !== "")
    .join(" · ")
  return {
    type: "alert.fired",
    title: title === "" ? `${name}: ${brief}` : title,
    brief,
    sections: [{ rows }],
    footer: footerOf(speaker),
    data: {
      alert: { id: enrichmentId, name },
      subject: event.key,
      ordinal: 1,
      event: { type: event.type, enrichmentId: event.enrichmentId, subject: event.subjectId, data: event.data }
    }
  }
}
