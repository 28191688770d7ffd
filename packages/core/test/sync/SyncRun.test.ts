/** Single scenes of runs: each the shortest life in which something once went wrong, or could. */
import { describe, expect } from "@effect/vitest"
import { BankStore } from "../../src/bank/BankStore.ts"
import { DeliveryStore } from "../../src/destination/DeliveryStore.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import type { Feed } from "../../src/feed/Feed.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import { ProviderUnavailable, RateLimited, ReauthRequired } from "../../src/provider/ProviderError.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { wholeScan } from "../../src/table/RowScan.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import { makeEnrichment, makeJob, makeTableField, somebody, storeFeed, storeTable } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive, work, type Simulation } from "@millrace/verification/simulation/Simulation"
import { memoryScene, type SceneServices } from "./MemoryScene.ts"

const scene = (
  title: string,
  model: Simulation["model"],
  body: (simulation: Simulation) => Effect.Effect<void, unknown, SceneServices>
) => memoryScene(title, { model }, body)

const day = CalendarDate.make("2026-11-20")

const opened = Effect.fnUntraced(function* (simulation: Simulation, instance: string, change: Partial<Feed> = {}) {
  const provider = simulation.providers.find((one) => one.options.instance === instance)!
  const world = yield* connect(simulation, provider, ["a"])
  const path = `${world.bank.id}.csv`
  const place = simulation.destination.at(path)
  const account = world.accounts[0]!
  const feed = yield* storeFeed(world.workspace, {
    destinationConfig: { type: "file", path, format: "csv" },
    sourceConfig: { type: "sync", accounts: [{ bankId: world.bank.id, accountId: account.id }] },
    fieldMappings: mappings,
    ...change
  })
  const post = (description: string, pending = false) =>
    world.upstream.post({ account: "a", date: day, amount: "-1.5", description, pending })
  const texts = () => place.rows.map(({ values }) => String(values["description"])).toSorted()
  return { ...world, account, feed, place, post, texts }
})

const delta = "delta-connection-perstatus"

