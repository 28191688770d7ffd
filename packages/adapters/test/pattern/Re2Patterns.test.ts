import * as Re2Patterns from "../../src/pattern/Re2Patterns.ts"
import { sizeOf } from "../../src/pattern/PatternProgram.ts"
import { CalendarDate, StrictDecoding, Work } from "@millrace/core"
import { makeRule, RuleConfig } from "../../../core/src/enrichment/kinds/rule.ts"
import { catalogOf } from "@millrace/core/record"
import { compileProven, faultText, parse, searchable } from "@millrace/core/pattern"
import { requiredLiterals } from "../../../core/src/pattern/PatternLiterals.ts"
import { Seeded } from "@millrace/testing/model"
import { suite } from "@millrace/testing/suite/pattern"
import * as Result from "effect/Result"
import { RE2JS } from "re2js"
import { describe, expect, it } from "vitest"

const { re2Patterns } = Re2Patterns
const long = process.env["MILLRACE_LONG"] === "1"
const compile = (pattern: string) => Result.getOrThrow(re2Patterns.compile(pattern))

suite("the engine of RE2", Re2Patterns.layer)

describe("what is not proven to be linear", () => {
  it.each([
    ["A.*B", "xA--B-B", ["A--B-B"]],
    ["x (a+)+", "x aaa", ["x aaa", "aaa"]],
    ["(a|aa)+$", "baaa", ["aaa", "a"]],
    ["(?:a?){3}a{3}", "aaaa", ["aaaa"]],
    ["(?m)^Ref: (.*)$", "x\nRef: 12\ny", ["Ref: 12", "12"]],
    ["\\p{Greek}+", "abc αβγ", ["αβγ"]],
    ["(?i)[\\x{100}-\\x{1000}]+z", "éŁłz", ["Łłz"]],
    ["(a)|b*c(d)?", "bc", ["bc", undefined, undefined]],
    ["(.*)😀(.*)", "a😀b😀c", ["a😀b😀c", "a😀b", "c"]]
  ])("finds %s in %j", (pattern, text, groups) => {
    expect([...compile(pattern).exec(text)!]).toEqual(groups)
    expect(compile(pattern).test(text)).toBe(true)
    expect(compile(pattern).test("")).toBe(false)
  })

  it.each([
    ["x\\p{Klingon}", "invalid character class range at position 2"],
    ["(?:[ab]*a){400}b*", "is too large: 1202 instructions, at most 1000 at position 1"],
    ["(?:a?){200}a{200}", "could take too long: a character costs 601, at most 64 at position 1"],
    [`${"(a*)".repeat(30)}!`, "could take too long: a character costs 437, at most 64 at position 1"]
  ])("refuses %s, which is no RE2 or too costly", (pattern, reason) => {
    const result = re2Patterns.compile(pattern)
    expect(Result.isFailure(result) ? faultText(result.failure) : "accepted").toBe(reason)
  })

  it("decides and rewrites in a rule", () => {
    const rule = makeRule({ patterns: re2Patterns })
    const catalog = catalogOf("transactions")
    const config = Result.getOrThrow(
      StrictDecoding.decode(RuleConfig, {
        rules: [
          {
            conditions: {
              logic: "and",
              conditions: [{ field: "description", operator: "matches", value: "TRAM.*TOURS" }]
            },
            action: { kind: "regexExtract", field: "reference", source: "description", pattern: "(?m)^Ref (.*)$" }
          }
        ]
      })
    )
    expect(rule.check(config, catalog)).toEqual({ errors: [], lints: [] })
    const prepared = rule.prepare(config, catalog)
    const context = { today: CalendarDate.make("2026-05-31"), work: new Work() }
    const referenceOf = (description: string) =>
      rule.plan(prepared, { recordId: "txn", fields: { description } }, context).claims[0]?.value
    expect(referenceOf("TRAM 12 TOURS\nRef 4471\nend")).toBe("4471")
    expect(referenceOf("TOURS TRAM\nRef 4471")).toBe(undefined)
  })

  it("has literals that announce it", () => {
    expect(requiredLiterals("(?m)^REF: .*(\\pL+)+ transfer$")).toEqual([" transfe"])
  })
})

