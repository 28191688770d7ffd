import { Adapters, NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { makePullDriver, somebody, storeAccount, storeBank, storeWorkspace, takeBank } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import * as Kernel from "../../src/Kernel.ts"
import type { ObservedRecord, SyncPage } from "../../src/provider/Provider.ts"
import { ProviderUnavailable } from "../../src/provider/ProviderError.ts"
import { ShownRows } from "../../src/identity/match/ShownRows.ts"
import type { Observation } from "../../src/record/Observation.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Digest } from "../../src/shared/Digest.ts"
import { makePageSpool, StageBounds } from "../../src/sync/PageSpool.ts"
import { SourceReader } from "../../src/sync/SourceReader.ts"
import { segmentOf } from "./Segments.ts"
import { Stage } from "../../src/sync/Stage.ts"
import { StageStore, type StageKey } from "../../src/sync/StageStore.ts"
import type { WorkspaceId } from "../../src/workspace/Workspace.ts"
import { describe, expect, it } from "@effect/vitest"
import { openFor } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const seeds = process.env["MILLRACE_LONG"] === "1" ? 5_000 : 300

const rowOf = (account: string, providerId: string, description: string): ObservedRecord => ({
  providerAccountId: account,
  providerId,
  pending: false,
  fields: { date: "2026-03-14", description, originalDescription: description, amount: "1", currency: "USD" }
})

/** A row that came back, with its fields. */
const plain = (row: Observation): Observation => ({
  providerId: row.providerId,
  pendingProviderId: row.pendingProviderId,
  pending: row.pending,
  date: row.date,
  hash: row.hash,
  fields: row.fields
})

const key: StageKey = { workspaceId: "ws_1" as WorkspaceId, id: "stg_1", resource: "bank:1", holder: "run" }

/** Pages of a change feed or a snapshot over two accounts: rows come again, under the same id or none, and go. */
const pagesOf = (random: Seeded): ReadonlyArray<SyncPage> => {
  const delta = random.below(2) === 0
  return Array.from({ length: 1 + random.below(8) }, (): SyncPage => {
    const account = () => `a${random.below(2)}`
    const id = () => (random.below(6) === 0 ? "" : `r${random.below(6)}`)
    return {
      upserted: Array.from({ length: random.below(6) }, () => rowOf(account(), id(), `text ${random.below(3)}`)),
      removed: Array.from({ length: random.below(2) }, () => ({ providerAccountId: account(), providerId: id() })),
      quarantined: [],
      coverage: delta ? { kind: "delta" } : { kind: "full", complete: true },
      end: { kind: "more", position: "on" }
    }
  })
}

/** Six pages of three rows of one account; the fifth fails once where `failOnce` says so. */
const arrange = Effect.fnUntraced(function* (
  options: { readonly failOnce?: boolean; readonly lose?: boolean; readonly held?: number } = {}
) {
  let owner = ""
  /** Chunks that are kept, of whichever reading. */
  const left = new Set<string>()
  let most = 0
  let taken = 0
  let failed = options.failOnce !== true
  const pages = 6
  const driver = makePullDriver(
    "pages",
    { changeModel: "snapshotFull", scope: "connection", idTrust: "stable", historyDays: 90, overlapDays: 0 },
    ({ position }) =>
      Effect.gen(function* () {
        const page = Number(position ?? 0)
        if (page === 4 && !failed) {
          failed = true
          return yield* new ProviderUnavailable({ message: "away" })
        }
        return {
          upserted: [0, 1, 2].map((n) => rowOf(owner, `r${page * 3 + n}`, `Row ${page * 3 + n}`)),
          removed: [],
          quarantined: [],
          coverage: { kind: "full", complete: page === pages - 1 },
          end: page < pages - 1 ? { kind: "more", position: String(page + 1) } : { kind: "done" }
        } as const
      })
  )
  const services = yield* Layer.build(
    Kernel.layerRun.pipe(
      Layer.provide(Layer.succeed(StageBounds, { held: options.held ?? 4, characters: 420, packed: 0, readBack: 3 })),
      Layer.provideMerge(Adapters.layer({ providers: [driver], folder: undefined })),
      Layer.provide(
        Layer.effect(
          StageStore,
          Effect.map(StageStore, (store) => ({
            ...store,
            put: (of: StageKey, chunks: Parameters<typeof store.put>[1]) =>
              Effect.tap(store.put(of, chunks), () => {
                for (const { number } of chunks) left.add(`${of.id} ${number}`)
                most = Math.max(most, left.size)
                return Effect.void
              }),
            // What was put aside does not outlast a crash of the database.
            take: (of: StageKey, numbers: ReadonlyArray<number>) =>
              options.lose === true
                ? Effect.succeed([])
                : Effect.tap(store.take(of, numbers), () => Effect.sync(() => void taken++)),
            drop: (of: StageKey) =>
              Effect.tap(store.drop(of), () => {
                for (const name of left) if (name.startsWith(`${of.id} `)) left.delete(name)
                return Effect.void
              })
          }))
        ).pipe(Layer.provide(MemoryStorage.layer))
      ),
      Layer.provideMerge(MemoryStorage.layer)
    )
  )
  return yield* Effect.gen(function* () {
    const bank = yield* storeBank(yield* storeWorkspace())
    const account = yield* storeAccount(bank)
    owner = account.providerAccountId
    const lease = yield* takeBank(bank.id, "test", 600)
    const today = CalendarDate.make("2026-03-20")
    const segment = segmentOf({
      bank,
      session: { driver, ...(yield* openFor(driver, { ref: "pages", secrets: {} })) },
      accounts: [account],
      today
    })
    const [reader, records] = [yield* SourceReader, yield* RecordStore]
    const scope = { workspaceId: bank.workspaceId, accountId: account.id, dataType: "transactions" } as const
    return {
      pull: reader.pull({ bankId: bank.id, lease, cause: somebody }, segment).pipe(Effect.provide(services)),
      held: Effect.map(records.page(scope, { filter: {}, limit: 100 }), (rows) =>
        rows.map(({ fields }) => fields["description"]).toSorted()
      ),
      /** How many chunks are kept, and were at most. */
      aside: Effect.sync(() => ({ left: left.size, most })),
      /** How often some were read back. */
      taken: Effect.sync(() => taken)
    }
  }).pipe(Effect.provide(services))
})

describe("pages that are put aside", () => {
  it.effect("come to the same rows of each account as pages that are held", () =>
    Effect.gen(function* () {
      const digest = yield* Digest
      let told = 0
      for (let seed = 1; seed <= seeds; seed++) {
        const random = new Seeded(seed)
        const kept = new Map<number, string>()
        const store: StageStore["Service"] = {
          pack: (text) => Effect.succeed({ bytes: new TextEncoder().encode(text), text: () => text }),
          put: (_, chunks) =>
            Effect.sync(() => chunks.forEach(({ number, packed }) => kept.set(number, packed.text()))),
          take: (_, numbers) => Effect.sync(() => numbers.map((number) => () => kept.get(number)!)),
          drop: () => Effect.sync(() => kept.clear()),
          purge: () => Effect.succeed(0)
        }
        const bounds = {
          held: random.below(8),
          characters: random.below(1_500),
          packed: random.below(4_000),
          readBack: 1 + random.below(4)
        }
        const aside = yield* makePageSpool(key, bounds).pipe(Effect.provideService(StageStore, store))
        const [one, other] = [new Stage("transactions", digest), new Stage("transactions", digest)]
        for (const page of pagesOf(random)) {
          one.add(page)
          other.add(page)
          yield* aside.after(other)
          expect(other.held).toBeLessThanOrEqual(bounds.held)
        }
        expect([...other.accounts].toSorted()).toEqual([...one.accounts].toSorted())
        expect(other.count).toBe(one.count)
        for (const account of one.accounts) {
          const [shown, read] = [other.shown(account, aside.count(account)), new ShownRows(digest.contentHash)]
          for (const row of one.heldRows(account)) read.add(row)
          if (shown !== undefined) {
            expect(shown.hashes).toEqual(read.hashes)
            told++
          }
          const back = Array.from(yield* aside.rows(other, account), plain)
          expect([seed, back]).toEqual([seed, one.rows(account).map(plain)])
        }
        yield* aside.drop
        expect(kept.size).toBe(0)
      }
      expect(told).toBeGreaterThan(seeds / 4)
    }).pipe(Effect.provide(NodeDigest.layer))
  )

  it.effect("are written as one read, and nothing of them is left", () =>
    Effect.gen(function* () {
      const { aside, held, pull } = yield* arrange()
      expect(yield* pull).toMatchObject({ seen: 18, changed: 18 })
      expect(yield* held).toHaveLength(18)
      expect(yield* aside).toEqual({ left: 0, most: 8 })
      const whole = yield* arrange({ held: 100 })
      yield* whole.pull
      expect(yield* held).toEqual(yield* whole.held)
    }).pipe(Effect.scoped)
  )

  it.effect("go with the try that put them aside: the next one takes its own alone", () =>
    Effect.gen(function* () {
      const { aside, held, pull } = yield* arrange({ failOnce: true })
      expect(yield* Effect.flip(pull)).toMatchObject({ _tag: "ProviderUnavailable" })
      expect([yield* held, yield* aside]).toEqual([[], { left: 0, most: 4 }])
      expect(yield* pull).toMatchObject({ seen: 18, changed: 18 })
      expect([(yield* held).length, yield* aside]).toEqual([18, { left: 0, most: 8 }])
    }).pipe(Effect.scoped)
  )

  it.effect("are not read back where they show what the read before showed", () =>
    Effect.gen(function* () {
      const { held, pull, taken } = yield* arrange()
      yield* pull
      const [rows, before] = [yield* held, yield* taken]
      expect(before).toBeGreaterThan(0)
      expect(yield* pull).toMatchObject({ seen: 18, changed: 0 })
      expect([yield* held, yield* taken]).toEqual([rows, before])
    }).pipe(Effect.scoped)
  )

  it.effect("that storage has lost are missed: nothing is written, and nothing is taken for gone", () =>
    Effect.gen(function* () {
      const { held, pull } = yield* arrange({ lose: true })
      expect(yield* Effect.flip(pull)).toMatchObject({ _tag: "StorageUnavailable" })
      expect(yield* held).toEqual([])
    }).pipe(Effect.scoped)
  )
})
