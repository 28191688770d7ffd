/** What ids and equal contents leave open, assigned one-to-one at least cost (enrichments D1, tier 2). */
import type { IndexEntry } from "../record/LedgerRecord.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { assign, type AssignedPair } from "./Assignment.ts"
import { covers, isListed, isOfFile, trusted } from "./Covered.ts"
import { KnownAmounts } from "./KnownAmounts.ts"
import { pairCost, twinDays, unmatchedCost, type HeldRow, type PairCost } from "./MatchCost.ts"
import type { HeldDetail, MatchDetails, MatchEvidence, MatchInput, Suggestion } from "./Matching.ts"
import type { MatchRow, RowReader } from "./MatchRow.ts"
import type { Pairing } from "./Pairing.ts"
import { lowerBound, reachOf } from "./Reach.ts"
import { compareIds, compareObservations } from "./RowOrder.ts"

export interface ResidueInput {
  readonly input: MatchInput
  readonly pairing: Pairing
  readonly reader: RowReader
  /** Free records that may be meant. */
  readonly candidates: ReadonlyArray<IndexEntry>
  readonly detailOf: (entry: IndexEntry) => HeldDetail
  readonly isForbidden: MatchDetails["isForbidden"]
}

/** Observations that nothing tells apart. */
interface SeenNode {
  readonly row: MatchRow
  readonly ofFile: boolean
  readonly providerId: string
  /** Their places, in canonical order. */
  readonly members: Array<number>
}

/** Records that nothing tells apart, oldest first. */
interface HeldNode {
  readonly row: Omit<HeldRow, "foreignSource">
  readonly entry: IndexEntry
  readonly edited: boolean
  readonly members: Array<IndexEntry>
}

interface Edge extends PairCost {
  readonly left: number
  readonly right: number
  readonly crossesSources: boolean
}

const dayMillis = 86_400_000

const contentOf = (row: MatchRow): ReadonlyArray<unknown> => [
  row.day ?? null,
  row.amount,
  row.currency,
  row.pending,
  row.foreign,
  ...row.texts
]

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
interface Apart {
  readonly observations: Set<number>
  readonly records: Set<string>
}

/** Ids of both sides, where ids are renumbered: they are worth a little, so their rows are not interchangeable. */
const sharedIds = ({ candidates, input, pairing }: ResidueInput): ReadonlySet<string> => {
  if (input.idTrust !== "positional") return new Set()
  const held = new Set(candidates.map(({ providerId }) => providerId))
  return new Set(pairing.open.map((at) => input.observations[at]!.providerId).filter((id) => id !== "" && held.has(id)))
}

