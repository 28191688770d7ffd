/** What joins refuse, what they meet, and what they leave behind where a process dies. */
import {
  calling,
  makeBank,
  makeEnrichment,
  makeJob,
  ownerOf,
  somebody,
  storeAccount,
  storeFeed,
  storeTable,
  storeWorkspace
} from "@millrace/testing/fixture"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { describe, expect } from "vitest"
import type { Caller } from "../../src/access/Caller.ts"
import { bankLease } from "../../src/bank/BankLease.ts"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { AccountJoinStore } from "../../src/bank/AccountJoinStore.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { StorageUnavailable } from "../../src/storage/StorageUnavailable.ts"
import { Leases } from "../../src/storage/Lease.ts"
import * as RowEdits from "../../src/table/RowEdits.ts"
import { wholeScan } from "../../src/table/RowScan.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { Kinds } from "../../src/enrichment/Kinds.ts"
import { AccountJoins } from "../../src/usecase/AccountJoins.ts"
import { memoryScene } from "../sync/MemoryScene.ts"

const joins = AccountJoins.layer.pipe(Layer.provide([RowEdits.layer, Kinds.layer([])]))
const snapshots = "snapshotfull-account-stable"

/** An account that was read, and came back under ids that nothing tells. */
const relinked = Effect.fnUntraced(function* (simulation: Simulation, instance = snapshots) {
  const provider = simulation.providers.find((one) => one.options.instance === instance)!
  const { bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
  upstream.keyless = true
  const listed = Effect.map((yield* Banks).refresh(bank, Effect.void, somebody), (seen) => seen.listed!.accounts)
  const [elder] = yield* listed
  upstream.post({ account: "a", date: "2026-11-20" as never, amount: "-5", description: "COFFEE BAR" })
  const feed = yield* storeFeed(workspace, {
    sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: elder!.id }] }
  })
  yield* drive(simulation, feed)
  // A feed of changes tells nothing of what it told before it was connected anew.
  if (instance !== snapshots) upstream.rows.clear()
  upstream.reconnect()
  const younger = (yield* listed).find(({ id }) => id !== elder!.id)!
  return { bank, caller: ownerOf(workspace), elder: elder!, feed, listed, upstream, workspace, younger }
})

const failed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flip(effect as Effect.Effect<A, { readonly _tag: string; readonly message: string }, R>)

