/** A parsed pattern in the syntax of the host's engine, with exactly its RE2 meaning. */
import * as CharSet from "./CharSet.ts"
import type { PatternNode } from "./PatternNode.ts"

const point = (code: number): string => {
  const letter = String.fromCodePoint(code)
  return /^[A-Za-z0-9 ]$/u.test(letter) ? letter : `\\u{${code.toString(16)}}`
}

const set = (value: CharSet.CharSet): string => {
  if (value.length === 0) return "[]"
  if (value.length === 1) {
    const [low, high] = value[0]!
    if (low === high) return point(low)
    if (low === 0 && high === CharSet.lastCodePoint) return "[^]"
  }
  return `[${value.map(([low, high]) => (low === high ? point(low) : `${point(low)}-${point(high)}`)).join("")}]`
}

const asserts = { start: "^", end: "$", boundary: "\\b", inside: "\\B" } as const

const bareSet = (node: PatternNode): CharSet.CharSet =>
  node.tag === "set"
    ? node.set
    : node.tag === "group"
      ? bareSet(node.body)
      : node.tag === "sequence"
        ? bareSet(node.items[0]!)
        : []

/** Source for a `RegExp` with the flag `u`. */
export const sourceOf = (node: PatternNode, guarded: ReadonlySet<PatternNode>): string => {
  switch (node.tag) {
    case "set":
      return set(node.set)
    case "assert":
      return asserts[node.kind]
    case "sequence":
      return node.items
        .map((item) => (item.tag === "choice" ? `(?:${sourceOf(item, guarded)})` : sourceOf(item, guarded)))
        .join("")
    case "choice":
      return node.options.map((option) => sourceOf(option, guarded)).join("|")
    case "group":
      return `${node.capture > 0 ? "(" : "(?:"}${sourceOf(node.body, guarded)})`
    case "repeat": {
      const body = sourceOf(node.body, guarded)
      const atom = node.body.tag === "set" || node.body.tag === "group" ? body : `(?:${body})`
      const guard = guarded.has(node) ? `(?<!${set(bareSet(node.body))})` : ""
      const count = node.max === Infinity ? `{${node.min},}` : `{${node.min},${node.max}}`
      return `${guard}${atom}${count}${node.lazy ? "?" : ""}`
    }
  }
}
