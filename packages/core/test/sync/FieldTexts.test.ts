import type { Fields } from "../../src/record/FieldValue.ts"
import { Digest } from "../../src/shared/Digest.ts"
import { FieldTexts } from "../../src/sync/FieldTexts.ts"
import { ingest } from "../../src/sync/Ingest.ts"
import { NodeDigest } from "@millrace/adapters"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const texts = ["", "Café", "a\tb\nc", "…\u001e\u001f\u0000 ends", '"quoted" \\ and 😀', "x".repeat(400)]

describe("fields as text", () => {
  it.effect("come back as they were, and in their order", () =>
    Effect.gen(function* () {
      const digest = yield* Digest
      const random = new Seeded(7)
      const maybe = (key: string, value: string) => (random.below(2) === 0 ? {} : { [key]: value })
      const ingested = Array.from({ length: 500 }, (_, n): Fields => {
        const read = ingest(
          "transactions",
          {
            providerAccountId: "a",
            providerId: String(n),
            pending: random.below(3) === 0,
            fields: {
              date: "2026-03-14",
              description: `${n} ${random.pick(texts)}`,
              originalDescription: random.pick(texts),
              amount: `-${random.below(900)}.5`,
              currency: "USD",
              ...maybe("merchantName", random.pick(texts)),
              ...maybe("reference", `${n}`)
            }
          },
          digest
        )
        if ("quarantined" in read) throw new Error(read.quarantined.reason)
        return read.observation.fields
      })
      const all: ReadonlyArray<Fields> = [...ingested, {}, { notes: null, isManual: true, amount: "" }]
      const form = new FieldTexts()
      const back = FieldTexts.parted(FieldTexts.joined(all.map((fields) => form.write(fields))))
      expect(back.map((text) => JSON.stringify(form.read(text)))).toEqual(all.map((fields) => JSON.stringify(fields)))
    }).pipe(Effect.provide(NodeDigest.layer))
  )

  it("are not taken for those of a row with another number of texts", () => {
    const form = new FieldTexts()
    const text = form.write({ amount: "1\u001f2" })
    expect(() => form.read(text)).toThrow("1 texts of a row came back as 2")
  })
})
