/** Connecting: what a driver is given, what it keeps, and what it refuses. */
import { expect } from "@effect/vitest"
import { Timestamp } from "@millrace/core"
import { type Connection, isUsable, stepOfFlow } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type RefusedPayload, refusedPayloads } from "../upstream/FakeUpstream.ts"
import { refusal } from "./Refusal.ts"
import type { UpstreamCase } from "./UpstreamCase.ts"
import {
  arrange,
  begin,
  complete,
  connect,
  connected,
  expectNoSecrets,
  lookAround,
  openSession,
  signedIn,
  subjectOf,
  upstreamOf
} from "./UpstreamUnderTest.ts"

const isPasted = (facts: { readonly fake: { readonly paste?: unknown } }): string | undefined =>
  facts.fake.paste === undefined ? undefined : "it is connected by what a person pastes, without a step upstream"

const refused = (how: RefusedPayload): UpstreamCase => ({
  title: `refuses a payload that is ${how}`,
  run: Effect.fnUntraced(function* (options) {
    const world = yield* arrange(options)
    const kept: Record<string, string> = {}
    const step = world.fake.paste === undefined ? yield* begin(world, kept) : undefined
    const payload = world.fake.refused(step, how)
    // The upstream has no such payload: whatever is foreign to it is unknown as well.
    if (payload === undefined) return
    const before = world.fake.connections.length
    const error = yield* refusal(complete(world, payload, kept))
    expect(["InvalidConnectPayload", "ConnectionGone", "UserCancelled"]).toContain(error._tag)
    expect(error._tag).not.toBe("ProtocolViolation")
    expect(world.fake.connections.length - before).toBeLessThanOrEqual(how === "foreign" ? 1 : 0)
    expectNoSecrets(world)
  })
})

