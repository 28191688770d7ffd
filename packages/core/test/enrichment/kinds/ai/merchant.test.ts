import { describe, expect, it } from "@effect/vitest"
import { makeScriptedModel } from "@millrace/testing/fake"
import { storeWorkspace } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import type { EnrichmentFact } from "../../../../src/enrichment/kinds/EnrichmentFact.ts"
import { mergeOf } from "../../../../src/enrichment/kinds/ai/merchant.ts"
import { isExtractive } from "../../../../src/enrichment/kinds/ai/MerchantResolver.ts"
import { EventStore } from "../../../../src/event/EventStore.ts"
import type { Fields } from "../../../../src/record/FieldValue.ts"
import * as Timestamp from "../../../../src/shared/Timestamp.ts"
import { aiWorld, layer, valueOf } from "./AiWorld.ts"

const paid = (originalDescription: string, merchantName = ""): Fields => ({
  originalDescription,
  description: originalDescription,
  amount: "-3",
  ...(merchantName === "" ? {} : { merchantName })
})
const at = Timestamp.make("2026-01-01T00:00:00.000Z")

it.effect("asks no model that its workspace may not ask", () =>
  Effect.gen(function* () {
    const model = makeScriptedModel({ answer: () => ({ answer: "Quimby", probability: 0.95 }) })
    const { run, workspace } = yield* aiWorld("ai_merchant", { fallback: "none" }, { model })
    const { id: other } = yield* storeWorkspace()
    Object.assign(model, { workspaces: new Set([other]) })
    const record = paid("ZORBLAX QUIMBY 77")
    expect((yield* run([record])).outcomes.flatMap(({ claims }) => claims)).toEqual([])
    expect(model.requests).toEqual([])
    Object.assign(model, { workspaces: new Set([other, workspace.id]) })
    expect(valueOf((yield* run([record])).outcomes[0]!, "merchantName")).toBe("Quimby")
  }).pipe(Effect.provide(layer))
)

