/** One workspace with two accounts and a feed, and an analysis that runs over what is written to it. */
import { MemoryStorage } from "@millrace/adapters/memory"
import { NodeDigest } from "@millrace/adapters"
import {
  makeEnrichment,
  makeWrite,
  scopeOf,
  storeAccount,
  storeBank,
  storeFeed,
  storeWorkspace
} from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Analysis } from "../../src/enrichment/Analysis.ts"
import { AnalysisStore } from "../../src/enrichment/AnalysisStore.ts"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import { EnrichmentFacts } from "../../src/enrichment/EnrichmentFacts.ts"
import { type AnyKind, Kinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import { FeedPipelines } from "../../src/enrichment/FeedPipelines.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import type { RecordWrite } from "../../src/record/LedgerRecord.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { Tasks } from "../../src/task/Tasks.ts"

export const analysisServices = (kinds: ReadonlyArray<AnyKind>) =>
  Layer.mergeAll(Analysis.layer, EnrichmentFacts.layer).pipe(
    Layer.provideMerge(FeedPipelines.layer),
    Layer.provideMerge(Tasks.layer),
    Layer.provideMerge(
      Layer.mergeAll(MemoryStorage.layer, NodeDigest.layer, Ids.layer, Layer.succeed(Kinds, kindsOf(kinds)))
    )
  )

export const march = CalendarDate.make("2026-03-20")

export const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const bank = yield* storeBank(workspace)
  const account = yield* storeAccount(bank)
  const other = yield* storeAccount(bank)
  const accounts = [account, other].map((one) => ({ bank, account: one }))
  const feed = yield* storeFeed(workspace, {
    sourceConfig: { type: "sync", accounts: accounts.map((one) => ({ bankId: bank.id, accountId: one.account.id })) }
  })
  const sum = yield* makeEnrichment(workspace, {
    type: "month_sum",
    config: { limit: "50", field: "amount" }
  })
  const records = yield* RecordStore
  const analysis = yield* Analysis
  const store = yield* AnalysisStore
  const scope = scopeOf(account)
  const run = (
    options: { readonly enrichments?: ReadonlyArray<Enrichment>; readonly today?: CalendarDate.CalendarDate } = {}
  ) =>
    analysis.run({
      workspace,
      dataType: "transactions",
      enrichments: options.enrichments ?? [sum],
      accounts,
      today: options.today ?? march,
      cause: { kind: "system", reason: "test" },
      guard: Effect.void
    })
  const write = Effect.fnUntraced(function* (amount: string, date: string, change: Partial<RecordWrite> = {}) {
    const made = yield* makeWrite({ date: CalendarDate.make(date), ...change })
    const fields = { description: "SHOP", date, amount, ...change.fields }
    const one: RecordWrite = { ...made, hash: `${amount} ${date} ${JSON.stringify(fields)}`, fields }
    yield* records.write(scope, [one])
    return one
  })
  const valuesOf = Effect.fnUntraced(function* (...of: ReadonlyArray<RecordWrite>) {
    const notes = yield* store.notes(
      workspace.id,
      of.map(({ id }) => id)
    )
    return of.map(({ id }) =>
      Object.fromEntries((notes.get(id)?.claims.get(sum.id) ?? []).map((claim) => [claim.field, claim.value]))
    )
  })
  const eventsOf = Effect.flatMap(EventStore, (events) =>
    Effect.map(events.read(workspace.id, 0, 100), (all) => all.filter(({ type }) => !type.startsWith("finding.")))
  )
  return { workspace, bank, account, other, accounts, feed, sum, records, store, scope, run, write, valuesOf, eventsOf }
})
