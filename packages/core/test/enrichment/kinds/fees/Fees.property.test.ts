/** `MILLRACE_LONG=1` plays two thousand worlds. */
import { it } from "@effect/vitest"
import { Seeded, SetWorld } from "@millrace/testing/model"
import { casesOf, countCases, seedsOf } from "@millrace/verification/cases/Cases"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect } from "vitest"
import { fees } from "../../../../src/enrichment/kinds/fees/fees.ts"
import { FeesConfig } from "../../../../src/enrichment/kinds/fees/FeesConfig.ts"
import type { SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { account, leg } from "../transfer/Legs.ts"

const rounds = seedsOf(casesOf({ short: 8, long: 2_000 }))
const accounts = [account(1, "Everyday", "checking"), account(2, "Platinum Card", "credit_card")]
const first = CalendarDate.make("2025-12-20")
const texts = [
  ["-100", "ATM WITHDRAWAL"],
  ["-3.5", "ATM FEE"],
  ["-200", "BISTRO ABROAD"],
  ["-6", "FOREIGN TRANSACTION FEE"],
  ["-3.7", "FOREIGN TRANSACTION FEE"],
  ["-4.9", "MONTHLY SERVICE CHARGE"],
  ["4.9", "SERVICE CHARGE REFUNDED FEE"],
  ["3.5", "ATM FEE REVERSAL"],
  ["-800", "OUTGOING WIRE"],
  ["-25", "WIRE FEE"],
  ["-50", "SCHOOL FEE"]
] as const

const randomRecords = (random: Seeded): ReadonlyArray<SetRecord> =>
  Array.from({ length: 25 + random.below(25) }, (_, n) => {
    const [amount, text] = random.pick(texts)
    const date = CalendarDate.addDays(
      first,
      random.once(2) ? random.below(100) : 30 * random.below(3) + random.below(4)
    )
    return leg(`r${String(n).padStart(3, "0")}`, random.pick(accounts), date, amount, text)
  })

const worldOf = () =>
  new SetWorld({
    kind: fees,
    config: Schema.decodeUnknownSync(FeesConfig)({ minConfidence: 0.6 }),
    dataType: "transactions",
    accounts,
    baseCurrency: accounts[0]!.currency,
    today: CalendarDate.make("2026-05-31")
  })

describe("fees", () => {
  it.effect(
    "are the same to the byte however records arrive; each is a debit, with one cause at most that is no other's",
    () =>
      Effect.gen(function* () {
        for (const seed of rounds) {
          const random = new Seeded(seed)
          const records = randomRecords(random)
          const whole = worldOf()
          whole.put(...records)
          yield* whole.plan()
          const world = worldOf()
          let rest = records.map((one) => [random.below(1e9), one] as const).toSorted(([a], [b]) => a - b)
          while (rest.length > 0) {
            const size = 1 + random.below(9)
            const some = rest.slice(0, size).map(([, one]) => one)
            rest = rest.slice(size)
            world.put(...some)
            yield* world.plan()
            if (!random.once(3)) continue
            world.remove(some[0]!.recordId)
            yield* world.plan()
            world.put(some[0]!)
            yield* world.plan()
          }
          expect([seed, world.text]).toEqual([seed, whole.text])
          const debits = new Set(
            records.flatMap(({ fields, recordId }) => (String(fields["amount"]).startsWith("-") ? [recordId] : []))
          )
          const claims = whole.said.flatMap(([, plan]) => plan.claims)
          const isFee = claims.filter(({ field }) => field === "fee.isFee").map(({ recordId }) => recordId)
          expect(isFee.filter((id) => !debits.has(id))).toEqual([])
          expect(new Set(isFee).size).toBe(isFee.length)
          const kindOf = new Map(claims.flatMap((one) => (one.field === "fee.kind" ? [[one.recordId, one.value]] : [])))
          const causes = claims.flatMap((one) =>
            one.field === "fee.causeRecordId" ? [`${kindOf.get(one.recordId)} ${one.value}`] : []
          )
          expect(new Set(causes).size).toBe(causes.length)
          countCases(records.length)
        }
      })
  )
})