describe("joining accounts", () => {
  memoryScene("is refused where two cannot be one", { model: "upsertByKey" }, (simulation) =>
    Effect.gen(function* () {
      const service = yield* AccountJoins
      const { bank, caller, elder, workspace, younger } = yield* relinked(simulation)
      const store = yield* BankStore
      const ref = { bankId: bank.id, accountId: younger.id }
      const euro = yield* storeAccount(bank, { currency: "EUR" as never })
      const loan = yield* storeAccount(bank, { currency: elder.currency, accountType: "mortgage" })
      const files = yield* makeBank(workspace, { source: "file" })
      yield* store.insert(files, undefined)
      const ofFile = yield* storeAccount(files, { currency: elder.currency })
      const foreign = yield* storeAccount(
        yield* Effect.tap(makeBank(yield* storeWorkspace()), (one) => store.insert(one, undefined))
      )
      for (const [other, says] of [
        [younger.id, "cannot be joined with itself"],
        [euro.id, "An account in EUR cannot be one with an account in USD"],
        [loan.id, "An account of type mortgage cannot be one with an account of type checking"],
        [ofFile.id, "Only accounts of connections can be joined"],
        [foreign.id, "names no account of this workspace"]
      ] as const) {
        const error = yield* failed(service.join(caller, ref, other))
        expect([error._tag, error.message]).toEqual(["Unprocessable", expect.stringContaining(says)])
      }
      const going = yield* makeBank(workspace)
      yield* store.insert(going, undefined)
      const leaving = yield* storeAccount(going, { currency: elder.currency })
      const removal = { state: "removing", stage: "local", tries: 0, cause: caller.cause } as const
      yield* store.setLife(going.id, { removal }, going.createdAt)
      expect(yield* failed(service.join(caller, ref, leaving.id))).toMatchObject({ code: "BANK_REMOVING" })
      expect(yield* failed(service.part(caller, ref))).toMatchObject({ code: "INVALID_STATE" })
      const { account } = yield* service.join(caller, ref, elder.id)
      expect(account.id).toBe(elder.id)
      const third = yield* storeAccount(bank, { currency: elder.currency, accountType: "checking" })
      const part = yield* failed(service.join(caller, { bankId: bank.id, accountId: third.id }, younger.id))
      expect(part.message).toContain(`is part of ${elder.id}`)
      // A part is nobody's to see.
      expect(yield* failed(service.list(caller, ref))).toMatchObject({ _tag: "NotFound" })
    }).pipe(Effect.provide(joins))
  )

  memoryScene("shows and does nothing to who does not reach the banks", { model: "upsertByKey" }, (simulation) =>
    Effect.gen(function* () {
      const service = yield* AccountJoins
      const { bank, caller, elder, workspace, younger } = yield* relinked(simulation)
      const ref = { bankId: bank.id, accountId: younger.id }
      const [app, ownApp] = [false, true].map((firstParty) =>
        calling({
          kind: "oauth_app",
          workspace,
          app: { clientId: "app_1", name: "Planner", firstParty },
          userId: "usr_00000000000000000000000001",
          role: "owner",
          scopes: ["banks:read", "banks:write"]
        })
      ) as [Caller, Caller]
      const stranger = ownerOf(yield* storeWorkspace())
      for (const outside of [app, stranger]) {
        for (const [asked, other] of [
          [ref, elder.id],
          [{ bankId: bank.id, accountId: elder.id }, younger.id]
        ] as const) {
          expect(yield* failed(service.list(outside, asked))).toMatchObject({ _tag: "NotFound" })
          expect(yield* failed(service.join(outside, asked, other))).toMatchObject({ _tag: "NotFound" })
          expect(yield* failed(service.part(outside, asked))).toMatchObject({ _tag: "NotFound" })
        }
      }
      expect((yield* service.list(caller, ref)).joins).toEqual([])
      const { account } = yield* service.join(ownApp, ref, elder.id)
      expect(account.id).toBe(elder.id)
      // What was joined before is neither told again to them, nor parted by them.
      for (const outside of [app, stranger]) {
        expect(yield* failed(service.join(outside, ref, elder.id))).toMatchObject({ _tag: "NotFound" })
        const joined = { bankId: account.bankId, accountId: account.id }
        expect(yield* failed(service.part(outside, joined))).toMatchObject({ _tag: "NotFound" })
      }
      expect((yield* service.list(caller, { bankId: account.bankId, accountId: account.id })).joins).toHaveLength(1)
    }).pipe(Effect.provide(joins))
  )

  memoryScene("waits for whoever reads a bank, and for jobs that will", { model: "upsertByKey" }, (simulation) =>
    Effect.gen(function* () {
      const service = yield* AccountJoins
      const { bank, caller, elder, feed, younger } = yield* relinked(simulation)
      const ref = { bankId: bank.id, accountId: younger.id }
      const leases = yield* Leases
      yield* leases.take([bankLease(bank.id)], "somebody else", 600)
      expect(yield* failed(service.join(caller, ref, elder.id))).toMatchObject({ code: "SYNC_ALREADY_RUNNING" })
      yield* leases.free("somebody else")
      const jobs = yield* JobStore
      const job = yield* makeJob(feed)
      yield* jobs.create(job, { replacing: false })
      expect(yield* failed(service.join(caller, ref, elder.id))).toMatchObject({ code: "SYNC_ALREADY_RUNNING" })
      yield* jobs.cancel(job.id, "cancel", caller.cause)
      yield* service.join(caller, ref, elder.id)
    }).pipe(Effect.provide(joins))
  )

  memoryScene(
    "lets feeds show again what was withdrawn when the two were parted",
    { model: "upsertByKey" },
    (simulation) =>
      Effect.gen(function* () {
        const service = yield* AccountJoins
        const tables = yield* TableStore
        const feeds = yield* FeedStore
        const { bank, caller, elder, upstream, workspace, younger } = yield* relinked(
          simulation,
          "delta-connection-perstatus"
        )
        upstream.post({ account: "a", date: "2026-11-21" as never, amount: "-7", description: "BAKERY" })
        const table = yield* storeTable(workspace, { fields: [] })
        const feed = yield* storeFeed(workspace, {
          destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true, onRemoved: "delete" },
          sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: younger.id }] },
          fieldMappings: [{ sourceField: "description", destinationField: "description" }]
        })
        const shown = Effect.gen(function* () {
          yield* drive(simulation, Option.getOrThrow(yield* feeds.byId(feed.id)))
          return (yield* tables.rows(wholeScan(table.id))).map(({ values }) => values["description"]).toSorted()
        })
        expect(yield* shown).toEqual(["BAKERY"])
        for (let time = 0; time < 2; time++) {
          const { account } = yield* service.join(caller, { bankId: bank.id, accountId: younger.id }, elder.id)
          expect([time, yield* shown]).toEqual([time, ["BAKERY", "COFFEE BAR"]])
          yield* service.part(caller, { bankId: account.bankId, accountId: account.id })
          expect([time, yield* shown]).toEqual([time, ["BAKERY"]])
        }
      }).pipe(Effect.provide(joins))
  )

  memoryScene(
    "lets enrichments name the account that goes on, until the two are parted",
    { model: "upsertByKey" },
    (simulation) =>
      Effect.gen(function* () {
        const service = yield* AccountJoins
        const { bank, caller, elder, workspace, younger } = yield* relinked(simulation)
        const store = yield* EnrichmentStore
        const keep = (name: string, config: Schema.Json) =>
          Effect.tap(makeEnrichment(workspace, { name, config }), store.insert)
        const address = "https://hooks.slack.com/services/T0/B0/only-for-the-one-who-has-it"
        const made = {
          listed: yield* keep("listed", { accountIds: [younger.id, "acct_else"] }),
          both: yield* keep("both", { accountIds: [younger.id, elder.id], limits: { [younger.id]: 1, [elder.id]: 2 } }),
          written: yield* keep("written", { when: `event.accountId == "${younger.id}" || size("${younger.id}") > 0` }),
          secret: yield* keep("secret", {
            accountIds: [younger.id],
            destinations: [{ type: "slack", webhookUrl: address }]
          }),
          changed: yield* keep("changed", { accountIds: [younger.id], limit: 1 }),
          removed: yield* keep("removed", { accountIds: [younger.id] }),
          older: yield* keep("older", { accountIds: [elder.id] })
        }
        const all = Effect.map(store.list([workspace.id]), (found) =>
          Object.fromEntries(found.map((one) => [one.name, one]))
        )
        const configs = Effect.map(all, (found) =>
          Object.fromEntries(Object.entries(found).map(([name, { config }]) => [name, config]))
        )
        const before = yield* configs
        const { account, join } = yield* service.join(caller, { bankId: bank.id, accountId: younger.id }, elder.id)
        expect(yield* configs).toEqual({
          listed: { accountIds: [elder.id, "acct_else"] },
          both: { accountIds: [elder.id], limits: { [elder.id]: 2 } },
          written: { when: `event.accountId == "${elder.id}" || size("${elder.id}") > 0` },
          secret: { accountIds: [elder.id], destinations: [{ type: "slack", webhookUrl: address }] },
          changed: { accountIds: [elder.id], limit: 1 },
          removed: { accountIds: [elder.id] },
          older: { accountIds: [elder.id] }
        })
        const during = yield* all
        expect([during["listed"]!.revision, during["listed"]!.version, during["older"]]).toEqual([2, 2, made.older])
        expect(JSON.stringify(join)).not.toContain("only-for-the-one")
        const { changed, listed } = during
        yield* store.update({
          ...changed!,
          config: { accountIds: [elder.id], limit: 2 },
          version: changed!.version + 1
        })
        yield* store.update({ ...listed!, name: "listed, renamed", version: listed!.version + 1 })
        yield* store.remove(workspace.id, made.removed.id)
        const { left } = yield* service.part(caller, { bankId: account.bankId, accountId: account.id })
        const { listed: _, removed: _gone, ...rest } = before
        expect(yield* configs).toEqual({
          ...rest,
          "listed, renamed": before["listed"],
          changed: { accountIds: [elder.id], limit: 2 }
        })
        expect(left.map(({ name }) => name)).toEqual(["changed"])
      }).pipe(Effect.provide(joins))
  )

  memoryScene("puts enrichments back join by join", { model: "upsertByKey" }, (simulation) =>
    Effect.gen(function* () {
      const service = yield* AccountJoins
      const { bank, caller, elder, workspace, younger } = yield* relinked(simulation)
      const third = yield* storeAccount(bank, { currency: elder.currency, accountType: elder.accountType })
      const store = yield* EnrichmentStore
      const config = { accountIds: [third.id, younger.id] }
      const made = yield* Effect.tap(makeEnrichment(workspace, { config }), store.insert)
      const now = Effect.map(store.get(workspace.id, made.id), (found) => Option.getOrThrow(found).config)
      const ref = { bankId: bank.id, accountId: elder.id }
      const first = yield* service.join(caller, ref, younger.id)
      expect(yield* now).toEqual({ accountIds: [third.id, elder.id] })
      const second = yield* service.join(caller, { ...ref, bankId: first.account.bankId }, third.id)
      expect(yield* now).toEqual({ accountIds: [elder.id] })
      yield* service.part(caller, { ...ref, bankId: second.account.bankId })
      expect(yield* now).toEqual({ accountIds: [third.id, elder.id] })
      yield* service.part(caller, ref)
      expect(yield* now).toEqual(config)
    }).pipe(Effect.provide(joins))
  )

  memoryScene("leaves nothing behind where it stops at any step", { model: "upsertByKey" }, (simulation) =>
    Effect.gen(function* () {
      const { bank, caller, elder, feed, younger } = yield* relinked(simulation)
      const ref = { bankId: bank.id, accountId: younger.id }
      const store = yield* AccountJoinStore
      const banks = yield* BankStore
      const events = yield* EventStore
      const told = Effect.gen(function* () {
        return [
          yield* banks.accounts(bank.id),
          yield* (yield* FeedStore).byId(feed.id),
          yield* store.of(elder.workspaceId, elder.id)
        ]
      })
      const lost = Effect.fail(new StorageUnavailable({ message: "lost" }))
      /** Each of these stops once, before or after what it does. */
      const stops: ReadonlyArray<Layer.Layer<AccountJoinStore | EventStore>> = [
        ...(["exchange", "move", "insert"] as const).flatMap((method) =>
          [false, true].map((after) =>
            Layer.merge(
              Layer.succeed(AccountJoinStore, {
                ...store,
                [method]: (...given: ReadonlyArray<never>) =>
                  after
                    ? Effect.andThen(
                        (store[method] as (...all: ReadonlyArray<never>) => Effect.Effect<void, StorageUnavailable>)(
                          ...given
                        ),
                        lost
                      )
                    : lost
              }),
              Layer.succeed(EventStore, events)
            )
          )
        ),
        Layer.merge(
          Layer.succeed(AccountJoinStore, store),
          Layer.succeed(EventStore, { ...events, append: () => lost })
        )
      ]
      const before = yield* told
      for (const stop of stops) {
        const service = yield* Effect.provide(AccountJoins, joins.pipe(Layer.provide(stop)))
        expect(yield* failed(service.join(caller, ref, elder.id))).toMatchObject({ _tag: "StorageUnavailable" })
        expect(yield* told).toEqual(before)
      }
      const service = yield* Effect.provide(AccountJoins, joins)
      const { account } = yield* service.join(caller, ref, elder.id)
      expect(account.state).toBe("open")
    })
  )
})
