/** A feed that reads nothing, and gets its records pushed, into a table; over any storage, with no engine. */
import { Adapters } from "@millrace/adapters"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { storeFeed } from "@millrace/testing/fixture"
import { asOwner } from "../../src/access/Caller.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import type { Feed } from "../../src/feed/Feed.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { JobEngine } from "../../src/job/JobEngine.ts"
import { Jobs } from "../../src/job/Jobs.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import * as Kernel from "../../src/Kernel.ts"
import type { MadeKind } from "../../src/provider/ProviderKind.ts"
import type { UpstreamBudget } from "../../src/rate/UpstreamBudget.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as Currency from "../../src/shared/Currency.ts"
import { acrossTenants } from "../../src/workspace/TenantScope.ts"
import { PushedRecords, type Push, type PushedRecord } from "../../src/sync/PushedRecords.ts"
import { Tables } from "../../src/table/Tables.ts"
import { SyncRun } from "../../src/usecase/SyncRun.ts"
import { Workspaces } from "../../src/usecase/Workspaces.ts"

const engine = Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void })

/** `folder`: where feeds may write files. */
export const worldOver = <A, E, R>(storage: Layer.Layer<A | Kernel.Stores | UpstreamBudget, E, R>, folder?: string) =>
  Kernel.layerUseCases(Redacted.make("only for tests")).pipe(
    Layer.provideMerge(engine),
    Layer.provideMerge(Kernel.layerRun),
    Layer.provideMerge(Adapters.layer({ providers: [], folder })),
    Layer.provideMerge(storage)
  )

const someone = { kind: "extractor", feedId: "feed_1" } as const

/** A transaction as an extractor would give it. */
export const record = (id: string, amount: string, change: PushedRecord["values"] = {}): PushedRecord => ({
  id,
  values: {
    date: "2026-03-02",
    description: `Bill ${id}`,
    originalDescription: `BILL ${id}`,
    amount,
    currency: "CHF",
    ...change
  }
})

const inAll = acrossTenants("job engine")

export const openFeed = Effect.fnUntraced(function* (change: Partial<Feed> = {}) {
  const [jobs, runs, tables] = [yield* JobStore, yield* SyncRun, yield* Tables]
  const [records, banks, pushed] = [yield* RecordStore, yield* BankStore, yield* PushedRecords]
  const { owner, workspace } = yield* (yield* Workspaces).create({
    name: "Books of Ada",
    plan: "business",
    timezone: "UTC",
    baseCurrency: Currency.make("CHF"),
    ownerEmail: "ada@example.com"
  })
  const caller = asOwner(workspace, owner)
  const table = yield* tables.create(caller, { name: "Bills", fields: [] })
  const feed = yield* storeFeed(workspace, {
    name: "Bills",
    source: "extractor",
    sourceConfig: { type: "extractor" },
    destinationConfig: { type: "table", tableId: table.id },
    fieldMappings: ["id", "description", "amount", "accountId"].map((key) => ({
      sourceField: key,
      destinationField: key
    })),
    mappingsDefaulted: true,
    dataTypeOptions: { dataType: "transactions", pendingMode: "track_and_update", lookbackDays: 7 },
    ...change
  }).pipe(inAll)
  return {
    caller,
    feed,
    workspace,
    tableId: table.id,
    push: (push: Push, kind: MadeKind = "extractor") => pushed.push(feed, kind, push, someone),
    /** Runs the jobs that are there or due, until there are none; returns how many. */
    runDue: Effect.gen(function* () {
      let ran = 0
      for (;;) {
        yield* inAll((yield* Jobs).scheduleDue)
        const active = yield* inAll(jobs.active(feed.id))
        if (Option.isNone(active)) break
        const job = active.value
        yield* Effect.gen(function* () {
          const claimed = yield* jobs.claim(job.id, yield* runs.banksOf(feed.id))
          yield* runs.run(Option.getOrThrow(claimed))
        }).pipe(inAll)
        ran++
      }
      return ran
    }),
    /** Live records of what was made for the feed: amounts by key. */
    held: Effect.gen(function* () {
      const found = new Map<string, string>()
      for (const { id } of yield* banks.made(feed.id)) {
        for (const account of yield* banks.accounts(id)) {
          const scope = { workspaceId: workspace.id, accountId: account.id, dataType: feed.dataType }
          for (const { fields, providerId } of yield* records.page(scope, { filter: {}, limit: 500 }))
            found.set(providerId.replace("key:", ""), String(fields["amount"] ?? fields["totalAmount"]))
        }
      }
      return found
    }).pipe(inAll),
    made: Effect.gen(function* () {
      const [bank] = yield* banks.made(feed.id)
      return bank === undefined ? undefined : { bank, account: (yield* banks.accounts(bank.id))[0]! }
    }).pipe(inAll),
    /** Amounts in the table by description. */
    delivered: Effect.map(tables.queryRows(caller, table.id, {}), ({ rows }) =>
      Object.fromEntries(rows.map(({ values }) => [String(values["description"]), String(values["amount"])]))
    ),
    feeds: yield* FeedStore
  }
})
