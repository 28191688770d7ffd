/**
 * RE2 syntax as a tree (enrichments E3).
 *
 * Sets come out with `(?i)` already applied, so everything behind the parser is free of case.
 */
import * as Result from "effect/Result"
import { widen } from "./CaseFolding.ts"
import * as CharSet from "./CharSet.ts"
import type { ParsedPattern, PatternFault, PatternNode } from "./PatternNode.ts"

interface Flags {
  readonly fold: boolean
  readonly dotAll: boolean
  readonly multiLine: boolean
  readonly ungreedy: boolean
}

class Stop {
  readonly fault: PatternFault
  constructor(position: number, message: string) {
    this.fault = { position, message }
  }
}

const escapes: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11]
])

const perl: ReadonlyMap<string, CharSet.CharSet> = new Map([
  ["d", CharSet.digits],
  ["s", CharSet.space],
  ["w", CharSet.word]
])

const lookarounds: ReadonlyArray<readonly [string, string]> = [
  ["(?=", "look-ahead"],
  ["(?!", "look-ahead"],
  ["(?<=", "look-behind"],
  ["(?<!", "look-behind"],
  ["(?>", "atomic group"],
  ["(?(", "conditional"],
  ["(?|", "branch reset"],
  ["(?#", "comment"],
  ["(?P=", "back-reference"],
  ["(?P>", "recursion"],
  ["(?R", "recursion"],
  ["(?&", "recursion"]
]

const maxRepeat = 1_000
const maxNesting = 50

class Reader {
  readonly points: ReadonlyArray<string>
  at = 0
  groups = 0
  nesting = 0
  vague: PatternFault | undefined
  readonly names = new Set<string>()

  constructor(pattern: string) {
    this.points = [...pattern]
  }

  fail(message: string, at = this.at): never {
    throw new Stop(at + 1, message)
  }

  get more(): boolean {
    return this.at < this.points.length
  }

  looksAt(text: string): boolean {
    for (let index = 0; index < text.length; index++) if (this.points[this.at + index] !== text[index]) return false
    return true
  }

  take(text: string): boolean {
    if (!this.looksAt(text)) return false
    this.at += text.length
    return true
  }

  /** Notes a part that only a whole RE2 can tell the meaning of. */
  leave(what: string, at: number): void {
    this.vague ??= { position: at + 1, message: `not supported here: ${what}` }
  }

  literal(point: number, flags: Flags, at: number): PatternNode {
    const set: CharSet.CharSet = [[point, point]]
    return { tag: "set", set: flags.fold ? (widen(set) ?? set) : set, at }
  }

  choice(outer: Flags): PatternNode {
    if (++this.nesting > maxNesting) this.fail("is nested too deep")
    let flags = outer
    const options: Array<PatternNode> = []
    let items: Array<PatternNode> = []
    const close = (): void => {
      options.push(items.length === 1 ? items[0]! : { tag: "sequence", items })
      items = []
    }
    while (this.more && !this.looksAt(")")) {
      if (this.take("|")) {
        close()
        continue
      }
      const changed = this.flagsOnly(flags)
      if (changed !== undefined) {
        flags = changed
        continue
      }
      this.term(flags, items)
    }
    close()
    this.nesting--
    return options.length === 1 ? options[0]! : { tag: "choice", options }
  }

  /** `(?i)`, which holds to the end of the group it stands in. */
  flagsOnly(flags: Flags): Flags | undefined {
    const start = this.at
    if (!this.take("(?")) return undefined
    const changed = this.flagLetters(flags)
    if (changed !== undefined && this.take(")")) return changed
    this.at = start
    return undefined
  }

  flagLetters(flags: Flags): Flags | undefined {
    let { fold, dotAll, multiLine, ungreedy } = flags
    let on = true
    let seen = false
    while (this.more) {
      const letter = this.points[this.at]!
      if (letter === "-" && on) on = false
      else if (letter === "i") fold = on
      else if (letter === "s") dotAll = on
      else if (letter === "m") multiLine = on
      else if (letter === "U") ungreedy = on
      else break
      // A minus needs a letter of its own.
      seen = letter !== "-"
      this.at++
    }
    return seen ? { fold, dotAll, multiLine, ungreedy } : undefined
  }

