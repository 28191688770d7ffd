import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sampleInput } from "../../../../src/enrichment/kinds/transfer/KeptShapes.ts"
import { planTransfers } from "../../../../src/enrichment/kinds/transfer/TransferPlan.ts"

const sha256 = (text: string): string => {
  let hash = 7
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0
  return hash.toString(16).padStart(8, "0").repeat(8)
}

describe("the records by which shapes are kept", () => {
  it.effect("come to links and events of every sort, so that one of each is kept", () =>
    Effect.gen(function* () {
      const { next } = yield* planTransfers(sampleInput(sha256))
      const plans = [...next.values()]
      const links = plans.flatMap((plan) => plan.links)
      expect(new Set(links.map(({ state }) => state))).toEqual(new Set(["auto", "suggested"]))
      expect(new Set(links.map(({ evidence }) => evidence.proof?.pair.band))).toEqual(
        new Set(["exact", "fee", "group"])
      )
      expect(links.some(({ evidence }) => evidence.proof?.rival !== undefined)).toBe(true)
      expect(new Set(plans.flatMap(({ events }) => events.map(({ type }) => type)))).toEqual(
        new Set(["transfer.linked", "transfer.suggested", "transfer.unmatched"])
      )
    })
  )
})
