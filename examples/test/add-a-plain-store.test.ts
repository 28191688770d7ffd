import { readFileSync } from "node:fs"
import { MemoryStorage } from "@millrace/adapters/memory"
import { ResourceSuite } from "@millrace/testing/suite/storage"
import { expect, it } from "@effect/vitest"
import * as Layer from "effect/Layer"
import { noteResource, NoteStore } from "../add-a-plain-store.ts"

ResourceSuite.suite(
  "add a plain store: memory",
  ResourceSuite.keyedTestsOf(noteResource, NoteStore),
  Layer.provideMerge(NoteStore.layer, MemoryStorage.layer)
)

it("add a plain store: takes no more lines than the recipe promises", () => {
  const recipe = readFileSync(new URL("../../docs/recipes/plain-store.md", import.meta.url), "utf8")
  const promised = Number(/at most (\d+) lines/.exec(recipe)?.[1])
  const lines = readFileSync(new URL("../add-a-plain-store.ts", import.meta.url), "utf8")
    .trimEnd()
    .split("\n").length
  expect(lines).toBeLessThanOrEqual(promised)
})
