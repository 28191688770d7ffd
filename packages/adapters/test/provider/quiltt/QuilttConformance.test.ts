import { CalendarDate, Decimal } from "@millrace/core"
import { type LedgerTruth, type ProviderSuiteOptions, suite } from "@millrace/testing/suite/provider"
import { fakeQuiltt, move, type TrueLedger } from "@millrace/testing/upstream"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeDigest from "../../../src/digest/NodeDigest.ts"
import { factory } from "../../../src/provider/quiltt/QuilttProvider.ts"
import * as MemoryStorage from "../../../src/storage/memory/MemoryStorage.ts"
import { driverOn, Kept } from "../OnFake.ts"

const storage = Layer.merge(MemoryStorage.layer, NodeDigest.layer)

/** A trade, and what is held then. */
const invest = (ledger: TrueLedger, n: number): void => {
  const [first, ...others] = ledger.holdings.get("brokerage")!
  const { price, security } = first!
  const quantity = Decimal.make(`${n + 1}`)
  const amount = Decimal.negate(price)
  const fees = Decimal.zero
  const description = `Bought ${security.ticker}`
  ledger.trade({
    account: "brokerage",
    date: ledger.today,
    type: "buy",
    security,
    quantity,
    price,
    amount,
    fees,
    description
  })
  ledger.holdings.set("brokerage", [{ ...first!, quantity: Decimal.add(first!.quantity, quantity) }, ...others])
}

const at = (institutionId: string, keys: ReadonlyArray<string>): ProviderSuiteOptions["make"] =>
  Effect.gen(function* () {
    const fake = yield* fakeQuiltt()
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
      unknown: { ref: "conn_elsewhere", secrets: { profileId: kept.subject["profileId"]! } },
      from: CalendarDate.make("2025-01-01"),
      advance: (n) =>
        Effect.sync(() => {
          move(ledger, seeded, { account: keys[n % keys.length]!, keepsIds: false })
          if (n % 3 === 1) invest(ledger, n)
        }),
      truth
    }
  })

suite("Quiltt through Plaid", {
  make: at("Harbor Bank", ["checking", "card", "mortgage"]),
  storage,
  dataTypes: ["transactions", "trades", "holdings", "loans"],
  mixed: true,
  moves: 8
})
