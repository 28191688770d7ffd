/** Reading: the form of rows, what pages cover, and that a reader who follows misses nothing. */
import { expect } from "@effect/vitest"
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import {
  accountTypes,
  type HistoryStart,
  isUsable,
  type ObservedAccount,
  type ObservedRecord,
  type PullRequest
} from "@millrace/core/provider"
import { isDatedType } from "@millrace/core/record"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/testing/TestClock"
import { Seeded } from "../model/Seeded.ts"
import { advance } from "./BankMoves.ts"
import { findings } from "./ProviderRecord.ts"
import { applied, keyOf, type Model, type Run, runIn, sorted } from "./ProviderRun.ts"
import { refusal, today } from "./Refusal.ts"
import type { UpstreamCase } from "./UpstreamCase.ts"
import { stored } from "./UpstreamKernel.ts"
import { type ConnectedWorld, connected, openSession, pulls } from "./UpstreamUnderTest.ts"

const dayOf = ({ fields }: ObservedRecord): string => String(fields["date"]).slice(0, 10)

const startsOf = ({ coverages }: Run): ReadonlyArray<HistoryStart> =>
  coverages.flatMap((coverage) => (coverage.kind === "delta" ? [] : (coverage.historyFrom ?? [])))

/** One whole run in a session of its own. */
const read = (world: ConnectedWorld, request: PullRequest, betweenPages?: (pages: number) => Effect.Effect<void>) =>
  runIn(openSession(world), request, betweenPages === undefined ? {} : { betweenPages })

const capabilityOf = ({ driver }: ConnectedWorld, { dataType }: PullRequest) => driver.capabilities.dataTypes[dataType]!

/** What the bank has from here on is heard of by everybody. */
const moved = Effect.fnUntraced(function* (world: ConnectedWorld, seeded: Seeded, n: number) {
  yield* advance(world, seeded, n)
  yield* TestClock.adjust("1 hour")
})

const expectAccounts = (accounts: ReadonlyArray<ObservedAccount>): void => {
  expect(accounts.length).toBeGreaterThan(0)
  expect(new Set(accounts.map(({ providerAccountId }) => providerAccountId)).size).toBe(accounts.length)
  const strongest = accounts.flatMap(({ stableKeys }) => stableKeys.slice(0, 1))
  expect(new Set(strongest).size).toBe(strongest.length)
  for (const account of accounts) {
    expect(account.providerAccountId.trim()).not.toBe("")
    expect(account.stableKeys.every((key) => key.trim() !== "")).toBe(true)
    expect(account.name.trim()).not.toBe("")
    expect(accountTypes).toContain(account.type)
    expect(Currency.parse(account.currency)).toBe(account.currency)
    expect(account.supports).toContain("balances")
    for (const value of [account.balance, account.availableBalance, account.creditLimit]) {
      if (value === undefined) continue
      expect(Decimal.is(value)).toBe(true)
      expect(Decimal.scale(value)).toBeLessThanOrEqual(Currency.minorDigits(account.currency))
    }
  }
}

/** What may be said of rows that are not shown, by how changes are learnt. */
const coversBy = {
  // A change feed read from its beginning is a snapshot, and may say so.
  delta: ["delta", "window", "full"],
  appendOnly: ["delta"],
  snapshotWindow: ["window"],
  snapshotFull: ["full"]
} as const

const expectCoverage = (world: ConnectedWorld, request: PullRequest, one: Run): void => {
  const { changeModel } = capabilityOf(world, request)
  // Pending rows may be shown another way: many upstreams give them no day, and always show all of them.
  const booked = one.coverages.filter(({ status }) => status !== "pending")
  const kinds = [...new Set(booked.map(({ kind }) => kind))]
  expect(kinds).toHaveLength(1)
  expect(coversBy[changeModel]).toContain(kinds[0])
  // A window may have one as well, where the upstream knows from where on its days are: a hint, not a promise.
  if (changeModel !== "snapshotWindow") expect(one.checkpoint === undefined).toBe(changeModel === "snapshotFull")
  for (const [n, coverage] of one.coverages.entries()) {
    if (coverage.kind === "delta") continue
    if (n === one.coverages.length - 1) expect(coverage.complete).toBe(true)
    if (coverage.kind === "full") continue
    expect(coverage.from <= coverage.to).toBe(true)
    const outside = one.upserted.filter((row) => {
      if (coverage.status !== undefined && row.pending !== (coverage.status === "pending")) return false
      return dayOf(row) < coverage.from || dayOf(row) > coverage.to
    })
    expect(outside).toEqual([])
  }
}

