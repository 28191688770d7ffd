/** Conformance of `EnrichmentStore`. */
import { enrichmentResource } from "@millrace/core/enrichment"
import { EnrichmentStore } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeEnrichment } from "../fixture/Enrichment.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { testsOf } from "./ResourceSuite.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

export const tests: StorageTests = (it) => {
  testsOf(enrichmentResource, EnrichmentStore)(it)

  it.effect("hands back a configuration as it was given, whatever is in it", () =>
    Effect.gen(function* () {
      const workspace = yield* storeWorkspace()
      const store = yield* EnrichmentStore
      const config = {
        texts: [...difficultTexts, "\0"],
        deep: { z: 1, a: [1, 2.5, true, null, { b: "" }] },
        'odd key \\ "': 1e21
      }
      const enrichment = yield* makeEnrichment(workspace, { name: difficultTexts[6]!, emoji: "🧾", config })
      yield* store.insert(enrichment)
      const read = Option.getOrThrow(yield* store.get(workspace.id, enrichment.id))
      expect(JSON.stringify(read.config)).toBe(JSON.stringify(config))
      const { emoji: _, ...without } = { ...enrichment, version: 2 }
      expect(yield* store.update(without)).toBe(true)
      expect(Object.keys(Option.getOrThrow(yield* store.get(workspace.id, enrichment.id)))).not.toContain("emoji")
    })
  )
}

export const suite = suiteOf(tests)
