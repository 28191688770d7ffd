/** The one list of the kinds of enrichment that this build can run. */
import type { PatternEngine } from "../pattern/Pattern.ts"
import type { EnrichmentType } from "./kinds/EnrichmentType.ts"
import type { RecordKind } from "./kinds/Kind.ts"
import { makeFilter } from "./kinds/filter.ts"
import { makeRule } from "./kinds/rule.ts"

/** The kinds that a program can run, by type. */
export type Kinds = { readonly [T in EnrichmentType]?: RecordKind }

/** The bundled kinds on an engine for patterns. Adding a kind is one file in `kinds/` and one line here. */
export const makeKinds = (patterns: PatternEngine): Kinds => ({
  rule: makeRule(patterns),
  filter: makeFilter(patterns)
})
