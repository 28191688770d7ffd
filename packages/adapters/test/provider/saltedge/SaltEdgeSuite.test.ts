import { CalendarDate, Decimal } from "@millrace/core"
import type { ProviderDriver } from "@millrace/core/provider"
import { beginOf, keptIn } from "@millrace/testing/fake"
import { Seeded } from "@millrace/testing/model"
import { type ProviderSuiteOptions, suite } from "@millrace/testing/suite/provider"
import { fakeSaltEdge, move } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeDigest from "../../../src/digest/NodeDigest.ts"
import { factory } from "../../../src/provider/saltedge/SaltEdgeProvider.ts"
import * as MemoryStorage from "../../../src/storage/memory/MemoryStorage.ts"
import { driverOf } from "../StandIn.ts"

const storage = Layer.merge(MemoryStorage.layer, NodeDigest.layer)

const make: ProviderSuiteOptions["make"] = Effect.gen(function* () {
  const fake = yield* fakeSaltEdge({ pageRows: 7, copies: 5, rows: 14, days: 40 })
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
    refusedPayload: { kind: "provider_connection_id", connectionId: "1111111111111111111" },
    unknown: { ref: "1111111111111111111", secrets: kept },
    from: CalendarDate.make("2025-01-01"),
    advance: (n) =>
      Effect.sync(() => {
        move(ledger, seeded, { account: n % 2 === 0 ? "giro" : "card", keepsIds: false })
        ledger.post({ account: "mortgage", amount: Decimal.make("-1.5"), description: `Interest ${n}` })
      })
  }
})

suite("Salt Edge", { storage, make, dataTypes: ["transactions", "loans"], mixed: true, moves: 3 })
