import { Seeded } from "@millrace/testing/model"
import { expect, it } from "@effect/vitest"
import { FieldsRead } from "../../src/enrichment/FieldsRead.ts"
import type { FieldValue } from "../../src/record/FieldValue.ts"

it("gives what is known of the fields, in the order in which they are read, few or many of them", () => {
  const random = new Seeded(11)
  for (const count of [3, 31, 40]) {
    const reads = Array.from({ length: count }, (_, n) => `field${n % (count - 1)}`)
    const read = new FieldsRead(reads)
    for (let round = 0; round < 50; round++) {
      const view: Record<string, FieldValue> = { other: "x" }
      for (const field of reads) {
        const which = random.below(3)
        if (which > 0) view[field] = which === 1 ? null : `${round} ${field}`
      }
      const expected = [...new Set(reads)].filter((field) => view[field] !== undefined && view[field] !== null)
      const fields = read.of(view)
      expect(Object.keys(fields)).toEqual(expected)
      expect(expected.every((field) => fields[field] === view[field])).toBe(true)
    }
  }
})
