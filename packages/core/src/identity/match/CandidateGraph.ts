/** Which open observation may be which free record, and at what cost; rows that nothing distinguishes are one node. */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { covers, isListed, isOfFile, trusted } from "./Coverage.ts"
import { KnownAmounts } from "./KnownAmounts.ts"
import { earlyDays, isFar, pairCost, twinDays, type HeldRow, type PairCost } from "./MatchCost.ts"
import type { HeldDetail, MatchDetails, MatchInput } from "./Matching.ts"
import { likeness, type MatchRow, type RowReader } from "./MatchRow.ts"
import type { Pairing } from "./Pairing.ts"
import { proofOf } from "./Proof.ts"
import { lowerBound } from "../../shared/LowerBound.ts"
import { candidateWindow } from "./CandidateWindow.ts"
import { compareIds, compareObservations } from "./RowOrder.ts"

export interface UnmatchedInput {
  readonly input: MatchInput
  /** Days by which all rows of the read are later than what we hold. */
  readonly shift: number
  readonly pairing: Pairing
  readonly reader: RowReader
  /** Free records that may be meant. */
  readonly candidates: ReadonlyArray<IndexEntry>
  /** Pending records of a change feed that it has not listed as gone. */
  readonly waiting: ReadonlyArray<IndexEntry>
  readonly detailOf: (entry: IndexEntry) => HeldDetail
  readonly isForbidden: MatchDetails["isForbidden"]
  readonly rates: MatchDetails["rates"]
  /** Whether rows of two sources have taught that their texts mean the same. */
  readonly isLearnt?: (seen: MatchRow, held: MatchRow) => boolean
}

/** Observations that nothing distinguishes. */
export interface SeenNode {
  readonly row: MatchRow
  readonly ofFile: boolean
  readonly providerId: string
  /** Their places, in canonical order. */
  readonly members: Array<number>
}

/** Records that nothing distinguishes, oldest first. */
export interface HeldNode {
  readonly row: HeldRow
  readonly entry: IndexEntry
  readonly edited: boolean
  /** It may be older than what the upstream still shows: it has not moved, but by a day where rows have no ids. */
  readonly cutOff: boolean
  readonly members: Array<IndexEntry>
}

export interface Edge extends PairCost {
  readonly left: number
  readonly right: number
  readonly crossesSources: boolean
}

const dayMillis = 86_400_000

const textsOf = ({ texts, words }: MatchRow): Pick<MatchRow, "texts" | "words"> => ({ texts, words })

/** How alike two texts are that are one but for what changes with a day. */
const sameText = 0.9

/** How alike a pending row has to be to a booked one of its amount to be rather meant than others. */
const leastLikeness = 0.6

const contentOf = (row: MatchRow): ReadonlyArray<unknown> => [
  row.day ?? null,
  row.amount,
  row.currency,
  row.pending,
  row.foreign,
  ...row.texts
]

export interface Graph {
  readonly seen: ReadonlyArray<SeenNode>
  readonly held: ReadonlyArray<HeldNode>
  readonly edges: ReadonlyArray<Edge>
}

/** Puts an item to those of the same key. */
const collect = <M, N extends { readonly members: Array<M> }>(
  nodes: Map<string, N>,
  key: string,
  member: M,
  make: (members: Array<M>) => N
): void => {
  const node = nodes.get(key)
  if (node === undefined) nodes.set(key, make([member]))
  else node.members.push(member)
}

/** Rows that must not share a node with their equals, because a person parted one of their pairs. */
export interface Apart {
  readonly observations: Set<number>
  readonly records: Set<string>
}

/** Ids of both sides, where ids are renumbered: they are worth a little, so their rows are not interchangeable. */
const sharedIds = ({ candidates, input, pairing }: UnmatchedInput): ReadonlySet<string> => {
  if (input.idTrust !== "positional") return new Set()
  const held = new Set(candidates.map(({ providerId }) => providerId))
  return new Set(pairing.open.map((at) => input.observations[at]!.providerId).filter((id) => id !== "" && held.has(id)))
}

const seenNodes = (
  { input, pairing, reader, shift }: UnmatchedInput,
  shared: ReadonlySet<string>,
  apart: Apart
): ReadonlyArray<SeenNode> => {
  const { observations } = input
  const nodes = new Map<string, SeenNode>()
  for (const at of pairing.open.toSorted((a, b) => compareObservations(observations[a]!, observations[b]!))) {
    const observation = observations[at]!
    const { providerId } = observation
    const read = reader.read(observation.fields, observation.date, observation.pending)
    if (read === undefined) continue
    const row = shift === 0 || read.day === undefined ? read : { ...read, day: read.day - shift }
    const ofFile = isOfFile(observation)
    const own = [ofFile, shared.has(providerId) ? providerId : null, apart.observations.has(at) ? at : null]
    collect(nodes, JSON.stringify([...contentOf(row), ...own]), at, (members) => ({
      row,
      ofFile,
      providerId,
      members
    }))
  }
  return [...nodes.values()]
}

