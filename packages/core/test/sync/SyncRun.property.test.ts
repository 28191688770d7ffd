/** A few dozen of the lives that `npm run sim` plays by the thousand. */
import { describe, expect, it } from "@effect/vitest"
import { engineScenario } from "@millrace/verification/simulation/EngineScenario"
import { scriptScenario } from "@millrace/verification/simulation/Scenario"

const long = process.env["MILLRACE_LONG"] !== undefined
const asked = process.env["MILLRACE_SEED"]

const seedsFrom = (first: number, count: number): ReadonlyArray<number> =>
  asked === undefined ? Array.from({ length: long ? count * 60 : count }, (_, n) => first + n) : [Number(asked)]

describe("sync of random lives of a connection", () => {
  for (const [nth, model] of (["upsertByKey", "idempotencyKey", "readBack", "wholeFile"] as const).entries()) {
    it(
      `ends with exactly what the bank says, at a table and at a destination that is ${model}`,
      { timeout: 600_000 },
      () => {
        // Other lives for each destination, unless one is asked for.
        for (const seed of seedsFrom(1 + nth * 1_000_000, 20)) {
          const { broken } = scriptScenario(seed, { model })
          expect(broken?.message, `MILLRACE_SEED=${seed} (${model})`).toBeUndefined()
        }
      }
    )
  }
})

describe("random lives of an installation", () => {
  it("end with every job and lock free, and with what the banks say", { timeout: 600_000 }, () => {
    for (const seed of seedsFrom(1, 6)) {
      const { broken } = engineScenario(seed)
      expect(broken?.message, `MILLRACE_SEED=${seed}`).toBeUndefined()
    }
  })
})
