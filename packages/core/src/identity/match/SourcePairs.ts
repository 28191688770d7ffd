/**
 * Rows of two sources that show the same days, paired by counting where their texts do not tell: one event has one row
 * in each of them, of just the same amount, on the same day or one beside it. What only one pairing explains is made;
 * of the rest a person is asked.
 */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import { KnownAmounts } from "./KnownAmounts.ts"
import { unmatchedCost } from "./MatchCost.ts"
import type { MatchEvidence, MatchInput, Suggestion } from "./Matching.ts"
import { likeness, type MatchRow } from "./MatchRow.ts"
import type { Pairing } from "./Pairing.ts"
import { compareIds, compareObservations } from "./RowOrder.ts"
import type { UnmatchedInput } from "./CandidateGraph.ts"
import { SharedWords } from "./SharedWords.ts"
import { daysHeld, daysShown, isOfOtherSource, isWithin, readsFile, type DaySpan } from "./SharedDays.ts"

/** Days by which the two may date an event differently where its texts say nothing. */
const nearDays = 1
/** The same where the texts are known to mean one merchant, and until what is pending is booked. */
const learntDays = 3
const settlementDays = 8
/** Pairs of rows of one amount that are compared; beyond, it says too little. */
const mostCompared = 250_000
/** Days in which another row of the amount that nothing explains makes a pair of two days doubtful. */
const doubtDays = 7

/** A row that no other says the same of yet. */
interface Loose {
  readonly day: number
  readonly row: MatchRow
  readonly text: string
  /** The other source shows all of its day. */
  readonly shared: boolean
  paired: boolean
}
interface Seen extends Loose {
  readonly at: number
}
interface Held extends Loose {
  readonly entry: IndexEntry
}

/** Rows of one amount, by day. */
interface Group {
  seen: Array<Seen>
  readonly held: Array<Held>
}

const open = <A extends Loose>(rows: ReadonlyArray<A>): ReadonlyArray<A> => rows.filter(({ paired }) => !paired)

/** Rows of both sides that hang together by steps of at most `step` days, in the order of their days. */
const clusters = ({ held, seen }: Group, step: number): ReadonlyArray<Group> => {
  const rows = [
    ...open(seen).map((one) => ({ day: one.day, seen: one, held: undefined })),
    ...open(held).map((one) => ({ day: one.day, seen: undefined, held: one }))
  ].toSorted((a, b) => a.day - b.day)
  const found: Array<Group> = []
  let last = -Infinity
  for (const { day, held: record, seen: row } of rows) {
    if (day - last > step) found.push({ seen: [], held: [] })
    const group = found.at(-1)!
    if (row !== undefined) group.seen.push(row)
    if (record !== undefined) group.held.push(record)
    last = day
  }
  return found.filter((group) => group.seen.length > 0 && group.held.length > 0)
}

const isOneText = (rows: ReadonlyArray<Loose>): boolean => rows.every(({ text }) => text === rows[0]!.text)

type Pair = readonly [seen: Seen, held: Held]

/** The pairs of as many rows as records, of which any may be any, and none where they are not that. */
const anyPairing = (seen: ReadonlyArray<Seen>, held: ReadonlyArray<Held>): ReadonlyArray<Pair> =>
  seen.length === held.length && (isOneText(seen) || isOneText(held)) ? seen.map((one, n): Pair => [one, held[n]!]) : []

/**
 * The pairs of a cluster that only one way to pair it has. Where both sources have as many rows on each of its days, a
 * row belongs to its own day. Else all of it has to fit, row by row.
 */
const onlyPairing = (cluster: Group): ReadonlyArray<Pair> => {
  const [seen, held] = [cluster.seen.filter(({ shared }) => shared), cluster.held.filter(({ shared }) => shared)]
  const [seenOn, heldOn] = [Map.groupBy(seen, ({ day }) => day), Map.groupBy(held, ({ day }) => day)]
  const isBalanced =
    seenOn.size === heldOn.size && Array.from(seenOn).every(([day, rows]) => heldOn.get(day)?.length === rows.length)
  if (isBalanced) return Array.from(seenOn).flatMap(([day, rows]) => anyPairing(rows, heldOn.get(day)!))
  if (seen.length !== cluster.seen.length || held.length !== cluster.held.length) return []
  const pairs = anyPairing(seen, held)
  return pairs.every(([one, other]) => Math.abs(one.day - other.day) <= nearDays) ? pairs : []
}

