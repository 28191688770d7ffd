import { expect, it } from "@effect/vitest"
import { CalendarDate, Decimal } from "@millrace/core"
import { beginOf } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as DemoProvider from "../../../src/provider/demo/DemoProvider.ts"
import { amountOf, connect, historyStart, morning, read, text, transactions, travelTo } from "./DemoReader.ts"

const begin = beginOf({ attemptId: "cat_a b&c" })

it.effect("opens a relative page with the attempt in it, for half an hour", () =>
  Effect.gen(function* () {
    yield* morning
    const step = yield* DemoProvider.make().beginConnect({ ...begin, institutionId: "demo-broker" })
    expect(step).toEqual({
      kind: "popup",
      url: "/connect/demo?attemptId=cat_a+b%26c&institutionId=demo-broker",
      expiresAt: "2026-11-21T10:00:00.000Z"
    })
  })
)

it.effect("leads a reconnection to the institution that it had", () =>
  Effect.gen(function* () {
    const { connection, driver } = yield* connect("", { institutionId: "demo-wallet" })
    const step = yield* driver.beginConnect({ ...begin, reconnect: connection })
    expect(step.kind === "popup" ? step.url : "").toContain("institutionId=demo-wallet")
  })
)

it.effect("refuses scenarios, institutions and texts that it does not know", () =>
  Effect.gen(function* () {
    const refused = [
      connect("demo:nonsense"),
      connect("demo:"),
      connect("demo:large"),
      connect("demo:large-1000001"),
      connect("demo:large--1"),
      connect("demo:toString"),
      connect("\ud800"),
      connect("x".repeat(201)),
      connect("", { institutionId: "bank-of-nowhere" }),
      connect("", { institutionId: "toString" })
    ]
    for (const attempt of refused) expect((yield* Effect.flip(attempt))._tag).toBe("InvalidConnectPayload")
    const begun = yield* Effect.flip(DemoProvider.make().beginConnect({ ...begin, institutionId: "nowhere" }))
    expect(begun._tag).toBe("InvalidConnectPayload")
  })
)

it.effect("knows only references that it has written", () =>
  Effect.gen(function* () {
    yield* morning
    const { calls, connection } = yield* connect("demo:not-ready:Zoë")
    expect(yield* calls.listAccounts(connection)).toHaveLength(3)
    const foreign = [
      "",
      "v1",
      `${connection.ref}0.`,
      `${connection.ref}x`,
      "v1.demo-retail.normal..5",
      "v1.demo-retail.not-ready.."
    ]
    for (const ref of [...foreign, "v1.demo-retail.normal.=.", "v1.demo-retail.large-07.."]) {
      const error = yield* Effect.flip(calls.listAccounts({ ref, secrets: {} }))
      expect(error._tag, ref).toBe("ConnectionGone")
    }
  })
)

it.effect("finds the same accounts and rows when a broken connection is made again", () =>
  Effect.gen(function* () {
    yield* morning
    const broken = yield* connect("demo:reauth:first")
    const mended = yield* connect("first")
    expect(mended.connection.ref).not.toBe(broken.connection.ref)
    const accounts = yield* mended.calls.listAccounts(mended.connection)
    expect(yield* broken.calls.listAccounts(broken.connection)).toEqual(accounts)
    expect((yield* broken.calls.inspect(broken.connection)).status).toBe("reauth_required")
    expect((yield* mended.calls.inspect(mended.connection)).status).toBe("connected")
  })
)

it.effect.each([
  { scenario: "reauth", status: "reauth_required", errorCode: "REAUTH_REQUIRED", tag: "ReauthRequired" },
  { scenario: "consent", status: "consent_expired", errorCode: "CONSENT_EXPIRED", tag: "ConsentRequired" },
  { scenario: "down", status: "degraded", errorCode: "INSTITUTION_UNAVAILABLE", tag: "InstitutionUnavailable" }
])("fails every read in the scenario $scenario and says why", ({ errorCode, scenario, status, tag }) =>
  Effect.gen(function* () {
    yield* morning
    const subject = yield* connect(`demo:${scenario}`)
    expect(yield* subject.calls.inspect(subject.connection)).toMatchObject({ status, errorCode })
    for (const wait of ["0 seconds", "1 hour", "3 days"] as const) {
      yield* TestClock.adjust(wait)
      expect((yield* Effect.flip(read(subject)))._tag).toBe(tag)
    }
  })
)

