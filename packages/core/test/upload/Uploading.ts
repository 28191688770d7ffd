/** Uploads in a kernel whose engine does nothing: the tests run the jobs themselves, when they see fit. */
import { BankStore } from "../../src/bank/BankStore.ts"
import { JobEngine } from "../../src/job/JobEngine.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import type { LedgerRecord } from "../../src/record/LedgerRecord.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import { SyncRun } from "../../src/usecase/SyncRun.ts"
import type { CsvOptions } from "../../src/feed/CsvOptions.ts"
import { Uploads } from "../../src/upload/Uploads.ts"
import { makeUploadWorld, openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { Feeds } from "../../src/usecase/Feeds.ts"
import type { FeedId } from "../../src/feed/Feed.ts"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"

export const engine = Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void })

export type UploadWorld = ReturnType<typeof makeUploadWorld<never>>

/** A test in a world of its own. */
export const scene = (
  title: string,
  body: (fate: UploadWorld["fate"]) => Effect.Effect<void, unknown, Layer.Success<UploadWorld["layer"]>>
) =>
  it.effect(title, () => {
    const { fate, layer } = makeUploadWorld(engine)
    return body(fate).pipe(Effect.provide(layer))
  })

/** Runs the active job of the feed to its end. */
export const runJob = Effect.fnUntraced(function* (feedId: FeedId) {
  const [jobs, runs] = [yield* JobStore, yield* SyncRun]
  const job = Option.getOrThrow(yield* jobs.active(feedId))
  const claimed = yield* jobs.claim(job.id, yield* runs.banksOf(feedId))
  yield* runs.run(Option.getOrThrow(claimed))
  yield* TestClock.adjust("1 second")
  return Option.getOrThrow(yield* jobs.get(job.workspaceId, feedId, job.id))
})

/** What a person does with files of a feed, and what the ledger says of them. */
export const openLedger = Effect.gen(function* () {
  const opened = yield* openUploadFeed
  const { feed, caller } = opened
  const [uploads, banks, records, feeds] = [yield* Uploads, yield* BankStore, yield* RecordStore, yield* Feeds]
  const { workspace } = caller.principal
  const accounts = banks.accounts(feed.fileBankId!)
  const all = Effect.gen(function* () {
    const found: Array<LedgerRecord> = []
    for (const { id } of yield* accounts) {
      const scope = { workspaceId: workspace.id, accountId: id, dataType: "transactions" as const }
      found.push(...(yield* records.page(scope, { filter: {}, limit: 500 })))
    }
    return found
  })
  return {
    ...opened,
    accounts,
    removeFeed: feeds.remove(caller, feed.id, undefined),
    add: (content: string | Uint8Array, fileName = "march.csv") =>
      uploads.add(caller, feed.id, {
        fileName,
        contentType: "text/csv",
        bytes: typeof content === "string" ? new TextEncoder().encode(content) : content
      }),
    /** Replaces the options that the feed reads with. */
    readWith: (csv: CsvOptions) => opened.change((held) => ({ ...held, sourceConfig: { type: "upload", csv } })),
    /** Live rows of all accounts by id: day, amount and text. */
    rows: Effect.map(
      all,
      (found) =>
        new Map(found.map(({ fields, id }) => [id, `${fields["date"]} ${fields["amount"]} ${fields["description"]}`]))
    ),
    /** The same with their currencies. */
    moneyRows: Effect.map(all, (found) =>
      found.map(({ fields }) =>
        ["date", "amount", "currency", "description"].map((name) => String(fields[name])).join(" ")
      )
    )
  }
})
