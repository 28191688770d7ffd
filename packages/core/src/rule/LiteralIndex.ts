/**
 * Finds in one pass over a text which rules it can concern (enrichments C5, performance 2).
 *
 * An Aho-Corasick automaton over folded literals. It reads the text as it stands: upper-case ASCII shares
 * the class of lower case and runs of white space count once, so that only texts with other letters are
 * folded first. States with a hit are numbered last, which makes "is there a hit" one comparison a character.
 */
import type { Work } from "../shared/Work.ts"
import { fold } from "../text/Fold.ts"

/** Where in the text a literal must stand. */
export type Place = "anywhere" | "start" | "end" | "whole"

export interface Literal {
  /** Folded, not empty. */
  readonly text: string
  readonly place: Place
  /** Index of the rule it supports. */
  readonly rule: number
}

/** Takes the rules that are found, each possibly more than once. */
export interface Marks {
  readonly mark: (rule: number) => void
}

/** Units of work for each character that is folded and read. */
const foldedWork = 5

/** Cells of the transition table up to which it is kept as one dense array (32 MiB). */
const denseCells = 8_388_608

const places: Readonly<Record<Place, number>> = { anywhere: 0, start: 1, end: 2, whole: 3 }

interface Node {
  readonly next: Map<number, number>
  fail: number
  readonly literals: Array<Literal>
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)

export class LiteralIndex {
  private readonly ascii = new Int32Array(128)
  private readonly others = new Map<number, number>()
  private readonly space: number
  private classes = 1
  /** Row offsets by row offset + class; `undefined` where it would be too large. */
  private readonly table: Int32Array | undefined
  private readonly sparse: ReadonlyArray<Node>
  /** Row offset of the first state with a hit. */
  private readonly firstHit: number
  private readonly hits: ReadonlyArray<Int32Array>

  constructor(literals: ReadonlyArray<Literal>) {
    for (const { text } of literals) for (let at = 0; at < text.length; at++) this.addClass(text.charCodeAt(at))
    for (let upper = 65; upper <= 90; upper++) this.ascii[upper] = this.ascii[upper + 32]!
    // Runs of white space must be seen as runs even where no literal has a space in it.
    this.addClass(32)
    this.space = this.ascii[32]!
    for (let code = 9; code <= 13; code++) this.ascii[code] = this.space

    const nodes: Array<Node> = [{ next: new Map(), fail: 0, literals: [] }]
    for (const literal of literals) {
      let state = 0
      for (let at = 0; at < literal.text.length; at++) {
        const symbol = this.classOf(literal.text.charCodeAt(at))
        let next = nodes[state]!.next.get(symbol)
        if (next === undefined) {
          next = nodes.length
          nodes[state]!.next.set(symbol, next)
          nodes.push({ next: new Map(), fail: 0, literals: [] })
        }
        state = next
      }
      nodes[state]!.literals.push(literal)
    }
    const order = [0]
    const hitOf: Array<ReadonlyArray<Literal>> = [[]]
    for (let head = 0; head < order.length; head++) {
      const state = order[head]!
      const node = nodes[state]!
      // A literal found by a shorter suffix is found here as well.
      hitOf[state] = state === 0 ? [] : [...node.literals, ...hitOf[node.fail]!]
      for (const [symbol, child] of node.next) {
        order.push(child)
        if (state === 0) continue
        let fail = node.fail
        while (fail !== 0 && !nodes[fail]!.next.has(symbol)) fail = nodes[fail]!.fail
        nodes[child]!.fail = nodes[fail]!.next.get(symbol) ?? 0
      }
    }
    const silent = order.filter((state) => hitOf[state]!.length === 0)
    const loud = order.filter((state) => hitOf[state]!.length > 0)
    const row = new Int32Array(nodes.length)
    for (const [index, state] of [...silent, ...loud].entries()) row[state] = index * this.classes
    this.firstHit = silent.length * this.classes
    this.hits = loud.map((state) => {
      const packed = new Int32Array(hitOf[state]!.length * 3)
      for (const [index, { text, place, rule }] of hitOf[state]!.entries())
        packed.set([places[place], text.length, rule], index * 3)
      return packed
    })
    if (nodes.length * this.classes <= denseCells) {
      const table = new Int32Array(nodes.length * this.classes)
      for (const state of order) {
        const { next, fail } = nodes[state]!
        const own = row[state]!
        if (state !== 0) table.copyWithin(own, row[fail]!, row[fail]! + this.classes)
        for (const [symbol, child] of next) table[own + symbol] = row[child]!
      }
      this.table = table
      this.sparse = []
    } else {
      // Nodes by row, with rows in their links.
      const byRow: Array<Node> = []
      for (const [state, node] of nodes.entries())
        byRow[row[state]! / this.classes] = {
          next: new Map([...node.next].map(([symbol, child]) => [symbol, row[child]!])),
          fail: row[node.fail]!,
          literals: []
        }
      this.table = undefined
      this.sparse = byRow
    }
  }

