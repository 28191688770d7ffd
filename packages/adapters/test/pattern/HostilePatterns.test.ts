import { re2Patterns } from "../../src/pattern/Re2Patterns.ts"
import { faultText } from "@millrace/core/pattern"
import { Seeded } from "@millrace/testing/model"
import { fastestMillis } from "@millrace/verification/process/CpuTime"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { adversaries, families, hostile } from "./HostilePatterns.ts"

const long = process.env["MILLRACE_LONG"] === "1"
/** Patterns of each family, and texts for each of them. */
const perFamily = long ? 600 : 64
const perPattern = long ? 9 : 3

it("makes more than a thousand hostile patterns", () => {
  expect(Object.keys(families).length * perFamily).toBeGreaterThan(1_000)
})

describe.each(Object.entries(families))("%s", { timeout: 3_600_000 }, (name, family) => {
  it("is refused with a reason, or ends within 50 ms on 10 KiB", () => {
    const random = new Seeded(name.length)
    const texts = adversaries(10_240, random)
    let refused = 0
    for (let round = 0; round < perFamily; round++) {
      const pattern = hostile(family, random)
      const compiled = re2Patterns.compile(pattern)
      if (Result.isFailure(compiled)) {
        refused++
        expect(faultText(compiled.failure), pattern).toMatch(/^[\w ].{5,200} at position \d+$/u)
        continue
      }
      for (const text of random.list(perPattern, perPattern, () => random.pick(texts))) {
        const hint = `${pattern} on ${text.slice(0, 12)}...`
        expect(
          fastestMillis(() => compiled.success.test(text), 50),
          hint
        ).toBeLessThan(50)
        expect(
          fastestMillis(() => compiled.success.exec(text), 50),
          hint
        ).toBeLessThan(50)
      }
    }
    if (name === "what RE2 has not") expect(refused).toBe(perFamily)
  })
})
