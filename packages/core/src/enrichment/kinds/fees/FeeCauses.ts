/** What each fee was charged for: one cause for a fee, and one fee of a kind for a cause (enrichments C9). */
import type { ScoredFee } from "./FeeScore.ts"

type Link = { readonly fee: ScoredFee; readonly cause: ScoredFee["causes"][number] }

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Among records of one day, which one it is: the first fee of a day goes with the first of several equal causes. */
const ordinals = (ids: ReadonlyArray<readonly [id: string, day: number]>): ReadonlyMap<string, number> => {
  const places = new Map<string, number>()
  const days = new Map<number, number>()
  for (const [id, day] of new Map(ids.toSorted(([a, on], [b, other]) => on - other || compareText(a, b)))) {
    const next = days.get(day) ?? 0
    places.set(id, next)
    days.set(day, next + 1)
  }
  return places
}

/**
 * Those that are each other's nearest. It depends on what lies within two windows of a fee alone, so that months can be
 * planned one by one.
 */
export const causesOf = (fees: ReadonlyArray<ScoredFee>): ReadonlyMap<string, ScoredFee["causes"][number]> => {
  const found = new Map<string, ScoredFee["causes"][number]>()
  for (const some of Map.groupBy(fees, ({ kind }) => kind).values()) {
    const feeAt = ordinals(some.map(({ item }) => [item.recordId, item.day]))
    const causeAt = ordinals(some.flatMap(({ causes }) => causes.map(({ item }) => [item.recordId, item.day] as const)))
    const distance = ({ cause, fee }: Link) =>
      Math.abs(feeAt.get(fee.item.recordId)! - causeAt.get(cause.item.recordId)!)
    const compare = (a: Link, b: Link): number =>
      a.cause.cost - b.cause.cost ||
      distance(a) - distance(b) ||
      compareText(a.fee.item.recordId, b.fee.item.recordId) ||
      compareText(a.cause.item.recordId, b.cause.item.recordId)
    const ofFee = new Map<string, Link>()
    const ofCause = new Map<string, Link>()
    const keep = (map: Map<string, Link>, id: string, link: Link): void => {
      const known = map.get(id)
      if (known === undefined || compare(link, known) < 0) map.set(id, link)
    }
    for (const fee of some) {
      for (const cause of fee.causes) {
        keep(ofFee, fee.item.recordId, { fee, cause })
        keep(ofCause, cause.item.recordId, { fee, cause })
      }
    }
    for (const [id, { cause }] of ofFee) {
      if (ofCause.get(cause.item.recordId)?.fee.item.recordId === id) found.set(id, cause)
    }
  }
  return found
}
