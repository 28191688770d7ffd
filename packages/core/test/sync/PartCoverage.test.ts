/** What a page says of some accounts, or of rows in one status, is believed of those and of no others. */
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { expect, it } from "@effect/vitest"
import { openFor } from "@millrace/testing/fake"
import { makePullDriver, somebody, storeAccount, storeBank, storeWorkspace, takeBank } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Kernel from "../../src/Kernel.ts"
import type { DataTypeCapability } from "../../src/provider/Capabilities.ts"
import type { ObservedRecord, PartCoverage, SyncPage } from "../../src/provider/Provider.ts"
import { ReauthRequired } from "../../src/provider/ProviderError.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { SourceReader } from "../../src/sync/SourceReader.ts"
import { segmentOf } from "./Segments.ts"

const today = CalendarDate.make("2026-11-20")

const capability: DataTypeCapability = {
  changeModel: "snapshotWindow",
  scope: "connection",
  idTrust: "perStatus",
  historyDays: 90,
  overlapDays: 90
}

/** One row that is shown: `a3` is of the account `a`, three days old; `a3p` is pending. */
type Shown = string

/** What a page shows and says; accounts are `a` and `b`. */
interface Page {
  readonly shows: ReadonlyArray<Shown>
  readonly says: SyncPage["coverage"]
  readonly troubles?: ReadonlyArray<string>
}

const arrange = Effect.gen(function* () {
  let pages: ReadonlyArray<Page> = []
  const ids = new Map<string, string>()
  const upstreamId = (account: string) => ids.get(account)!
  const rowOf = (shown: Shown): ObservedRecord => {
    const pending = shown.endsWith("p")
    return {
      providerAccountId: upstreamId(shown.slice(0, 1)),
      providerId: shown,
      pending,
      fields: {
        date: CalendarDate.addDays(today, -Number.parseInt(shown.slice(1), 10)),
        description: shown,
        originalDescription: shown,
        amount: `-${Number.parseInt(shown.slice(1), 10)}`,
        currency: "USD",
        pending
      }
    }
  }
  /** Parts name accounts by our letters. */
  const named = (coverage: SyncPage["coverage"]): SyncPage["coverage"] =>
    "kind" in coverage
      ? coverage
      : coverage.map(({ providerAccountIds, ...part }) =>
          providerAccountIds === undefined ? part : { ...part, providerAccountIds: providerAccountIds.map(upstreamId) }
        )
  const driver = makePullDriver("parts", capability, ({ position }) =>
    Effect.sync((): SyncPage => {
      const at = Number(position ?? 0)
      const { says, shows, troubles = [] } = pages[at]!
      return {
        upserted: shows.map(rowOf),
        removed: [],
        quarantined: [],
        coverage: named(says),
        ...(troubles.length === 0
          ? {}
          : {
              troubles: [
                {
                  providerAccountIds: troubles.map(upstreamId),
                  error: new ReauthRequired({ message: "The bank asks for the person" })
                }
              ]
            }),
        end: at + 1 < pages.length ? { kind: "more", position: String(at + 1) } : { kind: "done" }
      }
    })
  )
  const services = yield* Layer.build(
    Kernel.layerRun.pipe(
      Layer.provideMerge(Adapters.layer({ providers: [driver], folder: undefined })),
      Layer.provideMerge(MemoryStorage.layer)
    )
  )
  return yield* Effect.gen(function* () {
    const bank = yield* storeBank(yield* storeWorkspace())
    const [a, b] = [yield* storeAccount(bank), yield* storeAccount(bank)]
    ids.set("a", a.providerAccountId)
    ids.set("b", b.providerAccountId)
    const lease = yield* takeBank(bank.id, "test", 10_000_000)
    const reader = yield* SourceReader
    const records = yield* RecordStore
    const opened = yield* openFor(driver, { ref: "parts", secrets: {} })
    const scopeOf = (accountId: typeof a.id) =>
      ({ workspaceId: bank.workspaceId, accountId, dataType: "transactions" }) as const
    const read = (...shown: ReadonlyArray<Page>) =>
      Effect.gen(function* () {
        pages = shown
        yield* TestClock.adjust("1 day")
        return yield* reader.pull(
          { bankId: bank.id, lease, cause: somebody },
          segmentOf({
            bank,
            session: { driver, ...opened },
            accounts: [a, b],
            today
          })
        )
      })
    const held = Effect.gen(function* () {
      const found: Array<string> = []
      for (const { id } of [a, b]) {
        const rows = yield* records.page(scopeOf(id), { filter: {}, limit: 100 })
        found.push(...rows.map(({ providerId }) => providerId))
      }
      return found.toSorted()
    })
    const readAt = (which: "a" | "b") => records.pulledAt(scopeOf(which === "a" ? a.id : b.id))
    return { read, held, readAt }
  }).pipe(Effect.provide(services))
})

