/**
 * One-to-one assignment of least cost, where everybody on the left may also stay alone at a price.
 *
 * Rows that nothing distinguishes are one node with a count, so that many equal rows cost no more than one. Each
 * connected part is solved by itself: exactly, by shortest augmenting paths, up to `exactNodes` nodes; larger
 * ones by the cheapest pairs first and then by exchanges, which is marked.
 */

/** A possible pair of nodes. Costs are whole numbers from 0; one of `alone` or more is never made. */
export interface Candidate {
  readonly left: number
  readonly right: number
  readonly cost: number
}

export interface AssignmentProblem {
  /** How many equal rows each node stands for; positive. Earlier nodes are preferred where costs are equal. */
  readonly left: ReadonlyArray<number>
  readonly right: ReadonlyArray<number>
  /** At most one for each pair of nodes, in any order. */
  readonly candidates: ReadonlyArray<Candidate>
  /** What a row on the left costs that stays alone. */
  readonly alone: number
}

export interface AssignedPair extends Candidate {
  /** Rows of the two nodes that are paired. */
  readonly count: number
  /**
   * How much more everything costs when one row less of these nodes is paired. Large components: how much the best
   * single exchange costs, which may be more than the true margin.
   */
  readonly margin: number
  readonly approximate: boolean
}

/** Nodes of a component that are still solved exactly. */
export const exactNodes = 200

/** One connected part, with nodes numbered from 0 on each side, in the order of the whole. */
interface Component {
  readonly left: ReadonlyArray<number>
  readonly right: ReadonlyArray<number>
  readonly candidates: ReadonlyArray<Candidate>
}

const numbers = (nodes: ReadonlyArray<number>): ReadonlyArray<number> => [...new Set(nodes)].toSorted((a, b) => a - b)

const components = (problem: AssignmentProblem): ReadonlyArray<Component> => {
  const lefts = problem.left.length
  const parent = Int32Array.from({ length: lefts + problem.right.length }, (_, node) => node)
  const find = (node: number): number => {
    let at = node
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]!]!
      at = parent[at]!
    }
    return at
  }
  const kept = problem.candidates
    .filter(({ cost }) => cost < problem.alone)
    .toSorted((a, b) => a.left - b.left || a.right - b.right)
  for (const { left, right } of kept) {
    const [a, b] = [find(left), find(lefts + right)]
    if (a !== b) parent[Math.max(a, b)] = Math.min(a, b)
  }
  const byRoot = new Map<number, Array<Candidate>>()
  for (const candidate of kept) {
    const root = find(candidate.left)
    const list = byRoot.get(root)
    if (list === undefined) byRoot.set(root, [candidate])
    else list.push(candidate)
  }
  return [...byRoot.values()].map((candidates) => ({
    left: numbers(candidates.map(({ left }) => left)),
    right: numbers(candidates.map(({ right }) => right)),
    candidates
  }))
}

/** Costs with the order of preference behind the point, as whole numbers that a double holds exactly. */
interface Scale {
  readonly unit: number
  readonly of: (cost: number, left: number, right: number) => number
  readonly points: (scaled: number) => number
}

/**
 * Where costs are equal, the earliest nodes are paired, and earlier with earlier. What decides ties on a path of
 * exchanges stays below half a unit, because a path visits each node once.
 */
const scaleOf = ({ left, right }: Component): Scale => {
  const nodes = left.length + right.length
  const order = left.length * right.length + 1
  const unit = 4 * nodes * (nodes + 1) * order
  return {
    unit,
    of: (cost, i, j) => cost * unit + (i + j) * order - i * j,
    points: (scaled) => Math.floor((scaled + unit / 2) / unit)
  }
}