const heldNodes = (
  { candidates, detailOf, input, reader }: UnmatchedInput,
  shared: ReadonlySet<string>,
  apart: Apart
): ReadonlyArray<HeldNode> => {
  const oldest = Timestamp.fromMillis(Timestamp.toMillis(input.now) - input.config.revivalDays * dayMillis)
  const proof = proofOf(input)
  const nodes = new Map<string, HeldNode>()
  for (const entry of candidates.toSorted(compareIds)) {
    const { edited, fields, updatedAt } = detailOf(entry)
    const removed = entry.state === "removed"
    if (removed && updatedAt < oldest) continue
    const read = reader.read(fields, entry.date, entry.pending)
    if (read === undefined) continue
    const listed = isListed(input, entry)
    const isCovered = covers(input, entry)
    const says = isCovered ? proof(entry) : "nothing"
    const cutOff = !removed && !listed && isCovered && says !== "gone"
    // A row of the oldest day is not proven to be gone, but one that came in its place says what became of it.
    const row = { ...read, removed, listed, absent: removed || listed || says === "gone" || says === "edge" }
    const { providerId, state } = entry
    const own = [state, listed, row.absent, cutOff, isOfFile(entry), edited]
    const alone = [shared.has(providerId) ? providerId : null, apart.records.has(entry.id) ? entry.id : null]
    collect(nodes, JSON.stringify([...contentOf(read), ...own, ...alone]), entry, (members) => ({
      row,
      entry,
      edited,
      cutOff,
      members
    }))
  }
  return [...nodes.values()].toSorted((a, b) => (a.row.day ?? Infinity) - (b.row.day ?? Infinity) || 0)
}

/** Every row with a known amount: what the read shows, and what may be meant and is live. */
const knownAmounts = ({ input, reader }: UnmatchedInput, held: ReadonlyArray<HeldNode>): KnownAmounts => {
  const shown = [...input.observations, ...(input.settled ?? [])]
  const seen = shown.flatMap(({ date, fields, pending }) => reader.read(fields, date, pending) ?? [])
  const live = held.filter(({ entry }) => entry.state === "live").flatMap(({ members, row }) => members.map(() => row))
  return new KnownAmounts([...seen, ...live])
}

/** Pairs that are compared and that are possible; beyond, a row is compared with the most like it of its amount. */
const mostPairs = 4_000_000
const mostEdges = 200_000
const mostNearest = 32

const amountKey = ({ amount, currency }: MatchRow): string => `${currency} ${amount}`

/** By text, then by day. */
const compareRows = (a: MatchRow, b: MatchRow): number => {
  const [one, other] = [a.texts[0]!, b.texts[0]!]
  return one < other ? -1 : one > other ? 1 : (a.day ?? 0) - (b.day ?? 0)
}

/** The records of an amount that are nearest to a row, by text and then by day. */
const nearestOf = (held: ReadonlyArray<HeldNode>) => {
  const byAmount = new Map<string, Array<number>>()
  for (const [node, { row }] of held.entries()) {
    const list = byAmount.get(amountKey(row))
    if (list === undefined) byAmount.set(amountKey(row), [node])
    else list.push(node)
  }
  for (const list of byAmount.values()) list.sort((a, b) => compareRows(held[a]!.row, held[b]!.row) || a - b)
  return (row: MatchRow): ReadonlyArray<number> => {
    const list = byAmount.get(amountKey(row)) ?? []
    let [low, high] = [0, list.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareRows(held[list[middle]!]!.row, row) < 0) low = middle + 1
      else high = middle
    }
    return list.slice(Math.max(0, low - mostNearest / 2), low + mostNearest / 2)
  }
}

/** Days between two rows, those before it counted as far; the same for rows without a day. */
const gapOf = (booked: MatchRow, pending: MatchRow): number => {
  if (booked.day === undefined || pending.day === undefined) return 0
  const gap = booked.day - pending.day
  return gap >= -earlyDays ? Math.abs(gap) : Infinity
}

/** Pending rows that are still there, by amount: those that the read shows, and of a change feed those it told before. */
const waitingRows = ({
  detailOf,
  input,
  reader,
  waiting
}: UnmatchedInput): ReadonlyMap<string, ReadonlyArray<MatchRow>> =>
  Map.groupBy(
    [
      ...[...input.observations, ...(input.settled ?? [])].filter(({ pending }) => pending),
      ...waiting.map((entry) => ({ ...entry, fields: detailOf(entry).fields }))
    ].flatMap(({ date, fields, pending }) => reader.read(fields, date, pending) ?? []),
    amountKey
  )

