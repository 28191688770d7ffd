/** Stories: banks move, things break, and what we hold in the end is what is true. */
import { expect, it } from "@effect/vitest"
import { CalendarDate, Decimal } from "@millrace/core"
import type { ObservedRecord, ProviderError, SyncPage } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { Seeded } from "../model/Seeded.ts"
import type { Incident } from "../upstream/Incident.ts"
import { moveSomething, moving } from "./BankMoves.ts"
import { refusal, today } from "./Refusal.ts"
import { asksNothing, type UpstreamCase } from "./UpstreamCase.ts"
import { stored, type StoredWorld } from "./UpstreamKernel.ts"
import {
  arrange,
  type ConnectedWorld,
  connect,
  connected,
  expectNoSecrets,
  openSession,
  pulls,
  type UpstreamSuiteOptions
} from "./UpstreamUnderTest.ts"

const isLong = process.env["MILLRACE_LONG"] === "1"

const incidents = {
  slower: { kind: "rateLimited", retryAfter: 30 },
  slowEndpoint: { kind: "rateLimited", retryAfter: 30, scope: "endpoint" },
  serverError: { kind: "serverError" },
  unavailable: { kind: "unavailable" },
  dropped: { kind: "dropped" },
  lost: { kind: "lost" },
  truncated: { kind: "truncated" },
  page: { kind: "htmlPage" },
  words: { kind: "unknownFields" }
} as const satisfies Readonly<Record<string, Incident>>

const steps = [
  "move",
  "moves",
  "moveWhilePaging",
  "hour",
  "day",
  "sync",
  "reauth",
  "institutionDown",
  "mend",
  "loseCheckpoints",
  ...(Object.keys(incidents) as Array<keyof typeof incidents>)
] as const
type Step = (typeof steps)[number]

/** What a stored row and a true one have in common. */
const keyOf = (
  { amount, date, pending }: { readonly amount: unknown; readonly date: unknown; readonly pending: unknown },
  { sees = { dates: true } }: UpstreamSuiteOptions
): string => `${String(amount)} ${pending === true ? "pending" : sees.dates ? String(date).slice(0, 10) : ""}`

const act = Effect.fnUntraced(function* (world: ConnectedWorld, reader: StoredWorld, step: Step, seeded: Seeded) {
  const { fake } = world
  const { ref } = world.connection()
  switch (step) {
    case "move":
      return moveSomething(world, seeded)
    case "moves":
      for (let n = 0; n < 6; n++) moveSomething(world, seeded)
      return
    case "moveWhilePaging":
      return fake.server.beforeNext({ act: () => moveSomething(world, seeded) })
    case "hour":
      return yield* TestClock.adjust("61 minutes")
    case "day":
      return yield* TestClock.adjust("25 hours")
    case "sync":
      return void (yield* reader.sync)
    case "reauth":
    case "institutionDown":
      if (fake.breakages.includes(step)) fake.break(ref, step)
      return
    case "mend":
      return fake.mend(ref)
    case "loseCheckpoints":
      return fake.loseCheckpoints?.(ref)
    default:
      return fake.server.plan({ incident: incidents[step], times: 1 + seeded.below(3) })
  }
})

