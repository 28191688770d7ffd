/** What people say of series: anchored on payments of theirs, so that it holds for whichever series they are in now. */
import type { Id } from "../../../shared/Ids.ts"
import type { EnrichmentFact, FactRequest } from "../EnrichmentFact.ts"

const nameField = "recurring.name"
const endField = "recurring.ended"

/** Where a series is, for those who say something of it. */
export interface SeriesRef {
  readonly enrichmentId: Id<"enrichment">
  /** The partition it was found in. */
  readonly partition: string
  /** Some of its payments. */
  readonly recordIds: ReadonlyArray<string>
}

const anchored = (
  { enrichmentId, recordIds }: SeriesRef,
  fact: Pick<FactRequest, "kind" | "field" | "value">
): ReadonlyArray<FactRequest> => recordIds.map((recordId) => ({ ...fact, enrichmentId, recordId }))

/** The facts that say it. */
export const nameSeries = (series: SeriesRef, name: string): ReadonlyArray<FactRequest> =>
  anchored(series, { kind: "note", field: nameField, value: name })

/** Whether it names a series with one of these payments. */
export const isNameOf = ({ field, kind, recordId }: EnrichmentFact, recordIds: ReadonlySet<string>): boolean =>
  kind === "note" && field === nameField && recordId !== undefined && recordIds.has(recordId)

/** It is one, however few payments there are. */
export const confirmSeries = (series: SeriesRef): ReadonlyArray<FactRequest> => anchored(series, { kind: "accept" })

/** It is none. */
export const rejectSeries = (series: SeriesRef): ReadonlyArray<FactRequest> => anchored(series, { kind: "reject" })

/** It is over since that day; a payment after it brings it back. */
export const endSeries = (series: SeriesRef, day: string): ReadonlyArray<FactRequest> =>
  anchored(series, { kind: "note", field: endField, value: day })

/** Two payments of one series belong to two: the later one begins the second. */
export const splitSeries = (
  enrichmentId: Id<"enrichment">,
  recordId: string,
  otherId: string
): ReadonlyArray<FactRequest> => [{ kind: "forbid", enrichmentId, recordId, otherId }]

/** Two series are one, of one merchant or of two. Each side knows where the other one is. */
export const mergeSeries = (a: SeriesRef, b: SeriesRef): ReadonlyArray<FactRequest> => {
  const [recordId, otherId] = [a.recordIds[0], b.recordIds[0]]
  if (recordId === undefined || otherId === undefined) return []
  const fact = { kind: "confirm", enrichmentId: a.enrichmentId } as const
  return [
    { ...fact, recordId, otherId, value: b.partition },
    { ...fact, recordId: otherId, otherId: recordId, value: a.partition }
  ]
}

interface Pair {
  readonly a: string
  readonly b: string
}

/** What was said, by what it is about. */
export interface SeriesDecisions {
  /** Each name with the payments that it was said of, the oldest first. */
  readonly names: ReadonlyArray<{ readonly value: string; readonly anchors: ReadonlySet<string> }>
  readonly ends: ReadonlyArray<{ readonly value: string; readonly anchors: ReadonlySet<string> }>
  readonly confirmed: ReadonlySet<string>
  readonly rejected: ReadonlySet<string>
  readonly splits: ReadonlyArray<Pair>
  readonly merges: ReadonlyArray<Pair & { readonly partition?: string }>
}

export const wordsOf = (facts: ReadonlyArray<EnrichmentFact>): SeriesDecisions => {
  const names = new Map<string, { value: string; anchors: Set<string> }>()
  const ends = new Map<string, { value: string; anchors: Set<string> }>()
  const confirmed = new Set<string>()
  const rejected = new Set<string>()
  const splits: Array<Pair> = []
  const merges: Array<SeriesDecisions["merges"][number]> = []
  for (const { at, field, kind, otherId, recordId, value } of facts) {
    if (recordId === undefined) continue
    if (kind === "accept") confirmed.add(recordId)
    else if (kind === "reject") rejected.add(recordId)
    else if (kind === "forbid" && otherId !== undefined) splits.push({ a: recordId, b: otherId })
    else if (kind === "confirm" && otherId !== undefined) {
      merges.push({ a: recordId, b: otherId, ...(typeof value === "string" ? { partition: value } : {}) })
    } else if (kind === "note" && typeof value === "string" && (field === nameField || field === endField)) {
      const said = field === nameField ? names : ends
      const key = `${at} ${value}`
      const known = said.get(key) ?? { value, anchors: new Set<string>() }
      said.set(key, known)
      known.anchors.add(recordId)
    }
  }
  return { names: [...names.values()], ends: [...ends.values()], confirmed, rejected, splits, merges }
}

/** The series that holds most of the anchors, the first of equals; `-1` where none holds any. */
export const heir = (series: ReadonlyArray<ReadonlySet<string>>, anchors: ReadonlySet<string>): number => {
  let best = -1
  let most = 0
  for (const [at, members] of series.entries()) {
    let count = 0
    for (const anchor of anchors) if (members.has(anchor)) count++
    if (count > most) [best, most] = [at, count]
  }
  return best
}
