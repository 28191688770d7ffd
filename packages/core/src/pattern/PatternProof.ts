/**
 * Proves that a backtracking engine needs linear time for a pattern (enrichments E3).
 *
 * The whole search is counted, not one attempt: for every text position, how often can each part of the
 * pattern be entered there, over all starts and all backtracking? Bounded parts multiply that number by
 * the ways they can match. An unbounded repetition walks its run of characters on every entry, so it must
 * be entered at most once a run: the character before the entry lies outside its set, or nothing behind it
 * can fail, or the number of entries is bounded because the pattern is anchored. What remains below a fixed
 * number of steps a character is linear; everything else is "not proven".
 */
import * as Result from "effect/Result"
import * as CharSet from "./CharSet.ts"
import type { PatternFault, PatternNode } from "./PatternNode.ts"

type Repeat = Extract<PatternNode, { readonly tag: "repeat" }>

export interface Proof {
  /** Every match begins at the start of the text. */
  readonly anchored: boolean
  /**
   * Leading repetitions that must not be entered inside a run of their set. Leaves every leftmost match as it
   * is: a match that began inside a run could have begun one character earlier.
   */
  readonly guarded: ReadonlySet<PatternNode>
  /** Steps that a character of the text costs at most. */
  readonly steps: number
}

type Item =
  | { readonly tag: "block"; readonly node: PatternNode }
  | { readonly tag: "loop"; readonly node: Repeat; readonly set: CharSet.CharSet }
  | { readonly tag: "assert"; readonly kind: "start" | "end" | "boundary" | "inside" }

/** Alternatives a pattern may unfold into, and steps a character that still count as linear. */
const maxSequences = 64
const maxSteps = 600
const ceiling = 1e9

const unproven = (at: number, what: string): PatternFault => ({
  position: at + 1,
  message: `could take more than linear time: ${what}`
})

const childrenOf = (node: PatternNode): ReadonlyArray<PatternNode> =>
  node.tag === "sequence"
    ? node.items
    : node.tag === "choice"
      ? node.options
      : node.tag === "group" || node.tag === "repeat"
        ? [node.body]
        : []

const some = (node: PatternNode, test: (node: PatternNode) => boolean): boolean =>
  test(node) || childrenOf(node).some((child) => some(child, test))

const isUnbounded = (node: PatternNode): boolean => node.tag === "repeat" && node.max === Infinity
const isOpen = (node: PatternNode): boolean => some(node, (inner) => isUnbounded(inner) || inner.tag === "assert")

export const isNullable = (node: PatternNode): boolean => {
  switch (node.tag) {
    case "set":
      return false
    case "assert":
      return true
    case "sequence":
      return node.items.every(isNullable)
    case "choice":
      return node.options.some(isNullable)
    case "group":
      return isNullable(node.body)
    case "repeat":
      return node.min === 0 || isNullable(node.body)
  }
}

/** What a node is when the groups around it are left out. */
const bare = (node: PatternNode): PatternNode =>
  node.tag === "group"
    ? bare(node.body)
    : node.tag === "sequence" && node.items.length === 1
      ? bare(node.items[0]!)
      : node

/** Ways to match from one place (or up to one place), and steps to try them all. */
interface Effort {
  readonly ways: number
  readonly steps: number
}

const cap = (value: number): number => Math.min(value, ceiling)

const effortOf = (node: PatternNode): Effort => {
  switch (node.tag) {
    case "set":
    case "assert":
      return { ways: 1, steps: 1 }
    case "group":
      return effortOf(node.body)
    case "sequence": {
      let ways = 1
      let steps = 1
      for (const item of node.items) {
        const effort = effortOf(item)
        steps = cap(steps + ways * effort.steps)
        ways = cap(ways * effort.ways)
      }
      return { ways, steps }
    }
    case "choice": {
      let ways = 0
      let steps = 1
      for (const option of node.options) {
        const effort = effortOf(option)
        ways = cap(ways + effort.ways)
        steps = cap(steps + effort.steps)
      }
      return { ways, steps }
    }
    case "repeat": {
      const body = effortOf(node.body)
      let ways = node.min === 0 ? 1 : 0
      let steps = 1
      let rounds = 1
      for (let round = 1; round <= node.max; round++) {
        steps = cap(steps + rounds * (body.steps + 1))
        rounds = cap(rounds * body.ways)
        if (round >= node.min) ways = cap(ways + rounds)
        if (steps === ceiling) break
      }
      return { ways: steps === ceiling ? ceiling : ways, steps }
    }
  }
}

/** Characters a match of the node can end with. */
const lastOf = (node: PatternNode): CharSet.CharSet => {
  switch (node.tag) {
    case "set":
      return node.set
    case "assert":
      return []
    case "group":
    case "repeat":
      return lastOf(node.body)
    case "choice":
      return CharSet.of(node.options.flatMap(lastOf))
    case "sequence": {
      const ranges: Array<readonly [number, number]> = []
      for (const item of node.items.toReversed()) {
        ranges.push(...lastOf(item))
        if (!isNullable(item)) break
      }
      return CharSet.of(ranges)
    }
  }
}

const isCapture = (node: PatternNode): boolean => node.tag === "group" && node.capture > 0