/** Rows of each account that differ between the store and the truth. */
export const differences = Effect.fnUntraced(function* (world: ConnectedWorld, reader: StoredWorld) {
  const { options, upstream } = world
  const { ledger } = upstream
  const idOf = upstream.idOf ?? ((id: string) => id)
  const capability = world.driver.capabilities.dataTypes
  const found: Array<string> = []
  const accounts = yield* reader.accounts
  for (const account of ledger.listed) {
    const ours = accounts.filter(({ providerAccountId }) => providerAccountId === idOf(account.id))
    if (ours.length !== 1) {
      found.push(`${account.key}: ${ours.length} accounts`)
      continue
    }
    for (const dataType of options.dataTypes) {
      if (!account.supports.includes(dataType)) continue
      const rows = yield* reader.page(ours[0]!.id, dataType)
      if (dataType === "transactions") {
        const days = Math.min(capability.transactions!.historyDays, world.driver.capabilities.history.defaultDays)
        const from = CalendarDate.addDays(yield* today, -days + 5)
        const isRecent = ({ date, pending }: { readonly date: unknown; readonly pending: unknown }) =>
          pending === true || String(date).slice(0, 10) >= from
        const held = rows
          .map(({ fields }) => ({ amount: fields["amount"], date: fields["date"], pending: fields["pending"] }))
          .filter(isRecent)
          .map((row) => keyOf(row, options))
        const hasPending = world.driver.capabilities.pendingModel !== "absent"
        const truth = ledger
          .shown(account.key)
          .filter(({ pending }) => hasPending || !pending)
          .filter(isRecent)
          .map((row) => keyOf(row, options))
        const left = [...held]
        for (const key of truth) {
          const at = left.indexOf(key)
          if (at < 0) found.push(`${account.key}: lacks ${key}`)
          else left.splice(at, 1)
        }
        for (const key of left) found.push(`${account.key}: has ${key}, which is not there`)
      } else {
        const count = {
          trades: ledger.tradesOf(account.key).length,
          holdings: (ledger.holdings.get(account.key) ?? []).length,
          orders: (ledger.orders.get(account.key) ?? []).length,
          loans: ledger.loans.has(account.key) ? 1 : 0
        }[dataType]
        if (rows.length !== count) {
          found.push(`${account.key}: has ${rows.length} ${dataType} of ${count}`)
        }
      }
    }
  }
  return found
})

/** Days until a row that is shown no longer counts as gone, and some more. */
const mostRounds = 9

const story = Effect.fnUntraced(function* (options: UpstreamSuiteOptions, script: ReadonlyArray<Step>, seed: number) {
  const world = yield* connected(options)
  const reader = yield* stored(world)
  const seeded = new Seeded(seed)
  const seen: Array<string> = []
  let lost = 0
  for (const step of ["sync", ...script] as ReadonlyArray<Step>) {
    yield* act(world, reader, step, seeded)
    if (step === "loseCheckpoints") lost++
    if (step !== "sync") continue
    // What was left behind is never gone back to.
    for (const checkpoint of yield* reader.checkpoints) {
      const at = seen.lastIndexOf(checkpoint)
      if (at < 0) seen.push(checkpoint)
      else if (lost === 0) {
        const place = checkpoint.split(" ").slice(0, 2).join(" ")
        expect(seen.slice(at + 1).filter((other) => other.startsWith(`${place} `))).toEqual([])
      }
    }
  }
  world.fake.server.calm()
  world.fake.mend(world.connection().ref)
  let left: ReadonlyArray<string> = ["nothing was read"]
  for (let round = 0; round < mostRounds && left.length > 0; round++) {
    yield* TestClock.adjust("25 hours")
    const problems = yield* reader.sync
    left = problems.length > 0 ? problems.map(({ message }) => message) : yield* differences(world, reader)
  }
  expect(left).toEqual([])
  // It stays so.
  yield* TestClock.adjust("25 hours")
  yield* reader.sync
  expect(yield* differences(world, reader)).toEqual([])
  expect(world.fake.server.tooEarly.map(({ path }) => path)).toEqual([])
  expect(world.fake.server.exceeded.map(({ limit, request }) => `${limit.name} ${request.path}`)).toEqual([])
  expectNoSecrets(world, yield* reader.shown)
})

const fixed = (title: string, script: ReadonlyArray<Step>): UpstreamCase => ({
  title: `${title}: in the end our store is what is true`,
  run: (options) => story(options, script, 11)
})

/** Told in the long form alone: others tell the most of it. */
const longer = (title: string, script: ReadonlyArray<Step>): UpstreamCase => ({
  ...fixed(title, script),
  lacks: () => (isLong ? undefined : "this is not the long form")
})

const isPage = (answer: unknown): answer is SyncPage =>
  typeof answer === "object" && answer !== null && "upserted" in answer

