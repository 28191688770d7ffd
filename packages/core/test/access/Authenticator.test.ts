import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { ApiKeyStore } from "../../src/access/ApiKeyStore.ts"
import { Authenticator } from "../../src/access/Authenticator.ts"
import type { ApiKey } from "../../src/access/ApiKey.ts"
import { KeyLookup } from "../../src/access/KeyLookup.ts"
import { RateLimiter } from "../../src/rate/RateLimiter.ts"
import { Digest } from "../../src/shared/Digest.ts"
import { Ids } from "../../src/shared/Ids.ts"
import type { Timestamp } from "../../src/shared/Timestamp.ts"
import type { Workspace, WorkspaceId } from "../../src/workspace/Workspace.ts"
import { WorkspaceStore } from "../../src/workspace/WorkspaceStore.ts"

const workspace = { id: "ws_a" as WorkspaceId, plan: "enterprise" } as Workspace
const keyOf = (): ApiKey => ({
  id: "key_a" as ApiKey["id"],
  workspaceId: workspace.id,
  keyPrefix: "mill_000",
  name: "key",
  scopes: [],
  expiresAt: null,
  createdAt: "2026-01-01T00:00:00.000Z" as Timestamp,
  createdBy: "usr_a" as ApiKey["createdBy"],
  revokedAt: null
})
const secretOf = (n: number) => `mill_${String(n).padStart(44, "0")}`

/** Keys by hash, where the hash is the secret itself; look-ups wait for `gate` where it is given. */
const setUp = (gate?: Deferred.Deferred<void>) => {
  const keys = new Map<string, ApiKey>()
  const seen = { lookups: 0, atOnce: 0, most: 0 }
  const store = WorkspaceStore.of({
    create: () => Effect.void,
    update: () => Effect.succeed(false),
    get: () => Effect.succeedSome(workspace),
    portals: () => Effect.succeed([]),
    all: Effect.succeed([workspace])
  })
  const keyStore = ApiKeyStore.of({
    insert: () => Effect.void,
    list: () => Effect.succeed([]),
    byHash: (hash) =>
      Effect.suspend(() => {
        seen.lookups++
        seen.atOnce++
        seen.most = Math.max(seen.most, seen.atOnce)
        return (gate === undefined || keys.has(hash) ? Effect.void : Deferred.await(gate)).pipe(
          Effect.map(() => Option.fromNullishOr(keys.get(hash))),
          Effect.ensuring(Effect.sync(() => seen.atOnce--))
        )
      })
  })
  const digest = Digest.of({ sha256: (text: string) => text, randomText: () => "" } as unknown as Digest["Service"])
  const counted: Array<readonly [string, number]> = []
  const limiter = RateLimiter.of({
    arrive: (key, limit) =>
      Effect.sync(() => {
        counted.push([key, limit])
        return { admitted: true, limit, retryAfter: 0 }
      })
  })
  const layer = Authenticator.layer.pipe(
    Layer.provide(KeyLookup.layer),
    Layer.provide([
      Layer.succeed(RateLimiter, limiter),
      Layer.succeed(WorkspaceStore, store),
      Layer.succeed(ApiKeyStore, keyStore),
      Layer.succeed(Digest, digest),
      Ids.layer
    ])
  )
  return { keys, seen, counted, layer }
}

const arrive = Effect.fnUntraced(function* (n: number) {
  const authenticator = yield* Authenticator
  return yield* Effect.option(authenticator.authenticate(Redacted.make(secretOf(n)), 42))
})

const ask = Effect.fnUntraced(function* (n: number) {
  const authenticator = yield* Authenticator
  return yield* Effect.isSuccess(authenticator.apiKey(Redacted.make(secretOf(n))))
})

describe("the authenticator", () => {
  it.effect("looks a key that nobody has up once in a few seconds", () => {
    const { keys, layer, seen } = setUp()
    return Effect.gen(function* () {
      for (const _ of Array.from({ length: 100 })) expect(yield* ask(1)).toBe(false)
      expect(seen.lookups).toBe(1)
      keys.set(secretOf(1), keyOf())
      yield* TestClock.adjust("5 seconds")
      expect(yield* ask(1)).toBe(true)
    }).pipe(Effect.provide(layer))
  })

  it.effect("looks a key that is valid up each time, so that revoking it takes effect at once", () => {
    const { keys, layer } = setUp()
    return Effect.gen(function* () {
      keys.set(secretOf(1), keyOf())
      expect(yield* ask(1)).toBe(true)
      keys.set(secretOf(1), { ...keyOf(), revokedAt: "2026-01-01T00:00:00.000Z" as Timestamp })
      expect(yield* ask(1)).toBe(false)
    }).pipe(Effect.provide(layer))
  })

  it.effect("counts a request under the workspace of its key, by the rate of its plan", () => {
    const { counted, keys, layer } = setUp()
    return Effect.gen(function* () {
      keys.set(secretOf(1), keyOf())
      const { decision, principal } = Option.getOrThrow(yield* arrive(1))
      expect([decision, principal]).toEqual([
        { admitted: true, limit: 42, retryAfter: 0 },
        { kind: "api_key", workspace, key: keyOf() }
      ])
      expect(counted).toEqual([[workspace.id, 42]])
    }).pipe(Effect.provide(layer))
  })

  it.effect("refuses a revoked or expired key with its next request, and counts it nowhere", () => {
    const { counted, keys, layer } = setUp()
    return Effect.gen(function* () {
      keys.set(secretOf(1), keyOf())
      keys.set(secretOf(2), keyOf())
      expect(Option.isSome(yield* arrive(1)) && Option.isSome(yield* arrive(2))).toBe(true)
      keys.set(secretOf(1), { ...keyOf(), revokedAt: "1970-01-01T00:00:00.000Z" as Timestamp })
      keys.set(secretOf(2), { ...keyOf(), expiresAt: "1970-01-01T00:00:00.000Z" as Timestamp })
      expect([yield* arrive(1), yield* arrive(2)]).toEqual([Option.none(), Option.none()])
      expect(counted.length).toBe(2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("looks a few unknown keys up at once, and known ones beside them", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { keys, layer, seen } = setUp(gate)
      keys.set(secretOf(0), keyOf())
      yield* Effect.gen(function* () {
        expect(yield* ask(0)).toBe(true)
        const flood = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 1_000 }, (_, n) => n + 1),
            ask,
            { concurrency: "unbounded" }
          )
        )
        yield* Effect.yieldNow
        expect(yield* ask(0)).toBe(true)
        yield* Deferred.succeed(gate, undefined)
        expect((yield* Fiber.join(flood)).some(Boolean)).toBe(false)
        expect(seen.most).toBeLessThanOrEqual(5)
        expect(seen.lookups).toBe(1_002)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("remembers a bounded number of unknown keys, the newest", () => {
    const { layer, seen } = setUp()
    return Effect.gen(function* () {
      yield* Effect.forEach(
        Array.from({ length: 10_001 }, (_, n) => n),
        ask,
        { discard: true }
      )
      expect(yield* ask(10_000)).toBe(false)
      expect(seen.lookups).toBe(10_001)
      expect(yield* ask(0)).toBe(false)
      expect(seen.lookups).toBe(10_002)
    }).pipe(Effect.provide(layer))
  })
})
