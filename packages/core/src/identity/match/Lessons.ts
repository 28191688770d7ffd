/** What a read teaches about the texts of pending and booked rows. */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import { covers, isListed, isOfFile } from "./Coverage.ts"
import { settlementDays } from "./LateSettlement.ts"
import type { Lesson } from "./LearntTexts.ts"
import { earlyDays } from "./MatchCost.ts"
import type { HeldDetail, MatchInput } from "./Matching.ts"
import { likeness, nameOf, type MatchRow, type RowReader } from "./MatchRow.ts"
import type { Pairing } from "./Pairing.ts"
import { compareIds, compareObservations } from "./RowOrder.ts"

export interface LessonInput {
  readonly input: MatchInput
  readonly pairing: Pairing
  readonly reader: RowReader
  /** Records that were pending before this read paired them. */
  readonly detailOf: (entry: IndexEntry) => HeldDetail | undefined
}

const leastLikeness = 0.6

/** Texts that are alike by themselves, whatever was learnt. */
const areAlike = (pending: MatchRow, booked: MatchRow): boolean =>
  likeness({ ...pending, bookedAs: undefined }, booked) >= leastLikeness

/** What was booked, and the record that was pending before it. */
const ofPairs = ({ detailOf, input, pairing, reader }: LessonInput): ReadonlyArray<Lesson> =>
  input.observations
    .map((observation, at) => ({ observation, at }))
    // Sorting all rows of a large read would keep everybody else waiting.
    .filter(
      ({ at, observation }) => !observation.pending && pairing.entryOf(at)?.pending === true && !isOfFile(observation)
    )
    .toSorted((a, b) => compareObservations(a.observation, b.observation))
    .flatMap(({ at, observation }): ReadonlyArray<Lesson> => {
      const entry = pairing.entryOf(at)
      if (entry === undefined) return []
      const detail = detailOf(entry)
      const evidence = pairing.evidenceOf(at)
      if (detail === undefined || evidence === undefined) return []
      const pending = reader.read(detail.fields, entry.date, true)
      const booked = reader.read(observation.fields, observation.date, false)
      if (pending === undefined || booked === undefined) return []
      const told = evidence.tier === "link" || evidence.tier === "id"
      const alike = areAlike(pending, booked)
      // What was only paired because it was learnt teaches nothing.
      if (!told && !alike && (evidence.parts?.["text"] === 0 || pending.amount !== booked.amount)) return []
      return [{ pending: nameOf(pending), booked: nameOf(booked), told, alike }]
    })

interface Group {
  readonly rows: Array<MatchRow>
  readonly names: Set<string>
}

const grouped = (rows: ReadonlyArray<MatchRow>): ReadonlyMap<string, Group> => {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const key = `${row.currency} ${row.amount}`
    const group = groups.get(key) ?? { rows: [], names: new Set() }
    group.rows.push(row)
    group.names.add(nameOf(row))
    groups.set(key, group)
  }
  return groups
}

const settles = (pending: MatchRow, booked: MatchRow): boolean => {
  if (pending.day === undefined || booked.day === undefined) return false
  const gap = booked.day - pending.day
  return gap >= -earlyDays && gap <= settlementDays
}

/** Of an amount all that vanished has one text, and all that is new another, and they are as many. */
const ofVanished = ({ detailOf, input, pairing, reader }: LessonInput): ReadonlyArray<Lesson> => {
  const vanished = input.held
    .filter(
      (entry) =>
        entry.pending &&
        entry.state === "live" &&
        entry.missed === 0 &&
        !isOfFile(entry) &&
        !pairing.isTaken(entry) &&
        (isListed(input, entry) || covers(input, entry))
    )
    .toSorted(compareIds)
    .flatMap((entry) => {
      const detail = detailOf(entry)
      return detail === undefined ? [] : (reader.read(detail.fields, entry.date, true) ?? [])
    })
  if (vanished.length === 0) return []
  const fresh = pairing.open.flatMap((at) => {
    const observation = input.observations[at]!
    const { date, fields, pending } = observation
    return pending || isOfFile(observation) ? [] : (reader.read(fields, date, pending) ?? [])
  })
  const news = grouped(fresh)
  return [...grouped(vanished)].flatMap(([key, before]): ReadonlyArray<Lesson> => {
    const after = news.get(key)
    if (after === undefined || before.names.size !== 1 || after.names.size !== 1) return []
    const [pending, booked] = [before.rows[0]!, after.rows[0]!]
    if (before.rows.length !== after.rows.length || areAlike(pending, booked)) return []
    if (!before.rows.every((one) => after.rows.some((other) => settles(one, other)))) return []
    return [{ pending: nameOf(pending), booked: nameOf(booked), told: false, alike: false }]
  })
}

export const lessonsOf = (problem: LessonInput): ReadonlyArray<Lesson> =>
  problem.input.dataType !== "transactions" || problem.input.byIdOnly
    ? []
    : [...ofPairs(problem), ...ofVanished(problem)]