describe("a run", () => {
  scene("does not make twice what arrived although the answer was lost", "readBack", (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post, texts } = yield* opened(simulation, delta)
      post("one")
      place.faults.push("answerLost", "answerLost", "answerLost", "answerLost")
      const lost = yield* drive(simulation, feed)
      expect([lost.job.status, lost.job.errors[0]?.code]).toEqual(["failed", "DESTINATION_UNAVAILABLE"])
      const next = yield* drive(simulation, feed)
      expect([next.job.status, next.job.counts.carried, texts()]).toEqual(["completed", 1, ["one"]])
    })
  )

  const slow = { lagSeconds: 10 }

  memoryScene("makes no row twice at a destination whose look-ups lag", { model: "readBack", ...slow }, (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post, texts } = yield* opened(simulation, delta)
      post("one")
      place.faults.push("answerLost", "none")
      const { job } = yield* drive(simulation, feed)
      expect([job.status, texts()]).toEqual(["completed", ["one"]])
    })
  )

  memoryScene("waits for look-ups that lag behind an earlier run", { model: "readBack", ...slow }, (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post, texts } = yield* opened(simulation, delta)
      post("one")
      place.faults.push("answerLost", "unavailable", "unavailable", "unavailable")
      expect((yield* drive(simulation, feed)).job.status).toBe("failed")
      const began = simulation.clock.now
      const { job } = yield* drive(simulation, feed)
      expect([job.status, texts()]).toEqual(["completed", ["one"]])
      expect(simulation.clock.now - began).toBeGreaterThan(0)
    })
  )

  for (const model of ["upsertByKey", "readBack"] as const) {
    memoryScene(`writes again what ${model} answered as written and did not keep`, { model, ...slow }, (simulation) =>
      Effect.gen(function* () {
        const { feed, place, post, texts, upstream } = yield* opened(simulation, delta)
        const row = post("one")
        place.faults.push("keptNothing")
        const { job } = yield* drive(simulation, feed)
        expect([job.status, job.counts.created, job.counts.failed, texts()]).toEqual(["completed", 0, 1, []])
        upstream.change(row, { description: "two" })
        yield* drive(simulation, feed)
        expect(texts()).toEqual(["two"])
      })
    )
  }

  scene("sends what changed before it ever arrived, and does not take it for deleted", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post, texts, upstream } = yield* opened(simulation, delta)
      const row = post("one")
      place.faults.push("unavailable", "unavailable", "unavailable", "unavailable")
      yield* drive(simulation, feed)
      upstream.change(row, { description: "two" })
      yield* drive(simulation, feed)
      expect(texts()).toEqual(["two"])
    })
  )

  scene(
    "writes a whole file again that was changed or taken away, and leaves one alone that was not",
    "wholeFile",
    (simulation) =>
      Effect.gen(function* () {
        const { feed, place, post, texts } = yield* opened(simulation, delta)
        post("one")
        post("two")
        yield* drive(simulation, feed)
        yield* drive(simulation, feed)
        expect([place.writes, texts()]).toEqual([1, ["one", "two"]])
        place.remove(place.rows[0]!.key)
        yield* drive(simulation, feed)
        expect([place.writes, texts()]).toEqual([2, ["one", "two"]])
        place.rows = []
        place.edition = 0
        const { job } = yield* drive(simulation, feed)
        expect([job.status, place.writes, texts()]).toEqual(["completed", 3, ["one", "two"]])
      })
  )

  scene("goes on with the columns that it made when people rename them", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const world = yield* opened(simulation, delta)
      const tables = yield* TableStore
      const { id } = yield* storeTable(world.workspace, { fields: [] })
      const feed = yield* storeFeed(world.workspace, {
        destinationConfig: { type: "table", tableId: id, createMissingColumns: true },
        sourceConfig: world.feed.sourceConfig!,
        fieldMappings: [{ sourceField: "description", destinationField: "Memo" }]
      })
      world.post("one")
      yield* drive(simulation, feed)
      const table = Option.getOrThrow(yield* tables.get(world.workspace.id, id))
      const made = table.fields[0]!
      expect(yield* (yield* FeedStore).boundColumns(feed.id)).toEqual(new Map([["Memo", made.id]]))
      const fields = [{ ...made, name: "Note" }, yield* makeTableField("taker", { name: "Memo" })]
      yield* tables.update({ ...table, fields, version: table.version + 1 })
      world.post("two")
      const { job } = yield* drive(simulation, feed)
      const rows = (yield* tables.rows(wholeScan(id))).map(({ values }) => values)
      expect([job.status, rows]).toEqual(["completed", [{ [made.key]: "one" }, { [made.key]: "two" }]])
    })
  )

  scene("never writes the file of another feed", "wholeFile", (simulation) =>
    Effect.gen(function* () {
      const first = yield* opened(simulation, delta)
      first.post("one")
      yield* drive(simulation, first.feed)
      // As links on the server's disk can bring it about, or a version that let two feeds have one path.
      const { destinationConfig, sourceConfig } = first.feed
      const second = yield* storeFeed(first.workspace, {
        destinationConfig: destinationConfig!,
        sourceConfig: sourceConfig!,
        fieldMappings: []
      })
      const refused = yield* drive(simulation, second)
      expect([refused.job.status, refused.job.errors.map(({ code, message }) => [code, message])]).toEqual([
        "failed",
        [["DESTINATION_REJECTED", expect.stringMatching(/^Another feed writes/)]]
      ])
      expect([first.place.writes, first.texts()]).toEqual([1, ["one"]])
      const [feeds, next] = [yield* FeedStore, yield* drive(simulation, first.feed)]
      expect(next.job.status).toBe("completed")
      yield* feeds.remove(first.workspace.id, first.feed.id)
      expect((yield* drive(simulation, second)).job.status).toBe("completed")
    })
  )

  scene("does not send what vanished before it ever arrived", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post, texts, upstream } = yield* opened(simulation, delta)
      const row = post("one")
      place.faults.push("unavailable", "unavailable", "unavailable", "unavailable")
      yield* drive(simulation, feed)
      upstream.remove(row)
      yield* drive(simulation, feed)
      expect(texts()).toEqual([])
    })
  )

  scene("retries a refused row and counts it as carried", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post, texts } = yield* opened(simulation, delta)
      post("one")
      post("two")
      place.refuses = (values) => values["description"] === "one"
      const first = yield* drive(simulation, feed)
      expect([first.job.status, first.job.counts, first.job.errors.map(({ code }) => code)]).toMatchObject([
        "completed",
        { read: 2, created: 1, failed: 1, carried: 0 },
        ["DESTINATION_REJECTED"]
      ])
      const second = yield* drive(simulation, feed)
      expect(second.job.counts).toMatchObject({ read: 0, carried: 1, failed: 1 })
      place.refuses = () => false
      const third = yield* drive(simulation, feed)
      expect([third.job.counts, texts()]).toMatchObject([{ carried: 1, created: 1 }, ["one", "two"]])
    })
  )

  scene("brings a kept row back to life in its place", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const world = yield* opened(simulation, "snapshotfull-connection-stable")
      const { account, feed, place, post, upstream } = world
      const kept = {
        ...feed,
        version: 2,
        destinationConfig: { ...feed.destinationConfig!, onRemoved: "keep" as const }
      }
      yield* (yield* FeedStore).update(kept)
      const row = post("one")
      yield* drive(simulation, kept)
      upstream.remove(row)
      yield* drive(simulation, kept)
      yield* simulation.pass(86_400)
      const gone = yield* drive(simulation, kept)
      expect([(yield* ledgerOf(account)).map(({ state }) => state), gone.job.counts, world.texts()]).toMatchObject([
        ["removed"],
        { vanished: 1, unchanged: 1 },
        ["one"]
      ])
      upstream.change(row, { description: "again" })
      yield* drive(simulation, kept)
      expect([place.rows.length, world.texts(), (yield* ledgerOf(account)).length]).toEqual([1, ["again"], 1])
    })
  )

  scene("settles a pending row whose removal came in an earlier run under its old id", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { account, feed, post, texts, upstream } = yield* opened(simulation, delta)
      const held = post("held", true)
      yield* drive(simulation, feed)
      const [before] = yield* ledgerOf(account)
      upstream.remove(held)
      yield* drive(simulation, feed)
      expect(texts()).toEqual([])
      upstream.change({ ...held, providerId: "posted", pendingProviderId: held.providerId }, { pending: false })
      yield* drive(simulation, feed)
      expect([(yield* ledgerOf(account)).map(({ id }) => id), texts()]).toEqual([[before!.id], ["held"]])
    })
  )

  scene("removes what vanished while the provider lost our place", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { feed, post, texts, upstream } = yield* opened(simulation, delta)
      const row = post("one")
      post("two")
      yield* drive(simulation, feed)
      upstream.remove(row)
      upstream.loseCheckpoints()
      const { job } = yield* drive(simulation, feed)
      expect([job.status, job.errors.map(({ code }) => code), texts()]).toEqual([
        "completed",
        ["CHECKPOINT_LOST"],
        ["two"]
      ])
    })
  )

  scene("counts each row once for a feed that came late to an account", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const world = yield* opened(simulation, "snapshotfull-account-stable")
      for (const text of ["one", "two", "three"]) world.post(text)
      yield* drive(simulation, world.feed)
      const late = yield* storeFeed(world.workspace, {
        destinationConfig: { type: "file", path: "late.csv", format: "csv" },
        sourceConfig: world.feed.sourceConfig!,
        fieldMappings: mappings
      })
      expect((yield* drive(simulation, late)).job.counts).toMatchObject({ read: 3, created: 3, unchanged: 0 })
      expect((yield* drive(simulation, late)).job.counts).toMatchObject({ read: 3, created: 0, unchanged: 3 })
    })
  )

  scene("appends one balance for each run, however often the run is taken up", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const world = yield* opened(simulation, delta, {
        dataType: "balances",
        dataTypeOptions: { dataType: "balances", mode: "append" },
        fieldMappings: ["date", "amount", "accountId"].map((field) => ({ sourceField: field, destinationField: field }))
      })
      for (let n = 1; n <= 3; n++) {
        simulation.clock.pass(60)
        const { job } = yield* drive(simulation, world.feed, {
          arm: (attempt) => simulation.points.arm(attempt === 0 ? 30 + n * 7 : Infinity),
          released: true
        })
        expect([job.status, world.place.rows.length]).toEqual(["completed", n])
        // Each is a reading of its own, although the balance is as it was.
        expect(new Set(world.place.rows.map(({ values }) => values["date"])).size).toBe(n)
      }
    })
  )

  scene("makes no new version of a balance that is as it was, however old it grows", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const world = yield* opened(simulation, delta, {
        dataType: "balances",
        dataTypeOptions: { dataType: "balances", mode: "overwrite" },
        fieldMappings: ["date", "amount"].map((field) => ({ sourceField: field, destinationField: field }))
      })
      const began = simulation.clock.now
      const sync = (minutes: number, amount: string) =>
        Effect.suspend(() => {
          simulation.clock.pass(minutes * 60)
          world.upstream.balance = amount
          return Effect.map(drive(simulation, world.feed), ({ job: { counts } }) => [
            counts.created,
            counts.updated,
            ...world.place.rows.map(({ values }) => [
              (Date.parse(String(values["date"])) - began) / 60_000,
              values["amount"]
            ])
          ])
        })
      expect(yield* sync(0, "1")).toEqual([1, 0, [0, "1"]])
      expect(yield* sync(5, "1")).toEqual([0, 0, [0, "1"]])
      expect(yield* sync(5, "2")).toEqual([0, 1, [10, "2"]])
      expect(yield* sync(5, "2")).toEqual([0, 0, [10, "2"]])
      expect(yield* sync(5, "1")).toEqual([0, 1, [20, "1"]])
      expect(world.place.writes).toBe(3)
    })
  )

  scene(
    "keeps the other types of an account out of a feed, and does not look at them again",
    "upsertByKey",
    (simulation) =>
      Effect.gen(function* () {
        const world = yield* opened(simulation, delta)
        world.post("one")
        yield* drive(simulation, world.feed)
        const balances = yield* storeFeed(world.workspace, {
          dataType: "balances",
          dataTypeOptions: { dataType: "balances", mode: "overwrite" },
          destinationConfig: { type: "file", path: "balances.csv", format: "csv" },
          sourceConfig: world.feed.sourceConfig!,
          fieldMappings: [{ sourceField: "amount", destinationField: "amount" }]
        })
        world.upstream.balance = "10"
        yield* drive(simulation, balances)
        const { job } = yield* drive(simulation, world.feed)
        expect([job.counts.read, simulation.destination.at("balances.csv").rows.map(({ values }) => values)]).toEqual([
          0,
          [{ amount: "10" }]
        ])
        const [mark] = yield* (yield* FeedStore).marks(world.feed.id)
        expect(mark?.changeNo).toBe(2)
      })
  )

  scene("stops without a trace when its feed is deleted", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post, workspace } = yield* opened(simulation, delta)
      const feeds = yield* FeedStore
      post("one")
      for (const at of [1, 2, 3, 4]) {
        const doomed = yield* storeFeed(workspace, {
          destinationConfig: feed.destinationConfig!,
          sourceConfig: feed.sourceConfig!,
          fieldMappings: mappings
        })
        const job = yield* makeJob(doomed)
        yield* (yield* JobStore).create(job, { replacing: false })
        simulation.points.arm(at, Effect.asVoid(feeds.remove(workspace.id, doomed.id)), "Provider")
        const { exit } = yield* work(
          simulation,
          job,
          feed.sourceConfig?.type === "sync" ? feed.sourceConfig.accounts.map(({ bankId }) => bankId) : []
        )
        expect(exit?._tag).toBe("Failure")
        expect(String(exit)).toContain("Fenced")
        expect([place.rows, yield* (yield* DeliveryStore).list(doomed.id, { limit: 10 })]).toEqual([[], []])
      }
    })
  )

  /** Runs a new job of the feed, from which the right to write is taken at that point. */
  const shutOutAt = Effect.fnUntraced(function* (simulation: Simulation, feed: Feed, at: number, only: string) {
    const jobs = yield* JobStore
    const job = yield* makeJob(feed)
    yield* jobs.create(job, { replacing: false })
    simulation.points.arm(at, jobs.cancel(job.id, "cancel", somebody), only)
    const banks = feed.sourceConfig?.type === "sync" ? feed.sourceConfig.accounts.map(({ bankId }) => bankId) : []
    const { exit } = yield* work(simulation, job, banks)
    expect(String(exit)).toContain("Fenced")
  })

  scene("does not send again what it may no longer send", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post } = yield* opened(simulation, delta)
      post("one")
      place.faults.push("unavailable")
      yield* shutOutAt(simulation, feed, 1, "Destination.write")
      expect(place.writes).toBe(0)
    })
  )

  scene("sends nothing when its right has gone while it looked up what had arrived", "readBack", (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post, texts } = yield* opened(simulation, delta)
      post("one")
      place.faults.push("answerLost", "answerLost", "answerLost", "answerLost")
      yield* drive(simulation, feed)
      const { writes } = place
      yield* shutOutAt(simulation, feed, 2, "Destination.lookup")
      expect([place.writes, texts()]).toEqual([writes, ["one"]])
    })
  )

  scene("does not put a file in place that it may no longer write", "wholeFile", (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post } = yield* opened(simulation, delta)
      post("one")
      yield* shutOutAt(simulation, feed, 1, "Destination.replace")
      expect([place.writes, place.rows]).toEqual([0, []])
    })
  )

  scene("keeps nothing of a connection that it may no longer write to", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { bank, feed, upstream, workspace } = yield* opened(simulation, delta)
      const banks = yield* BankStore
      const kept = Effect.all([banks.get(workspace.id, bank.id), banks.accounts(bank.id)])
      const before = yield* kept
      upstream.balance = "12.5"
      for (const only of ["Provider.inspect", "Provider.listAccounts"]) {
        simulation.clock.pass(60)
        const held = yield* kept
        yield* shutOutAt(simulation, feed, 2, only)
        if (only === "Provider.inspect") expect(yield* kept).toEqual(before)
        expect((yield* kept)[1]).toEqual(held[1])
      }
    })
  )

  scene("takes back what a range of dates brought under a rule that is gone", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post, workspace } = yield* opened(simulation, delta)
      const enrichments = yield* EnrichmentStore
      post("coffee")
      yield* drive(simulation, feed)
      const rule = yield* makeEnrichment(workspace, {
        config: {
          rules: [
            {
              conditions: {
                logic: "and",
                conditions: [{ field: "description", operator: "contains", value: "coffee" }]
              },
              action: { field: "category", value: "Drinks" }
            }
          ]
        }
      })
      yield* enrichments.insert(rule)
      const options = { forceCancelActive: false, resetCursors: false, skipDedup: false, startDate: day, endDate: day }
      yield* drive(simulation, feed, { change: { mode: "range", options } })
      expect(place.rows.map(({ values }) => values["category"])).toEqual(["Drinks"])
      yield* enrichments.update({ ...rule, enabled: false, version: 2, revision: 2 })
      yield* drive(simulation, feed)
      expect(place.rows.map(({ values }) => values["category"])).toEqual(["UNCATEGORIZED"])
    })
  )

  scene(
    "does not keep a row that is gone for one of another account that cannot be read",
    "upsertByKey",
    (simulation) =>
      Effect.gen(function* () {
        const provider = simulation.providers.find((one) => one.options.instance === "delta-connection-stable")!
        const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a", "b"])
        upstream.sharesIds = true
        const post = (account: string) => upstream.post({ account, date: day, amount: "-1.5", description: account })
        const [broken, gone] = [post("a"), post("b")]
        expect(broken.providerId).toBe(gone.providerId)
        const feed = yield* storeFeed(workspace, {
          destinationConfig: { type: "file", path: "shared.csv", format: "csv" },
          sourceConfig: { type: "sync", accounts: accounts.map(({ id }) => ({ bankId: bank.id, accountId: id })) },
          fieldMappings: mappings
        })
        yield* drive(simulation, feed)
        upstream.change(broken, { broken: true })
        upstream.remove(gone)
        yield* drive(simulation, feed, {
          change: { mode: "full", options: { forceCancelActive: false, resetCursors: true, skipDedup: false } }
        })
        const states = yield* Effect.forEach(accounts, (account) =>
          Effect.map(ledgerOf(account), (records) => records.map(({ state }) => state))
        )
        expect(states).toEqual([["live"], ["removed"]])
      })
  )

  scene("waits for a busy upstream in its place, or hands its place back", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { feed, post, texts, upstream } = yield* opened(simulation, delta)
      post("one")
      const began = simulation.clock.now
      upstream.failures.push(
        new RateLimited({ message: "slow", scope: "client", retryAfter: 30 }),
        new ProviderUnavailable({ message: "down" })
      )
      expect((yield* drive(simulation, feed)).job.status).toBe("completed")
      // As long as was asked for, or a little longer: others were told the same.
      const waited = (simulation.clock.now - began) / 1000
      expect([waited >= 40, waited <= 50, texts()]).toEqual([true, true, ["one"]])
      upstream.failures.push(new RateLimited({ message: "slow", scope: "client", retryAfter: 900 }))
      const { exits, job } = yield* drive(simulation, feed)
      expect([job.status, exits.length, job.attempt]).toEqual(["completed", 2, 1])
    })
  )

  scene("delivers what it has when a bank wants its person, and fails with what to do", "upsertByKey", (simulation) =>
    Effect.gen(function* () {
      const { feed, place, post, texts, upstream } = yield* opened(simulation, delta)
      post("one")
      place.faults.push("unavailable", "unavailable", "unavailable", "unavailable")
      yield* drive(simulation, feed)
      upstream.failures.push(new ReauthRequired({ message: "sign in" }))
      const { job } = yield* drive(simulation, feed)
      expect([job.status, job.errorCategory, job.errors[0]?.recovery, texts()]).toEqual([
        "failed",
        "consent",
        { action: "reconnect" },
        ["one"]
      ])
    })
  )
})
