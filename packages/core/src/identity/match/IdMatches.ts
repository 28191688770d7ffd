/** Matches by links and upstream ids alone (enrichments D1, tier 1). */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import type { Observation } from "../../record/Observation.ts"
import { covers, isListed, isOfFile, isUnread, trusted } from "./Coverage.ts"
import type { LateLink } from "./LateSettlement.ts"
import type { MatchInput } from "./Matching.ts"
import type { Pairing } from "./Pairing.ts"
import { compareIds, compareObservations, compareOwners } from "./RowOrder.ts"

/** A row of a file, and the record that has its id or had it once. */
export interface WeakHit {
  readonly at: number
  readonly entry: IndexEntry
}

export interface IdMatches {
  /** Observations that were found by their own id, present or former. */
  readonly hits: ReadonlyArray<number>
  /** Those of them whose content is another now, so that the guard has to be asked. */
  readonly doubtful: ReadonlyArray<number>
  /** What ids say of rows of a file. No pairs are made of them yet. */
  readonly weak: ReadonlyArray<WeakHit>
  /** Pending records whose settled form is another record already, by a link that came late. */
  readonly lateLinks: ReadonlyArray<LateLink>
  /** Their upstream ids: their absence is explained. */
  readonly settledElsewhere: ReadonlySet<string>
}

/** Ids that stand for more than one row of a read say nothing about identity. */
const repeatedIds = (observations: ReadonlyArray<Observation>): ReadonlySet<string> => {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { providerId } of observations) {
    if (providerId === "") continue
    if (seen.has(providerId)) repeated.add(providerId)
    else seen.add(providerId)
  }
  return repeated
}

/** A live record that the last reads lacked, or that is the older one, has lost its id to the other. */
const compareHolders = (a: IndexEntry, b: IndexEntry): number =>
  a.state === "live" && b.state === "live" ? a.missed - b.missed || compareIds(b, a) : compareOwners(a, b)

/** Who has an id. */
class Holders {
  readonly #first = new Map<string, IndexEntry>()
  readonly #others = new Map<string, Array<IndexEntry>>()

  constructor(held: ReadonlyArray<IndexEntry>) {
    for (const entry of held) {
      if (entry.providerId !== "") this.#add(entry)
    }
  }

  #add(entry: IndexEntry): void {
    const { providerId } = entry
    const first = this.#first.get(providerId)
    const isFirst = first === undefined || compareHolders(entry, first) < 0
    if (isFirst) this.#first.set(providerId, entry)
    if (first === undefined) return
    const other = isFirst ? first : entry
    const others = this.#others.get(providerId)
    if (others === undefined) this.#others.set(providerId, [other])
    else others.push(other)
  }

  get(providerId: string): IndexEntry | undefined {
    return this.#first.get(providerId)
  }

  /** The one that says the same, or else the one that has the id now. */
  of({ hash, providerId }: Observation): IndexEntry | undefined {
    const first = this.#first.get(providerId)
    if (first === undefined || first.hash === hash) return first
    const same = this.#others.get(providerId)?.find((entry) => entry.state === "live" && entry.hash === hash)
    return same ?? first
  }
}

/** A claim of an observation to a record; of several to one record the first in canonical order counts. */
type Claims = Map<string, { readonly at: number; readonly entry: IndexEntry }>

const claim = (
  claims: Claims,
  observations: ReadonlyArray<Observation>,
  at: number,
  entry: IndexEntry | undefined
): void => {
  if (entry === undefined) return
  const other = claims.get(entry.id)
  if (other === undefined || compareObservations(observations[at]!, observations[other.at]!) < 0) {
    claims.set(entry.id, { at, entry })
  }
}

const none: IdMatches = { hits: [], doubtful: [], weak: [], lateLinks: [], settledElsewhere: new Set() }

/** Pairs what ids settle; the doubtful pairs are made as well, and stay only if the guard lets them. */
export const pairByIds = (input: MatchInput, pairing: Pairing): IdMatches => {
  const { held, observations } = input
  if (!trusted(input.idTrust) || held.length === 0) return none
  const repeated = repeatedIds(observations)
  const owners = new Holders(held)
  const byRecord = new Map<string, IndexEntry>()
  const shown = new Set<string>()
  if (input.aliases.size > 0) {
    for (const entry of held) byRecord.set(entry.id, entry)
    for (const { providerId } of observations) shown.add(providerId)
  }

  const formerOwner = (providerId: string): IndexEntry | undefined => byRecord.get(input.aliases.get(providerId) ?? "")

  /**
   * A record that goes on under another id now is meant by a former one only where that other id is gone: else they
   * are two events, of which one was taken for the other's later form. Ids of two sources never stand against each other,
   * and files give no word of what is gone.
   */
  const isSuperseded = (entry: IndexEntry, providerId: string): boolean =>
    entry.state === "live" &&
    entry.providerId !== "" &&
    entry.providerId !== providerId &&
    isOfFile(entry) === isOfFile({ providerId }) &&
    (shown.has(entry.providerId) ||
      (!isOfFile(entry) && (isUnread(input, entry) || !(isListed(input, entry) || covers(input, entry)))))

  const settledElsewhere = new Set<string>()
  const lateLinks: Array<LateLink> = []
  const links: Claims = new Map()
  for (let at = 0; at < observations.length; at++) {
    const { pendingProviderId, providerId } = observations[at]!
    if (pendingProviderId === "") continue
    // A link that comes late finds the settled row under its own id: that one goes on, or it would be doubled.
    const booked = owners.get(providerId)
    if (booked?.state === "live") {
      settledElsewhere.add(pendingProviderId)
      const entry = owners.get(pendingProviderId)
      if (entry !== undefined && entry.state === "live" && entry.pending && !booked.pending) {
        lateLinks.push({ entry, booked })
      }
      continue
    }
    const former = formerOwner(pendingProviderId)
    claim(
      links,
      observations,
      at,
      owners.get(pendingProviderId) ?? (former === undefined || isSuperseded(former, providerId) ? undefined : former)
    )
  }
  for (const { at, entry } of links.values()) pairing.take(at, entry, { tier: "link" })

  const hits: Array<number> = []
  const doubtful: Array<number> = []
  const weak: Array<WeakHit> = []
  const hit = (at: number, entry: IndexEntry | undefined): void => {
    const observation = observations[at]!
    const isOther = entry !== undefined && entry.hash !== observation.hash
    // Ids of files are evidence, beside which days, balances and counts decide.
    if (entry !== undefined && isOfFile(observation) && !input.byIdOnly) {
      weak.push({ at, entry })
      return
    }
    if (!pairing.take(at, entry, { tier: "id" })) return
    hits.push(at)
    if (isOther && !isOfFile(observation) && !isOfFile(entry!)) doubtful.push(at)
  }
  for (let at = 0; at < observations.length; at++) {
    const { providerId } = observations[at]!
    if (providerId !== "" && !repeated.has(providerId)) hit(at, owners.of(observations[at]!))
  }
  if (input.aliases.size > 0) {
    const former: Claims = new Map()
    for (let at = 0; at < observations.length; at++) {
      const { providerId } = observations[at]!
      if (providerId === "" || repeated.has(providerId) || pairing.entryOf(at) !== undefined) continue
      const entry = formerOwner(providerId)
      if (entry !== undefined && !pairing.isTaken(entry) && !isSuperseded(entry, providerId)) {
        claim(former, observations, at, entry)
      }
    }
    for (const { at, entry } of former.values()) hit(at, entry)
  }
  return { hits, doubtful, weak, lateLinks, settledElsewhere }
}
