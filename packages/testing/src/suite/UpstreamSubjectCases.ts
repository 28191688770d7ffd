/** The customer that connections belong to at an upstream: taken back whole, once nothing needs them. */
import { expect } from "@effect/vitest"
import { isUsable, ProviderUnavailable } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { beginOf, keptIn } from "../provider/DriverCalls.ts"
import type { UpstreamCase } from "./UpstreamCase.ts"
import {
  arrange,
  begin,
  connect,
  connected,
  expectNoSecrets,
  openSession,
  subjectOf,
  type UpstreamFacts,
  upstreamOf,
  type UpstreamWorld
} from "./UpstreamUnderTest.ts"

const keepsNobody = ({ fake }: UpstreamFacts): string | undefined =>
  fake.subjects === undefined ? "its upstream keeps nobody that connections belong to" : undefined

/** Asks as the kernel does, until the upstream has confirmed it. */
const removed = Effect.fnUntraced(function* (world: UpstreamWorld, subject = subjectOf(world)) {
  for (let tries = 0; tries < 5; tries++) {
    if ((yield* world.driver.removeSubject!(subject)) === "done") return
    yield* TestClock.adjust("60 seconds")
  }
  expect.fail("the upstream never confirmed it")
})

/** Whom the upstream has made for the subject. */
const made = ({ fake, subjectRef }: UpstreamWorld) => fake.subjects!().filter(({ ref }) => ref.includes(subjectRef))

/** Another workspace at the same upstream. */
const another = (world: UpstreamWorld): UpstreamWorld => ({
  ...world,
  subjectRef: "ws_11111111111111111111111111",
  subjectSecrets: {}
})

const expectGone = (world: UpstreamWorld): void => {
  expect(made(world).length).toBeGreaterThan(0)
  expect(made(world).filter(({ isRemoved }) => !isRemoved)).toEqual([])
  expectNoSecrets(world)
}

export const subjectCases: ReadonlyArray<UpstreamCase> = [
  {
    title: "takes back the customer that connections belong to where its upstream keeps anybody, and nowhere else",
    run: Effect.fnUntraced(function* (options) {
      const { driver, fake } = yield* arrange(options)
      expect(driver.removeSubject !== undefined).toBe(fake.subjects !== undefined)
    })
  },
  {
    title: "takes them back with every connection, as often as it is asked to",
    lacks: keepsNobody,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      expect(made(world).map(({ isRemoved }) => isRemoved)).toEqual([false])
      yield* removed(world)
      expectGone(world)
      expect(upstreamOf(world.fake, world.connection().ref).isRevoked).toBe(true)
      expect(isUsable((yield* (yield* openSession(world)).inspect).status)).toBe(false)
      expect(yield* world.driver.removeSubject!(subjectOf(world))).toBe("done")
      expectNoSecrets(world)
    })
  },
  {
    title: "leaves the customer of another workspace alone",
    lacks: keepsNobody,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const other = yield* connect(another(world), { ...options.who, person: "bob" })
      yield* removed(world)
      expectGone(world)
      expect(made(other).map(({ isRemoved }) => isRemoved)).toEqual([false])
      expect(other.upstream.isRevoked).toBe(false)
      expect(isUsable((yield* (yield* openSession(other)).inspect).status)).toBe(true)
    })
  },
  {
    title: "takes back whom the upstream made though nobody could keep its answer, and counts an unknown one as gone",
    lacks: keepsNobody,
    run: Effect.fnUntraced(function* (options) {
      const { driver } = yield* arrange(options)
      expect(yield* driver.removeSubject!({ ref: "ws_22222222222222222222222222", secrets: {} })).toBe("done")
      // The process dies at each time that something is to be kept.
      for (let at = 1; ; at++) {
        const world = yield* arrange(options)
        let kept = 0
        const keepSubject = (secrets: Readonly<Record<string, string>>) =>
          Effect.suspend(() =>
            ++kept === at
              ? Effect.fail(new ProviderUnavailable({ message: "nobody can keep them" }))
              : keptIn(world.subjectSecrets)(secrets)
          )
        const exit = yield* Effect.exit(
          world.driver.beginConnect(
            beginOf({ subject: subjectOf(world), options: { ...options.options }, keepSubject })
          )
        )
        yield* removed(world)
        expect(made(world).filter(({ isRemoved }) => !isRemoved)).toEqual([])
        if (Exit.isSuccess(exit)) return expectGone(world)
      }
    })
  },
  {
    title: "an answer that is lost while it takes them back loses nobody: it is asked again",
    lacks: keepsNobody,
    run: Effect.fnUntraced(function* (options) {
      for (let at = 1, more = true; more; at++) {
        const world = yield* connected(options)
        let n = 0
        world.fake.server.plan({ incident: { kind: "lost" }, only: () => ++n === at })
        yield* Effect.exit(removed(world))
        more = n >= at
        n = at
        yield* removed(world)
        expectGone(world)
      }
    })
  },
  {
    title: "a subject that the upstream has lost is made again, for a new connection and for one that was lost with it",
    lacks: keepsNobody,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { ref, secrets } = world.connection()
      // The upstream loses it, and nobody tells us: its secrets stay as they were.
      yield* removed(world)
      const mended = yield* Effect.result(begin(world, {}, { ref, secrets }))
      if (Result.isFailure(mended)) expect(mended.failure._tag).toBe("ConnectionGone")
      const again = yield* connect(world)
      expect(made(again).some(({ isRemoved }) => !isRemoved)).toBe(true)
      expect(again.upstream.isRevoked).toBe(false)
      expect(isUsable((yield* (yield* openSession(again)).inspect).status)).toBe(true)
    })
  },
  {
    title: "anyone who connects after that is somebody new there",
    lacks: keepsNobody,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      yield* removed(world)
      const again = yield* connect(another(world))
      expect(made(again).map(({ isRemoved }) => isRemoved)).toEqual([false])
      expect(again.connection().ref).not.toBe(world.connection().ref)
      expect(isUsable((yield* (yield* openSession(again)).inspect).status)).toBe(true)
    })
  }
]
