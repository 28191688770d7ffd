/** Conformance of `DeliveryStore`. */
import { Delivery, type DeliveryState, deliveryStates } from "@millrace/core/destination"
import { DeliveryStore, type Intent, JobStore, type Outcome, type Settlement } from "@millrace/core/storage"
import { CalendarDate, limits } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { somebody } from "../fixture/Actor.ts"
import { storeAccount } from "../fixture/Account.ts"
import { storeBank } from "../fixture/Bank.ts"
import { makeIntent } from "../fixture/Delivery.ts"
import { storeFeed } from "../fixture/Feed.ts"
import { storeJob } from "../fixture/Job.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const account = yield* storeAccount(yield* storeBank(workspace))
  const feed = yield* storeFeed(workspace)
  const job = yield* storeJob(feed)
  return { workspace, account, feed, job, store: yield* DeliveryStore }
})

const rank = (date: string | null) => date ?? "9999"

const order = (a: { date: string | null; recordId: string }, b: { date: string | null; recordId: string }) =>
  `${rank(a.date)} ${a.recordId}` < `${rank(b.date)} ${b.recordId}` ? -1 : 1

const day = (n: number) => CalendarDate.addDays(CalendarDate.make("2026-03-01"), n)

const versionOf = (recordId: string, version = 1) => ({ recordId, version })

const settlement = (recordId: string, version: number, state: Settlement["state"]): Settlement =>
  state === "failed" ? { recordId, version, state, error: "refused" } : { recordId, version, state }

/** What a row without values is to send. */
const filling = (recordId: string, version: number) => ({
  recordId,
  version,
  hash: `now ${recordId}`,
  values: { x: recordId },
  provenance: [{ field: "x", before: null, after: recordId, enrichmentId: "enr_1", revision: 1, path: "r1" }]
})

