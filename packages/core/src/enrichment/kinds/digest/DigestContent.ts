/** What a digest says, in fixed words: every number of it is a fact. */
import type { MessageContent } from "../../../message/Message.ts"
import { dayText, labelText, moneyText } from "../../../message/Wording.ts"
import type { DataType } from "../../../record/DataType.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import type * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { DigestBreach } from "./DigestBreach.ts"
import type { DigestConfig, DigestSection } from "./DigestConfig.ts"
import type { DigestFact, Measured } from "./DigestFact.ts"
import { type DigestItem, itemsOf } from "./DigestItems.ts"
import type { DigestEventName } from "./DigestEvents.ts"
import { plainProse, proseOf } from "./DigestProse.ts"
import type { DigestSubject } from "./DigestSubject.ts"

export interface Issue {
  readonly enrichmentId: string
  readonly name: string
  readonly locale: string
  readonly currency: Currency.Currency
  readonly config: DigestConfig
  readonly start: CalendarDate.CalendarDate
  /** The first day after it. */
  readonly end: CalendarDate.CalendarDate
  readonly now: Measured
  /** The newest first. */
  readonly before: ReadonlyArray<Measured>
  /** Accounts that were not read since the period ended. */
  readonly incomplete: ReadonlyArray<string>
  readonly breaches: ReadonlyArray<DigestBreach>
  readonly subject: DigestSubject
  readonly dataType: DataType
}

const headings: Readonly<Record<string, string>> = {
  categories: "Where it went",
  merchants: "With whom",
  recurring: "Prices that changed",
  fees: "Fees",
  anomalies: "Out of the ordinary",
  budgets: "Spent of budgets",
  transfers: "Between your accounts",
  dataQuality: "To look at"
}

const words: Readonly<Record<string, string>> = {
  "fees:avoidable": "Fees that can be avoided",
  "fees:charged": "Other fees",
  "anomalies:flagged": "Payments that stand out",
  "transfers:own": "Transfers between your own accounts",
  "dataQuality:uncategorised": "Without a category",
  "dataQuality:unconverted": "Not in the sums, for want of a rate",
  "dataQuality:unpriced": "Without an amount",
  "anomalies:overdue": "Payments that are overdue",
  "categories:none": "Without a category",
  "merchants:none": "Not named"
}

const labelOf = ({ id, section, subject }: DigestFact): string =>
  words[id] ?? (section === "categories" || section === "budgets" ? labelText(subject) : subject)

const valueOf = ({ unit, value }: Pick<DigestFact, "unit" | "value">, { currency, locale }: Issue): string =>
  unit === "money" ? moneyText(value, currency, locale) : moneyText(value, undefined, locale)

const noteOf = ({ fact, previous }: DigestItem, issue: Issue): string | undefined => {
  if (issue.before.length === 0) return undefined
  if (fact.section === "recurring") return Decimal.isNegative(fact.value) ? "cheaper than before" : "more than before"
  if (issue.config.prose === "none" || previous === fact.value) return undefined
  return previous === "0"
    ? "nothing the time before"
    : `${valueOf({ unit: fact.unit, value: previous }, issue)} the time before`
}

const periodText = ({ end, locale, start }: Issue): string => {
  const last = CalendarDate.addDays(end, -1)
  return start === last ? dayText(start, locale) : `${dayText(start, locale)} – ${dayText(last, locale)}`
}

const flow = (measured: Measured | undefined, subject: string): Decimal.Decimal =>
  measured?.facts.get(`flow:${subject}`)?.value ?? Decimal.zero

/** What stands tells no activity: it is there, or it is not. */
const quietText = ({ subject: { manner } }: Issue): string =>
  manner === "dated"
    ? "There was no activity. You hear from this digest again when there is."
    : "There is nothing to tell of. You hear from this digest again when there is."

