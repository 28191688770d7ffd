/** Secrets of connections that change while they are read: kept before they are used, and used by everybody from then on. */
import { expect } from "@effect/vitest"
import { ProviderUnavailable } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/testing/TestClock"
import { Seeded } from "../model/Seeded.ts"
import { move } from "../upstream/LedgerMoves.ts"
import type { UpstreamCase } from "./UpstreamCase.ts"
import { stored } from "./UpstreamKernel.ts"
import { differences } from "./UpstreamStoryCases.ts"
import { connected, expectNoSecrets, lookAround, openSession, type UpstreamFacts } from "./UpstreamUnderTest.ts"

const givesSecretsOnce = ({ fake }: UpstreamFacts): string | undefined =>
  fake.rotation === undefined ? "its upstream gives secrets once and for all" : undefined

export const rotationCases: ReadonlyArray<UpstreamCase> = [
  {
    title: "secrets that rotate are kept before anything is read with them",
    lacks: givesSecretsOnce,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { ref } = world.connection()
      const { expire, newest } = world.fake.rotation!
      yield* lookAround(world)
      expire(ref)
      const unkept = new ProviderUnavailable({ message: "nobody can keep them" })
      const tried = yield* Effect.exit(
        Effect.flatMap(openSession(world, { keep: () => Effect.fail(unkept) }), ({ inspect }) => inspect)
      )
      expect(Exit.isFailure(tried)).toBe(true)
      const [asked, given] = [world.fake.server.requests.length, newest(ref)]
      expect(Object.values(world.connection().secrets)).not.toContain(given)
      // The upstream cannot know that they were lost: those before are good until the new ones are used.
      yield* lookAround(world)
      expect(world.fake.server.requests.length).toBeGreaterThan(asked)
      expect(newest(ref)).not.toBe(given)
      expect(Object.values(world.connection().secrets)).toContain(newest(ref))
      expectNoSecrets(world)
    })
  },
  {
    title: "secrets that rotate while it reads are used from then on by everybody",
    lacks: givesSecretsOnce,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const reader = yield* stored(world)
      const { expire, newest } = world.fake.rotation!
      const { ref } = world.connection()
      const seen = new Set<string>()
      for (let round = 0; round < 4; round++) {
        const { ledger } = world.upstream
        move(ledger, new Seeded(round), { account: ledger.listed[0]!.key, kinds: [["posted", 1]] })
        yield* TestClock.adjust("1 hour")
        expire(ref)
        // A run, then callers who wait for an answer.
        expect(yield* reader.sync).toEqual([])
        expect(Object.values(yield* reader.secrets)).toContain(newest(ref))
        expire(ref)
        expect(yield* reader.look).toEqual([])
        expect(Object.values(yield* reader.secrets)).toContain(newest(ref))
        seen.add(newest(ref))
      }
      expect(seen.size).toBe(4)
      expect(yield* differences(world, reader)).toEqual([])
      expectNoSecrets(world, yield* reader.shown)
    })
  }
]