  term(flags: Flags, items: Array<PatternNode>): void {
    const start = this.at
    if (this.take("\\Q")) {
      while (this.more && !this.take("\\E"))
        items.push(this.literal(this.points[this.at]!.codePointAt(0)!, flags, this.at++))
      return
    }
    let node = this.atom(flags)
    let repeats = 0
    for (;;) {
      const at = this.at
      const bounds = this.bounds()
      if (bounds === undefined) break
      if (++repeats > 1) this.fail("bad repetition", at)
      const lazy = this.take("?") !== flags.ungreedy
      node = { tag: "repeat", body: node, ...bounds, lazy, at: start }
    }
    items.push(node)
  }

  bounds(): { readonly min: number; readonly max: number } | undefined {
    if (this.take("*")) return { min: 0, max: Infinity }
    if (this.take("+")) return { min: 1, max: Infinity }
    if (this.take("?")) return { min: 0, max: 1 }
    if (!this.looksAt("{")) return undefined
    // Counts with leading zeros are no counts in RE2, and the braces are plain characters.
    const match = /^\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/u.exec(this.points.slice(this.at).join(""))
    if (match === null) return undefined
    const min = Number(match[1])
    const max = match[2] === undefined ? min : match[3] === undefined ? Infinity : Number(match[3])
    if (min > maxRepeat || (max !== Infinity && (max > maxRepeat || max < min)))
      this.fail(max < min ? "bad repetition: the first count is larger" : `a repetition count is at most ${maxRepeat}`)
    this.at += match[0].length
    return { min, max }
  }

  atom(flags: Flags): PatternNode {
    const at = this.at
    const text = this.points[at]!
    switch (text) {
      case "(":
        return this.group(flags)
      case "[":
        return this.class(flags)
      case ".":
        this.at++
        return { tag: "set", set: flags.dotAll ? CharSet.all : CharSet.notNewline, at }
      case "^":
      case "$":
        this.at++
        if (flags.multiLine) this.leave("multi-line mode", at)
        return { tag: "assert", kind: text === "^" ? "start" : "end", at }
      case "*":
      case "+":
      case "?":
        return this.fail("there is nothing to repeat")
      case "\\":
        return this.escape(flags)
      case "{":
        if (this.bounds() !== undefined) this.fail("there is nothing to repeat", at)
        this.at++
        return this.literal(123, flags, at)
      default:
        this.at++
        return this.literal(text.codePointAt(0)!, flags, at)
    }
  }

  group(flags: Flags): PatternNode {
    const at = this.at
    for (const [opening, name] of lookarounds) if (this.looksAt(opening)) this.fail(`not supported: ${name}`)
    this.at++
    let inner = flags
    let capture = 0
    if (this.take("?")) {
      if (this.take("P<") || this.take("<")) {
        const start = this.at
        while (this.more && /^[A-Za-z0-9_]$/u.test(this.points[this.at]!)) this.at++
        const name = this.points.slice(start, this.at).join("")
        if (name === "" || !this.take(">")) this.fail("bad group name", start)
        if (this.names.has(name)) this.fail(`the group "${name}" exists already`, start)
        this.names.add(name)
        capture = ++this.groups
      } else {
        if (!this.looksAt(":")) {
          const changed = this.flagLetters(flags)
          if (changed === undefined) this.fail("unknown group", at)
          inner = changed
        }
        if (!this.take(":")) this.fail("unknown group", at)
      }
    } else capture = ++this.groups
    const body = this.choice(inner)
    if (!this.take(")")) this.fail("this group is not closed", at)
    return { tag: "group", capture, body }
  }

  escape(flags: Flags): PatternNode {
    const at = this.at
    const letter = this.points[at + 1]
    switch (letter) {
      case "A":
      case "z":
      case "b":
      case "B":
        this.at += 2
        return {
          tag: "assert",
          kind: letter === "A" ? "start" : letter === "z" ? "end" : letter === "b" ? "boundary" : "inside",
          at
        }
      default: {
        const set = this.escapedSet(flags)
        return set === undefined
          ? this.literal(this.escapedPoint(), flags, at)
          : // Folding comes before negation, as in RE2.
            { tag: "set", set, at }
      }
    }
  }

  /** `\d`, `\W` ... with `(?i)` applied. */
  escapedSet(flags: Flags): CharSet.CharSet | undefined {
    const letter = this.points[this.at + 1] ?? ""
    if (letter === "p" || letter === "P") return this.unicodeClass()
    const set = perl.get(letter.toLowerCase())
    if (set === undefined) return undefined
    this.at += 2
    const wide = flags.fold ? (widen(set) ?? set) : set
    return letter === letter.toLowerCase() ? wide : CharSet.complement(wide)
  }

