import { knownSchema } from "../../src/storage/postgres/Migrations.ts"
import { expect, it } from "vitest"

it("numbers its steps in ascending order, each number once", () => {
  const numbers = knownSchema.map(({ id }) => id)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
  expect(numbers[0]).toBe(1)
})