const window = { kind: "window", from: CalendarDate.addDays(today, -90), to: today, complete: true } as const
const full = { kind: "full", complete: true } as const
const all: ReadonlyArray<Shown> = ["a1", "a2", "a30", "a2p", "b1", "b2", "b30", "b2p"]
const of = (account: string, rows: ReadonlyArray<Shown> = all): ReadonlyArray<Shown> =>
  rows.filter((row) => row.startsWith(account))
const without = (...gone: ReadonlyArray<Shown>): ReadonlyArray<Shown> => all.filter((row) => !gone.includes(row))

/** Reads the same so often that whatever counts as missing is gone. */
const often = <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.replicateEffect(read, 6, { discard: true })

it.effect("takes nothing of an account for gone that no part names, and does not count it as read", () =>
  Effect.gen(function* () {
    const { held, read, readAt } = yield* arrange
    yield* read({ shows: all, says: window })
    const [before, others] = [yield* readAt("b"), yield* readAt("a")]
    const part: PartCoverage = { ...window, providerAccountIds: ["a"] }
    yield* often(read({ shows: of("a", without("a2", "a2p")), says: [part] }))
    expect(yield* held).toEqual([...without("a2", "a2p")].toSorted())
    expect(yield* readAt("b")).toBe(before)
    expect(yield* readAt("a")).not.toBe(others)
  })
)

it.effect("warns of an account that could not be read, and reads it again the next time", () =>
  Effect.gen(function* () {
    const { held, read, readAt } = yield* arrange
    yield* read({ shows: all, says: window })
    const before = yield* readAt("b")
    const { warnings } = yield* read({
      shows: of("a"),
      says: [{ ...window, providerAccountIds: ["a"] }],
      troubles: ["b"]
    })
    expect(warnings.map(({ code }) => code)).toEqual(["RECONNECT_REQUIRED"])
    expect([yield* held, yield* readAt("b")]).toEqual([[...all].toSorted(), before])
    yield* read({ shows: all, says: window })
    expect(yield* readAt("b")).not.toBe(before)
  })
)

it.effect("believes of pending rows what was said of them, and of posted ones what was said of those", () =>
  Effect.gen(function* () {
    const { held, read } = yield* arrange
    yield* read({ shows: all, says: window })
    // The last ten days of posted rows were asked for, and all that are pending.
    const parts: ReadonlyArray<PartCoverage> = [
      { ...full, status: "pending" },
      { ...window, from: CalendarDate.addDays(today, -10), status: "posted" }
    ]
    yield* often(read({ shows: ["a1", "a5", "b1", "b2"], says: parts }))
    // Days after a5 are shown whole; a30 and b30 were not asked for.
    expect(yield* held).toEqual(["a1", "a30", "a5", "b1", "b2", "b30"])
  })
)

it.effect("says nothing of posted rows where only those that are pending were read", () =>
  Effect.gen(function* () {
    const { held, read } = yield* arrange
    yield* read({ shows: all, says: window })
    yield* often(read({ shows: ["a2p"], says: [{ ...full, status: "pending" }] }))
    expect(yield* held).toEqual([...without("b2p")].toSorted())
  })
)

it.effect("lets a later part of a run count, also for accounts that an earlier one named", () =>
  Effect.gen(function* () {
    const { held, read } = yield* arrange
    yield* read({ shows: all, says: window })
    const open: PartCoverage = { ...window, complete: false }
    // The first page knows nothing of its end; the last one closes the account `a` alone.
    yield* often(
      read({ shows: ["a1", "a30"], says: [open] }, { shows: [], says: [{ ...window, providerAccountIds: ["a"] }] })
    )
    expect(yield* held).toEqual(["a1", "a30", "b1", "b2", "b2p", "b30"])
    // One that names no account takes the place of all that was said before.
    yield* often(
      read(
        { shows: ["a1", "a30", "b1", "b30"], says: [{ ...window, providerAccountIds: ["a", "b"] }] },
        { shows: [], says: open }
      )
    )
    expect(yield* held).toEqual(["a1", "a30", "b1", "b2", "b2p", "b30"])
  })
)
