/** How far the upstream ids of an account have proven worthy of trust (enrichments D1.2). */
import type { IdTrust } from "../../provider/Capabilities.ts"

/** Hits by id that count. */
const window = 200
/** Contradictions among them after which ids are not believed any more. */
const tolerated = 3

export interface TrustCounter {
  /** For each contradiction among the last hits: how many hits came after it. Newest first. */
  readonly contradictions: ReadonlyArray<number>
  /** Ids are taken for positional from now on; nothing but a reset changes that. */
  readonly demoted: boolean
}

export const fullTrust: TrustCounter = { contradictions: [], demoted: false }

/**
 * Counts the hits of one read. In which order they came is not known, so contradictions count as the last of
 * them. Returns the same counter where there is nothing to keep.
 */
export const countHits = (trust: TrustCounter, hits: number, contradictions: number): TrustCounter => {
  if (trust.demoted || (contradictions === 0 && (hits === 0 || trust.contradictions.length === 0))) return trust
  const fresh = Array.from({ length: Math.min(contradictions, tolerated) }, (_, after) => after)
  const old = trust.contradictions.map((after) => after + hits).filter((after) => after < window)
  const counted = [...fresh, ...old]
  return { contradictions: counted.slice(0, tolerated), demoted: counted.length >= tolerated }
}

/** The class of trust that ids of this account have, whatever the driver declares. */
export const trustOf = (declared: IdTrust, { demoted }: TrustCounter): IdTrust =>
  demoted && declared !== "none" ? "positional" : declared
