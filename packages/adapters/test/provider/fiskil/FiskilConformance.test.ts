import { CalendarDate, Decimal } from "@millrace/core"
import { type LedgerTruth, type ProviderSuiteOptions, suite } from "@millrace/testing/suite/provider"
import { fakeFiskil, move } from "@millrace/testing/upstream"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeDigest from "../../../src/digest/NodeDigest.ts"
import { factory } from "../../../src/provider/fiskil/FiskilProvider.ts"
import * as MemoryStorage from "../../../src/storage/memory/MemoryStorage.ts"
import { driverOn, Kept } from "../OnFake.ts"

const storage = Layer.merge(MemoryStorage.layer, NodeDigest.layer)

const at = (institutionId: string, keys: ReadonlyArray<string>): ProviderSuiteOptions["make"] =>
  Effect.gen(function* () {
    const fake = yield* fakeFiskil({ pageRows: 25 })
    const made = yield* driverOn(factory, fake)
    const kept = new Kept()
    const step = yield* made.beginConnect(kept.request({ institutionId }))
    const payload = fake.signIn(step)
    const refusedPayload = fake.refused(step, "foreign")!
    const ledger = fake.ledger({ institutionId })
    const seeded = new Seeded(7)
    const truth = new Map(
      keys.map((key): readonly [string, LedgerTruth] => {
        const { id, opening } = ledger.account(key)
        const rows = ledger.shown(key).filter(({ pending }) => !pending)
        return [id, { opening, posted: Decimal.sum(rows.map(({ amount }) => amount)) }]
      })
    )
    return {
      driver: {
        ...made,
        completeConnect: (request) =>
          made.completeConnect({ ...request, subject: { ref: kept.ref, secrets: kept.subject } })
      },
      payload,
      refusedPayload,
      unknown: { ref: "eu_elsewhere/22", secrets: {} },
      from: CalendarDate.make("2025-01-01"),
      advance: (n) =>
        Effect.sync(() => void move(ledger, seeded, { account: keys[n % keys.length]!, keepsIds: false })),
      truth
    }
  })

suite("Fiskil", {
  make: at("22", ["everyday", "card", "home"]),
  storage,
  dataTypes: ["transactions"],
  moves: 8
})