const evidenceOf = ([seen, held]: Pair, learnt: boolean): MatchEvidence => {
  const alike = learnt ? 1 : likeness(seen.row, held.row)
  const parts = {
    date: 120 * Math.abs(seen.day - held.day),
    text: Math.round(700 * (1 - alike)),
    [learnt ? "learntText" : "onlyPairing"]: 0
  }
  return { tier: "cost", cost: Math.min(unmatchedCost - 1, parts.date + parts.text), parts }
}

const byDay = (a: Loose, b: Loose): number => a.day - b.day

/** Days that both show, from which on what is seen at their edge counts. */
const mostlyOverlap = 3

const isNear = (day: number, [first, last]: DaySpan): boolean => day >= first - nearDays && day <= last + nearDays

/** Tells of a pair whether its amount is known nowhere else near, and whether its days are at the edge at most. */
const aloneTest = ({ candidates, detailOf, input, reader }: UnmatchedInput): ((pair: Pair) => boolean) => {
  const [shown, held] = [daysShown(input), daysHeld(input)]
  if (shown === undefined || held === undefined) return () => false
  const overlap = Math.min(shown[1], held[1]) - Math.max(shown[0], held[0]) + 1
  if (overlap < mostlyOverlap) return () => false
  let known: KnownAmounts | undefined
  return ([one, other]) => {
    known ??= new KnownAmounts([
      ...[...input.observations, ...(input.settled ?? [])].flatMap(
        ({ date, fields, pending }) => reader.read(fields, date, pending) ?? []
      ),
      ...candidates
        .filter(({ state }) => state !== "removed")
        .flatMap((entry) => reader.read(detailOf(entry).fields, entry.date, entry.pending) ?? [])
    ])
    return isNear(other.day, shown) && isNear(one.day, held) && known.near(one.row) <= 2
  }
}

/** A row of a file, and what is held of it from another source: it was known before. */
type KnownPair = readonly [seen: Pick<Loose, "day" | "row" | "text">, held: Pick<Loose, "day" | "row" | "text">]

/** Records that another source told and that rows of the file are known to be, by their places in the read. */
export const knownElsewhere = (
  input: MatchInput,
  pairing: Pairing
): ReadonlyArray<readonly [at: number, entry: IndexEntry]> => {
  if (!readsFile(input)) return []
  const isOther = isOfOtherSource(input)
  return input.observations.flatMap((_, at) => {
    const entry = pairing.entryOf(at)
    return entry !== undefined && !entry.pending && isOther(entry) ? [[at, entry] as const] : []
  })
}

const knownPairs = ({ detailOf, input, pairing, reader }: UnmatchedInput): ReadonlyArray<KnownPair> =>
  knownElsewhere(input, pairing).flatMap(([at, entry]): ReadonlyArray<KnownPair> => {
    const { date, fields, pending } = input.observations[at]!
    const seen = reader.read(fields, date, pending)
    const held = reader.read(detailOf(entry).fields, entry.date, entry.pending)
    if (seen?.day === undefined || held?.day === undefined) return []
    return [
      [
        { day: seen.day, row: seen, text: seen.texts[0]! },
        { day: held.day, row: held, text: held.texts[0]! }
      ]
    ]
  })

/** Rows from which a common shift is told, and how many of them have to agree. */
const shiftRows = 8
const shiftShare = 0.8

/** Days by which the one source dates everything later than the other, told by amounts that both have once. */
const shiftOf = (groups: Iterable<Group>, pairs: ReadonlyArray<KnownPair>): number => {
  const gaps = new Map<number, number>()
  let all = pairs.length
  for (const [seen, held] of pairs) gaps.set(seen.day - held.day, (gaps.get(seen.day - held.day) ?? 0) + 1)
  for (const { held, seen } of groups) {
    if (held.length !== 1 || seen.length !== 1) continue
    const gap = seen[0]!.day - held[0]!.day
    if (Math.abs(gap) > learntDays) continue
    all++
    gaps.set(gap, (gaps.get(gap) ?? 0) + 1)
  }
  const [shift, rows] = [...gaps].toSorted((a, b) => b[1] - a[1] || Math.abs(a[0]) - Math.abs(b[0]))[0] ?? [0, 0]
  return rows >= shiftRows && rows >= shiftShare * all ? shift : 0
}

