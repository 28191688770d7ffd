/** Texts without which a pattern cannot match: what lets most rows skip it (performance 2, 3). */
import * as Result from "effect/Result"
import { foldingClassOf } from "./CaseFolding.ts"
import { fold } from "../text/Fold.ts"
import type { PatternNode } from "./PatternNode.ts"
import { parse } from "./PatternSyntax.ts"

/** The one ASCII character that every member of the set folds to. */
const letterOf = (node: PatternNode): string | undefined => {
  if (node.tag !== "set") return undefined
  const first = node.set[0]?.[0]
  if (first === undefined || first > 127) return undefined
  const allowed = foldingClassOf(first)
  for (const [low, high] of node.set)
    for (let point = low; point <= high; point++) if (!allowed.includes(point)) return undefined
  return String.fromCharCode(first)
}

/** Parts in order, groups opened. */
const flatten = (node: PatternNode): ReadonlyArray<PatternNode> =>
  node.tag === "sequence" ? node.items.flatMap(flatten) : node.tag === "group" ? flatten(node.body) : [node]

const shortest = (literals: ReadonlyArray<string>): number => Math.min(...literals.map((literal) => literal.length))

const required = (node: PatternNode): ReadonlyArray<string> | undefined => {
  let best: ReadonlyArray<string> | undefined
  const offer = (literals: ReadonlyArray<string> | undefined): void => {
    if (literals !== undefined && (best === undefined || shortest(literals) > shortest(best))) best = literals
  }
  let run = ""
  const close = (): void => {
    // A combining mark behind the last character may change it when the text is normalised, so it is left out.
    const literal = fold(run.slice(0, -1))
    if (literal.length >= 2) offer([literal])
    run = ""
  }
  for (const part of flatten(node)) {
    if (part.tag === "assert") continue
    const letter = letterOf(part)
    if (letter !== undefined) {
      run += letter
      continue
    }
    close()
    if (part.tag === "repeat" && part.min > 0) offer(required(part.body))
    if (part.tag === "choice") {
      const options = part.options.map(required)
      if (options.every((literals) => literals !== undefined)) offer(options.flat())
    }
  }
  close()
  return best
}

/** Folded texts; whatever matches contains at least one of them once it is folded. `undefined`: nothing is known. */
export const requiredLiterals = (pattern: string): ReadonlyArray<string> | undefined => {
  const parsed = parse(pattern)
  return Result.isFailure(parsed) ? undefined : required(parsed.success.root)
}

/** Characters that every match begins with, case as written. */
export const literalPrefix = (root: PatternNode): string => {
  let prefix = ""
  for (const part of flatten(root)) {
    if (part.tag === "assert") continue
    const [low, high] = part.tag === "set" && part.set.length === 1 ? part.set[0]! : [0, 1]
    if (low !== high) break
    prefix += String.fromCodePoint(low)
  }
  return prefix
}
