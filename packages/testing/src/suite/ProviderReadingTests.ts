/** Tests of reading: form, coverage, changes, broken tokens, balances. */
import { expect, it } from "@effect/vitest"
import type { HistoryStart, ObservedRecord } from "@millrace/core/provider"
import { isDatedType } from "@millrace/core/record"
import { CalendarDate, Decimal } from "@millrace/core"
import * as Effect from "effect/Effect"
import { findings } from "./ProviderRecord.ts"
import { applied, keyOf, type Model, type Run, run, sorted } from "./ProviderRun.ts"
import {
  capabilityOf,
  opened,
  type ProviderSuiteOptions,
  type PulledType,
  readAll,
  refusal,
  requests,
  today
} from "./ProviderUnderTest.ts"

const dayOf = ({ fields }: ObservedRecord): string => String(fields["date"]).slice(0, 10)

const startsOf = ({ coverages }: Run): ReadonlyArray<HistoryStart> =>
  coverages.flatMap((coverage) => (coverage.kind === "delta" ? [] : (coverage.historyFrom ?? [])))

/** Registers the tests of one data type of which the connection has rows. */
export const readingTests = (options: ProviderSuiteOptions, dataType: PulledType): void => {
  it.effect(`reads ${dataType} to the end, twice the same, in the declared form`, () =>
    Effect.gen(function* () {
      const subject = yield* opened(options)
      const ids = new Set(subject.accounts.map((account) => account.providerAccountId))
      const { changeModel, idTrust } = capabilityOf(subject.driver, dataType)
      const runs = yield* readAll(subject, dataType)
      expect(yield* readAll(subject, dataType)).toEqual(runs)
      const rows = runs.flatMap(({ upserted }) => upserted)
      expect(rows.length).toBeGreaterThan(0)
      expect(runs.flatMap(({ quarantined }) => quarantined)).toEqual([])
      expect(runs.flatMap(({ removed }) => removed)).toEqual([])
      expect(rows.flatMap((row) => findings(dataType, row))).toEqual([])
      expect(rows.filter((row) => !ids.has(row.providerAccountId))).toEqual([])
      if (idTrust === "none") return
      expect(rows.filter((row) => row.providerId === "")).toEqual([])
      expect(new Set(rows.map(keyOf)).size).toBe(rows.length)
      const settled = new Set(
        rows.flatMap((row) => (row.pendingProviderId === undefined ? [] : [row.pendingProviderId]))
      )
      const both = rows.filter((row) => settled.has(row.providerId))
      expect(changeModel === "delta" ? both : []).toEqual([])
    })
  )

  it.effect(`says honestly what its ${dataType} cover`, () =>
    Effect.gen(function* () {
      const subject = yield* opened(options)
      const { changeModel } = capabilityOf(subject.driver, dataType)
      const allowed = {
        // A change feed read from its beginning is a snapshot, and may say so.
        delta: ["delta", "window", "full"],
        appendOnly: ["delta"],
        snapshotWindow: ["window"],
        snapshotFull: ["full"]
      }[changeModel]
      for (const one of yield* readAll(subject, dataType)) {
        // Pending rows may be shown another way: many upstreams give them no day, and always show all of them.
        const booked = one.coverages.filter(({ status }) => status !== "pending")
        const kinds = [...new Set(booked.map((coverage) => coverage.kind))]
        expect(kinds).toHaveLength(1)
        expect(allowed).toContain(kinds[0])
        // A window may have one as well, where the upstream knows from where on its days are: a hint, not a promise.
        if (changeModel !== "snapshotWindow") {
          expect(one.checkpoint === undefined).toBe(changeModel === "snapshotFull")
        }
        for (const [n, coverage] of one.coverages.entries()) {
          if (coverage.kind === "delta") continue
          if (n === one.coverages.length - 1) expect(coverage.complete).toBe(true)
          if (coverage.kind === "full") continue
          expect(coverage.from <= coverage.to).toBe(true)
          const outside = one.upserted.filter(({ fields, pending }) => {
            if (coverage.status !== undefined && pending !== (coverage.status === "pending")) return false
            const date = String(fields["date"]).slice(0, 10)
            return date < coverage.from || date > coverage.to
          })
          expect(outside).toEqual([])
        }
      }
    })
  )

  it.effect(`says of accounts no more than their ${dataType} bear out`, () =>
    Effect.gen(function* () {
      const subject = yield* opened(options)
      for (const request of yield* requests(subject, dataType)) {
        const whole = yield* run(subject.driver, subject.connection, request)
        const rowsOf = (account: string) =>
          whole.upserted.filter((row) => row.providerAccountId === account && !row.pending)
        const later = CalendarDate.max(request.from, CalendarDate.addDays(request.to, -30))
        const part = yield* run(subject.driver, subject.connection, { ...request, from: later })
        const shown = new Set(part.upserted.map(keyOf))
        for (const coverage of [...whole.coverages, ...part.coverages]) {
          if (coverage.kind === "delta") continue
          const { historyFrom = [], none = [] } = coverage
          if (!isDatedType(dataType)) expect(historyFrom).toEqual([])
          else expect(none).toEqual([])
          for (const account of [...none, ...historyFrom.map((start) => start.providerAccountId)]) {
            expect(request.providerAccountIds).toContain(account)
          }
          for (const account of none) expect(rowsOf(account)).toEqual([])
          if (coverage.kind === "window") {
            expect(historyFrom.filter(({ from }) => from < coverage.from)).toEqual([])
          }
        }
        for (const { from, providerAccountId } of startsOf(whole)) {
          expect(rowsOf(providerAccountId).filter((row) => dayOf(row) < from)).toEqual([])
        }
        // Whoever asks for less hears of the same rows from where the history is said to start.
        for (const { from, providerAccountId } of startsOf(part)) {
          const behind = rowsOf(providerAccountId).filter((row) => dayOf(row) >= from)
          expect(behind.filter((row) => !shown.has(keyOf(row)))).toEqual([])
        }
      }
    })
  )

  it.effect(`tells all changes of ${dataType}: a reader that follows holds what a new reader reads`, () =>
    Effect.gen(function* () {
      const subject = yield* opened(options)
      const { changeModel } = capabilityOf(subject.driver, dataType)
      let told = 0
      for (const [index, request] of (yield* requests(subject, dataType)).entries()) {
        const first = yield* run(subject.driver, subject.connection, request)
        const start: Model = applied(new Map(), first)
        let model = start
        let checkpoint = first.checkpoint
        for (let move = 0; move < options.moves; move++) {
          // Only the first pull moves the upstream: the others then follow at one later instant.
          if (index === 0 || move === 0) yield* subject.advance(move)
          const to = yield* today
          const full = applied(new Map(), yield* run(subject.driver, subject.connection, { ...request, to }))
          if (changeModel !== "delta" && changeModel !== "appendOnly") {
            told += JSON.stringify(sorted(full)) === JSON.stringify(sorted(model)) ? 0 : 1
            model = full
            continue
          }
          const since = checkpoint === undefined ? {} : { checkpoint }
          const changes = yield* run(subject.driver, subject.connection, { ...request, to, ...since })
          told += changes.upserted.length + changes.removed.length
          model = applied(model, changes)
          checkpoint = changes.checkpoint
          if (changeModel === "delta") expect(sorted(model)).toEqual(sorted(full))
          else expect([...full.keys()].filter((key) => !model.has(key))).toEqual([])
          // A reader that lost all runs since the first one catches up from its old checkpoint.
          if (move < options.moves - 1 || first.checkpoint === undefined || changeModel !== "delta") continue
          const late = yield* run(subject.driver, subject.connection, {
            ...request,
            to,
            checkpoint: first.checkpoint
          })
          expect(sorted(applied(start, late))).toEqual(sorted(full))
        }
      }
      expect(told, "the upstream never moved: nothing was tested").toBeGreaterThan(0)
    })
  )

  it.effect(`loses no ${dataType} when the upstream moves on while it is read`, () =>
    Effect.gen(function* () {
      const subject = yield* opened(options)
      const { changeModel } = capabilityOf(subject.driver, dataType)
      for (const request of yield* requests(subject, dataType)) {
        const moving = yield* run(subject.driver, subject.connection, request, {
          betweenPages: (pages) => (pages <= 2 ? subject.advance(pages) : Effect.void)
        })
        const to = yield* today
        const full = applied(new Map(), yield* run(subject.driver, subject.connection, { ...request, to }))
        const start = applied(new Map(), moving)
        const since = moving.checkpoint === undefined ? {} : { checkpoint: moving.checkpoint }
        const next = applied(start, yield* run(subject.driver, subject.connection, { ...request, to, ...since }))
        if (changeModel === "delta") expect(sorted(next)).toEqual(sorted(full))
        else expect([...full.keys()].filter((key) => !next.has(key))).toEqual([])
      }
    })
  )

  it.effect(`refuses damaged positions and checkpoints of ${dataType} with an error that says what to do`, () =>
    Effect.gen(function* () {
      const subject = yield* opened(options)
      const accepted = new Set(["CheckpointInvalid", "MutationDuringPagination"])
      const isDelta = capabilityOf(subject.driver, dataType).changeModel === "delta"
      for (const request of yield* requests(subject, dataType)) {
        for (const token of ["", " ", "v1:", "v0:1:2:3", "v1:%00:ÿ:-1", "{}", "null", "x".repeat(4096)]) {
          const position = yield* refusal(subject.calls.pull(subject.connection, { ...request, position: token }))
          expect(accepted).toContain(position._tag)
          if (!isDelta) continue
          const checkpoint = yield* refusal(subject.calls.pull(subject.connection, { ...request, checkpoint: token }))
          expect(accepted).toContain(checkpoint._tag)
        }
      }
    })
  )

  it.effect(`answers ConnectionGone when ${dataType} of an unknown connection are asked for`, () =>
    Effect.gen(function* () {
      const subject = yield* opened(options)
      for (const request of yield* requests(subject, dataType)) {
        expect((yield* refusal(subject.calls.pull(subject.unknown, request)))._tag).toBe("ConnectionGone")
      }
    })
  )
}

/** Registers the test that balances and transactions tell the same story. */
export const balanceTests = (options: ProviderSuiteOptions): void => {
  it.effect("shows balances that are the opening balance and all posted rows, before and after it moved on", () =>
    Effect.gen(function* () {
      const subject = yield* opened(options)
      for (let move = 0; move <= options.moves; move++) {
        const rows = (yield* readAll(subject, "transactions")).flatMap(({ upserted }) => upserted)
        for (const account of yield* subject.calls.listAccounts(subject.connection)) {
          const truth = subject.truth?.get(account.providerAccountId)
          const posted = Decimal.sum(
            rows.flatMap(({ fields, pending, providerAccountId }) => {
              const amount = fields["amount"]
              return providerAccountId === account.providerAccountId && !pending && Decimal.is(amount) ? [amount] : []
            })
          )
          if (move === 0 && truth?.posted !== undefined) expect(posted).toBe(truth.posted)
          if (truth?.opening !== undefined) expect(Decimal.add(truth.opening, posted)).toBe(account.balance)
        }
        yield* subject.advance(move)
      }
    })
  )
}