export const digestContent = (issue: Issue, type: DigestEventName): MessageContent => {
  const { before, breaches: all, config, currency, enrichmentId, end, incomplete, locale, name, now, start } = issue
  const { dataType, subject } = issue
  const valueText = (value: Decimal.Decimal, unit: DigestFact["unit"]) => valueOf({ value, unit }, issue)
  const period = periodText(issue)
  const items = itemsOf(now, before, config.sections, config.maxItems)
  const bySection = Map.groupBy(items, ({ fact }) => fact.section)
  const sums = subject.flow.map((line) => ({
    ...line,
    value: flow(now, line.subject),
    previous: before.length === 0 ? undefined : flow(before[0], line.subject)
  }))
  const units = new Map(sums.map((sum) => [sum.subject, sum]))
  const told = subject.title.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    valueText(flow(now, key), units.get(key)?.unit ?? "money")
  )
  const breaches = config.sections.includes("budgets") ? all.slice(0, config.maxItems) : []
  const isAmended = type === "digest.amended"
  const lead = isAmended ? "Changed: " : ""
  const prose =
    config.prose === "model" && now.records > 0
      ? proseOf({
          period,
          flow: config.sections.includes("flow") ? sums : [],
          breaches: breaches.map(({ currency: own, name: line, over }) => ({
            name: line,
            over: moneyText(over, own, locale)
          })),
          items,
          labelOf: ({ fact }) => labelOf(fact),
          textOf: valueText
        })
      : undefined
  const { model, monthlyTokens } = config
  return {
    type,
    title: `${lead}${name}: ${told}`,
    brief: `${lead}${name}, ${period}`,
    intro: [
      `${period}.`,
      ...(now.records === 0 ? [quietText(issue)] : []),
      ...(isAmended ? ["What came later changed the numbers that you were told."] : []),
      ...(incomplete.length > 0 ? [`Not read since the period ended: ${incomplete.join(", ")}.`] : [])
    ].join(" "),
    ...(prose === undefined
      ? {}
      : { prose: plainProse(prose), rephrase: { ...prose, model, monthlyTokens, dataType } }),
    sections: [
      ...(config.sections.includes("flow") && now.records > 0 && sums.length > 0
        ? [
            {
              rows: sums.map(({ label, previous, unit, value }) => ({
                label,
                value: valueText(value, unit),
                ...(config.prose === "none" || previous === undefined
                  ? {}
                  : { note: `${valueText(previous, unit)} the time before` })
              }))
            }
          ]
        : []),
      // What somebody can still do something about comes first.
      ...(breaches.length > 0
        ? [
            {
              heading: "Over budget",
              rows: breaches.map(({ currency: own, from, name: line, over, planned, spent, to }) => ({
                label: line,
                value: moneyText(spent, own, locale),
                note:
                  `${moneyText(planned, own, locale)} was there, ${moneyText(over, own, locale)} too much` +
                  (from === start && to === CalendarDate.addDays(end, -1)
                    ? ""
                    : `, ${dayText(from, locale)} – ${dayText(to, locale)}`)
              }))
            }
          ]
        : []),
      ...[...bySection].map(([section, some]) => ({
        heading: subject.headings?.[section as DigestSection] ?? headings[section] ?? section,
        // The largest first: how they were chosen is not what people compare.
        rows: some
          .toSorted((a, b) => Decimal.compare(b.fact.value, a.fact.value))
          .map((item) => {
            const note = noteOf(item, issue)
            return {
              label: labelOf(item.fact),
              value: valueOf(item.fact, issue),
              ...(note === undefined ? {} : { note })
            }
          })
      })),
      ...(now.unconverted.length > 0
        ? [
            {
              heading: "In other currencies",
              text: "There is no rate for these: they are in none of the sums.",
              rows: now.unconverted.map((one) => ({
                label: one.currency,
                value: moneyText(one.amount, one.currency, locale)
              }))
            }
          ]
        : [])
    ],
    footer: `You get this because of the digest “${name}”.`,
    data: {
      digest: { id: enrichmentId, name },
      period: { from: start, to: CalendarDate.addDays(end, -1) },
      currency,
      facts: [
        ...sums.map(({ previous = Decimal.zero, subject: sum, unit, value }) => ({
          id: `flow:${sum}`,
          value,
          previous,
          unit
        })),
        ...items.map(({ fact: { id, records, unit, value }, previous, score }) => ({
          id,
          value,
          previous,
          unit,
          records,
          score
        }))
      ],
      breaches: breaches.map(({ enrichmentId: budget, ...breach }) => ({ budget, ...breach })),
      unconverted: [...now.unconverted],
      incomplete: [...incomplete],
      ...(prose === undefined ? {} : { prose: plainProse(prose) })
    }
  }
}