/** That nothing is said of accounts which their rows do not bear out; `part` is asked for fewer days than `whole`. */
const expectSaid = (request: PullRequest, whole: Run, part: Run): void => {
  const rowsOf = (account: string) => whole.upserted.filter((row) => row.providerAccountId === account && !row.pending)
  const shown = new Set(part.upserted.map(keyOf))
  for (const coverage of [...whole.coverages, ...part.coverages]) {
    if (coverage.kind === "delta") continue
    const { historyFrom = [], none = [] } = coverage
    expect(isDatedType(request.dataType) ? none : historyFrom).toEqual([])
    for (const account of [...none, ...historyFrom.map(({ providerAccountId }) => providerAccountId)]) {
      expect(request.providerAccountIds).toContain(account)
    }
    for (const account of none) expect(rowsOf(account)).toEqual([])
    if (coverage.kind === "window") expect(historyFrom.filter(({ from }) => from < coverage.from)).toEqual([])
  }
  for (const { from, providerAccountId } of startsOf(whole)) {
    expect(rowsOf(providerAccountId).filter((row) => dayOf(row) < from)).toEqual([])
  }
  // Anyone who asks for less hears of the same rows from where the history is said to start.
  for (const { from, providerAccountId } of startsOf(part)) {
    const behind = rowsOf(providerAccountId).filter((row) => dayOf(row) >= from)
    expect(behind.filter((row) => !shown.has(keyOf(row)))).toEqual([])
  }
}

/** Moves of the bank that a reader follows. */
const moves = 4