/** What became of a row that was changed at random can be kept. */
const expectReadable = (seed: number, { fields, providerId }: ObservedRecord): void => {
  expect([seed, providerId.trim() !== ""]).toEqual([seed, true])
  for (const key of ["amount", "quantity", "price", "principalBalance"]) {
    expect([seed, key, fields[key] === undefined || Decimal.is(fields[key])]).toEqual([seed, key, true])
  }
  const day = String(fields["date"] ?? "2026-01-01").slice(0, 10)
  expect([seed, CalendarDate.parse(day) !== undefined]).toEqual([seed, true])
}

const Script = Schema.Array(Schema.Literals(steps)).check(Schema.isMaxLength(14))

/** Registers the property, whose failures shrink to the smallest story. */
export const storyProperty = (options: UpstreamSuiteOptions): void => {
  it.effect.prop(
    "after any story our store is what is true, no row lost or doubled",
    { script: Script, seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })) },
    ({ script, seed }) => Effect.scoped(story(options, script, seed)),
    { arbitrary: { runs: isLong ? 100 : 1, seed: 20_261_123 } }
  )
}

export const storyCases: ReadonlyArray<UpstreamCase> = [
  longer("nothing but a first sync", []),
  fixed("rows come, settle, change and go", ["moves", "sync", "day", "moves", "sync", "hour", "moves", "sync"]),
  longer("the bank moves while it is paged", ["moves", "moveWhilePaging", "sync", "moveWhilePaging", "sync"]),
  longer("limits are hit in the middle", ["moves", "slower", "sync", "moves", "slowEndpoint", "sync"]),
  longer("the upstream is away for a while", ["moves", "unavailable", "sync", "serverError", "sync", "moves", "sync"]),
  fixed("answers are cut, lost and replaced", [
    "moves",
    "truncated",
    "sync",
    "lost",
    "sync",
    "page",
    "sync",
    "dropped",
    "sync"
  ]),
  fixed("the person has to sign in again", ["moves", "reauth", "sync", "moves", "day", "sync", "mend", "sync"]),
  longer("the bank is down for days", ["institutionDown", "sync", "moves", "day", "sync", "day", "mend", "sync"]),
  fixed("the place in the feed is lost", ["moves", "sync", "loseCheckpoints", "moves", "sync"]),
  {
    title: "a correction of a row that is no longer read each time is heard of in time, and that it was taken back",
    lacks: ({ capabilities: { dataTypes }, fake }) =>
      fake.isOffline === true
        ? "its bank moves on with the clock alone"
        : dataTypes.transactions === undefined
          ? "it has no transactions"
          : dataTypes.transactions.changeModel === "appendOnly"
            ? "its upstream never tells of it"
            : undefined,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const reader = yield* stored(world)
      const { ledger } = world.upstream
      const account = moving(world)[0] ?? expect.fail("an account has transactions")
      const old = (description: string) =>
        ledger.post({
          account: account.key,
          amount: Decimal.make("-71.35"),
          description,
          date: CalendarDate.addDays(ledger.today, -52)
        })
      const [corrected, takenBack] = [old("Corrected at last"), old("Taken back at last")]
      // Older ones are next to them: what an upstream shows last may be all that it still shows.
      ledger.post({
        account: account.key,
        amount: Decimal.make("-1.5"),
        description: "Older",
        date: CalendarDate.addDays(ledger.today, -60)
      })
      expect(yield* reader.sync).toEqual([])
      yield* TestClock.adjust("1 day")
      ledger.edit(corrected, { amount: Decimal.make("-73.15") })
      ledger.remove(takenBack)
      const days = world.driver.capabilities.dataTypes.transactions!.wholeEveryDays ?? 1
      for (let day = 0; day <= days; day++) {
        yield* TestClock.adjust("1 day")
        expect(yield* reader.sync).toEqual([])
      }
      const texts = (yield* differences(world, reader)).join()
      expect(texts).not.toContain("-73.15")
      // What is shown no longer counts as gone when it was missed twice.
      for (let day = 0; day <= days; day++) {
        yield* TestClock.adjust("1 day")
        yield* reader.sync
      }
      expect(yield* differences(world, reader)).toEqual([])
    })
  },
  {
    title: "an open order is kept however old it is, and goes when it is shown no longer",
    lacks: ({ capabilities, fake }) =>
      capabilities.dataTypes.orders === undefined
        ? "it has no orders"
        : fake.isOffline === true
          ? "its bank moves on with the clock alone"
          : undefined,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const reader = yield* stored(world)
      const { ledger } = world.upstream
      const [account, orders] = [...ledger.orders].find(([, { length }]) => length > 0) ?? expect.fail("none is open")
      const waiting = orders[0]!
      yield* TestClock.adjust("1 hour")
      const { id: _, placedAt: __, ...again } = waiting
      ledger.order(again)
      expect(yield* reader.sync).toEqual([])
      expect(yield* differences(world, reader)).toEqual([])
      // It is filled.
      ledger.orders.set(account, orders)
      yield* TestClock.adjust("1 day")
      expect(yield* reader.sync).toEqual([])
      expect(yield* differences(world, reader)).toEqual([])
      // The other one waits for longer than any upstream looks back.
      yield* TestClock.adjust("400 days")
      expect(yield* reader.sync).toEqual([])
      expect(yield* differences(world, reader)).toEqual([])
    })
  },
  {
    title: "two connections of one bank keep apart what is theirs",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* arrange(options)
      const ada = yield* connect(world, { ...options.who, person: "ada" })
      const bob = yield* connect(world, { ...options.who, person: "bob" })
      const [hers, his] = [yield* stored(ada), yield* stored(bob)]
      expect([yield* hers.sync, yield* his.sync]).toEqual([[], []])
      expect([yield* differences(ada, hers), yield* differences(bob, his)]).toEqual([[], []])
    })
  },
  {
    title: `mutated answers are typed errors and no defects (${isLong ? 10_000 : 40} answers)`,
    lacks: asksNothing,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const requests = yield* pulls(world, yield* openSession(world))
      const { server } = world.fake
      for (let seed = 0; seed < (isLong ? 10_000 : 40); seed++) {
        server.plan({ incident: { kind: "mutated", seed }, times: 100 })
        const session = yield* Effect.exit(openSession(world))
        const asks: ReadonlyArray<Effect.Effect<unknown, ProviderError>> = Exit.isFailure(session)
          ? [Effect.failCause(session.cause)]
          : [session.value.inspect, session.value.listAccounts, session.value.pull(requests[seed % requests.length]!)]
        // A defect ends the test by itself; what is refused has a code and a sentence.
        const exit = yield* Effect.exit(asks[seed % asks.length]!)
        if (Exit.isFailure(exit)) yield* refusal(Effect.failCause(exit.cause))
        else if (isPage(exit.value)) for (const row of exit.value.upserted) expectReadable(seed, row)
        server.calm()
      }
      expectNoSecrets(world)
    })
  },
  {
    title: `mutated answers leave no part of a read behind (${isLong ? 500 : 4} reads)`,
    lacks: asksNothing,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const reader = yield* stored(world)
      yield* reader.sync
      const dump = Effect.gen(function* () {
        const held = new Map<string, string>()
        for (const { id } of yield* reader.accounts) {
          for (const dataType of options.dataTypes)
            held.set(`${id} ${dataType}`, JSON.stringify(yield* reader.page(id, dataType)))
        }
        return held
      })
      const seeded = new Seeded(5)
      for (let seed = 0; seed < (isLong ? 500 : 4); seed++) {
        moveSomething(world, seeded)
        yield* TestClock.adjust("2 hours")
        const before = yield* dump
        world.fake.server.plan({ incident: { kind: "mutated", seed }, times: 1 + seeded.below(6) })
        const problems = yield* reader.look
        world.fake.server.calm()
        const after = yield* dump
        for (const { accountId, dataType } of problems) {
          const scope = `${accountId} ${dataType}`
          if (!before.has(scope)) continue
          // Of a connection that is read as one, another account's read may have written the same.
          const isShared = world.driver.capabilities.dataTypes[dataType as never]?.["scope"] === "connection"
          if (!isShared) expect([scope, after.get(scope)]).toEqual([scope, before.get(scope)])
        }
      }
      expectNoSecrets(world, yield* reader.shown)
    })
  }
]
