import { describe, expect, it } from "@effect/vitest"
import { eachCall } from "@millrace/testing/fake"
import { sensible } from "../../src/provider/Budgeted.ts"
import type { RequestLimit } from "../../src/provider/Capabilities.ts"
import type { OutboundResponse } from "../../src/outbound/Outbound.ts"
import { NotReady, ProtocolViolation, RateLimited, type ProviderError } from "../../src/provider/ProviderError.ts"
import { CurrentPsu, UpstreamPatience } from "../../src/provider/Turns.ts"
import { UpstreamBudget } from "../../src/rate/UpstreamBudget.ts"
import { StorageUnavailable } from "../../src/storage/StorageUnavailable.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { metered, ok, storage } from "./MeteredDriver.ts"

const connection = (ref: string) => ({ ref, secrets: {} })
const perMinute = (requests: number): RequestLimit => ({ name: "client", requests, seconds: 60, per: "instance" })
const perConnection = (requests: number): RequestLimit => ({
  name: "connection",
  requests,
  seconds: 60,
  per: "connection"
})
const anything = { text: "", countryCodes: [], limit: 10 }
const away = () => Effect.fail(new StorageUnavailable({ message: "away" }))
const busy = (headers: Record<string, string>): OutboundResponse => ({ ...ok, status: 429, headers })

const rateLimited = (retryAfter: number, scope: RateLimited["scope"] = "client", endpoint?: string) =>
  new RateLimited({ message: "Slower", scope, retryAfter, ...(endpoint === undefined ? {} : { endpoint }) })

const left = (remaining: string): OutboundResponse => ({ ...ok, headers: { left: remaining, reset: "45" } })

const refusedFor = (retryAfter: number) => ({ _tag: "RateLimited", retryAfter })

