/** Conformance of `EnrichmentRunStore`. */
import { enrichmentRunResource } from "@millrace/core/enrichment"
import { EnrichmentRunStore } from "@millrace/core/storage"
import { testsOf } from "./ResourceSuite.ts"
import type { StorageTests } from "./StorageTests.ts"

export const tests: StorageTests = testsOf(enrichmentRunResource, EnrichmentRunStore)
