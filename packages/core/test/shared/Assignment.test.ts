import { assign, exactNodes, type AssignmentProblem, type Candidate } from "../../src/shared/Assignment.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "vitest"

const alone = 1_000

/** Rows of a problem, each by itself. */
interface Rows {
  readonly left: ReadonlyArray<number>
  readonly right: ReadonlyArray<number>
  readonly costs: ReadonlyMap<string, number>
}

const rowsOf = ({ candidates, left, right }: AssignmentProblem): Rows => ({
  left: left.flatMap((count, node) => Array.from({ length: count }, () => node)),
  right: right.flatMap((count, node) => Array.from({ length: count }, () => node)),
  costs: new Map(candidates.filter(({ cost }) => cost < alone).map((one) => [`${one.left} ${one.right}`, one.cost]))
})

/** The least cost of all assignments, found by trying all; `most` bounds how many rows two nodes may pair. */
const leastCost = ({ costs, left, right }: Rows, most: ReadonlyMap<string, number> = new Map()): number => {
  const used = new Set<number>()
  const made = new Map<string, number>()
  const from = (at: number): number => {
    if (at === left.length) return 0
    let best = alone + from(at + 1)
    for (const [j, node] of right.entries()) {
      const key = `${left[at]!} ${node}`
      const cost = costs.get(key)
      const count = made.get(key) ?? 0
      if (cost === undefined || used.has(j) || count >= (most.get(key) ?? Infinity)) continue
      used.add(j)
      made.set(key, count + 1)
      best = Math.min(best, cost + from(at + 1))
      made.set(key, count)
      used.delete(j)
    }
    return best
  }
  return from(0)
}

const costOf = (problem: AssignmentProblem): number => {
  const pairs = assign(problem)
  const paired = pairs.reduce((sum, { count }) => sum + count, 0)
  const rows = problem.left.reduce((sum, count) => sum + count, 0)
  return pairs.reduce((sum, { cost, count }) => sum + cost * count, (rows - paired) * alone)
}

const randomProblem = (random: Seeded, nodes: number, count: number): AssignmentProblem => {
  const left = random.list(1, nodes, () => 1 + random.below(count))
  const right = random.list(1, nodes, () => 1 + random.below(count))
  const price = random.pick([4, 600, 1_300])
  const candidates = left.flatMap((_, i) =>
    right.flatMap((__, j): ReadonlyArray<Candidate> =>
      random.once(3) ? [] : [{ left: i, right: j, cost: random.below(price) }]
    )
  )
  return { left, right, candidates, alone }
}

const all = (left: number, right: number) =>
  Array.from({ length: left * right }, (_, n) => ({ left: n % left, right: Math.floor(n / left), cost: 7 }))

/** A chain in which the cheapest pair of all leaves a row at each end alone. */
const chain = (size: number): AssignmentProblem => ({
  left: Array.from({ length: size }, () => 1),
  right: Array.from({ length: size }, () => 1),
  candidates: Array.from({ length: size }, (_, i) => [
    { left: i, right: i, cost: 29 },
    ...(i + 1 < size ? [{ left: i, right: i + 1, cost: 20 }] : [])
  ]).flat(),
  alone
})

/** The cheapest pairs first, and nothing else. */
const greedily = (candidates: ReadonlyArray<Candidate>, size: number): number => {
  const [left, right] = [new Set<number>(), new Set<number>()]
  let total = size * alone
  for (const one of candidates.toSorted((a, b) => a.cost - b.cost || a.left - b.left || a.right - b.right)) {
    if (left.has(one.left) || right.has(one.right)) continue
    left.add(one.left)
    right.add(one.right)
    total += one.cost - alone
  }
  return total
}

const tied = (left: number, right: number) =>
  assign({
    left: Array.from({ length: left }, () => 1),
    right: Array.from({ length: right }, () => 1),
    candidates: all(left, right),
    alone
  }).map((pair) => [pair.left, pair.right])