describe("requests of a driver", () => {
  it.effect("are no more than a limit lets through, from all processes together", () =>
    Effect.gen(function* () {
      const { asked, wrapped } = metered({ limits: [{ ...perMinute(10), burst: 1 }] })
      const [here, there] = [eachCall(yield* wrapped), eachCall(yield* wrapped)]
      const run = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? here : there)),
          (one) => one.inspect(connection("a")),
          { concurrency: "unbounded", discard: true }
        ).pipe(Effect.provideService(UpstreamPatience, 300))
      )
      yield* TestClock.adjust("4 minutes")
      yield* Fiber.join(run)
      const at = asked.map((one) => one.at)
      expect(at).toHaveLength(30)
      for (let n = 10; n < at.length; n++) expect(at[n]! - at[n - 10]!).toBeGreaterThanOrEqual(60_000)
      // Twice the time of ten requests, and nine intervals.
      expect(at.at(-1)! - at[0]!).toBeLessThan(183_000)
    }).pipe(Effect.provide(storage))
  )

  it.effect("take a place each, and a call without requests takes none", () =>
    Effect.gen(function* () {
      const { asked, wrapped } = metered({ limits: [perMinute(1)] })
      const one = yield* wrapped
      yield* eachCall(one).revoke(connection("a"))
      expect(yield* Effect.flip(one.listInstitutions(anything))).toMatchObject(refusedFor(63))
      expect(asked).toHaveLength(1)
      // Its own refusal holds nobody back.
      yield* TestClock.adjust("63 seconds")
      yield* eachCall(one).inspect(connection("a"))
      expect(asked).toHaveLength(2)
    }).pipe(Effect.provide(storage))
  )

  it.effect("count against the limits of their connection and of their endpoint", () =>
    Effect.gen(function* () {
      const accounts: RequestLimit = { ...perMinute(1), name: "accounts", endpoint: "accounts" }
      const { asked, wrapped } = metered({ limits: [perMinute(600), { ...perConnection(2), burst: 2 }, accounts] })
      const one = eachCall(yield* wrapped)
      yield* one.inspect(connection("a"))
      yield* one.listAccounts(connection("b"))
      expect(yield* Effect.flip(one.listAccounts(connection("c")))).toMatchObject(refusedFor(63))
      yield* one.inspect(connection("b"))
      expect((yield* Effect.flip(one.inspect(connection("b"))))._tag).toBe("RateLimited")
      yield* one.inspect(connection("c"))
      expect(asked).toHaveLength(4)
    }).pipe(Effect.provide(storage))
  )

  it.effect(
    "keep to the limit of a day over the day, and not while a person waits where it is for the background",
    () =>
      Effect.gen(function* () {
        const daily: RequestLimit = {
          name: "background",
          requests: 4,
          seconds: 86_400,
          per: "connection",
          backgroundOnly: true
        }
        const { asked, wrapped } = metered({ limits: [daily] })
        const one = eachCall(yield* wrapped)
        for (let hour = 0; hour < 48; hour++) {
          yield* Effect.ignore(one.inspect(connection("a")))
          yield* TestClock.adjust("1 hour")
        }
        const at = asked.map((request) => request.at)
        expect(at.length).toBeGreaterThanOrEqual(7)
        for (let n = 4; n < at.length; n++) expect(at[n]! - at[n - 4]!).toBeGreaterThanOrEqual(86_400_000)
        for (let n = 0; n < 20; n++) {
          yield* Effect.provideService(one.inspect(connection("a")), CurrentPsu, { ipAddress: "203.0.113.7" })
        }
        expect(asked.length).toBe(at.length + 20)
      }).pipe(Effect.provide(storage))
  )

  it.effect("wait where an answer says that a limit is used up, and for no other", () =>
    Effect.gen(function* () {
      const { asked, wrapped } = metered({
        limits: [perMinute(600), perConnection(300)],
        readLimits: ({ headers }) =>
          headers["left"] === undefined
            ? []
            : [
                { limit: "connection", remaining: Number(headers["left"]), resetSeconds: Number(headers["reset"]) },
                { limit: "unheard of", remaining: 0, resetSeconds: 1 }
              ],
        answers: [left("1"), left("0")]
      })
      const one = eachCall(yield* wrapped)
      yield* one.inspect(connection("a"))
      yield* one.inspect(connection("a"))
      expect(yield* Effect.flip(one.inspect(connection("a")))).toMatchObject(refusedFor(45))
      yield* one.inspect(connection("b"))
      yield* TestClock.adjust("45 seconds")
      yield* one.inspect(connection("a"))
      expect(asked).toHaveLength(4)
    }).pipe(Effect.provide(storage))
  )

  it.effect("without a limit ask storage now and then only, and hear within seconds what another was told", () =>
    Effect.gen(function* () {
      let looked = 0
      const lines = yield* UpstreamBudget
      const counted = {
        ...lines,
        take: (...asked: Parameters<typeof lines.take>) => Effect.suspend(() => (looked++, lines.take(...asked)))
      }
      const answers: Array<ProviderError> = []
      const { asked, wrapped } = metered({ answers })
      const [first, second] = yield* Effect.all([wrapped, wrapped]).pipe(Effect.provideService(UpstreamBudget, counted))
      const [here, there] = [eachCall(first), eachCall(second)]
      for (let page = 0; page < 100; page++) yield* here.inspect(connection("a"))
      expect([asked.length, looked]).toEqual([100, 1])
      // What is about another connection is not known of this one.
      yield* here.inspect(connection("b"))
      expect(looked).toBe(2)
      answers.push(rateLimited(30))
      yield* Effect.flip(there.inspect(connection("c")))
      yield* here.inspect(connection("a"))
      yield* TestClock.adjust("2 seconds")
      expect(yield* Effect.flip(here.inspect(connection("a")))).toMatchObject(refusedFor(28))
      yield* TestClock.adjust("28 seconds")
      yield* here.inspect(connection("a"))
      answers.push(rateLimited(30))
      expect(yield* Effect.flip(here.inspect(connection("a")))).toMatchObject(refusedFor(30))
      // Its own process heeds it at once.
      expect(yield* Effect.flip(here.inspect(connection("a")))).toMatchObject(refusedFor(30))
    }).pipe(Effect.provide(storage))
  )

  it.effect("of all processes wait when one is told to, also without a limit", () =>
    Effect.gen(function* () {
      const { asked, wrapped } = metered({ answers: [rateLimited(30)] })
      const [here, there] = [eachCall(yield* wrapped), eachCall(yield* wrapped)]
      expect(yield* Effect.flip(here.inspect(connection("a")))).toMatchObject(refusedFor(30))
      expect(yield* Effect.flip(there.inspect(connection("b")))).toMatchObject(refusedFor(30))
      expect(asked).toHaveLength(1)
      const patient = yield* Effect.forkChild(
        Effect.provideService(there.inspect(connection("b")), UpstreamPatience, 60)
      )
      yield* TestClock.adjust("29 seconds")
      expect(asked).toHaveLength(1)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(patient)
      expect(asked).toHaveLength(2)
    }).pipe(Effect.provide(storage))
  )

  it.effect("wait of one connection where only that is told to, of one endpoint where only that is", () =>
    Effect.gen(function* () {
      const answers: Array<ProviderError> = [rateLimited(30, "connection")]
      const { asked, wrapped } = metered({ answers })
      const one = eachCall(yield* wrapped)
      yield* Effect.flip(one.inspect(connection("a")))
      yield* Effect.flip(one.inspect(connection("a")))
      answers.push(rateLimited(30, "endpoint", "accounts"))
      yield* Effect.flip(one.listAccounts(connection("b")))
      yield* Effect.flip(one.listAccounts(connection("b")))
      yield* one.inspect(connection("b"))
      expect(asked).toHaveLength(3)
    }).pipe(Effect.provide(storage))
  )

  it.effect("wait as long as the header of an answer says, for what the request was about", () =>
    Effect.gen(function* () {
      const { asked, wrapped } = metered({ answers: [busy({ "retry-after": "30" })] })
      const one = eachCall(yield* wrapped)
      yield* one.listAccounts(connection("a"))
      expect(yield* Effect.flip(one.listAccounts(connection("a")))).toMatchObject(refusedFor(30))
      yield* one.inspect(connection("a"))
      yield* one.listAccounts(connection("b"))
      expect(asked).toHaveLength(3)
    }).pipe(Effect.provide(storage))
  )

  it.effect("that wait for their turn are kept back while another one is told to wait", () =>
    Effect.gen(function* () {
      const { asked, wrapped } = metered({ limits: [perMinute(60)] })
      const one = eachCall(yield* wrapped)
      const lines = yield* UpstreamBudget
      for (let n = 0; n < 6; n++) yield* one.inspect(connection("a"))
      const waiting = yield* Effect.forkChild(
        Effect.provideService(one.inspect(connection("a")), UpstreamPatience, 300)
      )
      yield* TestClock.adjust("500 millis")
      yield* lines.hold({ instanceId: "metered:one", connection: undefined }, 20)
      yield* TestClock.adjust("19 seconds")
      expect(asked).toHaveLength(6)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(waiting)
      expect(asked).toHaveLength(7)
    }).pipe(Effect.provide(storage))
  )

  it.effect("that waited for their turn do not all go at once when another one was told to wait", () =>
    Effect.gen(function* () {
      const day: RequestLimit = { name: "day", requests: 21, seconds: 86_400, per: "instance", burst: 21 }
      const { asked, wrapped } = metered({ limits: [perMinute(10), day] })
      const one = eachCall(yield* wrapped)
      const lines = yield* UpstreamBudget
      const run = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 20 }), () => one.inspect(connection("a")), {
          concurrency: "unbounded",
          discard: true
        }).pipe(Effect.provideService(UpstreamPatience, 600))
      )
      yield* TestClock.adjust("1 second")
      yield* lines.hold({ instanceId: "metered:one", connection: undefined }, 100)
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(run)
      const at = asked.map((request) => request.at)
      expect([at.length, at.filter((millis) => millis > 1_000 && millis < 101_000)]).toEqual([20, []])
      for (let n = 10; n < at.length; n++) expect(at[n]! - at[n - 10]!).toBeGreaterThanOrEqual(60_000)
      // The limit of the day has counted each of them once.
      yield* one.inspect(connection("a"))
      expect(asked).toHaveLength(21)
    }).pipe(Effect.provide(storage))
  )

  it.effect("are not sent while nobody can find out whether they may, and can be tried again", () =>
    Effect.gen(function* () {
      const { asked, wrapped } = metered({ limits: [perMinute(60)] })
      const one = yield* Effect.provideService(wrapped, UpstreamBudget, { take: away, held: away, hold: away })
      expect(yield* Effect.flip(eachCall(one).inspect(connection("a")))).toMatchObject({
        _tag: "ProviderUnavailable",
        retryAfter: 5
      })
      expect(asked).toHaveLength(0)
    })
  )
})

it.each([
  [-1_875_538, 60],
  [Number.NaN, 60],
  [0, 1],
  [0.2, 1],
  [17, 17],
  [1_767_607_200, 86_400],
  [Number.POSITIVE_INFINITY, 86_400]
])("a hint of %s seconds is taken for %s", (hint, seconds) => {
  // Decoded nowhere: a driver that reads a header badly says just this.
  const limited = Object.assign(rateLimited(1), { retryAfter: hint })
  expect(sensible(limited)).toMatchObject({ _tag: "RateLimited", scope: "client", retryAfter: seconds })
  const unready = Object.assign(new NotReady({ message: "Not yet", retryAfter: 1 }), { retryAfter: hint })
  expect(sensible(unready)).toMatchObject({ _tag: "NotReady", message: "Not yet", retryAfter: seconds })
})

it("an error without a wait stays as it is", () => {
  const error = new ProtocolViolation({ message: "Bad", path: "a" })
  expect(sensible(error)).toBe(error)
})