export const readingCases: ReadonlyArray<UpstreamCase> = [
  {
    title: "lists the same accounts twice, each with its own id and keys, and what is in it",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const idOf = world.upstream.idOf ?? ((id: string) => id)
      const accounts = yield* (yield* openSession(world)).listAccounts
      expect(yield* (yield* openSession(world)).listAccounts).toEqual(accounts)
      expectAccounts(accounts)
      const seeded = new Seeded(17)
      for (let n = 0; n <= 2; n++) {
        const listed = yield* (yield* openSession(world)).listAccounts
        const { ledger } = world.upstream
        for (const account of ledger.listed) {
          const ours = listed.find(({ providerAccountId }) => providerAccountId === idOf(account.id))
          const balance = Currency.toMinorUnit(ledger.balance(account.key), account.currency)
          expect([account.key, ours?.balance]).toEqual([account.key, balance])
        }
        yield* moved(world, seeded, n)
      }
    })
  },
  {
    title: "reads everything to the end, twice the same, in the form of its data type",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const requests = yield* pulls(world, yield* openSession(world))
      const counts = new Map(options.dataTypes.map((dataType) => [dataType, 0]))
      for (const request of requests) {
        const { changeModel, idTrust } = capabilityOf(world, request)
        const one = yield* read(world, request)
        expect(yield* read(world, request)).toEqual(one)
        const { upserted: rows } = one
        expect(one.quarantined).toEqual([])
        expect(one.removed).toEqual([])
        expect(rows.flatMap((row) => findings(request.dataType, row))).toEqual([])
        expect(rows.filter((row) => !request.providerAccountIds.includes(row.providerAccountId))).toEqual([])
        counts.set(request.dataType, counts.get(request.dataType)! + rows.length)
        if (idTrust === "none") continue
        expect(rows.filter((row) => row.providerId === "")).toEqual([])
        expect(new Set(rows.map(keyOf)).size).toBe(rows.length)
        const settled = new Set(rows.flatMap((row) => row.pendingProviderId ?? []))
        if (changeModel === "delta") expect(rows.filter((row) => settled.has(row.providerId))).toEqual([])
      }
      for (const [dataType, count] of counts) expect([dataType, count > 0]).toEqual([dataType, true])
    })
  },
  {
    title: "says honestly what a read covers, and of accounts no more than their rows bear out",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      for (const request of yield* pulls(world, yield* openSession(world))) {
        const whole = yield* read(world, request)
        expectCoverage(world, request, whole)
        const later = CalendarDate.max(request.from, CalendarDate.addDays(request.to, -10))
        expectSaid(request, whole, yield* read(world, { ...request, from: later }))
      }
    })
  },
  {
    title: "tells all changes: a reader that follows holds what a new reader reads",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const seeded = new Seeded(7)
      const told = new Map<string, number>()
      for (const request of yield* pulls(world, yield* openSession(world))) {
        const { changeModel } = capabilityOf(world, request)
        const first = yield* read(world, request)
        const start: Model = applied(new Map(), first)
        let model = start
        let { checkpoint } = first
        let count = 0
        for (let n = 0; n < moves; n++) {
          yield* moved(world, seeded, n)
          const to = yield* today
          const full = applied(new Map(), yield* read(world, { ...request, to }))
          if (changeModel !== "delta" && changeModel !== "appendOnly") {
            count += JSON.stringify(sorted(full)) === JSON.stringify(sorted(model)) ? 0 : 1
            model = full
            continue
          }
          const since = checkpoint === undefined ? {} : { checkpoint }
          const changes = yield* read(world, { ...request, to, ...since })
          count += changes.upserted.length + changes.removed.length
          model = applied(model, changes)
          checkpoint = changes.checkpoint
          if (changeModel === "delta") expect(sorted(model)).toEqual(sorted(full))
          else expect([...full.keys()].filter((key) => !model.has(key))).toEqual([])
          // A reader that lost all runs since the first one catches up from its old checkpoint.
          if (n < moves - 1 || first.checkpoint === undefined || changeModel !== "delta") continue
          const late = yield* read(world, { ...request, to, checkpoint: first.checkpoint })
          expect(sorted(applied(start, late))).toEqual(sorted(full))
        }
        told.set(request.dataType, (told.get(request.dataType) ?? 0) + count)
      }
      for (const dataType of options.dataTypes) {
        // Loans and orders need not change with every payment.
        if (dataType === "loans" || dataType === "orders") continue
        expect([dataType, (told.get(dataType) ?? 0) > 0], "the upstream never moved").toEqual([dataType, true])
      }
    })
  },
  {
    title: "loses nothing when the upstream moves on while it is read",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const seeded = new Seeded(9)
      for (const request of yield* pulls(world, yield* openSession(world))) {
        const { changeModel } = capabilityOf(world, request)
        const moving = yield* read(world, request, (pages) =>
          pages <= 2 ? advance(world, seeded, pages) : Effect.void
        )
        yield* TestClock.adjust("1 hour")
        const to = yield* today
        const full = applied(new Map(), yield* read(world, { ...request, to }))
        const start = applied(new Map(), moving)
        const since = moving.checkpoint === undefined ? {} : { checkpoint: moving.checkpoint }
        const next = applied(start, yield* read(world, { ...request, to, ...since }))
        if (changeModel === "delta") expect(sorted(next)).toEqual(sorted(full))
        else expect([...full.keys()].filter((key) => !next.has(key))).toEqual([])
      }
    })
  },
  {
    title: "refuses damaged positions and checkpoints with an error that says what to do",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const session = yield* openSession(world)
      const accepted = ["CheckpointInvalid", "MutationDuringPagination"]
      for (const request of yield* pulls(world, session)) {
        for (const token of ["", " ", "v1:", "v0:1:2:3", "v1:%00:ÿ:-1", "{}", "null", "x".repeat(4096)]) {
          expect(accepted).toContain((yield* refusal(session.pull({ ...request, position: token })))._tag)
          if (capabilityOf(world, request).changeModel !== "delta") continue
          expect(accepted).toContain((yield* refusal(session.pull({ ...request, checkpoint: token })))._tag)
        }
      }
    })
  },
  {
    title: "does not know the accounts, the rows or the health of an unknown connection",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const requests = yield* pulls(world, yield* openSession(world))
      const connection = world.fake.unknown(world.connection())
      const session = yield* openSession(world, { connection })
      expect((yield* refusal(session.listAccounts))._tag).toBe("ConnectionGone")
      for (const request of requests) expect((yield* refusal(session.pull(request)))._tag).toBe("ConnectionGone")
      const exit = yield* Effect.exit(session.inspect)
      if (Exit.isSuccess(exit)) expect(isUsable(exit.value.status)).toBe(false)
      else expect((yield* refusal(Effect.failCause(exit.cause)))._tag).toBe("ConnectionGone")
      expect(yield* session.revoke).toBe("done")
    })
  },
  {
    title: "gives callers who wait every data type of every account that has it, and nothing of others",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const reader = yield* stored(world)
      expect(yield* reader.look).toEqual([])
      const accounts = yield* reader.accounts
      for (const dataType of ["balances", ...options.dataTypes] as const) {
        const pages = yield* Effect.forEach(accounts, ({ id }) => reader.page(id, dataType))
        expect([dataType, pages.some(({ length }) => length > 0)]).toEqual([dataType, true])
        for (const [at, { supports }] of accounts.entries()) {
          if (!supports.includes(dataType)) expect(pages[at]).toEqual([])
        }
      }
    })
  }
]
