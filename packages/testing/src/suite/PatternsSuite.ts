/** Conformance of `Patterns`: what every engine refuses, and what its patterns mean. */
import { faultText, Patterns, searchable } from "@millrace/core/pattern"
import { expect, layer as withLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"

const refused: ReadonlyArray<readonly [pattern: string, reason: string]> = [
  ["foo ab(?=bar)", "not supported: look-ahead at position 7"],
  ["(?!x)", "not supported: look-ahead at position 1"],
  ["(?<=x)y", "not supported: look-behind at position 1"],
  ["(?<!x)y", "not supported: look-behind at position 1"],
  ["(a)\\1", "not supported: back-reference at position 4"],
  ["(?P<n>a)(?P=n)", "not supported: back-reference at position 9"],
  ["(?>a)", "not supported: atomic group at position 1"],
  ["a++", "bad repetition at position 3"],
  ["*a", "there is nothing to repeat at position 1"],
  ["x|{2}", "there is nothing to repeat at position 3"],
  ["a{2000}", "a repetition count is at most 1000 at position 2"],
  ["a{1234567890}", "a repetition count is at most 1000 at position 2"],
  ["a{3,2}", "bad repetition: the first count is larger at position 2"],
  ["(a", "this group is not closed at position 1"],
  ["a)", "unexpected ) at position 2"],
  ["[a", "this class is not closed at position 1"],
  ["[b-a]", "bad range at position 2"],
  ["\\y", "unknown escape \\y at position 1"],
  ["a\\", "a backslash at the end at position 2"],
  ["\\p{Greek", "unknown class at position 1"],
  ["a(?i-)b", "unknown group at position 2"],
  ["(?:a{40}){40}x*x*y", "at position 1"],
  ["", "a pattern must not be empty at position 1"],
  ["a".repeat(501), "a pattern has at most 500 characters at position 501"]
]

const found: ReadonlyArray<readonly [pattern: string, text: string, groups: ReadonlyArray<string | undefined>]> = [
  ["STORE (\\d+)", "at STORE 4471 x", ["STORE 4471", "4471"]],
  ["^(POS|CARD) .*\\d{4}$", "CARD shop 1234", ["CARD shop 1234", "CARD"]],
  ["(\\d+) EUR", "paid 120 EUR", ["120 EUR", "120"]],
  ["a|ab", "ab", ["a"]],
  ["(a)|(b)", "b", ["b", undefined, "b"]],
  ["x{2,3}?", "xxxx", ["xx"]],
  ["(?P<id>[A-Z]{2}\\d{2})", "ref DE89", ["DE89", "DE89"]],
  ["\\bue\\b", "Sue ue", ["ue"]],
  ["[[:digit:]]{2}-[^\\d]", "12-x", ["12-x"]],
  ["\\Qa.b\\E", "axb a.b", ["a.b"]],
  ["(?s)a.b", "a\nb", ["a\nb"]],
  ["a{,2}", "a{,2}", ["a{,2}"]],
  ["a{01}", "a{01}", ["a{01}"]],
  ["(?U)a+?b", "aab", ["aab"]],
  ["(?U)a+", "aa", ["a"]],
  ["(?i)STRASSE", "strasse", ["strasse"]],
  ["(?i:a)b", "Ab", ["Ab"]],
  ["😀+", "x😀😀", ["😀😀"]],
  ["\\x{1F600}", "😀", ["😀"]],
  ["a.c$", "abc", ["abc"]]
]

const notFound: ReadonlyArray<readonly [pattern: string, text: string]> = [
  ["a.b", "a\nb"],
  ["abc$", "abc\n"],
  ["store", "STORE"],
  ["\\s", "\v"],
  ["\\d", "٣"],
  ["\\w", "é"],
  ["(?i)ß", "ss"],
  ["(?i)ı", "i"]
]

const folded: ReadonlyArray<readonly [pattern: string, text: string]> = [
  ["k", "\u212A"],
  ["s", "ſ"],
  ["\u212A", "k"],
  ["\u212A", "K"],
  ["ſ", "s"],
  ["ſ", "S"],
  ["σ", "ς"],
  ["µ", "Μ"],
  ["Ü", "ü"],
  ["[a-k]", "\u212A"],
  ["ᾳ", "ᾼ"]
]

const compile = (pattern: string) => Effect.map(Patterns, (patterns) => Result.getOrThrow(patterns.compile(pattern)))

export const suite = <E>(name: string, layer: Layer.Layer<Patterns, E>): void => {
  withLayer(layer)(name, (it) => {
    it.effect.each(refused)("refuses %s and says why and where", ([pattern, reason]) =>
      Effect.gen(function* () {
        const result = (yield* Patterns).compile(pattern)
        expect(Result.isFailure(result) ? faultText(result.failure) : "accepted").toContain(reason)
      })
    )

    it.effect.each(found)("finds %s in %s", ([pattern, text, groups]) =>
      Effect.gen(function* () {
        const compiled = yield* compile(pattern)
        expect([...(compiled.exec(text) ?? [])]).toEqual(groups)
        expect(compiled.test(text)).toBe(true)
      })
    )

    it.effect.each(notFound)("does not find %s in %j", ([pattern, text]) =>
      Effect.gen(function* () {
        const compiled = yield* compile(pattern)
        expect([compiled.test(text), compiled.exec(text)]).toEqual([false, null])
      })
    )

    it.effect("folds case by single characters: Kelvin sign, long s, final sigma, micro sign", () =>
      Effect.gen(function* () {
        for (const [pattern, text] of folded) {
          expect((yield* compile(`(?i)^${pattern}$`)).test(text), `${pattern} in ${text}`).toBe(true)
        }
      })
    )

    it.effect("gives the same answer whatever was searched before", () =>
      Effect.gen(function* () {
        for (const [pattern, expected] of [
          ["^a+b", [false, true, true, "aab"]],
          ["a+b", [true, true, true, "aab"]],
          ["b", [true, true, true, "b"]]
        ] as const) {
          const compiled = yield* compile(pattern)
          for (let round = 0; round < 2; round++) {
            const answers = [
              compiled.test("xab"),
              compiled.test("aab"),
              compiled.test("aab"),
              compiled.exec("aab")?.[0]
            ]
            expect(answers).toEqual(expected)
          }
        }
      })
    )

    it.effect("looks at the first 10,240 code points", () =>
      Effect.gen(function* () {
        const pad = "😀".repeat(10_239)
        const compiled = yield* compile("x")
        expect(compiled.test(`${pad}x`)).toBe(true)
        expect(compiled.test(`${pad}😀x`)).toBe(false)
        expect(compiled.exec(`${pad}😀x`)).toBe(null)
        expect([...searchable(`${pad}😀😀`)]).toHaveLength(10_240)
      })
    )

    it.effect("counts groups and knows what a match begins with", () =>
      Effect.gen(function* () {
        expect(yield* compile("STORE (\\d+)(?:x)(y)")).toMatchObject({ groupCount: 2, literalPrefix: "STORE " })
        expect((yield* compile("(?i)store")).literalPrefix).toBe("")
      })
    )
  })
}
