/** What ids and balances of two files say about rows that the one shows and the other does not. */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import type { Observation } from "../../record/Observation.ts"
import * as Decimal from "../../shared/Decimal.ts"
import { hasBankId, sourceOf } from "./Coverage.ts"
import type { MatchRow } from "./MatchRow.ts"
import type { EarlierReading, Reading } from "./Reading.ts"

/** Days by which a bank moves a row that it corrects. */
const correctionDays = 5

/** Whether the later of the two begins with the balance that the earlier one ends with: then no row is in both. */
const followsOn = (earlier: Reading, later: Reading): boolean => {
  if (earlier.days === undefined || later.days === undefined) return false
  if (earlier.closingBalance === undefined || later.openingBalance === undefined) return false
  if (earlier.closingBalance !== later.openingBalance || later.days[0] < earlier.days[1]) return false
  const isSamePeriod = earlier.days[0] === later.days[0] && earlier.days[1] === later.days[1]
  return !(isSamePeriod && earlier.openingBalance !== undefined && earlier.openingBalance === later.openingBalance)
}

export const areConsecutive = (a: Reading, b: Reading): boolean => followsOn(a, b) || followsOn(b, a)

/** A file and the amounts of its rows. */
export interface ReadingAmounts {
  readonly reading: Reading
  readonly amounts: ReadonlyArray<Decimal.Decimal>
}

/** Balances that are compared. */
const mostBalances = 1_024

/** Whether the account may have had the balance between two rows of the file, in whatever order they came. */
const mayReach = ({ amounts, reading }: ReadingAmounts, balance: Decimal.Decimal): boolean => {
  let reached = new Set([reading.openingBalance!])
  for (const amount of amounts) {
    reached = new Set([...reached, ...[...reached].map((one) => Decimal.add(one, amount))])
    if (reached.size > mostBalances) return true
  }
  return reached.has(balance)
}

const tiesOut = ({ amounts, reading: { closingBalance, openingBalance } }: ReadingAmounts): boolean =>
  openingBalance !== undefined &&
  closingBalance !== undefined &&
  Decimal.add(openingBalance, Decimal.sum(amounts)) === closingBalance

/**
 * Whether two statements of one day are others, since neither begins with a balance that the account had within the other: the
 * statements between them may not have been read.
 */
export const areOfOtherBalances = (a: ReadingAmounts, b: ReadingAmounts): boolean => {
  const days = new Set([a, b].flatMap(({ reading }) => reading.days ?? [-Infinity, Infinity]))
  if (days.size !== 1 || !tiesOut(a) || !tiesOut(b)) return false
  return !mayReach(a, b.reading.openingBalance!) && !mayReach(b, a.reading.openingBalance!)
}

export interface RelatedRow {
  readonly observation: Observation
  readonly row: MatchRow
}

export interface RelatedRecord {
  readonly entry: IndexEntry
  readonly row: MatchRow
  /** All ids that it has or had. */
  readonly ids: ReadonlyArray<string>
}

/** Ids of the bank that a record has in files of the layout of a row. */
const idsFor = (observation: Observation, { ids }: RelatedRecord): ReadonlyArray<string> => {
  const source = sourceOf(observation)
  return ids.filter((providerId) => hasBankId({ providerId }) && sourceOf({ providerId }) === source)
}

/** Whether ids say that the two are not the same row: both have one of the layout, and not the same. */
export const haveOtherIds = (observation: Observation, record: RelatedRecord): boolean => {
  if (!hasBankId(observation)) return false
  const ids = idsFor(observation, record)
  return ids.length > 0 && !ids.includes(observation.providerId)
}

const isInside = (day: number | undefined, { days }: Reading): boolean =>
  day !== undefined && days !== undefined && day > days[0] && day < days[1]

const keyOf = ({ amount, currency, day }: MatchRow): string => `${day} ${currency} ${amount}`

/**
 * Whether the bank gives a row the same id in every file of a layout: some rows are in both files under one id, none of these is another
 * row there, and on no day that both show whole the same amount has changed its id.
 */
export const idsLast = (
  reading: Reading,
  earlier: EarlierReading,
  rows: ReadonlyArray<RelatedRow>,
  records: ReadonlyArray<RelatedRecord>
): boolean => {
  const first = rows.find(({ observation }) => hasBankId(observation))?.observation
  if (first === undefined || earlier.source !== sourceOf(first)) return false
  const shown = records.filter(({ entry }) => earlier.shows(entry))
  if (shown.some((record) => idsFor(first, record).length > 1)) return false
  const byId = new Map(shown.flatMap((record) => record.ids.map((id) => [id, record] as const)))
  const met = new Set<RelatedRecord>()
  const unknown = new Set<string>()
  let agreed = 0
  for (const { observation, row } of rows) {
    if (!hasBankId(observation)) continue
    const record = byId.get(observation.providerId)
    if (record === undefined) {
      if (isInside(row.day, reading) && isInside(row.day, earlier)) unknown.add(keyOf(row))
      continue
    }
    const days = Math.abs((row.day ?? Infinity) - (record.row.day ?? -Infinity))
    if (row.amount !== record.row.amount || row.currency !== record.row.currency || !(days <= correctionDays))
      return false
    met.add(record)
    if (days === 0) agreed++
  }
  if (agreed === 0) return false
  return !shown.some((record) => !met.has(record) && idsFor(first, record).length > 0 && unknown.has(keyOf(record.row)))
}