it.effect("limits the rate in every second span of two seconds, and reads on after the time it names", () =>
  Effect.gen(function* () {
    yield* travelTo("2026-11-21T09:30:02.000Z")
    const subject = yield* connect("demo:rate-limit")
    const error = yield* Effect.flip(read(subject))
    expect(error).toMatchObject({ _tag: "RateLimited", retryAfter: 2, scope: "connection" })
    yield* TestClock.adjust("2 seconds")
    expect((yield* read(subject)).upserted.length).toBeGreaterThan(1000)
  })
)

it.effect("is not ready for ten seconds after the connection was made", () =>
  Effect.gen(function* () {
    yield* morning
    const subject = yield* connect("demo:not-ready")
    expect((yield* subject.calls.inspect(subject.connection)).status).toBe("pending")
    yield* TestClock.adjust("4 seconds")
    expect(yield* Effect.flip(read(subject))).toMatchObject({ _tag: "NotReady", retryAfter: 6 })
    yield* TestClock.adjust("6 seconds")
    expect((yield* subject.calls.inspect(subject.connection)).status).toBe("connected")
    expect((yield* read(subject)).upserted.length).toBeGreaterThan(1000)
  })
)

it.effect("changes the ledger under a slow reader, and lets a quick one through", () =>
  Effect.gen(function* () {
    yield* morning
    const { calls, connection, driver } = yield* connect("demo:mutating")
    const page = yield* calls.pull(connection, transactions())
    const position = page.end.kind === "more" ? page.end.position : ""
    yield* TestClock.adjust("59 seconds")
    expect((yield* calls.pull(connection, { ...transactions(), position })).upserted).toHaveLength(500)
    yield* TestClock.adjust("1 second")
    const error = yield* Effect.flip(calls.pull(connection, { ...transactions(), position }))
    expect(error._tag).toBe("MutationDuringPagination")
    expect((yield* read({ connection, driver })).upserted.length).toBeGreaterThan(1000)
  })
)

it.effect("keeps the run in the world in which it began, however long it takes", () =>
  Effect.gen(function* () {
    yield* morning
    const { calls, connection, driver } = yield* connect("")
    const whole = yield* read({ connection, driver })
    const first = yield* calls.pull(connection, transactions())
    yield* TestClock.adjust("5 days")
    const position = first.end.kind === "more" ? first.end.position : ""
    const second = yield* calls.pull(connection, { ...transactions(), position })
    expect([...first.upserted, ...second.upserted]).toEqual(whole.upserted.slice(0, 1000))
  })
)

it.effect("reports rows that cannot be read and goes on with the page", () =>
  Effect.gen(function* () {
    yield* morning
    const damaged = yield* read(yield* connect("demo:quarantine"))
    const sound = yield* read(yield* connect(""))
    expect(damaged.quarantined.length).toBeGreaterThan(10)
    expect(damaged.quarantined[0]?.reason).toContain("amount")
    const bad = new Set(damaged.quarantined.map((row) => row.providerId))
    expect(damaged.upserted).toEqual(sound.upserted.filter((row) => !bad.has(row.providerId)))
    expect(damaged.upserted.length + bad.size).toBe(sound.upserted.length)
  })
)

it.effect("forgets checkpoints after an hour where it is told to, and only there", () =>
  Effect.gen(function* () {
    yield* morning
    const forgetful = yield* connect("demo:checkpoint-lost")
    const normal = yield* connect("")
    const { checkpoint } = yield* read(forgetful)
    yield* TestClock.adjust("1 hour")
    expect((yield* read(forgetful, checkpoint)).checkpoint).not.toBe(checkpoint)
    yield* TestClock.adjust("1 second")
    expect((yield* Effect.flip(read(forgetful, checkpoint)))._tag).toBe("CheckpointInvalid")
    expect((yield* read(normal, checkpoint)).pages).toBe(1)
  })
)

it.effect("refuses checkpoints of another person and of the future", () =>
  Effect.gen(function* () {
    yield* morning
    const first = yield* connect("first")
    const { checkpoint } = yield* read(first)
    expect((yield* Effect.flip(read(yield* connect("second"), checkpoint)))._tag).toBe("CheckpointInvalid")
    yield* travelTo("2026-11-21T09:29:59.999Z")
    expect((yield* Effect.flip(read(first, checkpoint)))._tag).toBe("CheckpointInvalid")
  })
)