/** Rows and records that are open, by amount. */
const groupsOf = (
  { candidates, detailOf, input, pairing, reader }: UnmatchedInput,
  pairs: ReadonlyArray<KnownPair>
): ReadonlyArray<Group> => {
  const [shown, known] = [daysShown(input), daysHeld(input)]
  const isOther = isOfOtherSource(input)
  const groups = new Map<string, Group>()
  const groupOf = ({ amount, currency }: MatchRow): Group => {
    const key = `${currency} ${amount}`
    let group = groups.get(key)
    if (group === undefined) groups.set(key, (group = { seen: [], held: [] }))
    return group
  }
  for (const entry of candidates.toSorted(compareIds)) {
    if (entry.state === "removed" || pairing.isTaken(entry) || !isOther(entry)) continue
    const row = reader.read(detailOf(entry).fields, entry.date, entry.pending)
    if (row?.day === undefined || row.units === 0) continue
    const { day } = row
    // What is pending need not be shown yet.
    const shared = !entry.pending && isWithin(day, shown)
    groupOf(row).held.push({ day, row, text: row.texts[0]!, shared, paired: false, entry })
  }
  if (groups.size === 0) return []
  const { observations } = input
  for (const at of pairing.open.toSorted((a, b) => compareObservations(observations[a]!, observations[b]!))) {
    const { date, fields, pending } = observations[at]!
    const row = pending ? undefined : reader.read(fields, date, pending)
    if (row?.day === undefined) continue
    const { day } = row
    const group = groups.get(`${row.currency} ${row.amount}`)
    group?.seen.push({ day, row, text: row.texts[0]!, shared: isWithin(day, known), paired: false, at })
  }
  const shift = shiftOf(groups.values(), pairs)
  if (shift !== 0) {
    for (const group of groups.values()) {
      group.seen = group.seen.map((one) => {
        const day = one.day - shift
        return { ...one, day, shared: isWithin(day, known) }
      })
    }
  }
  return [...groups.values()]
    .filter(({ held, seen }) => seen.length > 0 && seen.length * held.length <= mostCompared)
    .map(({ held, seen }) => ({ held: held.toSorted(byDay), seen: seen.toSorted(byDay) }))
}

/** What the counts alone explain of the rows of an amount. */
const certainOf = (group: Group, isAlone: (pair: Pair) => boolean): ReadonlyArray<Pair> => {
  const all = clusters(group, nearDays)
  const pairs = all.flatMap(onlyPairing)
  const explained = new Set<Loose>(pairs.flat())
  const unexplained = [...open(group.seen), ...open(group.held)].filter((row) => !explained.has(row))
  return [
    // Two days are one event's only where no other row of the amount waits for an explanation near it.
    ...pairs.filter(
      ([one, other]) => one.day === other.day || unexplained.every(({ day }) => Math.abs(day - one.day) > doubtDays)
    ),
    // At the edge of what both show, an amount that is nowhere else near belongs together as well.
    ...all.flatMap(({ held, seen }): ReadonlyArray<Pair> => {
      const pair: Pair = [seen[0]!, held[0]!]
      return seen.length === 1 && held.length === 1 && !explained.has(seen[0]!) && isAlone(pair) ? [pair] : []
    })
  ]
}

const keyOn = (row: MatchRow, day: number): string => `${row.currency} ${row.amount} ${day}`

/**
 * Whether a read may be a part of what its days have, so that nothing follows from what it lacks: it says so, or it is a
 * file that shows less than half of what is known of its days, such as one of what is new since the last download.
 */
