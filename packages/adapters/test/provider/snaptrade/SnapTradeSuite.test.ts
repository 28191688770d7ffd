import { CalendarDate, Decimal } from "@millrace/core"
import type { ProviderDriver } from "@millrace/core/provider"
import { beginOf, keptIn } from "@millrace/testing/fake"
import { Seeded } from "@millrace/testing/model"
import { type ProviderSuiteOptions, suite } from "@millrace/testing/suite/provider"
import { fakeSnapTrade, move } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeDigest from "../../../src/digest/NodeDigest.ts"
import { factory } from "../../../src/provider/snaptrade/SnapTradeProvider.ts"
import * as MemoryStorage from "../../../src/storage/memory/MemoryStorage.ts"
import { driverOf } from "../StandIn.ts"

const storage = Layer.merge(MemoryStorage.layer, NodeDigest.layer)

const make: ProviderSuiteOptions["make"] = Effect.gen(function* () {
  const fake = yield* fakeSnapTrade({ pageRows: 9, rows: 14, days: 40 })
  const driver = yield* driverOf(factory, fake)
  const kept: Record<string, string> = {}
  const step = yield* driver.beginConnect(beginOf({ keepAttempt: keptIn(kept) }))
  const payload = fake.signIn(step)
  const withUser: ProviderDriver = {
    ...driver,
    completeConnect: (request) => driver.completeConnect({ ...request, attemptSecrets: kept })
  }
  const ledger = fake.ledger()
  const seeded = new Seeded(3)
  return {
    driver: withUser,
    payload,
    refusedPayload: { kind: "provider_connection_id", connectionId: "00000000-0000-4000-8000-000000000000" },
    unknown: { ref: "00000000-0000-4000-8000-000000000000", secrets: kept },
    from: CalendarDate.make("2025-01-01"),
    advance: (n) =>
      Effect.sync(() => {
        move(ledger, seeded, { account: n % 2 === 0 ? "savings" : "card" })
        ledger.trade({
          account: "margin",
          date: ledger.today,
          type: "contribution",
          amount: Decimal.make("10.5"),
          fees: Decimal.zero,
          description: `Deposit ${n}`
        })
        ledger.holdings.set("margin", ledger.holdings.get("margin")!.slice(0, 1 + (n % 2)))
        ledger.orders.set("margin", n % 2 === 0 ? [] : ledger.orders.get("roth")!)
        ledger.orders.set("roth", ledger.orders.get("roth")!)
      })
  }
})

suite("SnapTrade", {
  storage,
  make,
  dataTypes: ["transactions", "trades", "holdings", "orders"],
  mixed: true,
  moves: 3
})