/** Minimum-cost flow: source, left nodes, right nodes, sink; staying alone is an arc from the left to the sink. */
const solveExactly = (problem: AssignmentProblem, component: Component): ReadonlyArray<AssignedPair> => {
  const { left, right } = component
  const scale = scaleOf(component)
  const size = left.length + right.length + 2
  const source = size - 2
  const sink = size - 1
  const leftAt = new Map(left.map((node, i) => [node, i]))
  const rightAt = new Map(right.map((node, j) => [node, left.length + j]))
  const cost = new Float64Array(size * size)
  const room = new Float64Array(size * size)
  const arc = (from: number, to: number, price: number, capacity: number): void => {
    cost[from * size + to] = price
    cost[to * size + from] = -price
    room[from * size + to] = capacity
  }
  let open = 0
  for (const [i, node] of left.entries()) {
    const count = problem.left[node]!
    open += count
    arc(source, i, 0, count)
    arc(i, sink, problem.alone * scale.unit, Infinity)
  }
  for (const [j, node] of right.entries()) arc(left.length + j, sink, 0, problem.right[node]!)
  for (const candidate of component.candidates) {
    const i = leftAt.get(candidate.left)!
    const j = rightAt.get(candidate.right)!
    arc(i, j, scale.of(candidate.cost, i, j - left.length), Infinity)
  }

  const potential = new Float64Array(size)
  const distance = new Float64Array(size)
  const before = new Int32Array(size)
  const done = new Uint8Array(size)
  /** Distances at reduced costs; of all nodes, or until `target` is reached. */
  const search = (from: number, target: number | undefined): void => {
    distance.fill(Infinity)
    done.fill(0)
    distance[from] = 0
    for (;;) {
      let at = -1
      let least = Infinity
      for (let node = 0; node < size; node++) {
        if (done[node] === 0 && distance[node]! < least) {
          least = distance[node]!
          at = node
        }
      }
      if (at < 0 || at === target) return
      done[at] = 1
      const base = at * size
      for (let node = 0; node < size; node++) {
        if (done[node] === 1 || !(room[base + node]! > 0)) continue
        const next = least + cost[base + node]! + potential[at]! - potential[node]!
        if (next < distance[node]!) {
          distance[node] = next
          before[node] = at
        }
      }
    }
  }

  while (open > 0) {
    search(source, undefined)
    for (let node = 0; node < size; node++) if (distance[node]! < Infinity) potential[node]! += distance[node]!
    let amount = open
    for (let node = sink; node !== source; node = before[node]!) {
      amount = Math.min(amount, room[before[node]! * size + node]!)
    }
    for (let node = sink; node !== source; node = before[node]!) {
      room[before[node]! * size + node]! -= amount
      room[node * size + before[node]!]! += amount
    }
    open -= amount
  }

  return component.candidates.flatMap((candidate) => {
    const i = leftAt.get(candidate.left)!
    const j = rightAt.get(candidate.right)!
    const count = room[j * size + i]!
    if (count === 0) return []
    // One row of the pair has to go another way: by the cheapest path of exchanges that avoids the pair.
    const capacity = room[i * size + j]!
    room[i * size + j] = 0
    search(i, j)
    room[i * size + j] = capacity
    const detour = distance[j]! - potential[i]! + potential[j]!
    const margin = scale.points(detour - cost[i * size + j]!)
    return [{ ...candidate, count, margin, approximate: false }]
  })
}

/** Ways out that are tried for a row, the cheapest first. */
const mostOptions = 16

/** Exchanges that are tried before the result is taken as it is. */
const rounds = 8

