/** Failures of every class, each mapped to the error that says what to do. */
import { expect } from "@effect/vitest"
import { isUsable, type ProviderError, type ProviderSession } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Breakage, breakages, type Incident } from "../upstream/Incident.ts"
import { refusal } from "./Refusal.ts"
import { asksNothing, type UpstreamCase } from "./UpstreamCase.ts"
import {
  type ConnectedWorld,
  connected,
  expectNoSecrets,
  lookAround,
  openSession,
  pastBounds,
  pulls
} from "./UpstreamUnderTest.ts"

type Tag = ProviderError["_tag"]

const away: ReadonlyArray<Tag> = ["ProviderUnavailable", "InstitutionUnavailable"]
const unreadable: ReadonlyArray<Tag> = [...away, "ProtocolViolation"]
const barred: ReadonlyArray<Tag> = ["ReauthRequired", "ConsentRequired", "ConnectionGone", "Misconfigured"]

/** Requests that an incident happens to, all of one call. */
const all = 1_000

type Call = readonly [name: string, ask: (session: ProviderSession) => Effect.Effect<unknown, ProviderError>]

const calls = Effect.fnUntraced(function* (world: ConnectedWorld) {
  const requests = yield* pulls(world, yield* openSession(world))
  const listed: ReadonlyArray<Call> = [
    ["inspect", ({ inspect }) => inspect],
    ["listAccounts", ({ listAccounts }) => listAccounts],
    ...requests.map((request): Call => [`pull ${request.dataType}`, ({ pull }) => pull(request)])
  ]
  return listed
})

/** Asks once while it happens to every request, in a session of its own. */
const struck = (world: ConnectedWorld, incident: Incident, ask: Call[1]) =>
  Effect.suspend(() => {
    world.fake.server.plan({ incident, times: all })
    return openSession(world).pipe(Effect.flatMap(ask), Effect.ensuring(Effect.sync(() => world.fake.server.calm())))
  })

const expectWait = (name: string, error: ProviderError): void => {
  if (!("retryAfter" in error) || error.retryAfter === undefined) return
  expect([name, Number.isFinite(error.retryAfter) && error.retryAfter >= 1 && error.retryAfter <= 86_400]).toEqual([
    name,
    true
  ])
}

/** Every call fails with one of these; health may say it instead. */
const mapped = (title: string, incident: Incident, tags: ReadonlyArray<Tag>): UpstreamCase => ({
  title: `${title} is one of ${tags.join(", ")}`,
  lacks: asksNothing,
  run: Effect.fnUntraced(function* (options) {
    const world = yield* connected(options)
    for (const [name, ask] of yield* calls(world)) {
      const asking = struck(world, incident, ask)
      const bounded = incident.kind === "halfOpen" || incident.kind === "slow" ? pastBounds(world, asking) : asking
      const exit = yield* Effect.exit(bounded)
      if (Exit.isSuccess(exit)) {
        const { status } = exit.value as { readonly status?: string }
        expect([name, name === "inspect" && status !== undefined && status !== "connected"]).toEqual([name, true])
        continue
      }
      const error = yield* refusal(Effect.failCause(exit.cause))
      expect([name, tags.includes(error._tag) ? "" : error._tag]).toEqual([name, ""])
      expectWait(name, error)
    }
    // It was nobody's fault but the answer's: the next run finds everything as it was.
    yield* lookAround(world)
    expectNoSecrets(world)
  })
})

/** A well-formed answer that says something else: no list may come of it. */
const lies = (title: string, body: unknown, isTrue: UpstreamCase["lacks"] = () => undefined): UpstreamCase => ({
  title: `${title} in place of an answer is an error, never an empty list`,
  lacks: (options) => asksNothing(options) ?? isTrue(options),
  run: Effect.fnUntraced(function* (options) {
    const world = yield* connected(options)
    for (const [name, ask] of yield* calls(world)) {
      if (name === "inspect") continue
      const exit = yield* Effect.exit(struck(world, { kind: "answer", status: 200, body }, ask))
      if (Exit.isSuccess(exit)) expect.fail(`${name} took ${JSON.stringify(body)} for an answer`)
      const error = yield* refusal(Effect.failCause(exit.cause))
      expect([name, error.message.trim() !== ""]).toEqual([name, true])
    }
    expectNoSecrets(world)
  })
})

const told: Readonly<Record<Breakage, { readonly health: ReadonlyArray<string>; readonly tags: ReadonlyArray<Tag> }>> =
  {
    reauth: {
      health: ["reauth_required", "consent_expired"],
      tags: ["ReauthRequired", "ConsentRequired"]
    },
    consentExpired: {
      health: ["consent_expired", "reauth_required", "disconnected"],
      tags: ["ConsentRequired", "ReauthRequired", "ConnectionGone"]
    },
    gone: {
      health: ["disconnected", "reauth_required", "consent_expired"],
      tags: ["ConnectionGone", "ReauthRequired", "ConsentRequired"]
    },
    institutionDown: { health: ["degraded"], tags: ["InstitutionUnavailable", "ProviderUnavailable"] }
  }

