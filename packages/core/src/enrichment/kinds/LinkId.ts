/** Ids of the links that enrichments find (enrichments A5). */
import { derivedId, type Sha256 } from "../../shared/DerivedId.ts"
import type { PlannedLink } from "./SetKind.ts"

/** The same for the same members, in whatever order they are named. */
export const linkId = (
  sha256: Sha256,
  enrichmentId: string,
  { kind, members }: Pick<PlannedLink<unknown>, "kind" | "members">
): string => {
  const [first, second, ...others] = members
  // Most links are of two.
  if (first !== undefined && second !== undefined && others.length === 0) {
    const isOrdered = first.recordId <= second.recordId
    const [least, most] = isOrdered ? [first.recordId, second.recordId] : [second.recordId, first.recordId]
    return derivedId(sha256, enrichmentId, kind, least, most)
  }
  return derivedId(sha256, enrichmentId, kind, ...members.map(({ recordId }) => recordId).toSorted())
}
