/** Patterns in conditions and actions: RE2 syntax and meaning, always in linear time (enrichments E3). */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { limits } from "../shared/Limits.ts"
import { literalPrefix } from "./PatternLiterals.ts"
import { prove } from "./PatternProof.ts"
import { sourceOf } from "./PatternSource.ts"
import type { ParsedPattern, PatternFault } from "./PatternNode.ts"
import { parse } from "./PatternSyntax.ts"

export type { PatternFault } from "./PatternNode.ts"

/** A pattern that is ready to run. Both methods search the first 10,240 code points, unanchored. */
export interface CompiledPattern {
  readonly test: (text: string) => boolean
  /** The leftmost match and its groups; a group that took no part is `undefined`. */
  readonly exec: (text: string) => ReadonlyArray<string | undefined> | null
  readonly groupCount: number
  /** What every match begins with, `""` when unknown. */
  readonly literalPrefix: string
  /** Units of work that a character of the text may cost at most (`shared/Work`). */
  readonly work: number
}

/**
 * Whatever can run RE2 patterns. It must promise time linear in the text for everything it accepts, and says
 * what is wrong with everything else. Synchronous: a pattern runs for every record.
 */
export interface PatternEngine {
  readonly compile: (pattern: string) => Result.Result<CompiledPattern, PatternFault>
}

/** One sentence for the person who wrote the pattern. */
export const faultText = (fault: PatternFault): string => `${fault.message} at position ${fault.position}`

/** The part of a text that patterns look at. */
export const searchable = (text: string): string => {
  if (text.length <= limits.patternInput) return text
  let end = 0
  for (let points = 0; points < limits.patternInput && end < text.length; points++)
    end += text.codePointAt(end)! > 0xff_ff ? 2 : 1
  return text.slice(0, end)
}

const lengthOf = (pattern: string): number => [...pattern].length

/** Why the length of a pattern is refused; the same for every engine. */
export const lengthFault = (pattern: string): PatternFault | undefined =>
  pattern === ""
    ? { position: 1, message: "a pattern must not be empty" }
    : lengthOf(pattern) > limits.patternLength
      ? { position: limits.patternLength + 1, message: `a pattern has at most ${limits.patternLength} characters` }
      : undefined

/**
 * The pattern on the host's own engine, when it is proven to be linear there and to mean the same as in RE2;
 * otherwise what stands against it.
 */
export const compileProven = ({
  groupCount,
  root,
  vague
}: ParsedPattern): Result.Result<CompiledPattern, PatternFault> =>
  vague !== undefined
    ? Result.fail(vague)
    : Result.map(prove(root), ({ anchored, guarded, steps }) => {
        // Sticky at 0: an anchored pattern is tried once and not at every character.
        const expression = new RegExp(sourceOf(root, guarded), anchored ? "uy" : "u")
        const rewind = (): void => {
          if (anchored) expression.lastIndex = 0
        }
        return {
          test: (text) => {
            rewind()
            return expression.test(searchable(text))
          },
          exec: (text) => {
            rewind()
            return expression.exec(searchable(text))
          },
          groupCount,
          literalPrefix: literalPrefix(root),
          work: steps
        }
      })

/** Refuses what it cannot prove to be linear. For kernels without an engine of RE2. */
export const provenPatterns: PatternEngine = {
  compile: (pattern) => {
    const fault = lengthFault(pattern)
    return fault === undefined ? Result.flatMap(parse(pattern), compileProven) : Result.fail(fault)
  }
}

/** The engine that runs the patterns of conditions and actions. */
export class Patterns extends Context.Service<Patterns, PatternEngine>()("@millrace/core/pattern/Pattern") {
  static readonly layerProven: Layer.Layer<Patterns> = Layer.succeed(Patterns, provenPatterns)
}
