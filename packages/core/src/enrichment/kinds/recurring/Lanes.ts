/** Which observations of a merchant might be one series (enrichments D3.2). */

/** A payment: those of one day, account and amount are one. Amounts are minor units without a sign. */
export interface Observation {
  readonly recordId: string
  /** Days since 1970-01-01. */
  readonly day: number
  readonly amount: number
  readonly accountId: string
}

export interface Lane {
  /** In the order of time. */
  readonly observations: ReadonlyArray<Observation>
  /** What its score gets for what it is. */
  readonly bonus: number
}

const bandGap = 0.18
const stepRatio = 0.47
const mostPerDay = 0.2
const wholeBonus = 100
const chainBonus = 60

export const byTime = (a: Observation, b: Observation): number =>
  a.day - b.day || (a.recordId < b.recordId ? -1 : a.recordId > b.recordId ? 1 : 0)

/** In the order of their first observations. */
const groupsOf = (all: ReadonlyArray<Observation>): ReadonlyArray<ReadonlyArray<Observation>> => [
  ...Map.groupBy(all, ({ amount }) => amount).values()
]

const bandsOf = (all: ReadonlyArray<Observation>): ReadonlyArray<ReadonlyArray<Observation>> => {
  const sorted = all.toSorted((a, b) => a.amount - b.amount || byTime(a, b))
  const bands: Array<Array<Observation>> = []
  for (const [at, one] of sorted.entries()) {
    const before = sorted[at - 1]
    if (before === undefined || Math.log(one.amount / before.amount) > bandGap) bands.push([one])
    else bands.at(-1)!.push(one)
  }
  return bands.map((band) => band.toSorted(byTime))
}

/** Groups that follow each other in time with a price step between; only the last one may be a single payment. */
const chainsOf = (groups: ReadonlyArray<ReadonlyArray<Observation>>): ReadonlyArray<ReadonlyArray<Observation>> => {
  const chains: Array<ReadonlyArray<Observation>> = []
  const followed = new Set<number>()
  for (let start = 0; start < groups.length; start++) {
    if (followed.has(start) || groups[start]!.length < 2) continue
    const chain: Array<Observation> = [...groups[start]!]
    let links = 0
    for (let next = start + 1; next < groups.length; next++) {
      const group = groups[next]!
      const last = chain.at(-1)!
      if (group[0]!.day <= last.day || Math.abs(Math.log(group[0]!.amount / last.amount)) > stepRatio) continue
      chain.push(...group)
      followed.add(next)
      links++
      if (group.length < 2) break
    }
    if (links > 0) chains.push(chain)
  }
  return chains
}

const isSparse = (lane: ReadonlyArray<Observation>): boolean =>
  lane.length <= mostPerDay * (lane.at(-1)!.day - lane[0]!.day + 1)

/** Lanes worth fitting, each once. `all` is in the order of time. */
export const lanesOf = (all: ReadonlyArray<Observation>, leastHits: number): ReadonlyArray<Lane> => {
  if (all.length < leastHits) return []
  const lanes: Array<Lane> = []
  const known = new Set<string>()
  const add = (observations: ReadonlyArray<Observation>, bonus: number): void => {
    if (observations.length < leastHits || !isSparse(observations)) return
    const key = observations.map(({ recordId }) => recordId).join(" ")
    if (known.has(key)) return
    known.add(key)
    lanes.push({ observations, bonus })
  }
  add(all, wholeBonus)
  const groups = groupsOf(all)
  if (groups.length > 1) {
    for (const chain of chainsOf(groups)) add(chain, chainBonus)
    for (const band of bandsOf(all)) add(band, 0)
    for (const group of groups) add(group, 0)
  }
  return lanes
}
