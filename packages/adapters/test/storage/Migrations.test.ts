import { knownSchema, newestSchema } from "../../src/storage/postgres/Migrations.ts"
import { expect, it } from "vitest"

it("numbers its steps from 1 without a gap: a step that came in between later would never run", () => {
  expect(knownSchema.map(({ id }) => id)).toEqual(Array.from({ length: newestSchema }, (_, n) => n + 1))
})
