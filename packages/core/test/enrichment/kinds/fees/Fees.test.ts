import { it } from "@effect/vitest"
import { SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect } from "vitest"
import type { EnrichmentFact } from "../../../../src/enrichment/kinds/EnrichmentFact.ts"
import { FeesConfig } from "../../../../src/enrichment/kinds/fees/FeesConfig.ts"
import { fees } from "../../../../src/enrichment/kinds/fees/fees.ts"
import type { FeeEvidence } from "../../../../src/enrichment/kinds/fees/FeeEvidence.ts"
import type { SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import { account, leg } from "../transfer/Legs.ts"
import { fact } from "../transfer/TransferWorld.ts"

const everyday = account(1, "Everyday", "checking")
const card = account(2, "Platinum Card", "credit_card")
const today = CalendarDate.make("2026-05-31")

const common = { kind: fees, accounts: [everyday, card], baseCurrency: everyday.currency, today }

const world = (config: unknown, facts: ReadonlyArray<EnrichmentFact> = []) => {
  const made = new SetWorld({
    ...common,
    config: Result.getOrThrow(decode(FeesConfig, config)),
    dataType: "transactions"
  })
  made.facts = facts
  return made
}

const feesOf = Effect.fnUntraced(function* (
  records: ReadonlyArray<SetRecord>,
  config: unknown = {},
  facts: ReadonlyArray<EnrichmentFact> = []
) {
  const made = world(config, facts)
  made.put(...records)
  yield* made.plan()
  const all = new Map<string, Record<string, unknown>>()
  for (const [, { claims }] of made.said) {
    for (const { evidence, field, recordId, value } of claims) {
      const of = all.get(recordId) ?? { parts: (evidence as FeeEvidence).parts }
      all.set(recordId, { ...of, [field.replace("fee.", "")]: value })
    }
  }
  return all
})

const withdrawal = (id: string, day: number) => leg(id, everyday, `2026-04-${day}`, "-100", "ATM WITHDRAWAL")
const atmFee = (id: string, day: number) => leg(id, everyday, `2026-04-${day}`, "-3.5", "ATM FEE KIOSK")

const abroad = (n: number, date: string) => [
  leg(`p${n}`, card, date, `-${200 + n}`, "PURCHASE ABROAD"),
  leg(`f${n}`, card, date, `-${((200 + n) * 0.0185).toFixed(2)}`, "FOREIGN TRANSACTION FEE ABROAD")
]

describe("a fee", () => {
  const purchase = leg("p", card, "2026-04-30", "-62.35", "BISTRO LUNE PARIS")
  const charged = leg("f", card, "2026-04-30", "-1.87", "FOREIGN TRANSACTION FEE LUNE")

  it.effect("is told by its words and by its share of a purchase, as in the worked example", () =>
    Effect.gen(function* () {
      const found = yield* feesOf([purchase, charged])
      expect([...found.keys()]).toEqual(["f"])
      expect(found.get("f")).toMatchObject({
        isFee: true,
        kind: "fx",
        causeRecordId: "p",
        avoidable: false,
        refunded: false,
        parts: { prior: -400, label: 0, words: 500, never: 0, structure: 300 }
      })
      expect((yield* feesOf([charged])).size).toBe(0)
    })
  )

  it.effect("is never money that comes in, nothing, or what is not booked yet", () =>
    Effect.gen(function* () {
      const text = "MONTHLY SERVICE CHARGE"
      const label = { type: "FEE" }
      const sure = leg("a", everyday, "2026-04-30", "-5", text, label)
      expect((yield* feesOf([sure])).get("a")).toMatchObject({ kind: "maintenance" })
      for (const amount of ["5", "0"]) {
        expect((yield* feesOf([leg("a", everyday, "2026-04-30", amount, text, label)])).size).toBe(0)
      }
      expect((yield* feesOf([leg("a", everyday, "2026-04-30", "-5", text, { ...label, pending: true })])).size).toBe(0)
    })
  )

  it.effect("is none where the words say that somebody else charges it", () =>
    Effect.gen(function* () {
      const label = { type: "FEE" }
      for (const text of ["SCHOOL FEE SPRING TERM", "TUITION FEE", "FREIGHT CHARGE", "ENTRY FEE CITY RUN"]) {
        expect([text, (yield* feesOf([leg("a", everyday, "2026-04-30", "-50", text)])).size]).toEqual([text, 0])
      }
      expect((yield* feesOf([leg("a", everyday, "2026-04-30", "-50", "BANK FEE", label)])).size).toBe(1)
    })
  )

  it.effect("goes with one cause, and a cause with one fee of its kind", () =>
    Effect.gen(function* () {
      const found = yield* feesOf([
        withdrawal("w1", 10),
        withdrawal("w2", 10),
        atmFee("f1", 10),
        atmFee("f2", 10),
        atmFee("f3", 28)
      ])
      expect([...found].map(([id, { causeRecordId }]) => [id, causeRecordId])).toEqual([
        ["f1", "w1"],
        ["f2", "w2"]
      ])
      const without = yield* feesOf([withdrawal("w1", 10), atmFee("f1", 10)], {}, [fact("forbid", "f1", "w1")])
      expect(without.get("f1")).not.toHaveProperty("causeRecordId")
    })
  )

  it.effect("is known by what the institution charged before", () =>
    Effect.gen(function* () {
      const last = abroad(40, "2026-04-10")
      expect((yield* feesOf(last)).size).toBe(0)
      const taught = [abroad(0, "2026-01-10"), abroad(20, "2026-02-10"), abroad(60, "2026-02-20")].flat()
      expect((yield* feesOf([...taught, ...last])).get("f40")).toMatchObject({ kind: "fx", causeRecordId: "p40" })
      const monthly = ["2026-02-01", "2026-03-01", "2026-04-01"].map((date, n) =>
        leg(`m${n}`, everyday, date, "-4.9", "MONTHLY SERVICE CHARGE PREMIER")
      )
      expect([...(yield* feesOf(monthly)).keys()]).toEqual(["m2"])
      const alone = leg("m", everyday, "2026-02-01", "-4.9", "MONTHLY SERVICE CHARGE 0226")
      expect([...(yield* feesOf([alone])).keys()]).toEqual(["m"])
    })
  )

  it.effect("is given back by a credit of equal size with such words within 60 days", () =>
    Effect.gen(function* () {
      const fee = leg("a", everyday, "2026-03-01", "-35", "OVERDRAFT FEE", { type: "FEE" })
      const back = (date: string) => leg("b", everyday, date, "35", "OVERDRAFT FEE REVERSAL")
      expect((yield* feesOf([fee, back("2026-04-30")])).get("a")).toMatchObject({ refunded: true, avoidable: true })
      expect((yield* feesOf([fee, back("2026-05-01")])).get("a")).toMatchObject({ refunded: false })
    })
  )

  it.effect("is found in the languages that are asked for", () =>
    Effect.gen(function* () {
      const texts = {
        de: "KONTOFUEHRUNGSENTGELT",
        fr: "FRAIS DE TENUE DE COMPTE",
        es: "COMISIÓN MANTENIMIENTO",
        it: "CANONE MENSILE CONTO",
        nl: "KOSTEN BETAALPAKKET",
        pt: "COMISSÃO MANUTENÇÃO CONTA"
      }
      for (const [locale, text] of Object.entries(texts)) {
        const records = [leg("a", everyday, "2026-04-30", "-5", text, { category: "BANK_FEES" })]
        expect((yield* feesOf(records, { locales: [locale] })).get("a")).toMatchObject({ kind: "maintenance" })
      }
    })
  )
})