const seenNodes = (
  { input, pairing, reader }: ResidueInput,
  shared: ReadonlySet<string>,
  apart: Apart
): ReadonlyArray<SeenNode> => {
  const { observations } = input
  const nodes = new Map<string, SeenNode>()
  for (const at of pairing.open.toSorted((a, b) => compareObservations(observations[a]!, observations[b]!))) {
    const observation = observations[at]!
    const { providerId } = observation
    const row = reader.read(observation.fields, observation.date, observation.pending)
    if (row === undefined) continue
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
  { candidates, detailOf, input, reader }: ResidueInput,
  shared: ReadonlySet<string>,
  apart: Apart
): ReadonlyArray<HeldNode> => {
  const oldest = Timestamp.fromMillis(Timestamp.toMillis(input.now) - input.config.revivalDays * dayMillis)
  const nodes = new Map<string, HeldNode>()
  for (const entry of candidates.toSorted(compareIds)) {
    const { edited, fields, updatedAt } = detailOf(entry)
    const removed = entry.state === "removed"
    if (removed && updatedAt < oldest) continue
    const read = reader.read(fields, entry.date, entry.pending)
    if (read === undefined) continue
    const listed = isListed(input, entry)
    const row = { ...read, removed, listed, absent: removed || listed || covers(input.coverage, entry) }
    const { providerId, state } = entry
    const own = [state, listed, row.absent, isOfFile(entry), edited]
    const alone = [shared.has(providerId) ? providerId : null, apart.records.has(entry.id) ? entry.id : null]
    collect(nodes, JSON.stringify([...contentOf(read), ...own, ...alone]), entry, (members) => ({
      row,
      entry,
      edited,
      members
    }))
  }
  return [...nodes.values()].toSorted((a, b) => (a.row.day ?? Infinity) - (b.row.day ?? Infinity) || 0)
}

/** Every row of which an amount is known: what the read shows, and what may be meant and is live. */
const knownAmounts = ({ input, reader }: ResidueInput, held: ReadonlyArray<HeldNode>): KnownAmounts => {
  const seen = input.observations.flatMap(({ date, fields, pending }) => reader.read(fields, date, pending) ?? [])
  const live = held.filter(({ entry }) => entry.state === "live").flatMap(({ members, row }) => members.map(() => row))
  return new KnownAmounts([...seen, ...live])
}

const edgesOf = (
  problem: ResidueInput,
  seen: ReadonlyArray<SeenNode>,
  held: ReadonlyArray<HeldNode>
): ReadonlyArray<Edge> => {
  const { input } = problem
  const { config, idTrust } = input
  const byId = trusted(idTrust) && idTrust !== "session"
  const [first, last] = reachOf(config, true)
  const days = held.flatMap(({ row }) => row.day ?? [])
  let known: KnownAmounts | undefined
  const edges: Array<Edge> = []

  const consider = (left: number, right: number): void => {
    const { ofFile, providerId, row } = seen[left]!
    const other = held[right]!
    const crossesSources = ofFile !== isOfFile(other.entry)
    if (crossesSources) {
      if (config.crossSource === "off" || other.row.removed) return
    } else if (byId && !other.row.absent) {
      // Its id would have said so, had it only changed: the record may be there still, under the id we know.
      if (idTrust === "stable" || row.pending === other.row.pending) return
    } else if (byId && row.pending && (row.amount !== other.row.amount || row.day !== other.row.day)) {
      // While it is pending it keeps its id: another amount or another day under another id is another event.
      return
    }
    // A file has booked what the connection shows as pending: as good as the connection booking it.
    const settles = crossesSources && other.row.pending
    const compared = { ...other.row, absent: other.row.absent || settles, foreignSource: crossesSources && !settles }
    const cost = pairCost(row, compared, config, {
      sameId: idTrust === "positional" && providerId !== "" && providerId === other.entry.providerId,
      amountElsewhere: () => {
        known ??= knownAmounts(problem, held)
        const near = other.row.day === undefined || Math.abs(other.row.day - row.day!) <= twinDays
        const itself = other.entry.state === "live" && other.row.amount === row.amount && near ? 2 : 1
        return known.near(row) > itself
      }
    })
    if (cost !== undefined) edges.push({ ...cost, left, right, crossesSources })
  }

  for (const [left, { row }] of seen.entries()) {
    if (row.day === undefined) continue
    const end = lowerBound(days, row.day - first + 1)
    for (let right = lowerBound(days, row.day - last); right < end; right++) consider(left, right)
    for (let right = days.length; right < held.length; right++) consider(left, right)
  }
  return edges
}

/** The graph without pairs that a person parted. */
const graphOf = (problem: ResidueInput) => {
  const { input, isForbidden } = problem
  const shared = sharedIds(problem)
  const apart: Apart = { observations: new Set(), records: new Set() }
  for (;;) {
    const seen = seenNodes(problem, shared, apart)
    const held = heldNodes(problem, shared, apart)
    let parted = false
    const edges = edgesOf(problem, seen, held).filter(({ left, right }) => {
      let forbidden = false
      const [rows, records] = [seen[left]!.members, held[right]!.members]
      for (const at of rows) {
        for (const { id } of records) {
          if (!isForbidden(id, input.observations[at]!)) continue
          forbidden = true
          if (rows.length === 1 && records.length === 1) continue
          apart.observations.add(at)
          apart.records.add(id)
          parted = true
        }
      }
      return !forbidden
    })
    if (!parted) return { seen, held, edges }
  }
}

const evidenceOf = ({ approximate, margin }: AssignedPair, { cost, parts }: Edge): MatchEvidence => ({
  tier: "cost",
  cost,
  parts,
  margin,
  ...(approximate ? { approximate } : {})
})

/** Pairs what costs least; answers which pairs are left to a person. */
export const pairResidue = (problem: ResidueInput): ReadonlyArray<Suggestion> => {
  const { input, pairing } = problem
  const { config } = input
  const { edges, held, seen } = graphOf(problem)
  const suggestions: Array<Suggestion> = []
  const leftCounts = seen.map(({ members }) => members.length)
  const rightCounts = held.map(({ members }) => members.length)
  let open = edges
  for (;;) {
    const byPair = new Map(open.map((edge) => [edge.left * held.length + edge.right, edge]))
    const edited = new Set(open.flatMap(({ left, right }) => (held[right]!.edited ? [left] : [])))
    const made = assign({ left: leftCounts, right: rightCounts, candidates: open, alone: unmatchedCost }).map(
      (pair) => ({ pair, edge: byPair.get(pair.left * held.length + pair.right)! })
    )
    const isWithheld = ({ edge, pair }: (typeof made)[number]): boolean => {
      // Which of several look-alikes a second source means changes nothing: amounts are equal, and all of them are
      // there. What counts is whether it is any of them.
      if (edge.crossesSources) {
        return config.crossSource === "suggest" || unmatchedCost - edge.cost < config.reviewMargin
      }
      return edge.amountChanged && pair.margin < config.reviewMargin && edited.has(edge.left)
    }
    const withheld = made.filter(isWithheld)
    if (withheld.length === 0) {
      const usedLeft = new Map<number, number>()
      const usedRight = new Map<number, number>()
      for (const { edge, pair } of made) {
        const [i, j] = [usedLeft.get(pair.left) ?? 0, usedRight.get(pair.right) ?? 0]
        for (let n = 0; n < pair.count; n++) {
          pairing.take(seen[pair.left]!.members[i + n]!, held[pair.right]!.members[j + n], evidenceOf(pair, edge))
        }
        usedLeft.set(pair.left, i + pair.count)
        usedRight.set(pair.right, j + pair.count)
      }
      break
    }
    for (const { edge, pair } of withheld) {
      for (let n = 0; n < pair.count; n++) {
        suggestions.push({
          observation: input.observations[seen[pair.left]!.members[n]!]!,
          recordId: held[pair.right]!.members[n]!.id,
          evidence: evidenceOf(pair, edge)
        })
      }
    }
    const parted = new Set(withheld.map(({ pair }) => pair.left))
    open = open.filter(({ left }) => !parted.has(left))
  }
  // A record that found its counterpart after all needs no suggestion.
  const taken = new Set(problem.candidates.filter((entry) => pairing.isTaken(entry)).map(({ id }) => id))
  return suggestions.filter(({ recordId }) => !taken.has(recordId))
}
