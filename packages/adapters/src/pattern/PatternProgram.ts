/**
 * What a pattern costs an engine that keeps every place of the pattern that can still match (a Pike machine).
 *
 * The program has the shape that RE2 compiles to. Its width bounds the work of one character: whatever the
 * text, after reading it no more places can be waiting than those behind all sets the character is in.
 */
import { isNullable, type ParsedPattern, type PatternNode } from "@millrace/core/pattern"

type CharSet = Extract<PatternNode, { readonly tag: "set" }>["set"]

/** Whether a character is found to be in the set by a few comparisons; others take about twice as long. */
const isQuick = (set: CharSet): boolean => {
  const [first, last] = [set[0], set.at(-1)]
  if (first === undefined || last === undefined) return true
  return (set.length === 1 && first[0] === first[1]) || (set.length <= 4 && (last[1] < 128 || first[0] === 0))
}

/** Sets of more ranges count as if they held every character, so that hostile ones cost no time here. */
const manyRanges = 16

/** Instructions, counted before any is made: a short pattern can repeat itself into a huge program. */
export const sizeOf = (node: PatternNode): number => {
  switch (node.tag) {
    case "set":
    case "assert":
      return 1
    case "group":
      return sizeOf(node.body) + (node.capture > 0 ? 2 : 0)
    case "sequence":
      return node.items.reduce((size, item) => size + sizeOf(item), node.items.length === 0 ? 1 : 0)
    case "choice":
      return node.options.reduce((size, option) => size + sizeOf(option) + 1, -1)
    case "repeat": {
      const body = sizeOf(node.body)
      if (node.max === 0) return 1
      if (node.max < Infinity) return node.max * body + node.max - node.min
      return node.min > 0 ? node.min * body + 1 : body + (isNullable(node.body) ? 2 : 1)
    }
  }
}

interface Instruction {
  /** The characters it reads; `undefined` when it reads none. */
  readonly set: CharSet | undefined
  readonly next: Array<number>
}

class Program {
  /** The first is the end of the pattern. */
  readonly instructions: Array<Instruction> = [{ set: undefined, next: [] }]

  add(next: ReadonlyArray<number>, set?: CharSet): number {
    return this.instructions.push({ set, next: [...next] }) - 1
  }

  /** Where the node begins that goes on at `next`. */
  emit(node: PatternNode, next: number): number {
    switch (node.tag) {
      case "set":
        return this.add([next], node.set)
      case "assert":
        // Whether it holds depends on the text; at worst it does.
        return this.add([next])
      case "group":
        return node.capture > 0 ? this.add([this.emit(node.body, this.add([next]))]) : this.emit(node.body, next)
      case "sequence":
        return node.items.length === 0
          ? this.add([next])
          : node.items.reduceRight((after, item) => this.emit(item, after), next)
      case "choice":
        return node.options
          .map((option) => this.emit(option, next))
          .reduceRight((rest, option) => this.add([option, rest]))
      case "repeat":
        return this.repeat(node, next)
    }
  }

  private repeat(node: Extract<PatternNode, { readonly tag: "repeat" }>, next: number): number {
    let start = next
    let required = node.min
    if (node.max === Infinity) {
      const loop = this.add([next])
      const body = this.emit(node.body, loop)
      this.instructions[loop]!.next.push(body)
      start = node.min > 0 ? body : this.add([loop])
      required = Math.max(0, node.min - 1)
    } else for (let round = node.min; round < node.max; round++) start = this.add([this.emit(node.body, start), next])
    for (let round = 0; round < required; round++) start = this.emit(node.body, start)
    return start
  }
}

/** Everything that is reached from the instructions without reading a character is marked. */
const reach = (program: ReadonlyArray<Instruction>, from: Iterable<number>, marks: Uint8Array): void => {
  const stack = [...from]
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (marks[at] === 1) continue
    marks[at] = 1
    const { next, set } = program[at]!
    if (set === undefined) stack.push(...next)
  }
}

/** The most instructions that can be at work on one character, slow ones counted twice. */
export const widthOf = ({ root, vague }: ParsedPattern): number => {
  const program = new Program()
  const start = program.emit(root, 0)
  const { instructions } = program
  /** What is reached behind each set, and where the set begins and ends. */
  const reached = new Map<string, Uint8Array>()
  const edges: Array<{ readonly at: number; readonly key: string; readonly enters: boolean }> = []
  for (const { next, set } of instructions) {
    if (set === undefined) continue
    const key = set.length > manyRanges ? "many" : set.join(";")
    let marks = reached.get(key)
    if (marks === undefined) {
      reached.set(key, (marks = new Uint8Array(instructions.length)))
      for (const [low, high] of key === "many" ? ([[0, Infinity]] as const) : set)
        edges.push({ at: low, key, enters: true }, { at: high + 1, key, enters: false })
    }
    reach(instructions, next, marks)
  }
  const weights = instructions.map(({ set }) => (set === undefined || (vague === undefined && isQuick(set)) ? 1 : 2))
  const always = new Uint8Array(instructions.length)
  reach(instructions, [start], always)

  const active = new Set<string>()
  const measure = (): number => {
    const marks = always.slice()
    for (const key of active) {
      const more = reached.get(key)!
      for (let index = 0; index < marks.length; index++) marks[index]! |= more[index]!
    }
    let width = 0
    for (let index = 0; index < marks.length; index++) if (marks[index] === 1) width += weights[index]!
    return width
  }
  let widest = measure()
  edges.sort((a, b) => a.at - b.at)
  for (const [index, { at, enters, key }] of edges.entries()) {
    if (enters) active.add(key)
    else active.delete(key)
    if (edges[index + 1]?.at !== at) widest = Math.max(widest, measure())
  }
  return widest
}
