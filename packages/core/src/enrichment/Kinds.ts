/** The kinds of enrichment that a program runs. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Patterns, type PatternEngine } from "../pattern/Pattern.ts"
import { byIdentifier } from "../shared/Identifier.ts"
import type { EnrichmentType } from "./kinds/EnrichmentType.ts"
import type { RecordKind } from "./kinds/Kind.ts"
import { makeFilter } from "./kinds/filter.ts"
import { makeRule } from "./kinds/rule.ts"

/** The bundled kinds on an engine for patterns. Adding a kind is one file in `kinds/` and one line here. */
export const bundledKinds = (patterns: PatternEngine): ReadonlyArray<RecordKind> => [
  makeRule(patterns),
  makeFilter(patterns)
]

/** A registry of these kinds. Types must be unique identifiers; anything else is a defect. */
export const kindsOf = (kinds: ReadonlyArray<RecordKind>): Kinds["Service"] => {
  const byType = byIdentifier("the enrichment type", kinds, ({ type }) => type)
  return { all: kinds, get: (type) => byType.get(type) }
}

export class Kinds extends Context.Service<
  Kinds,
  {
    readonly all: ReadonlyArray<RecordKind>
    /** `undefined`: enrichments of that type cannot run here. */
    readonly get: (type: EnrichmentType) => RecordKind | undefined
  }
>()("@millrace/core/enrichment/Kinds") {
  static readonly layer = (kinds: ReadonlyArray<RecordKind>): Layer.Layer<Kinds> =>
    Layer.sync(Kinds, () => kindsOf(kinds))

  /** The bundled kinds, and those of the program. */
  static readonly layerBundled = (more: ReadonlyArray<RecordKind> = []): Layer.Layer<Kinds, never, Patterns> =>
    Layer.effect(
      Kinds,
      Effect.map(Patterns, (patterns) => kindsOf([...bundledKinds(patterns), ...more]))
    )
}

/** What an enrichment of a type that is not here is refused with. */
export const unknownType = (type: EnrichmentType, { all }: Kinds["Service"]): string =>
  `enrichments of type ${type} cannot run here; there are ${all.map((kind) => kind.type).join(", ")}`