describe("assign", () => {
  it("costs what the cheapest of all assignments costs, also with rows that are equal", () => {
    const random = new Seeded(1)
    for (let n = 0; n < 1_000; n++) {
      const problem = randomProblem(random, random.once(2) ? 5 : 3, random.once(2) ? 1 : 2)
      const pairs = assign(problem)
      expect(costOf(problem)).toBe(leastCost(rowsOf(problem)))
      const leftUsed = problem.left.map(() => 0)
      const rightUsed = problem.right.map(() => 0)
      for (const pair of pairs) {
        expect(pair.cost).toBeLessThan(alone)
        leftUsed[pair.left]! += pair.count
        rightUsed[pair.right]! += pair.count
      }
      expect(leftUsed.every((count, i) => count <= problem.left[i]!)).toBe(true)
      expect(rightUsed.every((count, j) => count <= problem.right[j]!)).toBe(true)
    }
  })

  it("tells how much worse it would be without one row of a pair", () => {
    const random = new Seeded(2)
    for (let n = 0; n < 500; n++) {
      const problem = randomProblem(random, 4, random.once(2) ? 1 : 2)
      const rows = rowsOf(problem)
      const best = leastCost(rows)
      for (const { count, left, margin, right } of assign(problem)) {
        expect(margin).toBe(leastCost(rows, new Map([[`${left} ${right}`, count - 1]])) - best)
      }
    }
  })

  it("prefers early nodes, and early with early, where costs are equal", () => {
    expect(tied(3, 3)).toEqual([
      [0, 0],
      [1, 1],
      [2, 2]
    ])
    expect(tied(1, 3)).toEqual([[0, 0]])
    expect(tied(3, 1)).toEqual([[0, 0]])
    expect(tied(2, 3)).toEqual([
      [0, 0],
      [1, 1]
    ])
  })

  it("gives the same answer for candidates in any order", () => {
    const random = new Seeded(3)
    for (let n = 0; n < 300; n++) {
      const problem = randomProblem(random, 7, 3)
      const shuffled = { ...problem, candidates: problem.candidates.toReversed() }
      expect(assign(shuffled)).toEqual(assign(problem))
    }
  })

  it("pairs thousands of equal rows as one", () => {
    const pairs = assign({
      left: [5_000, 4_000],
      right: [6_000, 2_000],
      candidates: [
        { left: 0, right: 0, cost: 10 },
        { left: 0, right: 1, cost: 20 },
        { left: 1, right: 0, cost: 5 }
      ],
      alone
    })
    expect(pairs.map(({ count, left, right }) => [left, right, count])).toEqual([
      [0, 0, 2_000],
      [0, 1, 2_000],
      [1, 0, 4_000]
    ])
  })

  it("makes no pair that costs as much as staying alone", () => {
    expect(assign({ left: [1], right: [1], candidates: [{ left: 0, right: 0, cost: alone }], alone })).toEqual([])
  })

  it("solves the largest part that is solved exactly, and marks what is larger", () => {
    const exact = assign(chain(exactNodes / 2))
    expect(exact.map(({ left, right }) => left === right)).toEqual(Array.from({ length: exactNodes / 2 }, () => true))
    expect(exact.some(({ approximate }) => approximate)).toBe(false)
    expect(assign(chain(exactNodes / 2 + 1)).every(({ approximate }) => approximate)).toBe(true)
  })

  it("does better in large parts than the cheapest pairs first, and never pairs a row twice", () => {
    const random = new Seeded(4)
    for (let n = 0; n < 20; n++) {
      const size = 120
      // Rows of a few equal merchants along the days: every row could be one of several neighbours.
      const candidates = Array.from({ length: size }, (_, i) =>
        Array.from({ length: size }, (__, j) => ({ left: i, right: j, cost: 40 * Math.abs(i - j) + random.below(200) }))
      )
        .flat()
        .filter(({ left, right }) => Math.abs(left - right) <= 6)
      const ones = Array.from({ length: size }, () => 1)
      const pairs = assign({ left: ones, right: ones, candidates, alone })
      expect(pairs.every(({ approximate }) => approximate)).toBe(true)
      expect(new Set(pairs.map(({ left }) => left)).size).toBe(pairs.length)
      expect(new Set(pairs.map(({ right }) => right)).size).toBe(pairs.length)
      expect(pairs.every(({ margin }) => margin >= 0 && margin <= alone)).toBe(true)
      const total = pairs.reduce((sum, { cost }) => sum + cost, (size - pairs.length) * alone)
      expect(total).toBeLessThan(greedily(candidates, size))
    }
  })
})