const broken = (how: Breakage): UpstreamCase => ({
  title: `a connection that is broken (${how}) is reported as such before anything is read, and is well again when it is mended`,
  lacks: ({ fake }) => (fake.breakages.includes(how) ? undefined : "the upstream has no such state"),
  run: Effect.fnUntraced(function* (options) {
    const world = yield* connected(options)
    const { ref } = world.connection()
    const requests = yield* calls(world)
    world.fake.break(ref, how)
    const exit = yield* Effect.exit(Effect.flatMap(openSession(world), ({ inspect }) => inspect))
    if (Exit.isSuccess(exit)) {
      const { errorCode, status } = exit.value
      expect(told[how].health).toContain(status)
      if (how !== "institutionDown") expect([isUsable(status), errorCode !== undefined]).toEqual([false, true])
    } else {
      expect(told[how].tags).toContain((yield* refusal(Effect.failCause(exit.cause)))._tag)
    }
    for (const [name, ask] of requests) {
      // Upstreams may serve what they have, or say what is wrong: typed, and not as something else.
      const read = yield* Effect.exit(Effect.flatMap(openSession(world), ask))
      if (Exit.isSuccess(read)) continue
      const error = yield* refusal(Effect.failCause(read.cause))
      expect([name, [...told[how].tags, "ProviderUnavailable"].includes(error._tag) ? "" : error._tag]).toEqual([
        name,
        ""
      ])
    }
    if (how === "gone") return expectNoSecrets(world)
    world.fake.mend(ref)
    expect(isUsable((yield* Effect.flatMap(openSession(world), ({ inspect }) => inspect)).status)).toBe(true)
    yield* lookAround(world)
    expectNoSecrets(world)
  })
})

/** Answers that say more than was agreed are read. */
const tolerated = (title: string, incident: Incident): UpstreamCase => ({
  title,
  lacks: asksNothing,
  run: Effect.fnUntraced(function* (options) {
    const world = yield* connected(options)
    for (const [name, ask] of yield* calls(world)) {
      const exit = yield* Effect.exit(struck(world, incident, ask))
      if (Exit.isFailure(exit)) {
        const error = yield* refusal(Effect.failCause(exit.cause))
        // Of health alone an unheard-of word may say that nothing is known.
        expect([name, name === "inspect" ? error._tag : ""]).toEqual([
          name,
          name === "inspect" ? "ProtocolViolation" : ""
        ])
      }
    }
    expectNoSecrets(world)
  })
})

export const failureCases: ReadonlyArray<UpstreamCase> = [
  mapped("a 401", { kind: "unauthorized" }, barred),
  mapped("a 403", { kind: "forbidden" }, [...barred, "Unsupported", "InstitutionUnavailable"]),
  mapped("a 429 for the client", { kind: "rateLimited", retryAfter: 30, scope: "client" }, ["RateLimited"]),
  mapped("a 429 for the connection", { kind: "rateLimited", retryAfter: 30, scope: "connection" }, ["RateLimited"]),
  mapped("a 429 for the endpoint", { kind: "rateLimited", retryAfter: 30, scope: "endpoint" }, ["RateLimited"]),
  mapped("a 429 that asks for a negative time", { kind: "rateLimited", retryAfter: -1_875_538 }, ["RateLimited"]),
  mapped("a 500", { kind: "serverError" }, away),
  mapped("a 503", { kind: "unavailable" }, away),
  mapped("an answer that begins and never ends", { kind: "halfOpen" }, unreadable),
  mapped("an answer that takes longer than it may", { kind: "slow", seconds: 600 }, unreadable),
  mapped("a connection that is cut", { kind: "dropped" }, unreadable),
  mapped("an answer that is cut", { kind: "truncated" }, unreadable),
  mapped("a page for people with status 200", { kind: "htmlPage" }, unreadable),
  mapped("a page for people with status 502", { kind: "htmlPage", status: 502 }, unreadable),
  mapped("text that is no JSON", { kind: "answer", status: 200, body: "OK" }, unreadable),
  mapped("an empty answer", { kind: "answer", status: 200, body: "" }, unreadable),
  lies("an empty object", {}),
  lies("an empty list", [], ({ answersLists }) =>
    answersLists ? "its upstream answers with lists, of which an empty one is true" : undefined
  ),
  lies("nothing", null),
  lies("a number", 42),
  tolerated("words of closed lists that nobody has heard of are read, or leave out a row", { kind: "unknownEnum" }),
  tolerated("fields that nobody has heard of are left out", { kind: "unknownFields" }),
  ...breakages.map(broken)
]