/** Constructs in which the engines differ in what a group holds afterwards, or in where a match ends. */
const differs = (node: PatternNode): PatternFault | undefined => {
  if (node.tag === "repeat") {
    if (isNullable(node.body)) return unproven(node.at, "repetition of something that can be empty")
    const optional = some(
      node.body,
      (inner) =>
        (inner.tag === "choice" || (inner.tag === "repeat" && inner.min === 0)) &&
        some(inner, (part) => isCapture(part))
    )
    if (node.max > 1 && optional)
      return { position: node.at + 1, message: "not supported here: optional group inside a repetition" }
  }
  for (const child of childrenOf(node)) {
    const fault = differs(child)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** The alternatives of a pattern, each a plain sequence; in order of preference. */
const unfold = (node: PatternNode): Result.Result<ReadonlyArray<ReadonlyArray<Item>>, PatternFault> => {
  if (!isOpen(node)) return Result.succeed([[{ tag: "block", node }]])
  switch (node.tag) {
    case "set":
      return Result.succeed([[{ tag: "block", node }]])
    case "assert":
      return Result.succeed([[{ tag: "assert", kind: node.kind }]])
    case "group":
      return unfold(node.body)
    case "choice": {
      const all: Array<ReadonlyArray<Item>> = []
      for (const option of node.options) {
        const inner = unfold(option)
        if (Result.isFailure(inner)) return inner
        all.push(...inner.success)
      }
      return Result.succeed(all)
    }
    case "sequence": {
      let all: ReadonlyArray<ReadonlyArray<Item>> = [[]]
      for (const item of node.items) {
        const inner = unfold(item)
        if (Result.isFailure(inner)) return inner
        all = all.flatMap((left) => inner.success.map((right) => [...left, ...right]))
        if (all.length > maxSequences)
          return Result.fail({ position: 1, message: "not supported here: too many alternatives" })
      }
      return Result.succeed(all)
    }
    case "repeat": {
      const body = bare(node.body)
      if (node.max === Infinity)
        return body.tag === "set"
          ? Result.succeed([[{ tag: "loop", node, set: body.set }]])
          : Result.fail(
              unproven(node.at, some(body, isUnbounded) ? "nested repetition" : "repetition of more than one character")
            )
      if (node.max > 1) return Result.fail(unproven(node.at, "nested repetition"))
      const inner = unfold(node.body)
      return Result.isFailure(inner)
        ? inner
        : Result.succeed(node.max === 0 ? [[]] : node.min === 1 ? inner.success : [...inner.success, []])
    }
  }
}

const canFail = (item: Item): boolean =>
  item.tag === "assert" || (item.tag === "loop" ? item.node.min > 0 : !isNullable(item.node))

class Count {
  /** Leading loops that need the guard, and those it would be wrong for. */
  readonly guarded = new Set<PatternNode>()
  readonly unguardable = new Set<PatternNode>()
  steps = 0

  /** `undefined` when the sequence is fine. */
  add(items: ReadonlyArray<Item>): PatternFault | undefined {
    /** Entries of the present part: at one text position, and over the whole search. */
    let here = 1
    let total = Infinity
    let before: CharSet.CharSet = CharSet.all
    let boundary = false
    for (const [index, item] of items.entries()) {
      const free = !items.slice(index + 1).some(canFail)
      if (item.tag === "assert") {
        this.steps += here
        if (item.kind === "start" && index === 0) {
          total = 1
          before = []
        }
        boundary = item.kind === "boundary"
        continue
      }
      if (item.tag === "block") {
        const { ways, steps } = effortOf(item.node)
        this.steps = cap(this.steps + here * steps)
        here = cap(here * ways)
        total = total * ways
        before = isNullable(item.node) ? CharSet.of([...before, ...lastOf(item.node)]) : lastOf(item.node)
        boundary = false
        continue
      }
      const proved = !CharSet.overlap(before, item.set) || (boundary && CharSet.within(item.set, CharSet.word))
      const leading = index === 0
      if (!proved && !leading) this.unguardable.add(item.node)
      if (leading && !free) this.guarded.add(item.node)
      this.steps = cap(this.steps + here * (item.node.min + 2))
      if (!free && !proved && !leading) {
        if (total === Infinity)
          return unproven(item.node.at, "repetition that can be entered again inside its own characters")
        here = cap(total)
        this.steps = cap(this.steps + here)
      }
      total = Infinity
      before = item.node.min > 0 ? item.set : CharSet.of([...before, ...item.set])
      boundary = false
    }
    return undefined
  }
}

/** The proof, or where it fails. */
export const prove = (root: PatternNode): Result.Result<Proof, PatternFault> => {
  const odd = differs(root)
  if (odd !== undefined) return Result.fail(odd)
  // Hosts look at empty matches in the middle of a surrogate pair too, where RE2 has no position.
  if (isNullable(root) && some(root, (node) => node.tag === "assert" && node.kind === "inside"))
    return Result.fail({ position: 1, message: "not supported here: \\B in a pattern that can match nothing" })
  const unfolded = unfold(root)
  if (Result.isFailure(unfolded)) return Result.fail(unfolded.failure)
  const count = new Count()
  for (const items of unfolded.success) {
    const fault = count.add(items)
    if (fault !== undefined) return Result.fail(fault)
  }
  for (const node of count.guarded)
    if (count.unguardable.has(node)) return Result.fail(unproven((node as Repeat).at, "repetition in two places"))
  if (count.steps > maxSteps)
    return Result.fail({ position: 1, message: "could take more than linear time: too many ways to match" })
  const anchored = unfolded.success.every(([first]) => first?.tag === "assert" && first.kind === "start")
  return Result.succeed({ anchored, guarded: count.guarded, steps: Math.max(1, count.steps) })
}
