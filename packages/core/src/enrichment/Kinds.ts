/** The one list of the kinds of enrichment that this build can run. */
import type { EnrichmentType } from "./EnrichmentType.ts"
import type { RecordKind } from "./Kind.ts"
import { filter } from "./kinds/filter.ts"
import { rule } from "./kinds/rule.ts"

/** Adding a kind is one file in `kinds/` and one line here. */
export const kinds: { readonly [T in EnrichmentType]?: RecordKind } = { rule, filter }