export const tests: StorageTests = (it) => {
  it.effect("hands back an intended row as it was intended", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const intent = makeIntent(account, "txn_1", {
        date: null,
        hash: difficultTexts.join(""),
        values: {
          ...Object.fromEntries(difficultTexts.map((text, i) => [text, `${i}${text}`])),
          paid: true,
          tax: null
        },
        provenance: [
          { field: "Category", before: null, after: difficultTexts[2]!, enrichmentId: "enr_1", revision: 3, path: "r1" }
        ]
      })
      yield* store.intend(feed.id, job.id, [intent])
      const [{ updatedAt: _, ...row } = {} as Delivery, ...others] = yield* store.open(feed.id, { limit: 10 })
      expect(others).toEqual([])
      expect(row).toEqual({
        ...intent,
        feedId: feed.id,
        jobId: job.id,
        version: 1,
        state: "intended",
        attempts: 0,
        dead: false,
        redeliveryRequested: false
      })
      expect(Object.keys(row)).not.toContain("remoteRef")
      expect(yield* store.entries(feed.id, ["txn_1", "txn_2"])).toEqual(
        new Map([
          [
            "txn_1",
            {
              recordId: "txn_1",
              hash: intent.hash,
              op: "create",
              state: "intended",
              dead: false,
              jobId: job.id,
              present: false,
              acknowledged: false
            }
          ]
        ])
      )
    })
  )

  it.effect("finds the rows of lines and items by the record they are of", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const other = yield* arrange
      const ids = ["a", "a:", "a:1", "a:1:x", "a:é", "a0", "a;", "ab:1", "b:1", "A:1"]
      yield* store.intend(
        feed.id,
        job.id,
        ids.map((id) => makeIntent(account, id))
      )
      yield* store.intend(other.feed.id, other.job.id, [makeIntent(other.account, "a:9")])
      yield* store.settle(feed.id, job.id, [{ recordId: "a:1", version: 1, state: "done", remoteRef: "row" }])
      const found = yield* store.entriesUnder(feed.id, ["a", "ab", "c", "a:1"])
      expect(Array.from(found, ([id, some]) => [id, some.map(({ recordId }) => recordId)] as const).toSorted()).toEqual(
        [
          ["a", ["a:1", "a:1:x", "a:é"]],
          ["a:1", ["a:1:x"]],
          ["ab", ["ab:1"]]
        ]
      )
      const [first] = found.get("a")!
      expect(first).toEqual((yield* store.entries(feed.id, ["a:1"])).get("a:1"))
      expect(first).toMatchObject({ present: true, acknowledged: true, state: "done" })
      expect(yield* store.entriesUnder(feed.id, [])).toEqual(new Map())
    })
  )

  it.effect("makes a new version of every intent and keeps the reference at the destination", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a"), makeIntent(account, "b")])
      expect(yield* store.markSending(feed.id, job.id, [versionOf("a"), versionOf("unknown")])).toEqual(
        new Set(["unknown"])
      )
      yield* store.settle(feed.id, job.id, [{ recordId: "a", version: 1, state: "done", remoteRef: "row 7 😀" }])
      yield* store.intend(feed.id, job.id, [
        makeIntent(account, "a", { op: "update", date: day(3), values: { x: "1" } })
      ])
      const rows = yield* store.list(feed.id, { recordId: "a", limit: 5 })
      expect(rows).toMatchObject([
        {
          version: 2,
          state: "intended",
          op: "update",
          date: day(3),
          remoteRef: "row 7 😀",
          attempts: 0,
          values: { x: "1" }
        }
      ])
      expect(rows[0]!.values).toEqual({ x: "1" })
      expect(yield* store.list(feed.id, { recordId: "b", limit: 5 })).toMatchObject([{ version: 1 }])
    })
  )

  it.effect("intends and settles in one step as in two", () =>
    Effect.gen(function* () {
      const one = yield* arrange
      const two = yield* arrange
      const outcomes: ReadonlyArray<Outcome> = [
        { state: "done" },
        { state: "done", remoteRef: "ref" },
        { state: "done", readable: true },
        { state: "failed", error: "refused" },
        { state: "skipped" }
      ]
      const ops = ["create", "update", "remove"] as const
      const cases = outcomes.flatMap((outcome, n) => ops.map((op) => ({ outcome, op, recordId: `${op}-${n}` })))
      const intents = cases.map(({ op, recordId }) => makeIntent(one.account, recordId, { op }))
      // Twice: on rows that are new, and on rows that have been something before.
      for (const version of [1, 2]) {
        yield* one.store.intendSettled(
          one.feed.id,
          one.job.id,
          intents,
          cases.map(({ outcome }) => outcome),
          version === 1
        )
        yield* two.store.intend(two.feed.id, two.job.id, intents)
        yield* two.store.settle(
          two.feed.id,
          two.job.id,
          cases.map(({ outcome, recordId }) => ({ recordId, version, ...outcome }))
        )
      }
      const shown = Effect.fnUntraced(function* ({ feed, store }: typeof one) {
        const rows = yield* store.list(feed.id, { limit: 100 })
        const entries = yield* store.entries(
          feed.id,
          intents.map(({ recordId }) => recordId)
        )
        return rows
          .map(({ feedId: _f, jobId: _j, updatedAt: _u, ...rest }) => {
            const { jobId: _, ...entry } = entries.get(rest.recordId)!
            return { ...rest, entry }
          })
          .toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
      })
      const result = yield* shown(one)
      expect(result).toHaveLength(cases.length)
      expect(result).toEqual(yield* shown(two))
      // What is said to be new and is not changes nothing.
      const [intent] = intents
      const again = one.store.intendSettled(one.feed.id, one.job.id, [intent!], [{ state: "done" }], true)
      expect(Exit.isFailure(yield* Effect.exit(again))).toBe(true)
      expect(yield* shown(one)).toEqual(result)
    })
  )

  it.effect("counts attempts of rows that begin to be sent, and of those only", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a"), makeIntent(account, "b")])
      yield* store.markSending(feed.id, job.id, [versionOf("a")])
      yield* store.markSending(feed.id, job.id, [versionOf("a")])
      yield* store.settle(feed.id, job.id, [settlement("a", 1, "intended")])
      yield* store.markSending(feed.id, job.id, [versionOf("a")])
      expect(yield* store.markSending(feed.id, job.id, [])).toEqual(new Set())
      const rows = yield* store.open(feed.id, { limit: 10 })
      expect(rows.map(({ recordId, state, attempts }) => [recordId, state, attempts])).toEqual([
        ["a", "sending", 2],
        ["b", "intended", 0]
      ])
    })
  )

  it.effect("keeps the reason of a refusal until the next version", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a")])
      yield* store.settle(feed.id, job.id, [settlement("a", 1, "failed")])
      expect(yield* store.open(feed.id, { limit: 1 })).toMatchObject([{ state: "failed", lastError: "refused" }])
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a")])
      const [row] = yield* store.open(feed.id, { limit: 1 })
      expect(Object.keys(row!)).not.toContain("lastError")
    })
  )

  it.effect("leaves a newer version open when an older one is settled", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      for (const state of ["done", "failed", "skipped"] as const) {
        yield* store.intend(feed.id, job.id, [makeIntent(account, state)])
        yield* store.markSending(feed.id, job.id, [versionOf(state)])
        yield* store.intend(feed.id, job.id, [makeIntent(account, state, { hash: "newer" })])
        yield* store.settle(feed.id, job.id, [settlement(state, 1, state)])
        expect(yield* store.list(feed.id, { recordId: state, limit: 1 })).toMatchObject([
          { version: 2, state: "intended", hash: "newer" }
        ])
      }
      yield* store.settle(feed.id, job.id, [{ recordId: "done", version: 1, state: "done", remoteRef: "late" }])
      expect(yield* store.list(feed.id, { recordId: "done", limit: 1 })).toMatchObject([
        { version: 2, state: "intended", remoteRef: "late" }
      ])
      yield* store.settle(feed.id, job.id, [settlement("done", 3, "done"), settlement("unknown", 1, "done")])
      expect(yield* store.list(feed.id, { recordId: "done", limit: 1 })).toMatchObject([{ state: "intended" }])
      expect(yield* store.list(feed.id, { recordId: "unknown", limit: 1 })).toEqual([])
    })
  )

  const bring = Effect.fnUntraced(function* (
    { account, feed, job, store }: Effect.Success<typeof arrange>,
    state: DeliveryState,
    recordId: string
  ) {
    yield* store.intend(feed.id, job.id, [makeIntent(account, recordId)])
    if (state === "intended") return
    yield* store.markSending(feed.id, job.id, [versionOf(recordId)])
    if (state !== "sending") yield* store.settle(feed.id, job.id, [settlement(recordId, 1, state)])
  })

  // From which state a settlement leads to which: rows that are closed stay closed.
  const settled: ReadonlyArray<readonly [from: DeliveryState, to: Settlement["state"], then: DeliveryState]> =
    deliveryStates.flatMap((from) =>
      (["done", "failed", "skipped", "intended"] as const).map((to) => {
        const closed = from === "done" ? to !== "skipped" : from === "skipped" ? to !== "intended" : false
        return [from, to, closed ? from : to] as const
      })
    )

  it.effect.each(settled)("settles a row that is %s as %s: it is then %s", ([from, to, then]) =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { feed, job, store } = arranged
      yield* bring(arranged, from, "a")
      yield* store.settle(feed.id, job.id, [settlement("a", 1, to)])
      expect(yield* store.list(feed.id, { limit: 5 })).toMatchObject([{ recordId: "a", version: 1, state: then }])
    })
  )

  it.effect("walks open rows by day and record id, undated ones last, each once", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const other = yield* storeFeed(yield* storeWorkspace())
      yield* store.intend(other.id, (yield* storeJob(other)).id, [])
      const intents = Array.from({ length: 30 }, (_, i) =>
        makeIntent(account, `r${String((i * 7) % 30).padStart(2, "0")}`, { date: i % 6 === 0 ? null : day(i % 3) })
      )
      yield* store.intend(feed.id, job.id, intents)
      const closed = new Set(intents.filter((_, i) => i % 5 === 0).map(({ recordId }) => recordId))
      const failed = intents.filter((_, i) => i % 5 === 1).map(({ recordId }) => recordId)
      yield* store.markSending(
        feed.id,
        job.id,
        intents.filter((_, i) => i % 2 === 0).map(({ recordId }) => versionOf(recordId))
      )
      yield* store.settle(
        feed.id,
        job.id,
        Array.from(closed, (id) => settlement(id, 1, "done"))
      )
      yield* store.settle(
        feed.id,
        job.id,
        failed.map((id) => settlement(id, 1, "failed"))
      )
      const expected = intents
        .filter(({ recordId }) => !closed.has(recordId))
        .toSorted(order)
        .map(({ recordId }) => recordId)
      for (const limit of [1, 4, 24, 50]) {
        const seen: Array<string> = []
        let rows = yield* store.open(feed.id, { limit })
        while (rows.length > 0) {
          seen.push(...rows.map(({ recordId }) => recordId))
          const { date, recordId } = rows.at(-1)!
          rows = yield* store.open(feed.id, { limit, after: { date, recordId } })
        }
        expect(seen).toEqual(expected)
      }
      const current = yield* Stream.runCollect(store.current(feed.id))
      expect(current.map(({ recordId }) => recordId)).toEqual(intents.toSorted(order).map(({ recordId }) => recordId))
      expect(current.every((row) => row.feedId === feed.id && row.values?.["Amount"] === "-12.5")).toBe(true)
      expect(yield* Stream.runCollect(store.current(other.id))).toEqual([])
    })
  )

  it.effect("settles all open rows in steps, as opening and settling them does", () =>
    Effect.gen(function* () {
      const { account, feed, job, store, workspace } = yield* arrange
      const earlier = yield* storeJob(yield* storeFeed(workspace))
      const twin = yield* storeFeed(workspace)
      const other = yield* storeFeed(workspace)
      const intents = Array.from({ length: 12 }, (_, n) =>
        makeIntent(account, `txn_${String(n).padStart(2, "0")}`, {
          date: n % 4 === 3 ? null : day(11 - n),
          op: n % 3 === 0 ? "create" : n % 3 === 1 ? "update" : "remove"
        })
      )
      for (const { id } of [feed, twin]) {
        yield* store.intend(id, earlier.id, intents.slice(0, 4))
        yield* store.intend(id, job.id, intents.slice(4))
        yield* store.markSending(id, job.id, [versionOf("txn_05"), versionOf("txn_06")])
        // What was being sent while newer content came.
        yield* store.intend(id, job.id, [intents[6]!])
        const failed = { recordId: "txn_07", version: 1, state: "failed", error: "refused" } as const
        yield* store.settle(id, job.id, [failed, { ...failed, recordId: "txn_08", final: true }])
        yield* store.settle(id, job.id, [{ recordId: "txn_09", version: 1, state: "done", remoteRef: "elsewhere" }])
        yield* store.settle(id, job.id, [{ recordId: "txn_11", version: 1, state: "skipped" }])
        yield* store.settle(id, job.id, [{ recordId: "txn_10", version: 1, state: "done", remoteRef: "before" }])
        yield* store.reopen(id, { recordIds: ["txn_10"], limit: 1 })
      }
      yield* store.intend(other.id, job.id, intents)

      const opened = yield* store.open(twin.id, { limit: 50 })
      yield* store.settle(
        twin.id,
        job.id,
        opened.map(({ recordId, version }) => ({ recordId, version, state: "done", remoteRef: "file.csv" }))
      )
      const count = (holds: (row: Delivery) => boolean) => opened.filter(holds).length
      const sums = { created: 0, updated: 0, removed: 0, carried: 0 }
      const seen: Array<string> = []
      let { last, ...some } = yield* store.settleNext(feed.id, job.id, { limit: 3, remoteRef: "file.csv" })
      while (last !== undefined) {
        seen.push(last.recordId)
        for (const key of ["created", "updated", "removed", "carried"] as const) sums[key] += some[key]
        ;({ last, ...some } = yield* store.settleNext(feed.id, job.id, {
          limit: 3,
          after: last,
          remoteRef: "file.csv"
        }))
      }
      expect(some).toEqual({ created: 0, updated: 0, removed: 0, carried: 0 })
      expect(seen).toEqual(
        opened.flatMap(({ recordId }, n) => (n % 3 === 2 || n === opened.length - 1 ? [recordId] : []))
      )
      expect(sums).toEqual({
        created: count(({ op }) => op === "create"),
        updated: count(({ op }) => op === "update"),
        removed: count(({ op }) => op === "remove"),
        carried: count((row) => row.jobId !== job.id || row.state === "failed" || row.redeliveryRequested)
      })
      expect(sums.carried).toBe(6)
      const all = (id: typeof feed.id) =>
        Effect.gen(function* () {
          const rows = yield* store.list(id, { limit: 50 })
          const entries = yield* store.entries(
            id,
            rows.map(({ recordId }) => recordId)
          )
          return rows
            .map((row) => ({
              ...row,
              feedId: undefined,
              updatedAt: undefined,
              sentAt: row.sentAt !== undefined,
              entry: entries.get(row.recordId)
            }))
            .toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
        })
      expect(yield* all(feed.id)).toEqual(yield* all(twin.id))
      expect(yield* store.open(feed.id, { limit: 50 })).toEqual([])
      expect(yield* store.open(other.id, { limit: 50 })).toHaveLength(12)
    })
  )

  it.effect("takes in rows that come or move after a walk", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const ids = Effect.map(store.open(feed.id, { limit: 10 }), (rows) => rows.map(({ recordId }) => recordId))
      yield* store.intend(feed.id, job.id, [makeIntent(account, "b"), makeIntent(account, "c")])
      expect(yield* ids).toEqual(["b", "c"])
      yield* store.settle(feed.id, job.id, [settlement("b", 1, "done")])
      expect(yield* ids).toEqual(["c"])
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a"), makeIntent(account, "b", { date: null })])
      expect(yield* ids).toEqual(["a", "c", "b"])
    })
  )

  it.effect("distinguishes what should be at the destination from what is removed or was deleted there", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { account, feed, job, store } = arranged
      const elsewhere = yield* storeAccount(yield* storeBank(arranged.workspace))
      for (const state of deliveryStates) yield* bring(arranged, state, state)
      yield* store.intend(feed.id, job.id, [makeIntent(account, "removed"), makeIntent(elsewhere, "elsewhere")])
      yield* store.settle(feed.id, job.id, [{ recordId: "removed", version: 1, state: "done", remoteRef: "7" }])
      yield* store.intend(feed.id, job.id, [makeIntent(account, "removed", { op: "remove" })])
      const present = Effect.map(store.entries(feed.id, [...deliveryStates, "removed"]), (entries) =>
        [...entries.values()]
          .filter((entry) => entry.present)
          .map(({ recordId }) => recordId)
          .toSorted()
      )
      const current = Effect.map(Stream.runCollect(store.current(feed.id)), (rows) =>
        rows.map(({ recordId }) => recordId).toSorted()
      )
      expect(yield* present).toEqual(["done", "removed", "sending"])
      expect(yield* current).toEqual(["done", "elsewhere", "failed", "intended", "sending"])
      yield* store.settle(feed.id, job.id, [settlement("removed", 2, "done")])
      expect(yield* present).toEqual(["done", "sending"])
      const [removed] = yield* store.list(feed.id, { recordId: "removed", limit: 1 })
      expect(Object.keys(removed!)).not.toContain("remoteRef")
    })
  )

  it.effect("takes a row for acknowledged while it has a reference and nothing is in doubt", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const isAcknowledged = Effect.map(store.entries(feed.id, ["a"]), (entries) => entries.get("a")?.acknowledged)
      const intend = (op: Intent["op"]) => store.intend(feed.id, job.id, [{ ...makeIntent(account, "a"), op }])
      const send = Effect.flatMap(store.list(feed.id, { recordId: "a", limit: 1 }), (rows) =>
        store.markSending(feed.id, job.id, rows)
      )
      yield* intend("create")
      expect(yield* isAcknowledged).toBe(false)
      yield* store.settle(feed.id, job.id, [{ recordId: "a", version: 1, state: "done", remoteRef: "r1" }])
      expect(yield* isAcknowledged).toBe(true)
      yield* intend("remove")
      expect(yield* isAcknowledged).toBe(true)
      yield* send
      expect(yield* isAcknowledged).toBe(false)
      // The removal that is being sent stays in doubt.
      yield* intend("create")
      expect(yield* isAcknowledged).toBe(false)
      yield* store.settle(feed.id, job.id, [{ recordId: "a", version: 2, state: "done" }])
      expect(yield* isAcknowledged).toBe(false)
    })
  )

  it.effect("takes a row that newer content overtook while it was sent for present", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { account, feed, job, store } = arranged
      yield* bring(arranged, "sending", "a")
      yield* bring(arranged, "failed", "b")
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a"), makeIntent(account, "b")])
      const entries = yield* store.entries(feed.id, ["a", "b"])
      expect(entries.get("a")).toMatchObject({ state: "intended", present: true })
      expect(entries.get("b")).toMatchObject({ state: "intended", present: false })
    })
  )

  it.effect("counts what a job has open of its own and what earlier jobs left", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { account, feed, job, store } = arranged
      for (const state of deliveryStates) yield* bring(arranged, state, state)
      expect(yield* store.countOpen(feed.id, job.id)).toEqual({ own: 2, carried: 0 })
      yield* (yield* JobStore).cancel(job.id, "cancel", somebody)
      const next = yield* storeJob(feed)
      expect(yield* store.countOpen(feed.id, next.id)).toEqual({ own: 0, carried: 3 })
      yield* store.settle(feed.id, next.id, [settlement("failed", 1, "failed"), settlement("sending", 1, "done")])
      yield* store.intend(feed.id, next.id, [makeIntent(account, "new"), makeIntent(account, "done")])
      expect(yield* store.countOpen(feed.id, next.id)).toEqual({ own: 2, carried: 1 })
    })
  )

  it.effect("lists by job, state and record, newest change first", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const clock = yield* StoreClock
      for (const id of ["c", "a", "b"]) {
        yield* store.intend(feed.id, job.id, [makeIntent(account, id)])
        yield* clock.pass(1)
      }
      yield* store.settle(feed.id, job.id, [settlement("a", 1, "done")])
      const ids = (query: Omit<Parameters<typeof store.list>[1], "limit"> & { readonly limit?: number }) =>
        Effect.map(store.list(feed.id, { limit: 10, ...query }), (rows) => rows.map(({ recordId }) => recordId))
      expect(yield* ids({})).toEqual(["a", "b", "c"])
      expect(yield* ids({ limit: 2 })).toEqual(["a", "b"])
      expect(yield* ids({ state: "intended" })).toEqual(["b", "c"])
      expect(yield* ids({ state: "intended", recordId: "c", jobId: job.id })).toEqual(["c"])
      yield* (yield* JobStore).cancel(job.id, "cancel", somebody)
      expect(yield* ids({ jobId: (yield* storeJob(feed)).id })).toEqual([])
    })
  )

  it.effect("never gives up a row that waits for room, and counts its attempts from then on", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const intents = [makeIntent(account, "a"), makeIntent(account, "b")]
      const refusal = { state: "failed", error: "no room", waits: true } as const
      yield* store.intendSettled(feed.id, job.id, intents, [refusal, { state: "failed", error: "no" }])
      const read = Effect.map(store.list(feed.id, { recordId: "a", limit: 1 }), ([first]) => first!)
      const waiting = { state: "failed", attempts: 0, dead: false, lastError: "no room" }
      expect(yield* read).toMatchObject(waiting)
      expect(yield* store.list(feed.id, { recordId: "b", limit: 1 })).toMatchObject([{ state: "failed", attempts: 1 }])
      yield* store.settle(feed.id, job.id, [{ recordId: "a", version: 1, state: "failed", error: "no" }])
      expect(yield* read).toMatchObject({ attempts: 1, lastError: "no" })
      for (let tries = 0; tries <= limits.deliveryAttempts; tries++) {
        if (tries % 2 === 0) yield* store.markSending(feed.id, job.id, [versionOf("a")])
        yield* store.settle(feed.id, job.id, [{ recordId: "a", version: 1, ...refusal }])
        expect(yield* read).toMatchObject(waiting)
      }
      expect((yield* store.open(feed.id, { limit: 5 })).map(({ recordId }) => recordId)).toContain("a")
      expect((yield* store.entries(feed.id, ["a"])).get("a")).toMatchObject({ present: false, dead: false })
      yield* store.settle(feed.id, job.id, [{ recordId: "a", version: 1, state: "done", remoteRef: "row" }])
      expect(yield* read).toMatchObject({ state: "done", attempts: 1, remoteRef: "row" })
    })
  )

  it.effect("gives a row up after so many refusals, or at once, until there is another version", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const read = Effect.map(store.list(feed.id, { limit: 5 }), ([first]) => first!)
      const refuse = (final?: boolean) =>
        store.settle(feed.id, job.id, [
          { recordId: "a", version: 1, state: "failed", error: "no", ...(final === undefined ? {} : { final }) }
        ])
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a")])
      for (let attempt = 1; attempt <= limits.deliveryAttempts; attempt++) {
        expect(yield* store.open(feed.id, { limit: 5 })).toHaveLength(1)
        expect((yield* store.open(feed.id, { limit: 5, waiting: true })).length).toBe(attempt === 1 ? 1 : 0)
        // Marked before, or settled in one step.
        if (attempt % 2 === 0) yield* store.markSending(feed.id, job.id, [versionOf("a")])
        yield* refuse()
        expect(yield* read).toMatchObject({
          state: "failed",
          attempts: attempt,
          dead: attempt === limits.deliveryAttempts,
          lastError: "no"
        })
      }
      expect(yield* store.open(feed.id, { limit: 5 })).toEqual([])
      expect(yield* store.markSending(feed.id, job.id, [versionOf("a")])).toEqual(new Set(["a"]))
      expect((yield* store.entries(feed.id, ["a"])).get("a")).toMatchObject({ state: "failed", dead: true })
      expect(yield* store.countOpen(feed.id, job.id)).toEqual({ own: 0, carried: 0 })
      expect((yield* store.list(feed.id, { state: "dead", limit: 5 })).map(({ recordId }) => recordId)).toEqual(["a"])
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a")])
      expect(yield* read).toMatchObject({ state: "intended", attempts: 0, dead: false })
      yield* store.settle(feed.id, job.id, [{ recordId: "a", version: 2, state: "failed", error: "no", final: true }])
      expect(yield* read).toMatchObject({ state: "failed", attempts: 1, dead: true })
    })
  )

  it.effect("takes what is given up while it is sent for present: nobody knows", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      for (const [id, final] of [
        ["known", false],
        ["unknown", true]
      ] as const) {
        yield* store.intend(feed.id, job.id, [makeIntent(account, id)])
        yield* store.markSending(feed.id, job.id, [versionOf(id)])
        yield* store.settle(feed.id, job.id, [{ recordId: id, version: 1, state: "failed", error: "no", final }])
      }
      const entries = yield* store.entries(feed.id, ["known", "unknown"])
      expect([entries.get("known")?.present, entries.get("unknown")?.present]).toEqual([false, true])
    })
  )

  it.effect("makes rows that are sent the job's own, and tells those that changed meanwhile", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const clock = yield* StoreClock
      for (const id of ["intended", "sending", "failed", "newer", "done"]) {
        yield* store.intend(feed.id, job.id, [makeIntent(account, id)])
      }
      yield* store.markSending(feed.id, job.id, [versionOf("sending")])
      yield* store.settle(feed.id, job.id, [settlement("failed", 1, "failed"), settlement("done", 1, "done")])
      yield* store.intend(feed.id, job.id, [makeIntent(account, "newer")])
      const sentAt = (yield* store.list(feed.id, { recordId: "sending", limit: 1 }))[0]!.sentAt
      yield* (yield* JobStore).cancel(job.id, "cancel", somebody)
      const next = yield* storeJob(feed)
      yield* clock.pass(60)
      const given = ["intended", "sending", "failed", "newer", "done", "unknown"].map((id) => versionOf(id))
      expect(yield* store.markSending(feed.id, next.id, given)).toEqual(new Set(["newer", "done", "unknown"]))
      const rows = yield* store.list(feed.id, { jobId: next.id, limit: 9 })
      expect(rows.map(({ attempts, recordId, state }) => [recordId, state, attempts]).toSorted()).toEqual([
        ["failed", "sending", 2],
        ["intended", "sending", 1],
        ["sending", "sending", 1]
      ])
      // Since when the destination may know of it, and not since when it was tried last.
      const since = new Map(rows.map((one) => [one.recordId, one.sentAt!]))
      expect([since.get("sending"), since.get("intended")! > sentAt!]).toEqual([sentAt, true])
      expect(yield* store.countOpen(feed.id, next.id)).toEqual({ own: 3, carried: 1 })
    })
  )

  it.effect("keeps what was being sent when newer content came, until it is known what became of it", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const read = Effect.map(store.list(feed.id, { limit: 1 }), ([first]) => first!)
      const settle = (version: number, outcome: Outcome) =>
        store.settle(feed.id, job.id, [{ recordId: "a", version, ...outcome }])
      const values = { Amount: "1", Description: difficultTexts.join("|"), Paid: true, Tax: null }
      const begin = Effect.gen(function* () {
        yield* store.clear(feed.id)
        yield* store.intend(feed.id, job.id, [makeIntent(account, "a", { hash: "one", values })])
        yield* store.markSending(feed.id, job.id, [versionOf("a")])
        const { sentAt } = yield* read
        yield* store.intend(feed.id, job.id, [makeIntent(account, "a", { hash: "two" })])
        yield* store.intend(feed.id, job.id, [makeIntent(account, "a", { hash: "three" })])
        const { unconfirmedAttempt, version } = yield* read
        expect(unconfirmedAttempt).toEqual({ version: 1, op: "create", hash: "one", values, attempts: 1, sentAt })
        expect(version).toBe(3)
      })
      const present = Effect.map(store.entries(feed.id, ["a"]), (entries) => entries.get("a")!.present)

      yield* begin
      yield* settle(1, { state: "done", remoteRef: "ref" })
      expect(yield* read).toMatchObject({
        version: 3,
        state: "intended",
        op: "update",
        hash: "three",
        remoteRef: "ref"
      })
      expect([Object.keys(yield* read).includes("unconfirmedAttempt"), yield* present]).toEqual([false, true])

      yield* begin
      yield* settle(1, { state: "failed", error: "no" })
      expect(yield* read).toMatchObject({ state: "intended", op: "create" })
      expect(Object.keys(yield* read)).not.toContain("unconfirmedAttempt")

      yield* begin
      yield* settle(1, { state: "skipped" })
      expect([Object.keys(yield* read).includes("unconfirmedAttempt"), yield* present]).toEqual([false, false])

      yield* begin
      yield* settle(2, { state: "done", remoteRef: "other" })
      expect(yield* read).toMatchObject({ op: "create", unconfirmedAttempt: { version: 1 }, remoteRef: "other" })

      yield* begin
      yield* settle(3, { state: "done", remoteRef: "ref" })
      expect(yield* read).toMatchObject({ state: "done" })
      expect(Object.keys(yield* read)).not.toContain("unconfirmedAttempt")

      yield* begin
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a", { op: "remove", hash: "" })])
      yield* settle(1, { state: "done", remoteRef: "ref" })
      expect(yield* read).toMatchObject({ op: "remove", remoteRef: "ref" })
    })
  )

  it.effect("keeps an attempt that may have arrived while later ones under its key are refused", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const read = Effect.map(store.list(feed.id, { limit: 1 }), ([first]) => first!)
      const refuse = (unknown: boolean) =>
        store.settle(feed.id, job.id, [
          { recordId: "a", version: 1, state: "failed", error: "no", ...(unknown ? { unknown } : {}) }
        ])
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a", { hash: "one" })])
      yield* store.markSending(feed.id, job.id, [versionOf("a")])
      const { sentAt } = yield* read
      yield* refuse(true)
      const first = { version: 1, hash: "one", attempts: 1, sentAt }
      expect(yield* read).toMatchObject({ state: "failed", attempts: 1, unconfirmedAttempt: first })
      expect((yield* store.entries(feed.id, ["a"])).get("a")).toMatchObject({ present: true, acknowledged: false })
      yield* (yield* StoreClock).pass(60)
      yield* store.markSending(feed.id, job.id, [versionOf("a")])
      yield* refuse(true)
      expect(yield* read).toMatchObject({ state: "failed", attempts: 2, unconfirmedAttempt: first })
      yield* store.markSending(feed.id, job.id, [versionOf("a")])
      // Newer content comes while it is sent again.
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a", { hash: "two" })])
      expect(yield* read).toMatchObject({ version: 2, state: "intended", unconfirmedAttempt: first })

      yield* store.clear(feed.id)
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a")])
      yield* store.markSending(feed.id, job.id, [versionOf("a")])
      yield* refuse(true)
      yield* store.settle(feed.id, job.id, [{ recordId: "a", version: 1, state: "done" }])
      expect(Object.keys(yield* read)).not.toContain("unconfirmedAttempt")
      yield* store.clear(feed.id)
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a")])
      yield* store.markSending(feed.id, job.id, [versionOf("a")])
      yield* refuse(false)
      expect(Object.keys(yield* read)).not.toContain("unconfirmedAttempt")
    })
  )

  it.effect("opens closed rows again for a redelivery, as new versions of the same content", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { account, feed, job, store } = arranged
      const arrangeRows = Effect.gen(function* () {
        yield* store.clear(feed.id)
        for (const state of deliveryStates) yield* bring(arranged, state, state)
        yield* bring(arranged, "failed", "dead")
        yield* store.settle(feed.id, job.id, [
          { recordId: "dead", version: 1, state: "failed", error: "no", final: true }
        ])
        for (const id of ["removed", "unremoved"]) {
          yield* store.intend(feed.id, job.id, [makeIntent(account, id, { op: "remove", hash: "" })])
          yield* store.settle(feed.id, job.id, [settlement(id, 1, id === "removed" ? "done" : "failed")])
        }
      })
      const opened = (which: Parameters<typeof store.reopen>[1]) =>
        Effect.gen(function* () {
          yield* arrangeRows
          const count = yield* store.reopen(feed.id, which)
          const rows = (yield* store.list(feed.id, { limit: 20 })).filter(
            ({ redeliveryRequested }) => redeliveryRequested
          )
          expect(rows).toHaveLength(count)
          expect(rows.every(({ dead, state, version }) => state === "intended" && version === 2 && !dead)).toBe(true)
          return rows.map(({ op, recordId }) => `${recordId} ${op}`).toSorted()
        })
      const limit = 20
      const all = ["dead create", "done update", "failed create", "skipped create", "unremoved remove"]
      expect(yield* opened({ limit, recordIds: [...deliveryStates, "dead", "removed", "unremoved", "x"] })).toEqual(all)
      expect(yield* opened({ limit, state: "failed" })).toEqual(["dead create", "failed create", "unremoved remove"])
      expect(yield* opened({ limit, state: "dead" })).toEqual(["dead create"])
      expect(yield* opened({ limit, state: "skipped" })).toEqual(["skipped create"])
      expect(yield* opened({ limit, state: "done" })).toEqual(["done update"])
      expect(yield* opened({ limit, state: "done", recordIds: ["skipped"] })).toEqual([])
      expect(yield* opened({ limit, recordIds: [] })).toEqual([])
      expect(yield* opened({ limit: 2, state: "failed" })).toHaveLength(2)
      yield* arrangeRows
      yield* store.reopen(feed.id, { limit, state: "dead" })
      const [reopened] = yield* store.list(feed.id, { recordId: "dead", limit: 1 })
      expect(reopened).toMatchObject({ attempts: 0, hash: "h-dead", jobId: job.id })
      expect(Object.keys(reopened!)).not.toContain("lastError")
      // The job has counted it already: it is not its own any more.
      expect(yield* store.countOpen(feed.id, job.id)).toEqual({ own: 2, carried: 1 })
      yield* store.markSending(feed.id, job.id, [versionOf("dead", 2)])
      expect((yield* store.list(feed.id, { recordId: "dead", limit: 1 }))[0]!.redeliveryRequested).toBe(false)
    })
  )

  it.effect("keeps what rows would hold that a person deleted, and of those only", () =>
    Effect.gen(function* () {
      const arranged = yield* arrange
      const { account, feed, store } = arranged
      for (const state of deliveryStates) yield* bring(arranged, state, state)
      const before = yield* store.list(feed.id, { limit: 9 })
      const values = { Text: difficultTexts.join("|"), Nothing: null }
      const kept = makeIntent(account, "skipped", { date: null, hash: "", values, op: "remove" })
      yield* store.keep(feed.id, [
        kept,
        ...deliveryStates.filter((id) => id !== "skipped").map((id) => makeIntent(account, id, { hash: "other" })),
        makeIntent(account, "unknown")
      ])
      yield* store.keep(feed.id, [])
      const after = yield* store.list(feed.id, { limit: 9 })
      const others = (rows: typeof after) =>
        rows.filter(({ recordId }) => recordId !== "skipped").toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
      expect(others(after)).toEqual(others(before))
      expect(after.find(({ recordId }) => recordId === "skipped")).toMatchObject({
        ...kept,
        state: "skipped",
        version: 2
      })
      expect((yield* store.entries(feed.id, ["skipped"])).get("skipped")).toMatchObject({ op: "remove", hash: "" })
    })
  )

  it.effect("forgets where a row was that a person deleted when it is to be made again", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      yield* store.intend(feed.id, job.id, [makeIntent(account, "a")])
      yield* store.settle(feed.id, job.id, [{ recordId: "a", version: 1, state: "done", remoteRef: "old" }])
      yield* store.settle(feed.id, job.id, [settlement("a", 1, "skipped")])
      yield* store.reopen(feed.id, { state: "skipped", limit: 5 })
      const [reopened] = yield* store.open(feed.id, { limit: 1 })
      expect(Object.keys(reopened!)).not.toContain("remoteRef")
    })
  )

  it.effect("lists page by page, newest job and newest change first", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const clock = yield* StoreClock
      const expected: Array<string> = []
      let current = job
      for (let n = 0; n < 3; n++) {
        const ids: Array<string> = []
        for (let chunk = 0; chunk < 2; chunk++) {
          const intents = [0, 1, 2].map((i) => makeIntent(account, `r${n}${1 - chunk}${i}`))
          yield* store.intend(feed.id, current.id, intents)
          ids.unshift(...intents.map(({ recordId }) => recordId))
          yield* clock.pass(1)
        }
        expected.unshift(...ids)
        yield* (yield* JobStore).cancel(current.id, "cancel", somebody)
        current = yield* storeJob(feed)
      }
      for (const limit of [1, 4, 7, 50]) {
        const seen: Array<string> = []
        let rows = yield* store.list(feed.id, { limit })
        while (rows.length > 0) {
          seen.push(...rows.map(({ recordId }) => recordId))
          rows = yield* store.list(feed.id, { limit, after: rows.at(-1)! })
        }
        expect(seen).toEqual(expected)
      }
      const [first] = yield* store.list(feed.id, { jobId: job.id, limit: 1 })
      expect(yield* store.list(feed.id, { jobId: job.id, limit: 9, after: first! })).toHaveLength(5)
    })
  )

  it.effect(
    "keeps no copy of what arrived where the destination tells it, and takes one for a row that is sent again",
    () =>
      Effect.gen(function* () {
        const { account, feed, job, store } = yield* arrange
        const [first, direct, removed, told] = ["first", "direct", "removed", "told"] as const
        const all = [first, direct, removed, told]
        yield* store.intend(feed.id, job.id, [
          makeIntent(account, first),
          makeIntent(account, removed, { op: "remove", values: {} }),
          makeIntent(account, told)
        ])
        const done = { state: "done", readable: true } as const
        yield* store.intendSettled(feed.id, job.id, [makeIntent(account, direct)], [done])
        yield* store.settle(feed.id, job.id, [
          { recordId: first, version: 1, ...done },
          { recordId: removed, version: 1, ...done },
          { recordId: told, version: 1, state: "done" }
        ])
        const kept = Effect.map(store.list(feed.id, { limit: 10 }), (rows) =>
          Object.fromEntries(all.map((id) => [id, rows.find(({ recordId }) => recordId === id)!.values]))
        )
        const { values } = makeIntent(account, told)
        const before = { first: undefined, direct: undefined, removed: {}, told: values }
        expect(yield* kept).toEqual(before)
        const fillAll = Effect.forEach([1, 2], (version) =>
          store.fill(
            feed.id,
            all.map((id) => filling(id, version))
          )
        )
        yield* fillAll
        expect(yield* kept).toEqual(before)
        expect(yield* store.reopen(feed.id, { recordIds: [first, told], limit: 10 })).toBe(2)
        yield* store.fill(feed.id, [filling(first, 1)])
        yield* store.fill(feed.id, [])
        expect(yield* kept).toEqual(before)
        yield* fillAll
        expect(yield* kept).toEqual({ ...before, first: { x: first } })
        const [row] = yield* store.list(feed.id, { recordId: first, limit: 1 })
        expect(row).toMatchObject({ state: "intended", ...filling(first, 2) })
        const [other] = yield* store.list(feed.id, { recordId: told, limit: 1 })
        expect(other).toMatchObject({ version: 2, state: "intended", hash: "h-told" })
      })
  )

  it.effect("keeps under which mark a whole file was written, until it is forgotten", () =>
    Effect.gen(function* () {
      const one = yield* arrange
      const two = yield* arrange
      const { feed, store } = one
      expect(yield* store.fileMark(feed.id)).toEqual(Option.none())
      for (const mark of ["first", "second"]) yield* store.noteFile(feed.id, mark)
      expect(yield* store.fileMark(feed.id)).toEqual(Option.some("second"))
      expect(yield* store.fileMark(two.feed.id)).toEqual(Option.none())
      yield* store.clear(feed.id)
      expect(yield* store.fileMark(feed.id)).toEqual(Option.none())
    })
  )

  it.effect("keeps feeds apart and forgets one of them", () =>
    Effect.gen(function* () {
      const first = yield* arrange
      const second = yield* arrange
      for (const { account, feed, job, store } of [first, second]) {
        yield* store.intend(feed.id, job.id, [makeIntent(account, "same")])
      }
      yield* first.store.settle(first.feed.id, first.job.id, [settlement("same", 1, "done")])
      expect(yield* second.store.list(second.feed.id, { limit: 5 })).toMatchObject([{ state: "intended" }])
      yield* first.store.clear(first.feed.id)
      expect(yield* first.store.list(first.feed.id, { limit: 5 })).toEqual([])
      expect(yield* first.store.entries(first.feed.id, ["same"])).toEqual(new Map())
      yield* first.store.intend(first.feed.id, first.job.id, [makeIntent(first.account, "same")])
      expect(yield* first.store.list(first.feed.id, { limit: 5 })).toMatchObject([{ version: 1 }])
      expect(yield* second.store.list(second.feed.id, { limit: 5 })).toHaveLength(1)
    })
  )

  it.effect("takes thousands of rows at once", () =>
    Effect.gen(function* () {
      const { account, feed, job, store } = yield* arrange
      const ids = Array.from({ length: 5_000 }, (_, i) => `r${String(i).padStart(5, "0")}`)
      yield* store.intend(
        feed.id,
        job.id,
        ids.map((id) => makeIntent(account, id))
      )
      yield* store.markSending(
        feed.id,
        job.id,
        ids.map((id) => versionOf(id))
      )
      yield* store.settle(
        feed.id,
        job.id,
        ids.map((id) => ({ recordId: id, version: 1, state: "done", remoteRef: id }))
      )
      expect(yield* store.countOpen(feed.id, job.id)).toEqual({ own: 0, carried: 0 })
      expect((yield* Stream.runCollect(store.current(feed.id))).map(({ recordId }) => recordId)).toEqual(ids)
      expect((yield* store.entries(feed.id, ids)).size).toBe(5_000)
    })
  )
}

export const suite = suiteOf(tests)
