import { fold } from "../../src/text/Fold.ts"
import { faultText, Patterns, provenPatterns } from "../../src/pattern/Pattern.ts"
import { requiredLiterals } from "../../src/pattern/PatternLiterals.ts"
import { suite } from "@millrace/testing/suite/pattern"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { Seeded } from "@millrace/testing/model"
import { fastestMillis } from "@millrace/verification/process/CpuTime"

const fault = (pattern: string): string => {
  const result = provenPatterns.compile(pattern)
  return Result.isFailure(result) ? faultText(result.failure) : "accepted"
}

describe("refusals", () => {
  it.each([
    ["x (a+)+", "could take more than linear time: nested repetition at position 3"],
    ["(a|aa)+$", "could take more than linear time: repetition of more than one character at position 1"],
    [
      "^.*a.*b",
      "could take more than linear time: repetition that can be entered again inside its own characters at position 5"
    ],
    [
      "A.*B",
      "could take more than linear time: repetition that can be entered again inside its own characters at position 2"
    ],
    ["(?:a?){3}", "could take more than linear time: repetition of something that can be empty at position 1"],
    ["(?m)^a", "not supported here: multi-line mode at position 5"],
    ["a\\pL", "not supported here: a Unicode class at position 2"],
    ["(?i)[\\x{100}-\\x{1000}]", "not supported here: a large range with (?i) at position 6"],
    ["x|\\B", "not supported here: \\B in a pattern that can match nothing at position 1"]
  ])("refuses %s", (pattern, message) => {
    expect(fault(pattern)).toBe(message)
  })
})

suite("the engine that runs what is proven", Patterns.layerProven)

const atoms = ["a", "b", "ab", ".", "\\d", "\\w", "[ab]", "[^a]", "a1", " ", "\\s", "1", "\\b", "^", "$", "x", "(?i)a"]
const quantifiers = ["*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?", "{0,20}"]
const randomPattern = (random: Seeded, depth: number): string =>
  random
    .list(1, 4, () => {
      const atom =
        depth > 0 && random.once(3)
          ? `${random.pick(["(", "(?:"])}${random.list(1, 3, () => randomPattern(random, depth - 1)).join("|")})`
          : random.pick(atoms)
      return /^(?:\\b|\^|\$|\(\?i\)a)$/u.test(atom) || !random.once(2)
        ? atom
        : atom.length > 1 && /^[a-z]/u.test(atom)
          ? `(?:${atom})${random.pick(quantifiers)}`
          : atom + random.pick(quantifiers)
    })
    .join("")

const long = process.env["MILLRACE_LONG"] === "1"

/** Texts that make backtracking hurt: long runs of what the pattern is made of, with something that fits nowhere. */
const adversaries = (size: number): ReadonlyArray<string> =>
  ["a", "b", "1", " ", "ab", "a1", "aab", "a ", "x", "abx", "1 "].flatMap((unit) => {
    const body = unit.repeat(Math.ceil(size / unit.length)).slice(0, size - 1)
    return [`${body}!`, `${body}\n`, `!${body}`]
  })

it("accepts no pattern that needs more than 50 ms for 10 KiB of hostile text", { timeout: 3_600_000 }, () => {
  const random = new Seeded(11)
  const texts = adversaries(10_240)
  let accepted = 0
  for (let round = 0; round < (long ? 50_000 : 1_500); round++) {
    const pattern = randomPattern(random, 2)
    const compiled = provenPatterns.compile(pattern)
    if (Result.isFailure(compiled)) continue
    accepted++
    for (const text of texts) {
      const fastest = fastestMillis(() => compiled.success.test(text), 50)
      expect(fastest, `${pattern} on ${JSON.stringify(text.slice(0, 12))}...`).toBeLessThan(50)
    }
  }
  expect(accepted).toBeGreaterThan(200)
})

it("means what the host's engine means without the guards of the proof", { timeout: 3_600_000 }, () => {
  const random = new Seeded(12)
  let compared = 0
  for (let round = 0; round < (long ? 200_000 : 5_000); round++) {
    const pattern = randomPattern(random, 2)
    const compiled = provenPatterns.compile(pattern)
    if (Result.isFailure(compiled) || pattern.includes("(?i)")) continue
    const host = new RegExp(pattern.replaceAll(".", "[^\\n]").replaceAll("\\s", "[\\t\\n\\f\\r ]"), "u")
    for (let row = 0; row < 10; row++) {
      const text = random.list(0, 12, () => random.pick(["a", "b", "1", " ", "x", "A", "\n"])).join("")
      expect([...(compiled.success.exec(text) ?? ["none"])], `${pattern} on ${text}`).toEqual([
        ...(host.exec(text) ?? ["none"])
      ])
      compared++
    }
  }
  expect(compared).toBeGreaterThan(1_000)
})

it("names literals that every match contains once it is folded", () => {
  const random = new Seeded(13)
  const parts = ["caf", "e", "\u0301", "store", "  ", "\t", "ß", "K", "x", "1"]
  let checked = 0
  for (let round = 0; round < 20_000; round++) {
    const core = random.list(1, 4, () => random.pick(parts)).join("")
    const pattern = `${random.pick(["", "(?i)", "\\d*", "(?:x|yy)"])}${core}`
    const literals = requiredLiterals(pattern)
    const compiled = provenPatterns.compile(pattern)
    if (literals === undefined || Result.isFailure(compiled)) continue
    const text = `${random.pick(["", "x", " ", "e", "1"])}${core}${random.pick(["", "\u0301", " ", "x", "\u0327"])}`
    if (!compiled.success.test(text)) continue
    checked++
    expect(
      literals.some((literal) => fold(text).includes(literal)),
      `${pattern} in ${text}: ${literals.join()}`
    ).toBe(true)
  }
  expect(checked).toBeGreaterThan(1_000)
})