  private addClass(code: number): void {
    if (this.classOf(code) !== 0) return
    if (code < 128) this.ascii[code] = this.classes++
    else this.others.set(code, this.classes++)
  }

  private classOf(code: number): number {
    return code < 128 ? this.ascii[code]! : (this.others.get(code) ?? 0)
  }

  private step(state: number, symbol: number): number {
    let at = state
    for (;;) {
      const node = this.sparse[at / this.classes]!
      const next = node.next.get(symbol)
      if (next !== undefined) return next
      if (at === this.start) return at
      at = node.fail
    }
  }

  /** The root is the first state in order unless it has hits, which it cannot have. */
  private readonly start = 0

  /**
   * Marks every rule one of whose literals stands in the text where it must. Counts the marks as well: many literals may end at
   * each character.
   */
  scan(text: string, marks: Marks, work: Work): void {
    work.spend(text.length)
    const { table, ascii, space, firstHit } = this
    const size = text.length
    let state = 0
    let read = 0
    let wasSpace = false
    for (let at = 0; at < size; at++) {
      const code = text.charCodeAt(at)
      if (code > 127) {
        // Marks made so far are candidates only, so starting again on the folded text does no harm.
        work.spend(foldedWork * text.length)
        this.scanFolded(fold(text), marks, work)
        return
      }
      const symbol = ascii[code]!
      if (symbol === space) {
        if (wasSpace) continue
        wasSpace = true
      } else wasSpace = false
      read++
      state = table === undefined ? this.step(state, symbol) : table[state + symbol]!
      if (state >= firstHit) this.report(state, read, text, at, marks, work)
    }
  }

  private scanFolded(text: string, marks: Marks, work: Work): void {
    const { table, firstHit } = this
    let state = 0
    for (let at = 0; at < text.length; at++) {
      const symbol = this.classOf(text.charCodeAt(at))
      state = table === undefined ? this.step(state, symbol) : table[state + symbol]!
      if (state >= firstHit) this.report(state, at + 1, text, at, marks, work)
    }
  }

  /** `read` characters of the folded text end at `at` in the text. */
  private report(state: number, read: number, text: string, at: number, marks: Marks, work: Work): void {
    const packed = this.hits[(state - this.firstHit) / this.classes]!
    work.spend(packed.length)
    let rest = -1
    for (let index = 0; index < packed.length; index += 3) {
      const place = packed[index]!
      if (place !== 0) {
        const before = read - packed[index + 1]!
        // White space around the whole text does not count for "whole", and the rule itself is asked later.
        if (place === 1 ? before > 0 : place === 3 && before > 1) continue
        if (place !== 1) {
          if (rest < 0) {
            rest = at + 1
            while (rest < text.length && isSpace(text.charCodeAt(rest))) rest++
          }
          if (rest < text.length) continue
        }
      }
      marks.mark(packed[index + 2]!)
    }
  }
}
