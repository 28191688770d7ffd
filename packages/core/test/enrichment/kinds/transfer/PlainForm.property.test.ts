/**
 * The columns that transfers are found in, beside the plain form that they were written in first (`plain`): both say the same
 * to the byte. `MILLRACE_LONG=1` plays three hundred worlds.
 */
import { it } from "@effect/vitest"
import { Seeded, SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect } from "vitest"
import type { SetAccount, SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import { TransferConfig } from "../../../../src/enrichment/kinds/transfer/TransferConfig.ts"
import { transferMatch } from "../../../../src/enrichment/kinds/transfer/transferMatch.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import * as Currency from "../../../../src/shared/Currency.ts"
import * as Decimal from "../../../../src/shared/Decimal.ts"
import { rateTable } from "../../../../src/shared/RateTable.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import { account, leg } from "./Legs.ts"
import { planTransfers } from "./plain/TransferPlan.ts"
import { fact } from "./TransferWorld.ts"

const rounds = process.env["MILLRACE_LONG"] === "1" ? 300 : 10

const accounts = [
  account(1, "Everyday", "checking"),
  account(2, "Saver", "savings"),
  account(3, "Platinum Card", "credit_card"),
  account(4, "Travel", "checking", "USD"),
  account(5, "Mirror", "checking"),
  account(6, "Hidden", "savings")
]
const today = CalendarDate.make("2026-02-10")
const first = CalendarDate.make("2025-06-20")
const days = 235
const rates = rateTable(
  "1",
  Currency.make("EUR"),
  Array.from({ length: days + 20 }, (_, n) => ({
    date: CalendarDate.addDays(first, n - 10),
    quotes: new Map([[Currency.make("USD"), Decimal.make(n % 3 === 0 ? "1.1" : "1.12")]])
  }))
)

const texts = [
  "TRANSFER TO SAVER",
  "TRANSFER FROM EVERYDAY",
  "TRANSFER TO JOHN MILLER",
  "FROM JOHN MILLER",
  "CREDIT CARD PAYMENT",
  "PAYMENT THANK YOU",
  "CARD PURCHASE KIOSK",
  "DEPOSIT",
  "SALARY",
  "REFUND KIOSK",
  "WIRE SENT TRAVEL",
  "INBOUND WIRE AB123456",
  "TRANSFER REF AB123456",
  "TRF 99887766",
  ""
]
const amounts = [
  "100",
  "100",
  "60",
  "40",
  "250.5",
  "1240",
  "19.99",
  "103",
  "97",
  "9007199254740993",
  "0.00005",
  "0.0",
  "112"
]

const randomRecord = (random: Seeded, n: number): SetRecord => {
  const date = CalendarDate.addDays(first, random.once(2) ? random.below(days) : 30 * random.below(7) + random.below(5))
  const amount = `${random.once(2) ? "-" : ""}${random.pick(amounts)}`
  return leg(
    `r${String(n).padStart(4, "0")}`,
    random.pick(accounts),
    random.once(40) ? "2025-02-30" : date,
    amount,
    random.pick(texts),
    {
      ...(random.once(8) ? { pending: true } : {}),
      ...(random.once(8) ? { originalDescription: random.pick(texts) } : {}),
      ...(random.once(8) ? { reference: random.pick(["REF123456", "AB123456", "12"]) } : {}),
      ...(random.once(6) ? { category: random.pick(["TRANSFER_OUT", "TRAVEL", "UNCATEGORIZED", "Mine"]) } : {}),
      ...(random.once(8) ? { type: random.pick(["CARD", "REFUND", "TRANSFER_INCOMING", "INTEREST"]) } : {}),
      ...(random.once(10) ? { merchantName: "Kiosk" } : {}),
      ...(random.once(15) ? { currency: random.pick(["usd", "USD", "??", null]) } : {}),
      ...(random.once(50) ? { amount: random.pick([null, "1e2", "-1e2", "nothing", "-0"]) } : {})
    }
  )
}

const configs: ReadonlyArray<(random: Seeded) => object> = [
  () => ({}),
  () => ({ mirrorAccountIds: [accounts[4]!.accountId], excludeAccountIds: [accounts[5]!.accountId] }),
  () => ({ windowDays: { before: 5, after: 30 }, includePending: false, setCategory: "Transfers" }),
  () => ({ suggestConfidence: 0.5, fee: { percent: 10, amount: "5" }, fx: { over: 10, under: 10 } }),
  (random) => ({ learn: random.once(2), autoConfidence: 0.8 })
]

const worldOf = (kind: typeof transferMatch, config: object, of: ReadonlyArray<SetAccount>) =>
  new SetWorld({
    kind,
    config: Result.getOrThrow(decode(TransferConfig, config)),
    dataType: "transactions",
    accounts: of,
    baseCurrency: accounts[0]!.currency,
    today,
    rates
  })

describe("transfers in columns", () => {
  it.effect("are those of the plain form to the byte, at once and as records and decisions come and go", () =>
    Effect.forEach(
      Array.from({ length: rounds }, (_, seed) => seed),
      Effect.fnUntraced(function* (seed) {
        const random = new Seeded(seed)
        const config = configs[seed % configs.length]!(random)
        const fast = worldOf(transferMatch, config, accounts)
        const plain = worldOf({ ...transferMatch, plan: planTransfers }, config, accounts)
        const records = Array.from({ length: 60 + random.below(200) }, (_, n) => randomRecord(random, n))
        const both = Effect.fnUntraced(function* (change: (world: typeof fast) => void) {
          change(fast)
          change(plain)
          yield* fast.plan()
          yield* plain.plan()
          expect(fast.text, `seed ${seed}`).toBe(plain.text)
          expect(fast.told, `seed ${seed}`).toEqual(plain.told)
        })
        yield* both((world) => world.put(...records))
        const decided = Array.from({ length: random.below(12) }, () =>
          fact(random.pick(["confirm", "forbid"]), random.pick(records).recordId, random.pick(records).recordId)
        )
        yield* both((world) => {
          world.facts = decided
          world.disturb()
        })
        for (let step = 0; step < 3; step++) {
          const gone = random.pick(records).recordId
          const come = Array.from({ length: 8 }, () => randomRecord(random, random.below(records.length + 20)))
          yield* both((world) => {
            world.remove(gone)
            world.put(...come)
          })
        }
      }),
      { discard: true }
    )
  )
})
