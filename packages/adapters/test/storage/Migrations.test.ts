import { knownSchema } from "../../src/storage/postgres/Migrations.ts"
import { expect, it } from "vitest"

it("numbers its steps from 1 on without a gap: a step that filled one would never run", () => {
  expect(knownSchema.map(({ id }) => id)).toEqual(knownSchema.map((_, at) => at + 1))
})