const edgesOf = (
  problem: UnmatchedInput,
  seen: ReadonlyArray<SeenNode>,
  held: ReadonlyArray<HeldNode>
): ReadonlyArray<Edge> => {
  const { input } = problem
  const { config, idTrust } = input
  const byId = trusted(idTrust) && idTrust !== "session"
  const [first, last] = candidateWindow(config, true)
  const days = held.flatMap(({ row }) => row.day ?? [])
  let amounts: KnownAmounts | undefined
  let shown: ReadonlyMap<string, ReadonlyArray<MatchRow>> | undefined
  const edges: Array<Edge> = []

  /** A row of the oldest days that is dated a day off, where no id can say so; as a row that may be there still. */
  const mayMove = (row: MatchRow, other: MatchRow): boolean =>
    !byId &&
    row.day !== undefined &&
    other.day !== undefined &&
    Math.abs(row.day - other.day) === 1 &&
    likeness(row, other) >= sameText

  const consider = (left: number, right: number): void => {
    const { ofFile, providerId, row } = seen[left]!
    const other = held[right]!
    if (isFar(row, other.row)) return
    const crossesSources = ofFile || isOfFile(other.entry)
    const moves = row.day !== other.row.day
    if (other.cutOff && !crossesSources && (row.amount !== other.row.amount || (moves && !mayMove(row, other.row))))
      return
    if (crossesSources) {
      // What two sources have booked is paired by `ReadingPairs.ts`: here a file has booked what another source waits for.
      if (config.crossSource === "off" || other.row.removed || row.pending || !other.row.pending) return
    } else if (byId && !other.row.absent) {
      // Its id would have said so, had it only changed: the record may be there still, under the id we know. A change
      // feed that was asked for some days would not tell it again.
      if (idTrust === "stable" || input.atOnce || row.pending === other.row.pending) return
    } else if (byId && row.pending && (row.amount !== other.row.amount || row.day !== other.row.day)) {
      // While it is pending it keeps its id: another amount or another day under another id is another event.
      return
    }
    if (!row.pending && other.row.pending && (other.row.removed || row.amount !== other.row.amount)) {
      // A bank may show a row as pending beside its booked form: that one is meant, not one that was dropped before,
      // nor one of another amount.
      shown ??= waitingRows(problem)
      const most = row.amount === other.row.amount ? gapOf(row, other.row) : config.exactWindowDays + 1
      const isLikelier = (one: MatchRow): boolean =>
        gapOf(row, one) < most && likeness(row, one) >= Math.max(leastLikeness, likeness(row, other.row))
      if (shown.get(amountKey(row))?.some(isLikelier) === true) return
    }
    const amountElsewhere = (): boolean => {
      amounts ??= knownAmounts(problem, held)
      const near = other.row.day === undefined || Math.abs(other.row.day - row.day!) <= twinDays
      const itself = other.entry.state === "live" && other.row.amount === row.amount && near ? 2 : 1
      return amounts.near(row) > itself
    }
    // That a file has booked it is as good as the connection booking it.
    const compared = crossesSources
      ? { ...other.row, ...(problem.isLearnt?.(row, other.row) === true ? textsOf(row) : {}), absent: true }
      : other.cutOff && moves
        ? { ...other.row, absent: false }
        : other.row
    const cost = pairCost(row, compared, config, {
      sameId: idTrust === "positional" && providerId !== "" && providerId === other.entry.providerId,
      amountElsewhere,
      rates: problem.rates
    })
    if (cost !== undefined) edges.push({ ...cost, left, right, crossesSources })
  }

  const reaches = seen.map(({ row }): readonly [number, number] =>
    row.day === undefined ? [0, 0] : [lowerBound(days, row.day - last), lowerBound(days, row.day - first + 1)]
  )
  const undated = held.length - days.length
  const pairs = reaches.reduce((sum, [from, to]) => sum + to - from + undated, 0)
  if (pairs <= mostPairs) {
    for (const [left, [from, to]] of reaches.entries()) {
      if (seen[left]!.row.day === undefined) continue
      for (let right = from; right < to; right++) consider(left, right)
      for (let right = days.length; right < held.length; right++) consider(left, right)
      if (edges.length > mostEdges) break
    }
    if (edges.length <= mostEdges) return edges
    edges.length = 0
  }
  const nearest = nearestOf(held)
  for (const [left, { row }] of seen.entries()) {
    if (row.day !== undefined) for (const right of nearest(row)) consider(left, right)
  }
  return edges
}

/** The graph of all pairs that are possible, but for those that a person parted. */
export const graphOf = (problem: UnmatchedInput, apart: Apart): Graph => {
  const { input, isForbidden } = problem
  const shared = sharedIds(problem)
  const seen = seenNodes(problem, shared, apart)
  const held = heldNodes(problem, shared, apart)
  // Pairs of nodes of several rows are asked about when rows are taken: there may be very many.
  const edges = edgesOf(problem, seen, held).filter(({ left, right }) => {
    const [rows, records] = [seen[left]!.members, held[right]!.members]
    return rows.length > 1 || records.length > 1 || !isForbidden(records[0]!.id, input.observations[rows[0]!]!)
  })
  return { seen, held, edges }
}