export const isPart = ({ candidates, detailOf, input, pairing, reader }: Omit<UnmatchedInput, "isPart">): boolean => {
  const shown = daysShown(input)
  if (shown === undefined) return true
  if (!readsFile(input)) return false
  const dated = (entry: IndexEntry): boolean =>
    entry.state === "live" &&
    !entry.pending &&
    entry.date !== null &&
    isWithin(CalendarDate.toEpochDay(entry.date), shown)
  const known = input.held.filter(dated)
  let met = known.filter((entry) => pairing.isTaken(entry)).length
  if (met * 2 >= known.length) return false
  const loose = new Map<string, number>()
  for (const at of pairing.open) {
    const { date, fields, pending } = input.observations[at]!
    const row = reader.read(fields, date, pending)
    if (row?.day === undefined) continue
    loose.set(keyOn(row, row.day), (loose.get(keyOn(row, row.day)) ?? 0) + 1)
  }
  for (const entry of candidates.filter((one) => dated(one) && !pairing.isTaken(one))) {
    const row = reader.read(detailOf(entry).fields, entry.date, entry.pending)
    if (row?.day === undefined) continue
    const near = [0, -1, 1].map((gap) => keyOn(row, row.day! + gap)).find((one) => (loose.get(one) ?? 0) > 0)
    if (near === undefined) continue
    loose.set(near, loose.get(near)! - 1)
    met++
  }
  return met * 2 < known.length
}

/** Whether rows whose texts mean the same may be so many days apart. */
const isInReach = (seen: Seen, { day, entry, shared }: Held, gap: number): boolean =>
  gap <= nearDays || (entry.pending ? seen.day > day : shared && gap <= learntDays)

/** Pairs what the counts explain; returns which pairs are left to a person. */
export const pairSources = (problem: UnmatchedInput): ReadonlyArray<Suggestion> => {
  const { input, isForbidden, isPart: isPartial, pairing } = problem
  const { config, observations } = input
  if (config.crossSource === "off") return []
  const pairs = knownPairs(problem)
  const groups = groupsOf(problem, pairs)
  const found: Array<{ readonly pair: Pair; readonly learnt: boolean }> = []
  const learnt = new SharedWords()
  for (const pair of pairs) learnt.add(pair)

  const isAllowed = ([one, { entry }]: Pair): boolean => !isForbidden(entry.id, observations[one.at]!)
  const make = (pair: Pair, byLesson = false): void => {
    const [one, other] = pair
    if (one.paired || other.paired || !isAllowed(pair)) return
    one.paired = true
    other.paired = true
    found.push({ pair, learnt: byLesson })
  }

  const isAlone = aloneTest(problem)
  const certain = (): ReadonlyArray<Pair> => groups.flatMap((group) => certainOf(group, isAlone))

  /** What texts say that were found together elsewhere: nearest days first. */
  const byLessons = (): void => {
    for (const { held, seen } of groups) {
      for (let gap = 0; gap <= settlementDays; gap++) {
        for (const one of open(seen)) {
          const other = open(held).find(
            (record) =>
              Math.abs(record.day - one.day) === gap && isInReach(one, record, gap) && learnt.isLearnt([one, record])
          )
          if (other !== undefined) make([one, other], true)
        }
      }
    }
  }

  // What is learnt leaves less to be explained, and what is explained teaches more.
  const taught = new Set<string>()
  for (let before = -1; before < found.length;) {
    before = found.length
    const sure = certain()
    for (const pair of sure) {
      const key = `${pair[0].at} ${pair[1].entry.id}`
      if (!taught.has(key)) learnt.add(pair)
      taught.add(key)
    }
    byLessons()
    for (const pair of sure) if (!learnt.isRefuted(pair)) make(pair)
  }

  const isAsked = isPartial || config.crossSource === "suggest"
  if (!isAsked) {
    for (const { learnt: byLesson, pair } of found) {
      pairing.take(pair[0].at, pair[1].entry, evidenceOf(pair, byLesson))
    }
  }
  const asked: Array<Pair> = isAsked ? found.map(({ pair }) => pair) : []
  const rest = groups.flatMap(({ held, seen }) =>
    open(seen).flatMap((one) => open(held).map((other): Pair => [one, other]))
  )
  const gapOf = ([one, other]: Pair): number => Math.abs(one.day - other.day)
  for (const pair of rest.filter((one) => gapOf(one) <= nearDays).toSorted((a, b) => gapOf(a) - gapOf(b))) {
    const [one, other] = pair
    if (one.paired || other.paired || !isAllowed(pair)) continue
    one.paired = true
    other.paired = true
    asked.push(pair)
  }
  return asked
    .filter(([, { entry }]) => entry.state === "live")
    .map((pair) => ({
      observed: observations[pair[0].at]!,
      recordId: pair[1].entry.id,
      evidence: evidenceOf(pair, false)
    }))
}
