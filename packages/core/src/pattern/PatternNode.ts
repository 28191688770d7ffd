/** A pattern as a tree, and what is wrong with one (enrichments E3). */
import type * as CharSet from "./CharSet.ts"

export interface PatternFault {
  /** Code points before the place, plus one. */
  readonly position: number
  readonly message: string
}

export type PatternNode =
  | { readonly tag: "set"; readonly set: CharSet.CharSet; readonly at: number }
  | { readonly tag: "sequence"; readonly items: ReadonlyArray<PatternNode> }
  | { readonly tag: "choice"; readonly options: ReadonlyArray<PatternNode> }
  | { readonly tag: "group"; readonly capture: number; readonly body: PatternNode }
  | {
      readonly tag: "repeat"
      readonly body: PatternNode
      readonly min: number
      /** `Infinity` when unbounded. */
      readonly max: number
      readonly lazy: boolean
      readonly at: number
    }
  | { readonly tag: "assert"; readonly kind: "start" | "end" | "boundary" | "inside"; readonly at: number }

export interface ParsedPattern {
  readonly root: PatternNode
  readonly groupCount: number
  /**
   * The first part that this parser reads without knowing exactly what it matches. Every set in the tree is
   * then a superset of what it stands for, and line anchors stand as anchors of the text.
   */
  readonly vague: PatternFault | undefined
}