it.effect("takes 200 milliseconds for a page in the scenario slow", () =>
  Effect.gen(function* () {
    yield* morning
    const { calls, connection } = yield* connect("demo:slow")
    const fiber = yield* Effect.forkChild(calls.pull(connection, transactions()))
    yield* TestClock.adjust("199 millis")
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 millis")
    expect((yield* Fiber.join(fiber)).upserted).toHaveLength(500)
  })
)

it.effect("names the first day of the history when it is asked for an earlier one", () =>
  Effect.gen(function* () {
    yield* morning
    const { calls, connection } = yield* connect("")
    const from = CalendarDate.addDays(historyStart, -1)
    const error = yield* Effect.flip(calls.pull(connection, { ...transactions(), from }))
    expect(error).toMatchObject({ _tag: "RangeNotAllowed", earliest: "2024-12-01" })
    const broker = yield* connect("", { institutionId: "demo-broker" })
    const accounts = yield* calls.listAccounts(broker.connection)
    const trades = yield* Effect.flip(
      calls.pull(broker.connection, {
        dataType: "trades",
        providerAccountIds: accounts.slice(1).map((account) => account.providerAccountId),
        from,
        to: historyStart
      })
    )
    expect(trades).toMatchObject({ _tag: "RangeNotAllowed", earliest: "2024-12-01" })
  })
)

it.effect("follows only rows from the day on that the first read asked for", () =>
  Effect.gen(function* () {
    yield* morning
    const { calls, connection } = yield* connect("")
    const from = CalendarDate.make("2026-11-15")
    const first = yield* calls.pull(connection, { ...transactions(), from })
    expect(first.upserted.length).toBeGreaterThan(5)
    expect(first.upserted.filter((row) => text(row, "date") < from)).toEqual([])
    const checkpoint = first.end.kind === "done" ? (first.end.checkpoint ?? "") : ""
    yield* TestClock.adjust("6 days")
    const next = yield* calls.pull(connection, transactions(checkpoint))
    expect(next.upserted.length).toBeGreaterThan(5)
    expect(next.upserted.filter((row) => text(row, "date") < from)).toEqual([])
  })
)

it.effect("pages 40,000 rows by 500, each once, in order, and balances them", () =>
  Effect.gen(function* () {
    yield* morning
    const { calls, connection, driver } = yield* connect("demo:large-40000")
    const [account] = yield* calls.listAccounts(connection)
    const all = yield* read({ connection, driver })
    const rows = all.upserted.filter((row) => row.providerAccountId === account?.providerAccountId)
    expect(rows).toHaveLength(40_000)
    expect(all.pages).toBe(Math.ceil(all.upserted.length / 500))
    expect(new Set(rows.map((row) => row.providerId)).size).toBe(40_000)
    const dates = rows.map((row) => text(row, "date"))
    expect(dates.every((date, index) => index === 0 || (dates[index - 1] ?? "") <= date)).toBe(true)
    expect(Decimal.sum([Decimal.make("4210.55"), ...rows.map(amountOf)])).toBe(account?.balance)
    const quiet = yield* read({ connection, driver }, all.checkpoint)
    expect([quiet.upserted, quiet.removed, quiet.pages]).toEqual([[], [], 1])
  })
)

it.effect("begins a large ledger at the day asked for", () =>
  Effect.gen(function* () {
    yield* morning
    for (const size of [0, 1, 7, 359, 361, 5000]) {
      const { calls, connection, driver } = yield* connect(`demo:large-${size}`)
      const [account] = yield* calls.listAccounts(connection)
      const own = (rows: Effect.Success<ReturnType<typeof read>>["upserted"]) =>
        rows.filter((row) => row.providerAccountId === account?.providerAccountId)
      const whole = own((yield* read({ connection, driver })).upserted)
      expect(whole).toHaveLength(size)
      const from = CalendarDate.make("2025-03-04")
      const page = yield* calls.pull(connection, { ...transactions(), from })
      expect(own(page.upserted)).toEqual(whole.filter((row) => text(row, "date") >= from).slice(0, 500))
    }
  })
)
