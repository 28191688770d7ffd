import { describe, expect, it } from "@effect/vitest"
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { makePullDriver, somebody, storeAccount, storeBank, storeWorkspace, takeBank } from "@millrace/testing/fixture"
import { RunLease } from "../../src/job/RunLease.ts"
import * as Kernel from "../../src/Kernel.ts"
import type { ProviderDriver } from "../../src/provider/Provider.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { CurrentResumeSnapshot, ResumeSnapshot } from "../../src/sync/ResumeSnapshot.ts"
import { SourceReader } from "../../src/sync/SourceReader.ts"
import { segmentOf } from "./Segments.ts"
import * as Cause from "effect/Cause"
import { openFor } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

const capability = {
  changeModel: "delta",
  scope: "connection",
  idTrust: "stable",
  historyDays: 90,
  overlapDays: 0
} as const

const today = CalendarDate.make("2026-11-20")
const lastPage = 5

/** Six pages of one row each, of which the third cannot be read; it notes which pages it was asked for. */
const makeDriver = (asked: Array<number>, providerAccountId: () => string): ProviderDriver =>
  makePullDriver("pages", capability, ({ position }) =>
    Effect.sync(() => {
      const page = Number(position ?? 0)
      asked.push(page)
      const fields = {
        date: today,
        amount: "-1.5",
        currency: "EUR",
        description: `Row ${page}`,
        originalDescription: "row"
      }
      return {
        upserted: [
          {
            providerAccountId: providerAccountId(),
            providerId: `r${page}`,
            pending: false,
            fields: page === 2 ? { ...fields, amount: "much" } : fields
          }
        ],
        removed: page === 4 ? [{ providerAccountId: providerAccountId(), providerId: "r0" }] : [],
        quarantined: [],
        coverage: { kind: "delta" },
        end: page < lastPage ? { kind: "more", position: String(page + 1) } : { kind: "done", checkpoint: "end" }
      } as const
    })
  )

const arrange = Effect.gen(function* () {
  const asked: Array<number> = []
  let owner = ""
  const driver = makeDriver(asked, () => owner)
  const layer = Kernel.layerRun.pipe(
    Layer.provideMerge(Adapters.layer({ providers: [driver], folder: undefined })),
    Layer.provideMerge(MemoryStorage.layer)
  )
  const services = yield* Layer.build(layer)
  return yield* Effect.gen(function* () {
    const bank = yield* storeBank(yield* storeWorkspace())
    const account = yield* storeAccount(bank)
    owner = account.providerAccountId
    const lease = yield* takeBank(bank.id, "test", 600)
    const segment = segmentOf({
      bank,
      session: { driver, ...(yield* openFor(driver, { ref: "pages", secrets: {} })) },
      accounts: [account],
      today
    })
    const sourceReader = yield* SourceReader
    const records = yield* RecordStore
    /** Pulls with what an earlier run left, and leaves after so many pages. */
    const pull = (snapshot: ResumeSnapshot, leaveAfter = Infinity) =>
      Effect.suspend(() => {
        const before = asked.length
        return sourceReader.pull({ bankId: bank.id, lease, cause: somebody }, segment).pipe(
          Effect.provideService(CurrentResumeSnapshot, snapshot),
          Effect.provideService(RunLease, {
            isRevoked: () => asked.length - before >= leaveAfter,
            release: Effect.interrupt
          })
        )
      })
    const ledger = Effect.map(
      records.changes(
        { workspaceId: bank.workspaceId, accountId: account.id, dataType: "transactions" },
        { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 100 }
      ),
      (rows) => rows.map(({ providerId }) => providerId).toSorted()
    )
    const key = { bankId: bank.id, accountId: undefined, dataType: "transactions" as const }
    return { asked, ledger, pull, moveCheckpoint: records.saveCheckpoint(key, "elsewhere") }
  }).pipe(Effect.provide(services))
}).pipe(Effect.orDie)

/** As the store keeps it. */
const passedOn = (snapshot: ResumeSnapshot) => new ResumeSnapshot(snapshot.write())

describe("a pull that is handed over", () => {
  it.effect("goes on behind the last page that was read, however often it moves", () =>
    Effect.gen(function* () {
      const { asked, ledger, pull } = yield* arrange
      let snapshot = new ResumeSnapshot()
      for (const pages of [1, 2, 1]) {
        const left = yield* Effect.exit(pull(snapshot, pages))
        expect(Exit.isFailure(left) && Cause.hasInterruptsOnly(left.cause)).toBe(true)
        expect(yield* ledger).toEqual([])
        snapshot = passedOn(snapshot)
      }
      const pulled = yield* pull(snapshot)
      expect(asked).toEqual([0, 1, 2, 3, 4, 5])
      // What was quarantined and what was taken back on another machine counts here.
      expect(pulled).toMatchObject({ seen: 4, changed: 4, quarantined: [{ providerId: "r2" }] })
      expect(yield* ledger).toEqual(["r1", "r3", "r4", "r5"])
    })
  )

  it.effect("reads nothing again of what was written, and tells the same of it", () =>
    Effect.gen(function* () {
      const { asked, pull } = yield* arrange
      const snapshot = new ResumeSnapshot()
      const pulled = yield* pull(snapshot)
      expect(yield* pull(passedOn(snapshot))).toEqual(pulled)
      expect(asked).toHaveLength(lastPage + 1)
    })
  )

  it.effect("begins anew when the checkpoint has moved on since", () =>
    Effect.gen(function* () {
      const { asked, moveCheckpoint, pull } = yield* arrange
      const snapshot = new ResumeSnapshot()
      yield* Effect.exit(pull(snapshot, 2))
      yield* moveCheckpoint
      yield* pull(passedOn(snapshot))
      expect(asked).toEqual([0, 1, 0, 1, 2, 3, 4, 5])
    })
  )

  it("says nothing of what another release wrote", () => {
    const later = new ResumeSnapshot(JSON.stringify({ v: 99, done: "in another form" }))
    expect(later.done.size).toBe(0)
    expect(later.resume("any", undefined)).toBeUndefined()
  })
})
