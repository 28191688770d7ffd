/** What is read by windows is read whole now and then: nothing else tells of corrections of old rows. */
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { expect, it } from "@effect/vitest"
import { openFor } from "@millrace/testing/fake"
import { makePullDriver, somebody, storeAccount, storeBank, storeWorkspace, takeBank } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Kernel from "../../src/Kernel.ts"
import type { DataTypeCapability } from "../../src/provider/Capabilities.ts"
import type { ObservedRecord } from "../../src/provider/Provider.ts"
import { ProviderUnavailable } from "../../src/provider/ProviderError.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import type { Segment } from "../../src/sync/Segment.ts"
import { SourceReader } from "../../src/sync/SourceReader.ts"
import { segmentOf } from "./Segments.ts"

const first = CalendarDate.make("2026-11-20")
const after = (days: number): CalendarDate.CalendarDate => CalendarDate.addDays(first, days)

const window: DataTypeCapability = {
  changeModel: "snapshotWindow",
  scope: "account",
  idTrust: "stable",
  historyDays: 90,
  overlapDays: 30,
  wholeEveryDays: 7
}

interface Bank {
  /** Days and what is written of them. */
  readonly rows: Map<CalendarDate.CalendarDate, string>
  isAway: boolean
}

/** An account whose rows are read by days; notes how many days back each read reaches. */
const arrange = Effect.fnUntraced(function* (capability: DataTypeCapability = window) {
  const upstream: Bank = {
    rows: new Map([
      [after(-80), "Old"],
      [after(-1), "New"]
    ]),
    isAway: false
  }
  const reached: Array<number> = []
  let owner = ""
  const driver = makePullDriver("window", capability, ({ from, to }) =>
    Effect.gen(function* () {
      reached.push(CalendarDate.daysBetween(from, to))
      if (upstream.isAway) return yield* new ProviderUnavailable({ message: "away" })
      const upserted = [...upstream.rows].flatMap(([date, description]): ReadonlyArray<ObservedRecord> =>
        date < from || date > to
          ? []
          : [
              {
                providerAccountId: owner,
                providerId: date,
                pending: false,
                fields: { date, description, originalDescription: description, amount: "1", currency: "USD" }
              }
            ]
      )
      const coverage = { kind: "window", from, to, complete: true } as const
      return { upserted, removed: [], quarantined: [], coverage, end: { kind: "done" } } as const
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
    const account = yield* storeAccount(bank)
    owner = account.providerAccountId
    const lease = yield* takeBank(bank.id, "test")
    const reader = yield* SourceReader
    const records = yield* RecordStore
    const opened = yield* openFor(driver, { ref: "window", secrets: {} })
    /** Reads so many days after the first one; how many days back it reached. */
    const read = Effect.fnUntraced(function* (day: number, change: Partial<Segment> = {}) {
      reached.length = 0
      yield* Effect.ignore(
        reader.pull(
          { bankId: bank.id, lease, cause: somebody },
          segmentOf({
            bank,
            session: { driver, ...opened },
            accounts: [account],
            account,
            earliest: after(day - capability.historyDays),
            today: after(day),
            ...change
          })
        )
      )
      return reached[0]
    })
    const held = Effect.map(
      records.page(
        { workspaceId: bank.workspaceId, accountId: account.id, dataType: "transactions" },
        { filter: {}, limit: 10 }
      ),
      (rows) => rows.map(({ fields }) => String(fields["description"])).toSorted()
    )
    return { upstream, read, held }
  }).pipe(Effect.provide(services))
})

it.effect("reads all once in so many days, and hears of corrections and removals of old rows then", () =>
  Effect.gen(function* () {
    const { held, read, upstream } = yield* arrange()
    expect(yield* read(0)).toBe(90)
    upstream.rows.set(after(-80), "Corrected")
    expect(yield* read(1)).toBe(32)
    expect(yield* held).toEqual(["New", "Old"])
    expect(yield* read(6)).toBe(37)
    expect(yield* read(7)).toBe(90)
    expect(yield* held).toEqual(["Corrected", "New"])
    expect(yield* read(8)).toBe(39)
  })
)

it.effect("tries again where the upstream was away, and not where it answered", () =>
  Effect.gen(function* () {
    const { read, upstream } = yield* arrange()
    yield* read(0)
    upstream.isAway = true
    expect(yield* read(7)).toBe(90)
    upstream.isAway = false
    expect(yield* read(7)).toBe(90)
    expect(yield* read(7)).toBe(38)
  })
)

it.effect("leaves it to runs where a caller waits, and where a range of days is asked for", () =>
  Effect.gen(function* () {
    const { read } = yield* arrange()
    yield* read(0)
    expect(yield* read(7, { isLive: true })).toBe(38)
    expect(yield* read(7, { range: { from: after(5), to: after(7) } })).toBe(2)
    expect(yield* read(7)).toBe(90)
  })
)

it.effect("reads as far back as each feed wants, and not in turns", () =>
  Effect.gen(function* () {
    const { read } = yield* arrange()
    const short = { earliest: after(-60) }
    expect(yield* read(0, short)).toBe(60)
    expect(yield* read(0)).toBe(90)
    expect(yield* read(1, short)).toBe(32)
    expect(yield* read(1)).toBe(32)
    expect(yield* read(7, short)).toBe(67)
    expect(yield* read(7)).toBe(90)
    expect(yield* read(8, short)).toBe(39)
    expect(yield* read(8)).toBe(39)
  })
)

it.effect("keeps to the overlap where the driver asks for no more", () =>
  Effect.gen(function* () {
    const { wholeEveryDays: _, ...plain } = window
    const { read } = yield* arrange(plain)
    expect(yield* read(0)).toBe(90)
    expect(yield* read(60)).toBe(90)
    expect(yield* read(7)).toBe(38)
  })
)
