/**
 * Processes that die while a bank is connected, before and after everything that they store or ask upstream: whatever exists
 * upstream afterwards is known, and no bank is there twice.
 */
import { expect } from "@effect/vitest"
import { Banks, ConnectReturns, ProviderCallbacks } from "@millrace/core/kernel"
import type { BankId } from "@millrace/core/bank"
import type { ConnectPayload } from "@millrace/core/provider"
import { BankStore, ConnectionAttemptStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { FakeUpstream } from "../upstream/FakeUpstream.ts"
import type { Breakage } from "../upstream/Incident.ts"
import { asksNothing, type UpstreamCase } from "./UpstreamCase.ts"
import { crashWorld, isLong } from "./UpstreamCrashWorld.ts"
import { expectNoSecrets, type UpstreamSuiteOptions } from "./UpstreamUnderTest.ts"

type CrashWorld = Effect.Success<ReturnType<typeof crashWorld>>

/** An attempt, and the state that its browser has. */
interface Begun {
  readonly attemptId: string
  readonly state: string
  /** What the person brings back. */
  readonly payload: ConnectPayload
}

/** How it becomes known that the person has signed in. */
type Way = (world: CrashWorld, begun: Begun) => Effect.Effect<unknown, unknown, Scope.Scope>

/** The program that began it hands over what its browser brought; once that is stored, it asks no second time. */
const handedOver: Way = Effect.fnUntraced(function* (world, { attemptId, payload }) {
  const { caller, fake, instanceId, run, storage, workspace } = world
  const started = fake.paste === undefined
  const over = run(Effect.flatMap(Banks, (banks) => banks.connect(caller, { instanceId, attemptId, started, payload })))
  yield* over
  const isStored = Effect.gen(function* () {
    const attempts = yield* ConnectionAttemptStore
    const attempt = yield* attempts.named(workspace.id, instanceId, attemptId)
    if (Option.isNone(attempt)) return false
    const { id, state } = attempt.value
    return state === "completed" || Option.isSome(yield* attempts.part(id, "payload"))
  })
  if (yield* Effect.provideContext(isStored, storage)) return
  // Anyone who has died holds the attempt for two minutes.
  yield* TestClock.adjust("3 minutes")
  yield* over
})

/** The browser comes back to a page of ours; a page that does not answer is asked for again. */
const returned: Way = Effect.fnUntraced(function* (world, { payload, state }) {
  const told = Effect.gen(function* () {
    const returns = yield* ConnectReturns
    yield* returns.told(Option.getOrThrow(yield* returns.byState(state)), { result: "connected", payload })
    return true
  })
  if ((yield* world.run(told)) !== true) expect(yield* world.run(told)).toBe(true)
})

/** The upstream calls, and calls again where nobody answers. */
const calledBack: Way = Effect.fnUntraced(function* ({ fake, instanceId, run }) {
  const [one] = fake.connections
  const { headers, rawBody, url } = fake.webhooks!.sign("connected", {
    connectionRef: one!.ref,
    url: `https://app.example.com/v1/webhooks/${encodeURIComponent(instanceId)}`
  })
  const attemptId = new URL(url).searchParams.get("attempt")
  const received = Effect.gen(function* () {
    const callbacks = yield* ProviderCallbacks
    yield* callbacks.receive(instanceId, { rawBody, headers, ...(attemptId === null ? {} : { attemptId }) })
    return true
  })
  if ((yield* run(received)) !== true) expect(yield* run(received)).toBe(true)
})

/** What is pasted is handed over; otherwise the browser comes back. */
const returnedOrPasted: Way = (world, begun) =>
  world.fake.paste === undefined ? returned(world, begun) : handedOver(world, begun)

const begin = ({ caller, instanceId, options, run }: CrashWorld) =>
  run(
    Effect.gen(function* () {
      const banks = yield* Banks
      const {
        attempt,
        page = "",
        step
      } = yield* banks.start(caller, {
        providerInstanceId: instanceId,
        email: "person@example.com",
        forceNewConnection: true,
        ...options.options
      })
      const state = decodeURIComponent(page.slice(page.lastIndexOf("=") + 1))
      return { attemptId: attempt.attemptId, state, step: step! }
    })
  )

/** The person signs in. Nobody sees the step of a process that died: then the person starts again. */
const signedIn = Effect.fnUntraced(function* (world: CrashWorld) {
  const { died, fake, options } = world
  // What is pasted belongs to an attempt of the one who hands it over.
  if (fake.paste !== undefined) return { attemptId: "pasted", state: "", payload: fake.paste(options.who) }
  const begun = (yield* begin(world)) ?? (yield* begin(world))
  if (begun === undefined) return expect.fail(`nobody can begin a connection, ${died()}`)
  return { ...begun, payload: fake.signIn(begun.step, options.who) }
})

interface Sweep {
  readonly from: "beginning" | "end"
  readonly way: Way
  /** The last point that is of this way alone; absent: all of them are tried. */
  readonly until?: string
  /** Points that matter, without which the sweep would say nothing. */
  readonly needed: ReadonlyArray<string>
}

/**
 * What became of an attempt: its state, its banks by what they are upstream, how many of them have accounts, and what is
 * there that nobody knows.
 */
const outcome = ({ fake, instanceId, storage, workspace }: CrashWorld, { attemptId }: Begun) =>
  Effect.gen(function* () {
    const [attempts, banks] = [yield* ConnectionAttemptStore, yield* BankStore]
    const { error, state } = Option.getOrThrow(yield* attempts.named(workspace.id, instanceId, attemptId))
    const known: Array<string> = []
    let read = 0
    for (const { id } of yield* banks.list([workspace.id])) {
      known.push(Option.getOrThrow(yield* banks.connection(id)).connection.ref)
      if ((yield* banks.accounts(id)).length > 0) read++
    }
    const unknown = fake.connections.filter(({ isRevoked, ref }) => !isRevoked && !known.includes(ref))
    return { state, told: error?.message, known: known.length, read, unknown: unknown.length }
  }).pipe(Effect.provideContext(storage))

const hasEnded = ({ state }: { readonly state: string }): boolean => state === "completed" || state === "failed"

/** One story, whose nth change is a process's last one. Returns where that was, and whether the exchange was lost with it. */
const story = Effect.fnUntraced(function* (options: UpstreamSuiteOptions, n: number, { from, way }: Sweep) {
  const world = yield* crashWorld(options)
  const { arm, died, fake, pass } = world
  const isPasted = fake.paste !== undefined
  if (from === "beginning") arm(n)
  const begun = yield* signedIn(world)
  if (from === "end") arm(n)
  yield* way(world, begun)
  for (let round = 0; round < 3 && !hasEnded(yield* outcome(world, begun)); round++) yield* pass(3)
  arm(Infinity)
  // After a day nothing completes an attempt any more, and what nobody could take over is taken back.
  for (let round = 0; round < 2 && !hasEnded(yield* outcome(world, begun)); round++) yield* pass(20 * 60)
  const at = died()
  const ended = yield* outcome(world, begun)
  const isLost = options.exchangesOnce === true && ended.known === 0
  // Of an exchange whose answer was lost the person is informed; all else has come to one bank with its accounts.
  if (isLost) expect({ at, ...ended }).toMatchObject({ at, state: "failed", told: expect.any(String) })
  else expect({ at, ...ended }).toMatchObject({ at, state: "completed", known: 1, read: 1, unknown: 0 })
  expectNoSecrets(world)
  return { at, isLost, isPasted }
})

/** What only the person mends; absent where the upstream has no such state. */
const breakageOf = ({ breakages }: Pick<FakeUpstream, "breakages">): Breakage | undefined =>
  (["reauth", "consentExpired"] as const).find((how) => breakages.includes(how))

const renew = ({ caller, run }: CrashWorld, bankId: BankId) =>
  run(
    Effect.gen(function* () {
      const { attempt, page = "", step } = yield* (yield* Banks).reauth(caller, bankId, {})
      return {
        attemptId: attempt.attemptId,
        state: decodeURIComponent(page.slice(page.lastIndexOf("=") + 1)),
        step: step!
      }
    })
  )

/** The same of a bank that was connected before and is broken now: it is the same one afterwards, and well. */
const mending = Effect.fnUntraced(function* (options: UpstreamSuiteOptions, n: number) {
  const world = yield* crashWorld(options)
  const { arm, died, fake, pass, storage, workspace } = world
  yield* returnedOrPasted(world, yield* signedIn(world))
  yield* pass(3)
  const banksOf = Effect.flatMap(BankStore, (banks) =>
    Effect.flatMap(banks.list([workspace.id]), (all) =>
      Effect.forEach(all, (bank) =>
        Effect.map(banks.connection(bank.id), (one) => ({
          id: bank.id,
          ref: Option.getOrThrow(one).connection.ref,
          isConnected: bank.connectionStatus?.connected === true
        }))
      )
    )
  ).pipe(Effect.provideContext(storage))
  const [before] = yield* banksOf
  const earlier = fake.connections.length
  fake.break(before!.ref, breakageOf(fake)!)
  arm(n)
  const again = (yield* renew(world, before!.id)) ?? (yield* renew(world, before!.id))
  if (again === undefined) return expect.fail(`nobody can mend a connection, ${died()}`)
  const begun = { ...again, payload: fake.repair(again.step, before!.ref) }
  yield* returned(world, begun)
  for (let round = 0; round < 3 && !hasEnded(yield* outcome(world, begun)); round++) yield* pass(3)
  arm(Infinity)
  for (let round = 0; round < 2 && !hasEnded(yield* outcome(world, begun)); round++) yield* pass(20 * 60)
  const at = died()
  const ended = yield* outcome(world, begun)
  const isLost = options.exchangesOnce === true && ended.state === "failed"
  const after = yield* banksOf
  const known = new Set(after.map(({ ref }) => ref))
  const made = fake.connections.slice(earlier)
  const unknown = made.filter(({ isRevoked, ref }) => !isRevoked && !known.has(ref)).length
  // An access that was lost with its answer is known to nobody: the person is informed, and can take it back.
  expect({ at, ids: after.map(({ id }) => id), unknown: isLost ? 0 : unknown }).toEqual({
    at,
    ids: [before!.id],
    unknown: 0
  })
  if (isLost) expect({ at, told: ended.told }).toEqual({ at, told: expect.any(String) })
  else
    expect({ at, state: ended.state, isConnected: after[0]!.isConnected }).toEqual({
      at,
      state: "completed",
      isConnected: true
    })
  expectNoSecrets(world)
  return { at, isLost }
})

/** A bank whose connection is gone upstream gets another one, and stays the bank that it is, with its accounts. */
const replaced: UpstreamCase["run"] = (options) =>
  Effect.gen(function* () {
    const world = yield* crashWorld(options)
    const { caller, fake, run, storage, workspace } = world
    yield* returnedOrPasted(world, yield* signedIn(world))
    yield* world.pass(3)
    const look = Effect.gen(function* () {
      const store = yield* BankStore
      const [bank, ...others] = yield* store.list([workspace.id])
      expect(others).toEqual([])
      return {
        bank: bank!,
        accounts: (yield* store.accounts(bank!.id)).map(({ id }) => id),
        ref: Option.getOrThrow(yield* store.connection(bank!.id)).connection.ref
      }
    }).pipe(Effect.provideContext(storage))
    const before = yield* look
    expect(before.accounts.length).toBeGreaterThan(0)
    fake.break(before.ref, "gone")
    // A look finds out.
    yield* run(Effect.flatMap(Banks, (banks) => Effect.exit(banks.refresh(before.bank, Effect.void, caller.cause))))
    expect((yield* look).bank.connectionStatus?.status).toBe("disconnected")
    const again = yield* renew(world, before.bank.id)
    if (again === undefined) return expect.fail("nobody can reconnect the bank")
    const begun = { ...again, payload: fake.signIn(again.step, options.who) }
    yield* returned(world, begun)
    yield* world.pass(3)
    const ended = yield* outcome(world, begun)
    const after = yield* look
    expect({ ...ended, told: ended.told ?? "" }).toMatchObject({ state: "completed", told: "" })
    expect([after.bank.id, after.bank.connectionStatus?.connected]).toEqual([before.bank.id, true])
    expect(fake.connections.some(({ ref }) => ref === after.ref)).toBe(true)
    expectNoSecrets(world)
  })

const mendedEverywhere: UpstreamCase["run"] = (options) =>
  Effect.gen(function* () {
    const lost: Array<string> = []
    const seen = new Set<string>()
    for (let n = 1; ; n++) {
      const { at, isLost } = yield* Effect.scoped(mending(options, n))
      if (at === undefined) break
      seen.add(at)
      if (isLost) lost.push(at)
    }
    for (const point of ["ConnectionAttemptStore.setStep begins", "Transactor.atomically begins"]) {
      expect([...seen]).toContain(point)
    }
    // Some mend without an exchange that could be lost.
    expect(options.exchangesOnce === true ? [[], unkept] : [[]]).toContainEqual(lost)
  })

/** Where the answer of an exchange is there, and nothing is stored of it yet. */
const unkept = [
  ...(isLong
    ? ["Upstream.request ends", "ConnectionAttemptStore.part begins", "ConnectionAttemptStore.part ends"]
    : []),
  "ConnectionAttemptStore.keep begins"
]

const everywhere =
  (sweep: Sweep): UpstreamCase["run"] =>
  (options) =>
    Effect.gen(function* () {
      const { needed, until } = sweep
      const seen = new Set<string>()
      const lost: Array<string> = []
      // What nobody could try the other way is tried whole.
      for (let n = 1, isWhole = isLong || until === undefined; isWhole || !seen.has(until!); n++) {
        const { at, isLost, isPasted } = yield* Effect.scoped(story(options, n, sweep))
        if (at === undefined) break
        isWhole ||= isPasted
        seen.add(at)
        if (isLost) lost.push(at)
      }
      for (const point of needed) expect([...seen]).toContain(point)
      // Between the answer of an exchange and the first thing that is stored of it.
      expect(lost).toEqual(options.exchangesOnce === true ? unkept : [])
    })

export const crashCases: ReadonlyArray<UpstreamCase> = [
  {
    title: "a process that dies anywhere while a bank is connected leaves nothing upstream that nobody knows",
    lacks: (facts) =>
      facts.fake.paste === undefined
        ? asksNothing(facts)
        : "it is connected by what a person pastes, without a step upstream",
    run: everywhere({
      from: "beginning",
      way: returned,
      needed: [
        "ConnectionAttemptStore.setStep begins",
        "Upstream.request begins",
        "ConnectionAttemptStore.keep begins",
        "ConnectionAttemptStore.keepExchange begins",
        "Transactor.atomically begins"
      ]
    })
  },
  {
    title: "a process that dies anywhere while a broken bank is mended leaves that bank, and no other, well in the end",
    lacks: (facts) =>
      breakageOf(facts.fake) === undefined ? "the upstream has no state that a person mends" : asksNothing(facts),
    run: mendedEverywhere
  },
  {
    title: "a bank whose connection is gone upstream is connected by another one, and is the same bank",
    lacks: (facts) =>
      facts.fake.breakages.includes("gone") && facts.fake.paste === undefined
        ? asksNothing(facts)
        : "nothing there is gone that could be connected again by a step",
    run: replaced
  },
  {
    title: "the same where a program hands over what the person brought, and asks no more once that is stored",
    lacks: asksNothing,
    run: everywhere({
      from: "end",
      way: handedOver,
      until: "ConnectionAttemptStore.keepExchange begins",
      needed: ["Leases.take begins", "Transactor.atomically begins", "Upstream.request begins"]
    })
  },
  {
    title: "the same where nobody comes back but a callback",
    lacks: (facts) =>
      facts.fake.webhooks?.namesAttempts === true ? asksNothing(facts) : "its callbacks name no attempt",
    run: everywhere({
      from: "end",
      way: calledBack,
      until: "Leases.take begins",
      needed: ["Transactor.atomically begins", "ConnectionAttemptStore.keep begins"]
    })
  }
]