  /** `\pL`, `\P{Greek}`: which characters they are depends on the version of Unicode. */
  unicodeClass(): CharSet.CharSet {
    const at = this.at
    this.at += 2
    if (!this.more) this.fail("unknown class", at)
    if (this.take("{")) {
      while (this.more && !this.looksAt("}")) this.at++
      if (!this.take("}")) this.fail("unknown class", at)
    } else this.at++
    this.leave("a Unicode class", at)
    return CharSet.all
  }

  escapedPoint(): number {
    const at = this.at
    const letter = this.points[at + 1]
    if (letter === undefined) return this.fail("a backslash at the end")
    this.at += 2
    if (/^[1-9]$/u.test(letter)) this.fail("not supported: back-reference", at)
    if (letter === "k") this.fail("not supported: back-reference", at)
    const known = escapes.get(letter)
    if (known !== undefined) return known
    if (letter === "0") {
      let digits = "0"
      while (digits.length < 3 && /^[0-7]$/u.test(this.points[this.at] ?? "")) digits += this.points[this.at++]!
      return Number.parseInt(digits, 8)
    }
    if (letter === "x") {
      const match = /^(?:\{([0-9a-fA-F]{1,8})\}|([0-9a-fA-F]{2}))/u.exec(
        this.points.slice(this.at, this.at + 10).join("")
      )
      const point = match === null ? Infinity : Number.parseInt(match[1] ?? match[2] ?? "", 16)
      if (match === null || point > CharSet.lastCodePoint) return this.fail("bad hexadecimal escape", at)
      this.at += match[0].length
      return point
    }
    const code = letter.codePointAt(0)!
    if (code > 127 || /^[A-Za-z0-9]$/u.test(letter)) this.fail(`unknown escape \\${letter}`, at)
    return code
  }

  class(flags: Flags): PatternNode {
    const at = this.at
    this.at++
    const negated = this.take("^")
    const ranges: Array<readonly [number, number]> = []
    let vague = false
    let first = true
    while (first || !this.looksAt("]")) {
      if (!this.more) this.fail("this class is not closed", at)
      if (!first && this.looksAt("-") && this.points[this.at + 1] !== "]") this.fail("bad range")
      first = false
      const named = /^\[:(\^?)([a-z]+):\]/u.exec(this.points.slice(this.at, this.at + 14).join(""))
      if (named !== null) {
        const set = CharSet.posix.get(named[2]!)
        if (set === undefined) return this.fail(`unknown class ${named[0]}`)
        const wide = flags.fold ? (widen(set) ?? set) : set
        ranges.push(...(named[1] === "^" ? CharSet.complement(wide) : wide))
        this.at += named[0].length
        continue
      }
      if (this.looksAt("\\")) {
        vague ||= /^[pP]$/u.test(this.points[this.at + 1] ?? "")
        const set = this.escapedSet(flags)
        if (set !== undefined) {
          ranges.push(...set)
          continue
        }
      }
      const start = this.at
      const low = this.classPoint(at)
      let high = low
      if (this.looksAt("-") && this.more && this.points[this.at + 1] !== "]") {
        this.at++
        high = this.classPoint(at)
        if (high < low) this.fail("bad range", start)
      }
      const set: CharSet.CharSet = [[low, high]]
      const wide = flags.fold ? widen(set) : set
      if (wide === undefined) {
        vague = true
        this.leave("a large range with (?i)", start)
      } else ranges.push(...wide)
    }
    this.at++
    const set = CharSet.of(ranges)
    return { tag: "set", set: vague ? CharSet.all : negated ? CharSet.complement(set) : set, at }
  }

  classPoint(opening: number): number {
    if (!this.more) this.fail("this class is not closed", opening)
    if (this.looksAt("\\")) return this.escapedPoint()
    return this.points[this.at++]!.codePointAt(0)!
  }
}

/** Reads a pattern; what RE2 does not have is refused by name. Only names of Unicode classes are not looked up. */
export const parse = (pattern: string): Result.Result<ParsedPattern, PatternFault> => {
  const reader = new Reader(pattern)
  // Leaving a recursive descent at its deepest point is what an exception is for; it does not leave this file.
  try {
    const root = reader.choice({ fold: false, dotAll: false, multiLine: false, ungreedy: false })
    if (reader.more) reader.fail("unexpected )")
    return Result.succeed({ root, groupCount: reader.groups, vague: reader.vague })
  } catch (stop) {
    if (stop instanceof Stop) return Result.fail(stop.fault)
    throw stop
  }
}
