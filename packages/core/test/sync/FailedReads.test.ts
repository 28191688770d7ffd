/** What failed reads of runs say of a connection, and what mends it. */
import { storeFeed } from "@millrace/testing/fixture"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { expect } from "vitest"
import { BankStore } from "../../src/bank/BankStore.ts"
import { connectionRequiresAttention, connectionStatusChanged } from "../../src/bank/BankEvents.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import * as ProviderError from "../../src/provider/ProviderError.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { memoryScene } from "./MemoryScene.ts"

const opened = Effect.fnUntraced(function* (simulation: Simulation) {
  const provider = simulation.providers.find(({ options }) => options.instance === "delta-connection-stable")!
  const world = yield* connect(simulation, provider, ["a"])
  const { bank, upstream, workspace } = world
  const account = world.accounts[0]!
  upstream.post({ account: "a", date: CalendarDate.make("2026-11-20"), amount: "-1.5", description: "x" })
  const banks = yield* BankStore
  const events = yield* EventStore
  const feed = yield* storeFeed(workspace, {
    destinationConfig: { type: "file", path: `${bank.id}.csv`, format: "csv" },
    sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: account.id }] },
    fieldMappings: mappings
  })
  return {
    sync: (...failures: ReadonlyArray<ProviderError.ProviderError>) => {
      upstream.failures.push(...failures)
      return Effect.map(drive(simulation, feed), ({ job }) => job)
    },
    status: Effect.map(banks.get(workspace.id, bank.id), (held) => Option.getOrThrow(held).connectionStatus),
    told: Effect.map(events.read(workspace.id, 0, 100), (all) =>
      all.flatMap((event): ReadonlyArray<unknown> => {
        const changed = Option.getOrUndefined(connectionStatusChanged.dataOf(event))
        if (changed !== undefined) return [[changed.from, changed.to]]
        return Option.toArray(connectionRequiresAttention.dataOf(event)).map(({ reason }) => reason)
      })
    )
  }
})

const away = new ProviderError.ProviderUnavailable({ message: "away" })
/** As often as a run tries by itself. */
const down = [away, away, away]

memoryScene(
  "three runs in a row that cannot read make a connection degraded, and one that can mends it",
  { model: "upsertByKey" },
  (on) =>
    Effect.gen(function* () {
      const { status, sync, told } = yield* opened(on)
      expect((yield* sync(...down)).status).toBe("failed")
      yield* sync(...down)
      expect(yield* status).toMatchObject({ status: "connected", reads: { transactions: { failures: 2 } } })
      yield* sync(...down)
      expect(yield* status).toMatchObject({
        connected: true,
        status: "degraded",
        errorCode: "PROVIDER_UNAVAILABLE",
        errorMessage: "away",
        source: "provider_call"
      })
      yield* sync(...down)
      expect((yield* sync()).status).toBe("completed")
      expect(yield* status).toMatchObject({ connected: true, status: "connected" })
      expect((yield* status)?.reads).toBeUndefined()
      expect(yield* told).toEqual([
        ["connected", "degraded"],
        ["degraded", "connected"]
      ])
    })
)

memoryScene(
  "a read that a person has to mend asks for the person once, however often it is tried",
  { model: "upsertByKey" },
  (on) =>
    Effect.gen(function* () {
      const { status, sync, told } = yield* opened(on)
      const reauth = new ProviderError.ReauthRequired({ message: "sign in again" })
      for (let run = 0; run < 3; run++) expect((yield* sync(reauth)).status).toBe("failed")
      expect(yield* status).toMatchObject({
        connected: false,
        status: "reauth_required",
        errorMessage: "sign in again"
      })
      expect(yield* told).toEqual([["connected", "reauth_required"], "reauth"])
      // Whoever looked alone would have found nothing: only reading shows that it works again.
      expect((yield* sync()).status).toBe("completed")
      expect(yield* status).toMatchObject({ connected: true, status: "connected" })
    })
)