const parts = [
  [..."abks1 -,:\n", ..."|()()*+?{}]^$."],
  ["ſ", "\u212a", "ß", "é", "ǆ", "σ", "日", "😀", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\b", "\\B", "\\A", "\\z"],
  ["(?:", "(?i)", "(?i:", "(?s)", "(?m)", "(?U)", "(?-i)", "(?i-s:", "(?P<n>", "(?<m>", "(?i-)", "(?)", "(?=a)"],
  ["[ab]", "[^a]", "[a-k]", "[^k-s]", "[]a]", "[^]a]", "[a-]", "[-a]", "[a-\\d]", "[\\d-z]", "[^\\d]", "\\pL", "\\PN"],
  ["[[:alpha:]]", "[[:^digit:]x]", "\\p{Greek}", "[\\pLa]", "[^\\p{Lu}]", "(?i)[\\x{100}-\\x{1000}]"],
  ["*?", "+?", "??", "{2}", "{1,3}", "{0,2}", "{2,}", "{0}", "{01}", "{,2}", "{3,1}", "{2", "{2}"],
  ["\\Qa.b\\E", "\\Q", "\\E", "\\n", "\\x41", "\\x{1F600}", "\\012", "\\0", "\\.", "\\-", "\\1"]
].flat()
const letters = [..."abABkKsS1 .-_:x\n\r\t\v", ..."\u212aſßẞéÉǅǆǄσςΣ日😀٣\u2028", "\ud83d"]

const randomPattern = (random: Seeded): string => random.list(1, 7, () => random.pick(parts)).join("")
const randomText = (random: Seeded): string => random.list(0, 9, () => random.pick(letters)).join("")
const re2 = (pattern: string) => Result.try(() => RE2JS.compile(pattern))

describe("agreement", { timeout: 3_600_000 }, () => {
  it("reads no pattern that RE2 refuses, and counts no less than its instructions", () => {
    const random = new Seeded(21)
    let read = 0
    for (let round = 0; round < (long ? 1_000_000 : 20_000); round++) {
      const pattern = randomPattern(random)
      const parsed = parse(pattern)
      if (Result.isFailure(parsed)) continue
      read++
      const expression = re2(pattern)
      if (Result.isFailure(expression)) throw new Error(`read ${pattern}, which RE2 refuses`)
      expect(expression.success.groupCount(), pattern).toBe(parsed.success.groupCount)
      expect(expression.success.programSize(), pattern).toBeLessThanOrEqual(sizeOf(parsed.success.root) + 2)
    }
    expect(read).toBeGreaterThan(1_000)
  })

  it("finds the same groups on the host as on RE2, in any text", () => {
    const random = new Seeded(22)
    let compared = 0
    for (let round = 0; round < (long ? 1_000_000 : 20_000); round++) {
      const pattern = randomPattern(random)
      const host = Result.flatMap(parse(pattern), compileProven)
      if (Result.isFailure(host)) continue
      const expression = Result.getOrThrow(re2(pattern))
      for (let row = 0; row < 8; row++) {
        const text = randomText(random)
        const groups = expression.exec(text) as ReadonlyArray<string | undefined> | null
        const hint = `${JSON.stringify(pattern)} in ${JSON.stringify(text)}`
        expect([...(host.success.exec(text) ?? ["none"])], hint).toEqual([...(groups ?? ["none"])])
        expect(host.success.test(text), hint).toBe(groups !== null)
        compared++
      }
    }
    expect(compared).toBeGreaterThan(10_000)
  })

  it("folds every letter as RE2 does", () => {
    let folded = 0
    for (let point = 0; point <= 0x1_ff_ff; point++) {
      const letter = String.fromCodePoint(point)
      const variants = new Set([letter.toLowerCase(), letter.toUpperCase(), letter.toUpperCase().toLowerCase()])
      if (variants.size < 2 || (point >= 0xd8_00 && point < 0xe0_00)) continue
      folded++
      const pattern = `(?i)^\\x{${point.toString(16)}}$`
      const host = Result.getOrThrow(Result.flatMap(parse(pattern), compileProven))
      const expression = Result.getOrThrow(re2(pattern))
      for (const variant of variants) expect(host.test(variant), `${pattern} ${variant}`).toBe(expression.test(variant))
    }
    expect(folded).toBeGreaterThan(2_000)
  })

  it("answers test and exec alike, whichever machine they take", () => {
    const random = new Seeded(23)
    let compared = 0
    for (let round = 0; round < (long ? 300_000 : 10_000); round++) {
      const pattern = randomPattern(random)
      const compiled = re2Patterns.compile(pattern)
      if (Result.isFailure(compiled)) continue
      for (const text of [
        randomText(random),
        randomText(random),
        randomText(random).repeat(random.pick([1, 40, 900]))
      ]) {
        const groups = compiled.success.exec(text)
        expect(compiled.success.test(text), `${pattern} in ${text.slice(0, 40)}`).toBe(groups !== null)
        if (groups === null) continue
        expect(groups).toHaveLength(compiled.success.groupCount + 1)
        for (const group of groups) expect(searchable(text)).toContain(group ?? "")
        expect(groups[0]?.startsWith(compiled.success.literalPrefix)).toBe(true)
        compared++
      }
    }
    expect(compared).toBeGreaterThan(2_000)
  })
})
