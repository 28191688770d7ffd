/**
 * Patterns in linear time: on the host's own engine what is proven to be linear there, on `re2js` the rest.
 *
 * Nothing runs that this kernel's parser and that of `re2js` do not both accept.
 */
import {
  type CompiledPattern,
  compileProven,
  lengthFault,
  literalPrefix,
  parse,
  type ParsedPattern,
  type PatternEngine,
  type PatternFault,
  Patterns,
  searchable
} from "@millrace/core/pattern"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { RE2JS, RE2JSSyntaxException } from "re2js"
import { sizeOf, widthOf } from "./PatternProgram.ts"

/** Bounds the memory of a program (some 300 bytes an instruction) and the time to compile it (a few ms). */
const maxInstructions = 1_000

/**
 * Keeps every accepted pattern below 50 ms for the 10,240 characters that are searched. What a character costs
 * is the width of the program, and a sixteenth more for every group whose ends are copied along.
 *
 * Measured with Node 24 on hostile texts, one unit of this cost takes 0.2 to 0.4 ms whatever the family of the
 * pattern: at 64 the slowest take about 25 ms, which leaves room for a machine of half the speed. The number
 * of instructions would be a poor measure, because most of a pattern sleeps most of the time: their worst case
 * allows 100 of them, and an alternation of names that does no harm needs 300.
 */
const maxCost = 64
const costOfGroup = 1 / 16

/** Of the states that each pattern may remember; its program is of the same order. `re2js` would take 8 MiB. */
const automatonBytes = 262_144

/** Search anywhere: what `re2js` calls the anchor of a search. */
const unanchored = 0

/** Steps of the host's own engine that take as long as one unit of `costOf`. */
const stepsOfCost = 8

const costOf = (parsed: ParsedPattern): number => Math.ceil(widthOf(parsed) * (1 + parsed.groupCount * costOfGroup))

const sizeFault = (parsed: ParsedPattern): string | undefined => {
  const size = sizeOf(parsed.root)
  return size > maxInstructions ? `is too large: ${size} instructions, at most ${maxInstructions}` : undefined
}

/** The first place of what the parser of `re2js` complains of. */
const placeOf = (pattern: string, part: string | null): number => {
  const at = part === null ? -1 : pattern.indexOf(part)
  return at < 0 ? 1 : Array.from(pattern.slice(0, at)).length + 1
}

const compileRe2 = (pattern: string): Result.Result<RE2JS, PatternFault> =>
  Result.try({
    try: () => RE2JS.compile(pattern),
    catch: (cause) =>
      cause instanceof RE2JSSyntaxException
        ? { position: placeOf(pattern, cause.getPattern()), message: cause.getDescription() }
        : { position: 1, message: `is not supported: ${String(cause)}` }
  })

/** First and last place of every group, -1 where it took no part; `null` without a match. */
type Ends = ReadonlyArray<number> | null

const onRe2 = (expression: RE2JS, { groupCount, root }: ParsedPattern, cost: number): CompiledPattern => {
  const engine = expression.re2()
  // There is no option for it, but the budgets are read whenever states are made or forgotten.
  const { dfa } = engine
  dfa.stateBudget = automatonBytes
  dfa.memBudget = automatonBytes
  return {
    test: (text) => expression.test(searchable(text)),
    // Its own `exec` searches twice where there are groups.
    exec: (text) => {
      const input = searchable(text)
      const [, ends] = engine.matchWithGroup(input, 0, input.length, unanchored, groupCount + 1) as [boolean, Ends]
      if (ends === null) return null
      return Array.from({ length: groupCount + 1 }, (_, group) => {
        const start = ends[2 * group]!
        return start < 0 ? undefined : input.slice(start, ends[2 * group + 1])
      })
    },
    groupCount,
    literalPrefix: literalPrefix(root),
    work: cost * stepsOfCost
  }
}

/** Refuses what RE2 has not, and what would be slow or large even in linear time. */
export const re2Patterns: PatternEngine = {
  compile: (pattern) => {
    const fault = lengthFault(pattern)
    if (fault !== undefined) return Result.fail(fault)
    return Result.flatMap(parse(pattern), (parsed) => {
      const proven = compileProven(parsed)
      if (Result.isSuccess(proven)) return proven
      const size = sizeFault(parsed)
      if (size !== undefined) return Result.fail({ position: 1, message: size })
      const cost = costOf(parsed)
      return cost > maxCost
        ? Result.fail({ position: 1, message: `could take too long: a character costs ${cost}, at most ${maxCost}` })
        : Result.map(compileRe2(pattern), (expression) => onRe2(expression, parsed, cost))
    })
  }
}

export const layer: Layer.Layer<Patterns> = Layer.succeed(Patterns, re2Patterns)
