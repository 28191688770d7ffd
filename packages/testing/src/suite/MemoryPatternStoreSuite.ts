/** Conformance of `MemoryPatternStore`. */
import { memoryPatternResource } from "@millrace/core/enrichment"
import { MemoryPatternStore } from "@millrace/core/storage"
import { testsOf } from "./ResourceSuite.ts"
import type { StorageTests } from "./StorageTests.ts"

export const tests: StorageTests = testsOf(memoryPatternResource, MemoryPatternStore)
