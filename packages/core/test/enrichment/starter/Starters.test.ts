import { describe, expect, it } from "@effect/vitest"
import { NodeDigest } from "@millrace/adapters"
import * as Effect from "effect/Effect"
import { judge, noFindings } from "../../../src/enrichment/EnrichmentCheck.ts"
import { bundledKinds, kindsOf } from "../../../src/enrichment/Kinds.ts"
import * as Pipeline from "../../../src/enrichment/Pipeline.ts"
import { countryPhrases } from "../../../src/enrichment/starter/CountryPhrases.ts"
import { starters } from "../../../src/enrichment/starter/Starters.ts"
import { provenPatterns } from "../../../src/pattern/Pattern.ts"
import { makeEnrichment, storeWorkspace } from "@millrace/testing/fixture"
import { MemoryStorage } from "@millrace/adapters/memory"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import { Digest } from "../../../src/shared/Digest.ts"
import { Ids } from "../../../src/shared/Ids.ts"
import * as Layer from "effect/Layer"
import { RunWork } from "../../../src/enrichment/RunWork.ts"

const services = Layer.mergeAll(MemoryStorage.layer, NodeDigest.layer, Ids.layer)
const kindsNow = Effect.map(Digest, (digest) =>
  kindsOf(bundledKinds({ patterns: provenPatterns, sha256: (text) => digest.sha256(text) }))
)

/** What banks of the country print, and what the rules make of it. */
const lines: Readonly<Record<string, ReadonlyArray<readonly [text: string, amount: string, kind: string]>>> = {
  US: [
    ["ONLINE TRANSFER TO SAVINGS 4411", "-500", "TRANSFER_OUT"],
    ["OVERDRAFT FEE", "-35", "BANK_FEES"],
    ["MONTHLY MAINTENANCE FEE", "-12", "BANK_FEES"],
    ["EVRYTHNG REFUND 1123", "20", "REFUND"],
    ["SCHOOL FEE LINCOLN HIGH", "-80", ""],
    ["FLATE FEES OF THE CLUB", "-80", ""],
    ["PREFUND ACCOUNT", "20", ""]
  ],
  GB: [
    ["TFR FROM SAVINGS", "200", "TRANSFER_IN"],
    ["NON-STERLING TRANSACTION FEE", "-1.20", "BANK_FEES"],
    ["REFUND FROM CORNER PHARMACY", "6", "REFUND"]
  ],
  AU: [
    ["TRANSFER TO SAVER XX1234", "-50", "TRANSFER_OUT"],
    ["ACCOUNT KEEPING FEE", "-5", "BANK_FEES"]
  ],
  DE: [
    ["Umbuchung auf Tagesgeld", "-300", "TRANSFER_OUT"],
    ["Kontoführungsentgelt März", "-4.90", "BANK_FEES"],
    ["Erstattung Bestellung 77", "19", "REFUND"],
    ["Rückerstattung Bestellung 78", "19", "REFUND"],
    ["BÄCKEREI SAGT DANKE", "-22", ""]
  ],
  FR: [
    ["VIREMENT INTERNE LIVRET A", "-100", "TRANSFER_OUT"],
    ["FRAIS DE TENUE DE COMPTE", "-2", "BANK_FEES"],
    ["REMBOURSEMENT LIBRAIRIE", "30", "REFUND"]
  ],
  ES: [
    ["TRASPASO ENTRE CUENTAS", "75", "TRANSFER_IN"],
    ["COMISIÓN MANTENIMIENTO", "-10", "BANK_FEES"],
    ["DEVOLUCION COMPRA ZAPATOS", "25", "REFUND"]
  ],
  IT: [
    ["GIROCONTO", "-60", "TRANSFER_OUT"],
    ["IMPOSTA DI BOLLO", "-8.55", "BANK_FEES"],
    ["ASTORNO HOTEL", "20", ""],
    ["RIMBORSO ACQUISTO", "12", "REFUND"]
  ],
  NL: [
    ["Naar Oranje Spaarrekening", "-40", "TRANSFER_OUT"],
    ["Kosten betaalpakket", "-2.45", "BANK_FEES"],
    ["Terugbetaling boeken", "15", "REFUND"]
  ],
  PT: [
    ["TRANSFERÊNCIA ENTRE CONTAS", "-30", "TRANSFER_OUT"],
    ["ANUIDADE CARTÃO", "-18", "BANK_FEES"],
    ["ESTORNO COMPRA", "9", "REFUND"]
  ]
}

describe("starters", () => {
  it("have names of their own, that can be typed", () => {
    const names = starters.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([])
  })

  it.effect("can be saved as they are", () =>
    Effect.gen(function* () {
      const kinds = yield* kindsNow
      const workspace = yield* storeWorkspace()
      for (const { enrichment, name } of starters) {
        const found = noFindings()
        judge({ ...enrichment, workspaceId: workspace.id }, kinds, { has: () => false }, found)
        expect([name, found.top, found.inside]).toEqual([name, [], []])
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("know the words of banks, and leave alone what was decided", () =>
    Effect.gen(function* () {
      const kinds = yield* kindsNow
      const workspace = yield* storeWorkspace()
      for (const { country } of countryPhrases) {
        const { enrichment } = starters.find(({ name }) => name === `patterns-${country.toLowerCase()}`)!
        const rule = yield* makeEnrichment(workspace, { type: "rule", config: enrichment.config })
        const pipeline = Pipeline.compile([rule], "transactions", kinds)
        const today = CalendarDate.make("2026-03-01")
        const kindOf = (description: string, amount: string, category: string) => {
          const fields = { description, originalDescription: description, amount, category, type: "OTHER" }
          const after = Pipeline.run(pipeline, { recordId: "r", fields }, { today, work: new RunWork() }).fields
          return after["type"] === "REFUND" ? "REFUND" : after["category"] === category ? "" : after["category"]
        }
        for (const [text, amount, kind] of lines[country]!) {
          expect([country, text, kindOf(text, amount, "UNCATEGORIZED")]).toEqual([country, text, kind])
          if (kind !== "REFUND") expect(kindOf(text, amount, "TRAVEL")).toBe("")
        }
      }
    }).pipe(Effect.provide(services))
  )
})
