/**
 * A read whose days are all off by the same number, as a bank tells them that dates by another time zone on some days.
 * Without ids each row would be taken for its neighbour of the same content; so the shift is estimated first, from
 * rows that are like no other.
 */
import { fieldsOf } from "../../record/DataType.ts"
import type { Fields } from "../../record/FieldValue.ts"
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import { isOfFile, trusted } from "./Coverage.ts"
import type { HeldDetail, MatchInput } from "./Matching.ts"
import type { Pairing } from "./Pairing.ts"
import { compareObservations, compareOwners } from "./RowOrder.ts"

/** Rows that have to tell the shift, and of all that tell one so many of a hundred. */
const leastRows = 3
const leastPercent = 80
/** Of a hundred rows that equal content leaves open, where a shift may be why. */
const suspiciousPercent = 10

/**
 * Records by which a shift shows, before it is known whether there is any: none where ids or equal contents explain
 * most of the read.
 */
export const shiftCandidates = (input: MatchInput, pairing: Pairing): ReadonlyArray<IndexEntry> => {
  const { byIdOnly, coverage, dataType, held, idTrust, observations } = input
  if (dataType !== "transactions" || byIdOnly || trusted(idTrust) || coverage.kind === "delta") return []
  const open = pairing.open.length
  if (open < leastRows || open * 100 < observations.length * suspiciousPercent) return []
  return held.filter((entry) => !isOfFile(entry) && entry.date !== null)
}

const days: ReadonlySet<string> = new Set(
  Object.entries(fieldsOf.transactions).flatMap(([name, { type }]) => (type === "date" || type === "ts" ? [name] : []))
)

/** All that a row says but its days. */
const contentOf = (fields: Fields, pending: boolean): string => {
  const rest = Object.entries(fields).filter(([name]) => !days.has(name))
  return JSON.stringify([pending, ...rest.toSorted(([a], [b]) => (a < b ? -1 : 1))])
}

/** Days of the rows that are the only ones with their content. */
const uniqueDays = (rows: Iterable<readonly [content: string, day: number]>): ReadonlyMap<string, number> => {
  const found = new Map<string, number | undefined>()
  for (const [content, day] of rows) found.set(content, found.has(content) ? undefined : day)
  return new Map([...found].flatMap(([content, day]) => (day === undefined ? [] : [[content, day] as const])))
}

const estimate = (
  seen: Iterable<readonly [string, number]>,
  held: Iterable<readonly [string, number]>,
  most: number
): number => {
  const before = uniqueDays(held)
  const votes = new Map<number, number>()
  let all = 0
  for (const [content, day] of uniqueDays(seen)) {
    const known = before.get(content)
    if (known === undefined || Math.abs(day - known) > most) continue
    votes.set(day - known, (votes.get(day - known) ?? 0) + 1)
    all++
  }
  for (const [shift, count] of votes) if (count >= leastRows && count * 100 >= all * leastPercent) return shift
  return 0
}

const rowOf = ({ content, day }: { readonly content: string; readonly day: number }) => [content, day] as const

/**
 * Pairs equal contents again as the shift tells, where there is one; returns it in days, from what we hold to what is
 * shown.
 */
export const pairShifted = (
  input: MatchInput,
  pairing: Pairing,
  candidates: ReadonlyArray<IndexEntry>,
  detailOf: (entry: IndexEntry) => HeldDetail
): number => {
  if (candidates.length === 0) return 0
  const { config, observations } = input
  const seen = observations.flatMap(({ date, fields, pending }, at) =>
    date === null ? [] : [{ at, content: contentOf(fields, pending), day: CalendarDate.toEpochDay(date) }]
  )
  const held = candidates.map((entry) => ({
    entry,
    content: contentOf(detailOf(entry).fields, entry.pending),
    day: CalendarDate.toEpochDay(entry.date!)
  }))
  const live = held.filter(({ entry }) => entry.state === "live")
  const shift = estimate(seen.map(rowOf), live.map(rowOf), config.shiftDays)
  if (shift === 0) return 0

  for (const { at } of seen) if (pairing.evidenceOf(at)?.tier === "equal") pairing.release(at)
  const records = new Map<string, Array<IndexEntry>>()
  for (const { content, day, entry } of held.toSorted((a, b) => compareOwners(b.entry, a.entry))) {
    const list = records.get(`${day} ${content}`)
    if (list === undefined) records.set(`${day} ${content}`, [entry])
    else list.push(entry)
  }
  for (const { at, content, day } of seen.toSorted((a, b) =>
    compareObservations(observations[a.at]!, observations[b.at]!)
  )) {
    const entry = records.get(`${day - shift} ${content}`)?.pop()
    pairing.take(at, entry, { tier: "cost", cost: 0, parts: { commonShift: 0 } })
  }
  return shift
}