export const connectCases: ReadonlyArray<UpstreamCase> = [
  {
    title: "begins with the step of its flow, which nothing is missing from and which ends later than now",
    lacks: isPasted,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* arrange(options)
      const step = yield* begin(world, {})
      expect(step.kind === "popup" || step.kind === stepOfFlow[world.driver.capabilities.connectFlow]).toBe(true)
      expect(step.expiresAt > (yield* Timestamp.now)).toBe(true)
      for (const [key, value] of Object.entries(step)) expect([key, String(value).trim()]).not.toEqual([key, ""])
      expectNoSecrets(world)
    })
  },
  {
    title: "keeps what the upstream made for the workspace: a second beginning uses it again",
    lacks: isPasted,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* arrange(options)
      yield* begin(world, {})
      const first = subjectOf(world).secrets
      yield* begin(world, {})
      for (const [name, value] of Object.entries(first)) {
        // Tokens that run out may be made again; what the upstream gives once must be the same.
        if (/secret|customer|user|profile/iu.test(name)) expect(subjectOf(world).secrets[name]).toBe(value)
      }
      yield* connect(world)
    })
  },
  {
    title: "knows a person only by our reference: nothing of them is sent where it need not be",
    lacks: isPasted,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      yield* lookAround(world)
      const { ref } = subjectOf(world)
      expect(ref).not.toContain("@")
      for (const { path, rawQuery } of world.fake.server.requests) {
        const asked = decodeURIComponent(`${path}?${rawQuery}`)
        if (options.namesPeople !== true) expect(asked).not.toContain("person@example.com")
      }
    })
  },
  {
    title: "completes into the connection that the upstream has made, and it is well",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { institution, connection } = world.completed
      expect(connection.ref.trim()).not.toBe("")
      expect(institution.name.trim()).not.toBe("")
      expect(upstreamOf(world.fake, connection.ref).isRevoked).toBe(false)
      const session = yield* openSession(world)
      expect(isUsable((yield* session.inspect).status)).toBe(true)
      expect((yield* session.listAccounts).length).toBe(world.upstream.ledger.listed.length)
      expectNoSecrets(world)
    })
  },
  {
    title: "completes twice with the same connection, or refuses the second time: never with another one",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* arrange(options)
      const kept: Record<string, string> = {}
      const payload = yield* signedIn(world, kept)
      const first = yield* complete(world, payload, kept)
      const exit = yield* Effect.exit(complete(world, payload, kept))
      if (Exit.isSuccess(exit)) expect(exit.value.connection.ref).toBe(first.connection.ref)
      else expect((yield* refusal(Effect.failCause(exit.cause)))._tag).toBe("InvalidConnectPayload")
      expect(new Set(world.fake.connections.map(({ ref }) => ref)).size).toBe(1)
      expectNoSecrets(world)
    })
  },
  ...refusedPayloads.map(refused),
  {
    title: "two people are two connections, whose accounts are distinguished",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* arrange(options)
      const ada = yield* connect(world, { ...options.who, person: "ada" })
      const bob = yield* connect(world, { ...options.who, person: "bob" })
      expect(ada.connection().ref).not.toBe(bob.connection().ref)
      const ids = Effect.fnUntraced(function* (of: typeof ada) {
        const accounts = yield* (yield* openSession(of)).listAccounts
        return accounts.map(({ providerAccountId }) => providerAccountId)
      })
      const [hers, his] = [yield* ids(ada), yield* ids(bob)]
      expect(hers.filter((id) => his.includes(id))).toEqual([])
    })
  },
  {
    title: "a connection that is mended by a sign-in keeps its ids, where it says so",
    lacks: ({ capabilities, fake }) =>
      !fake.breakages.includes("reauth")
        ? "the upstream has no state that a person mends"
        : capabilities.reconnectKeepsIds
          ? undefined
          : "its capabilities say that ids change",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { ref } = world.connection()
      const before = yield* (yield* openSession(world)).listAccounts
      world.fake.break(ref, "reauth")
      const kept: Record<string, string> = {}
      const mended =
        world.fake.paste === undefined
          ? world.fake.repair(yield* begin(world, kept, world.connection()), ref)
          : world.fake.repair({ kind: "popup", url: "", expiresAt: yield* Timestamp.now }, ref)
      const again = yield* complete(world, mended, kept, world.connection())
      expect(again.connection.ref).toBe(ref)
      world.newest.set(ref, again.connection)
      const session = yield* openSession(world)
      expect(isUsable((yield* session.inspect).status)).toBe(true)
      const ids = (accounts: typeof before) => accounts.map(({ providerAccountId }) => providerAccountId).toSorted()
      expect(ids(yield* session.listAccounts)).toEqual(ids(before))
      expectNoSecrets(world)
    })
  },
  {
    title: "an account that comes back under another id is known by its strongest key",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* arrange(options)
      const first = yield* connect(world)
      const keysOf = Effect.fnUntraced(function* (of: typeof first) {
        const accounts = yield* (yield* openSession(of)).listAccounts
        return accounts.map(({ stableKeys }) => stableKeys)
      })
      const before = yield* keysOf(first)
      // The same person connects the same bank again.
      const after = yield* keysOf(yield* connect(world))
      for (const keys of before) {
        if (keys.length === 0) continue
        expect(after.some((others) => others.some((key) => keys.includes(key)))).toBe(true)
      }
    })
  },
  {
    title: "takes a connection back as often as it is asked to, and one that the upstream does not know",
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { removal } = world.driver.capabilities
      const expected = removal === "async" ? ["done", "pending"] : ["done"]
      for (let n = 0; n < 2; n++) {
        expect(expected).toContain(yield* Effect.flatMap(openSession(world), ({ revoke }) => revoke))
      }
      if (removal !== "local" && world.fake.isOffline !== true)
        expect(upstreamOf(world.fake, world.connection().ref).isRevoked).toBe(true)
      expectNoSecrets(world)
    })
  },
  {
    title: "an answer that is lost while it connects leaves no connection upstream that nobody knows",
    run: Effect.fnUntraced(function* (options) {
      const known = new Set<string>()
      for (let at = 1, more = true; more; at++) {
        const world = yield* arrange(options)
        let n = 0
        let exchange = false
        world.fake.server.plan({ incident: { kind: "lost" }, only: () => ++n === at })
        const attempt = (kept: Record<string, string>) =>
          Effect.gen(function* () {
            const payload = yield* signedIn(world, kept)
            exchange = true
            // What failed is asked again with the same payload, as the kernel does.
            const exit = yield* Effect.exit(complete(world, payload, kept))
            return Exit.isSuccess(exit) ? exit.value : yield* complete(world, payload, kept)
          })
        const kept: Record<string, string> = {}
        const first = yield* Effect.exit(attempt(kept))
        more = n >= at
        const isLostExchange = Exit.isFailure(first) && exchange && options.exchangesOnce === true
        const connection: Connection = Exit.isSuccess(first)
          ? first.value.connection
          : (yield* attempt(kept)).connection
        known.add(connection.ref)
        const unknown = world.fake.connections.filter(({ isRevoked, ref }) => !isRevoked && ref !== connection.ref)
        expect([at, unknown.length]).toEqual([at, isLostExchange ? Math.min(1, unknown.length) : 0])
        expectNoSecrets(world)
      }
      expect(known.size).toBeGreaterThan(0)
    })
  }
]