/** Cheapest pairs first, then exchanges of two pairs while they help. */
const solveGreedily = (problem: AssignmentProblem, component: Component): ReadonlyArray<AssignedPair> => {
  const { alone } = problem
  const byCost = component.candidates.toSorted((a, b) => a.cost - b.cost || a.left - b.left || a.right - b.right)
  const costs = new Map<number, Map<number, number>>()
  const options = new Map<number, Array<Candidate>>()
  for (const candidate of byCost) {
    const own = costs.get(candidate.left)
    if (own === undefined) {
      costs.set(candidate.left, new Map([[candidate.right, candidate.cost]]))
      options.set(candidate.left, [candidate])
    } else {
      own.set(candidate.right, candidate.cost)
      const list = options.get(candidate.left)!
      if (list.length < mostOptions) list.push(candidate)
    }
  }
  const costOf = (left: number, right: number): number => costs.get(left)?.get(right) ?? Infinity
  const freeLeft = new Map(component.left.map((node) => [node, problem.left[node]!]))
  const freeRight = new Map(component.right.map((node) => [node, problem.right[node]!]))
  /** right -> left -> rows */
  const paired = new Map<number, Map<number, number>>(component.right.map((node) => [node, new Map()]))
  const rightsOf = new Map<number, Set<number>>(component.left.map((node) => [node, new Set()]))
  const pair = (left: number, right: number, count: number): void => {
    const rows = paired.get(right)!
    const next = (rows.get(left) ?? 0) + count
    if (next === 0) {
      rows.delete(left)
      rightsOf.get(left)!.delete(right)
    } else {
      rows.set(left, next)
      rightsOf.get(left)!.add(right)
    }
    freeLeft.set(left, freeLeft.get(left)! - count)
    freeRight.set(right, freeRight.get(right)! - count)
  }
  for (const { left, right } of byCost) {
    const count = Math.min(freeLeft.get(left)!, freeRight.get(right)!)
    if (count > 0) pair(left, right, count)
  }

  /** What it costs more to take `left` from where it is and give it to `option`, whose row takes what remains. */
  const exchange = (
    left: number,
    right: number | undefined,
    option: Candidate
  ): { readonly change: number; readonly other: number | undefined } | undefined => {
    const change = option.cost - (right === undefined ? alone : costOf(left, right))
    if (freeRight.get(option.right)! > 0) return { change, other: undefined }
    let best: { readonly change: number; readonly other: number } | undefined
    for (const other of paired.get(option.right)!.keys()) {
      if (other === left) continue
      const instead = right === undefined ? alone : Math.min(alone, costOf(other, right))
      const total = change + instead - costOf(other, option.right)
      if (best === undefined || total < best.change || (total === best.change && other < best.other)) {
        best = { change: total, other }
      }
    }
    return best
  }
  const rowsOf = (left: number): ReadonlyArray<number | undefined> => {
    const rights = [...rightsOf.get(left)!].toSorted((a, b) => a - b)
    return freeLeft.get(left)! > 0 ? [...rights, undefined] : rights
  }
  const improve = (): boolean => {
    let improved = false
    for (const left of component.left) {
      for (const right of rowsOf(left)) {
        for (const option of options.get(left)!) {
          if (option.right === right) continue
          const found = exchange(left, right, option)
          if (found === undefined || found.change >= 0) continue
          if (right !== undefined) pair(left, right, -1)
          if (found.other !== undefined) {
            pair(found.other, option.right, -1)
            if (right !== undefined && costOf(found.other, right) < alone) pair(found.other, right, 1)
          }
          pair(left, option.right, 1)
          improved = true
          break
        }
      }
    }
    return improved
  }
  for (let round = 0; round < rounds; round++) if (!improve()) break

  const marginOf = (left: number, right: number): number => {
    let least = alone - costOf(left, right)
    for (const option of options.get(left)!) {
      if (option.right === right) continue
      const found = exchange(left, right, option)
      if (found !== undefined) least = Math.min(least, found.change)
    }
    return Math.max(0, least)
  }
  return component.candidates.flatMap((candidate) => {
    const count = paired.get(candidate.right)!.get(candidate.left) ?? 0
    if (count === 0) return []
    return [{ ...candidate, count, margin: marginOf(candidate.left, candidate.right), approximate: true }]
  })
}

/** Pairs of the cheapest assignment, in the order of their left and then right nodes. */
export const assign = (problem: AssignmentProblem): ReadonlyArray<AssignedPair> =>
  components(problem)
    .flatMap((component): ReadonlyArray<AssignedPair> => {
      const [only, another] = component.candidates
      if (another === undefined) {
        const count = Math.min(problem.left[only!.left]!, problem.right[only!.right]!)
        return [{ ...only!, count, margin: problem.alone - only!.cost, approximate: false }]
      }
      return component.left.length + component.right.length > exactNodes
        ? solveGreedily(problem, component)
        : solveExactly(problem, component)
    })
    .toSorted((a, b) => a.left - b.left || a.right - b.right)
