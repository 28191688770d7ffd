import type { ConnectPayload } from "@millrace/core/provider"
import { CalendarDate, Decimal } from "@millrace/core"
import { type LedgerTruth, type ProviderSuiteOptions, suite } from "@millrace/testing/suite/provider"
import { completeOf, eachCall } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as NodeDigest from "../../../src/digest/NodeDigest.ts"
import * as DemoProvider from "../../../src/provider/demo/DemoProvider.ts"
import * as MemoryStorage from "../../../src/storage/memory/MemoryStorage.ts"

const storage = Layer.merge(MemoryStorage.layer, NodeDigest.layer)

/** Minutes, hours and days, so that some moves bring nothing and others cross months. */
const strides = ["7 minutes", "5 hours", "1 day", "11 hours", "3 days", "26 hours", "9 days"] as const

const fixture = (institutionId: string, truth: ReadonlyArray<LedgerTruth>): ProviderSuiteOptions["make"] =>
  Effect.gen(function* () {
    const driver = DemoProvider.make({ seed: "suite" })
    const payload: ConnectPayload = { kind: "provider_connection_id", connectionId: "suite", institutionId }
    const { connection } = yield* driver.completeConnect(completeOf(payload))
    const accounts = yield* eachCall(driver).listAccounts(connection)
    return {
      driver,
      payload,
      refusedPayload: { kind: "plaid_public_token", publicToken: "public-sandbox-1" },
      unknown: { ref: "v1.demo-elsewhere.normal..", secrets: {} },
      from: CalendarDate.make("2024-12-01"),
      advance: (move) => TestClock.adjust(strides[move % strides.length] ?? strides[0]),
      truth: new Map(accounts.map((account, index) => [account.providerAccountId, truth[index] ?? {}]))
    }
  })

const opening = (text: string): LedgerTruth => ({ opening: Decimal.make(text) })

suite("DemoProvider at the retail bank", {
  storage,
  make: fixture("demo-retail", [opening("4210.55"), opening("11800"), opening("-1612.40")]),
  dataTypes: ["transactions"],
  moves: 21
})
suite("DemoProvider at the broker", {
  storage,
  make: fixture("demo-broker", [opening("2500")]),
  dataTypes: ["transactions", "trades", "holdings", "orders"],
  mixed: true,
  moves: 14
})
suite("DemoProvider at the lender", {
  storage,
  make: fixture("demo-lender", [opening("-318450.12"), opening("-31204.77")]),
  dataTypes: ["transactions", "loans"],
  moves: 14
})
suite("DemoProvider at the wallet", {
  storage,
  make: fixture("demo-wallet", [opening("84200"), opening("412.75"), opening("2.5")]),
  dataTypes: ["transactions"],
  moves: 14
})
