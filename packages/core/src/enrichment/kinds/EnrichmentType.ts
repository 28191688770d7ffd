/** The type of an enrichment: bundled ones are in `Kinds`, and a program may add its own. */
import { Identifier } from "../../shared/Identifier.ts"

export const EnrichmentType = Identifier
export type EnrichmentType = typeof EnrichmentType.Type