describe("merchants", () => {
  it.effect("are named step by step: provider, known merchants, the nearest name, the text", () =>
    Effect.gen(function* () {
      const { run } = yield* aiWorld("ai_merchant", {})
      const { outcomes } = yield* run([
        paid("SQ *BLUE HERON CAFE 4471 PORTLAND OR"),
        paid("SQ *BLUE HERON CAFE 4471 PORTLAND OR", "Blue Heron Café"),
        paid("AMZN Mktp US*2K3AB4CD5"),
        paid("SAINSBURRYS SUPERMARKETS 22"),
        paid("to J Smith"),
        paid("4711 0815")
      ])
      const told = outcomes.map((one) => [valueOf(one, "merchantName"), one.claims[0]?.path])
      expect(told).toEqual([
        ["Blue Heron Cafe", "derived"],
        ["Blue Heron Café", "provider"],
        ["Amazon", "dictionary"],
        ["Sainsbury's", "nearest"],
        ["J Smith", "person"],
        [undefined, undefined]
      ])
      expect(valueOf(outcomes[0]!, "processor")).toBe("sq")
      expect(valueOf(outcomes[0]!, "merchantId")).toMatch(/^mrc_[0-9a-z]{26}$/)
      expect(valueOf(outcomes[4]!, "merchantId")).toBeUndefined()
    }).pipe(Effect.provide(layer))
  )

  it.effect("keep their ids through dates, references and numbers of shops, and over their own names", () =>
    Effect.gen(function* () {
      const { run } = yield* aiWorld("ai_merchant", {})
      const random = new Seeded(3)
      for (const name of ["HARBOUR CHANDLERY", "STARBUCKS", "REWE MARKT", "ZORBLAX QUIMBY & SONS"]) {
        const noise = () =>
          random.pick([
            `#${random.below(900)}`,
            `${random.below(90_000) + 10_000}`,
            "14/03/2026",
            "REF 99XK1123",
            `STORE ${random.below(900)}`
          ])
        const { outcomes } = yield* run([paid(name), ...random.list(8, 8, () => paid(`${name} ${noise()}`))])
        expect(new Set(outcomes.map((one) => valueOf(one, "merchantId"))).size).toBe(1)
        const again = yield* run([paid(String(valueOf(outcomes[0]!, "merchantName")))])
        expect(valueOf(again.outcomes[0]!, "merchantId")).toBe(valueOf(outcomes[0]!, "merchantId"))
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("follow what people say: a name for all spellings, a merge and its end", () =>
    Effect.gen(function* () {
      const value = { recordId: "r", fields: paid("SQ *BLUE HERON CAFE 4471"), value: "Blue Heron", at }
      const named = yield* aiWorld("ai_merchant", {}, { said: { values: [value], facts: [] } })
      const renamed = (yield* named.run([paid("SQ *BLUE HERON CAFE 9999 PORTLAND OR")])).outcomes[0]!
      expect([valueOf(renamed, "merchantName"), renamed.claims[0]!.path]).toEqual(["Blue Heron", "alias"])

      const fact = {
        ...mergeOf(undefined, "Zorblax Quimby", "Tesco"),
        id: "fct_1",
        workspaceId: "ws",
        dataType: "transactions",
        by: { kind: "user", userId: "usr_1" },
        at
      } as unknown as EnrichmentFact
      const both = [paid("ZORBLAX QUIMBY 12"), paid("TESCO STORES 3121")]
      const idsOf = (world: Effect.Success<ReturnType<typeof aiWorld>>) =>
        Effect.map(world.run(both), ({ outcomes }) => outcomes.map((one) => valueOf(one, "merchantName")))
      const merged = yield* aiWorld("ai_merchant", {}, { said: { values: [], facts: [fact] } })
      expect(yield* idsOf(merged)).toEqual(["Tesco", "Tesco"])
      const events = yield* (yield* EventStore).read(merged.workspace.id, 0, 10)
      expect(events.map(({ type }) => type)).toEqual(["merchant.merged"])
      expect(yield* idsOf(yield* aiWorld("ai_merchant", {}))).toEqual(["Zorblax Quimby", "Tesco"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("tell of those that come later, each once, and not of those of the beginning", () =>
    Effect.gen(function* () {
      const { run, workspace } = yield* aiWorld("ai_merchant", {})
      yield* run([paid("TESCO STORES 3121"), paid("ZORBLAX")])
      for (let n = 0; n < 2; n++) yield* run([paid("TESCO STORES 3121"), paid("LIDL 22"), paid("LIDL GB")])
      const events = yield* (yield* EventStore).read(workspace.id, 0, 10)
      expect(events.map(({ data, type }) => [type, data])).toEqual([["merchant.created", { name: "Lidl" }]])
    }).pipe(Effect.provide(layer))
  )

  it.effect("take names of a model only where they are words of the text, or known", () =>
    Effect.gen(function* () {
      const names: Readonly<Record<string, string>> = {
        "qx vrbl zorblax intl": "Zorblax",
        "hidden gem ltda": "Bank of Evil",
        "wonderland tsco": "Tesco"
      }
      const model = makeScriptedModel({
        answer: (input) => {
          const { text } = input as { readonly text: string }
          return { answer: names[text] ?? "Somebody Else Entirely", probability: 0.99 }
        }
      })
      const { run } = yield* aiWorld("ai_merchant", { fallback: "none" }, { model })
      const { outcomes } = yield* run([paid("QX VRBL ZORBLAX INTL"), paid("HIDDEN GEM LTDA"), paid("WONDERLAND TSCO")])
      expect(outcomes.map((one) => valueOf(one, "merchantName"))).toEqual(["Zorblax", undefined, "Tesco"])
      expect((yield* run([paid("QX VRBL ZORBLAX INTL")], false)).outcomes[0]).toEqual(outcomes[0])
    }).pipe(Effect.provide(layer))
  )

  it("count a word as one of the text by its beginning, or one letter beside it", () => {
    expect(isExtractive("Starbucks", "STARBUCK STORE")).toBe(true)
    expect(isExtractive("Blue Heron", "blue heron cafe")).toBe(true)
    expect(isExtractive("Herom", "blue heron cafe")).toBe(true)
    expect(isExtractive("Heron Bank", "blue heron cafe")).toBe(false)
    expect(isExtractive("", "blue heron cafe")).toBe(false)
  })
})
