/** What banks do while a driver is held to something: moves that its reader can hear of. */
import { CalendarDate, Decimal } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { Seeded } from "../model/Seeded.ts"
import { move } from "../upstream/LedgerMoves.ts"
import type { TrueLedger } from "../upstream/TrueLedger.ts"
import type { ConnectedWorld, UpstreamSuiteOptions } from "./UpstreamUnderTest.ts"

/** What banks do, without what is about rows that are booked. */
const plainMoves: NonNullable<UpstreamSuiteOptions["moves"]> = [
  ["posted", 6],
  ["authorized", 5],
  ["settled", 4],
  ["settledUnlinked", 1],
  ["settledInPlace", 1],
  ["released", 1],
  ["backdated", 2]
]

/** Accounts that have rows which move. */
export const moving = ({ upstream: { ledger } }: ConnectedWorld) =>
  ledger.listed.filter(({ supports }) => supports.includes("transactions"))

/**
 * The bank does something that a reader can hear of: a change feed tells what happens to rows of any age, every other
 * upstream only of those that are read again.
 */
export const moveSomething = (world: ConnectedWorld, seeded: Seeded): void => {
  const { driver, options, upstream } = world
  const { ledger } = upstream
  const accounts = moving(world)
  const capability = driver.capabilities.dataTypes.transactions
  if (accounts.length === 0 || capability === undefined || world.fake.isOffline === true) return
  const account = seeded.pick(accounts).key
  const keepsIds = capability.idTrust === "stable"
  if (capability.changeModel === "delta" || options.moves !== undefined) {
    const kinds = options.moves === undefined ? {} : { kinds: options.moves }
    return void move(ledger, seeded, { account, keepsIds, ...kinds })
  }
  const young = CalendarDate.addDays(ledger.today, -1)
  const rows = ledger.shown(account).filter(({ date, pending }) => !pending && date >= young)
  if (rows.length === 0 || !seeded.once(4) || capability.changeModel === "appendOnly") {
    return void move(ledger, seeded, { account, keepsIds, kinds: plainMoves })
  }
  const row = seeded.pick(rows)
  if (seeded.once(2)) ledger.remove(row)
  else ledger.edit(row, { amount: Decimal.fromUnits(BigInt(-1 - seeded.below(90_000)), 2) })
}

/** A trade, and what is held then. */
const invest = (ledger: TrueLedger, account: string, n: number): void => {
  const first = ledger.holdings.get(account)?.find(({ security }) => security.kind !== "cash")
  if (first === undefined) return
  const { price, security } = first
  const quantity = Decimal.make(`${n + 1}`)
  ledger.trade({
    account,
    date: ledger.today,
    type: "buy",
    security,
    quantity,
    price,
    amount: Decimal.negate(price),
    fees: Decimal.zero,
    description: `Bought ${security.ticker ?? security.name}`
  })
  ledger.holdings.set(
    account,
    (ledger.holdings.get(account) ?? []).map((holding) =>
      holding === first ? { ...holding, quantity: Decimal.add(holding.quantity, quantity) } : holding
    )
  )
}

/** Everything moves on: rows of one account, and what is invested in all of them; or the clock, where banks live by it. */
export const advance = (world: ConnectedWorld, seeded: Seeded, n: number): Effect.Effect<void> =>
  world.fake.isOffline === true
    ? TestClock.adjust("9 days")
    : Effect.sync(() => {
        moveSomething(world, seeded)
        const { ledger } = world.upstream
        for (const { key, supports } of ledger.listed) {
          if (supports.includes("trades") || supports.includes("holdings")) invest(ledger, key, n)
        }
      })
