import { MemoryStorage } from "@millrace/adapters/memory"
import { accessMatrix } from "@millrace/core/access"
import { type KeyedDefinition, Resources } from "@millrace/core/resource"
import { ResourceSuite } from "@millrace/testing/suite/storage"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { notes } from "../add-a-collection.ts"

const resource = notes.resource as KeyedDefinition<ReturnType<typeof notes.made>>

ResourceSuite.suite(
  "add a collection: memory",
  ResourceSuite.keyedTestsOf(
    resource,
    Effect.map(Resources, ({ openKeyed }) => openKeyed(resource))
  ),
  MemoryStorage.layer
)

it("add a collection: has its rows in the access matrix", () => {
  const page = accessMatrix(Object.values(notes.surface.entries), { notes: notes.surface.about }, () => "GET /v1/notes")
  expect(page.split("\n").filter((line) => line.includes("note"))).toHaveLength(7)
  expect(page).toContain("| createNote | `GET /v1/notes` | tables:write | editor | own | with an idempotency key |")
})
