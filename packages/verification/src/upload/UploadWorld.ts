/**
 * The kernel in memory around one feed of files into a table, under an engine of choice, with the means to
 * let something happen while a file is being read, and to lose files afterwards.
 */
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { asOwner } from "@millrace/core/access"
import type { Feed } from "@millrace/core/feed"
import { Feeds, Kernel, type SyncRun, Tables, Uploads, Workspaces } from "@millrace/core/kernel"
import { FeedStore, JobStore, UploadStore } from "@millrace/core/storage"
import type { JobEngine } from "@millrace/core/job"
import { Currency } from "@millrace/core"
import { StatementFault, StatementReader, type Upload } from "@millrace/core/upload"
import { FaultPoints } from "@millrace/testing/fault"
import { pointedStores } from "../simulation/PointedPorts.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** What the test makes of the files; it may change at any time. */
export interface FileFate {
  /** Happens once, when the next file is read: by an upload or by a run. */
  whileReading: Effect.Effect<unknown>
  /** Names of files that cannot be read any more. */
  readonly unreadable: Set<string>
  /** Files without their content. */
  readonly gone: Set<Upload["id"]>
}

/** Everything on top of memory, with the engine that brings jobs to workers. */
export const makeUploadWorld = <Out>(
  engine: Layer.Layer<JobEngine | Out, never, JobStore | SyncRun>,
  points = new FaultPoints()
) => {
  const fate: FileFate = { whileReading: Effect.void, unreadable: new Set(), gone: new Set() }
  const reader = Layer.effect(
    StatementReader,
    Effect.map(StatementReader, (real) =>
      StatementReader.of({
        read: Effect.fnUntraced(function* (bytes, options) {
          const happening = fate.whileReading
          fate.whileReading = Effect.void
          yield* happening
          if (fate.unreadable.has(options.fileName)) return yield* new StatementFault({ message: "is torn" })
          return yield* real.read(bytes, options)
        })
      })
    )
  )
  const uploads = Layer.effect(
    UploadStore,
    Effect.map(UploadStore, (real) =>
      UploadStore.of({
        ...real,
        bytes: (id) => (fate.gone.has(id) ? Effect.succeedNone : real.bytes(id))
      })
    )
  )
  const layer = Kernel.layerUseCases(Redacted.make("only for tests")).pipe(
    Layer.provideMerge(engine),
    Layer.provideMerge(Kernel.layerRun),
    Layer.provideMerge(reader),
    Layer.provideMerge(Adapters.layer({ providers: [], folder: undefined })),
    Layer.provideMerge(uploads),
    Layer.provideMerge(pointedStores(points).pipe(Layer.provideMerge(MemoryStorage.layer)))
  )
  return { layer, fate }
}

/** A statement of one booking on the account that all of them have in common. */
const statement = (description: string): Uint8Array =>
  new TextEncoder().encode(
    `Date;Description;Amount;Currency;Account\n2026-03-02;${description};-4.50;CHF;CH9300762011623852957\n`
  )

/** A feed of files into a table, and what a person does with it. */
export const openUploadFeed = Effect.gen(function* () {
  const [feeds, uploads, tables, jobs] = [yield* FeedStore, yield* Uploads, yield* Tables, yield* JobStore]
  const { owner, workspace } = yield* (yield* Workspaces).create({
    name: "Books of Ada",
    plan: "business",
    timezone: "UTC",
    baseCurrency: Currency.make("CHF"),
    ownerEmail: "ada@example.com"
  })
  const caller = asOwner(workspace, owner)
  const table = yield* tables.create(caller, { name: "Movements", fields: [] })
  const { feed } = yield* (yield* Feeds).create(caller, {
    name: "Statements",
    source: "upload",
    dataType: "transactions",
    sourceConfig: { type: "upload", bankName: "Bank of files" },
    destinationConfig: { type: "table", tableId: table.id }
  })
  return {
    caller,
    feed,
    /** Uploads a file of one booking that has the name of the file for its text. */
    upload: (fileName: string) =>
      uploads.add(caller, feed.id, { fileName, contentType: "text/csv", bytes: statement(fileName) }),
    /** Replaces what is stored of the feed. */
    change: Effect.fnUntraced(function* (change: (feed: Feed) => Feed) {
      const held = Option.getOrThrow(yield* feeds.byId(feed.id))
      yield* feeds.update({ ...change(held), version: held.version + 1 })
    }),
    /** Status by file name. */
    statuses: Effect.map(uploads.list(caller, feed.id, {}), ({ rows }) =>
      Object.fromEntries(rows.map(({ fileName, status }) => [fileName, status]))
    ),
    /** Newest first. */
    jobs: jobs.list(workspace.id, feed.id, { limit: 100 }),
    delivered: Effect.map(tables.queryRows(caller, table.id, {}), ({ rows }) =>
      rows.map(({ values }) => String(values["description"])).toSorted()
    )
  }
})
