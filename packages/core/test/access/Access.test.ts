import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { ActorRef } from "../../src/access/ActorRef.ts"
import { isSecret, keyPrefixOf } from "../../src/access/ApiKey.ts"
import { Authenticator } from "../../src/access/Authenticator.ts"
import { actorOf, holds, sees, userOf, type Principal } from "../../src/access/Principal.ts"
import { allScopes } from "../../src/access/Scope.ts"
import { maskNumber } from "../../src/bank/Account.ts"
import { Ids } from "../../src/shared/Ids.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { planNames, plans } from "../../src/workspace/Plan.ts"
import { atLeast, roles } from "../../src/workspace/Role.ts"
import { makeApiKey, makeUser, makeWorkspace } from "@millrace/testing/fixture"
import { WorkspaceStore } from "../../src/workspace/WorkspaceStore.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"

const services = Authenticator.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer, NodeDigest.layer, Ids.layer))
)

const owned = Effect.gen(function* () {
  const workspace = yield* makeWorkspace()
  const user = yield* makeUser()
  yield* (yield* WorkspaceStore).create(workspace, user)
  return { workspace, user }
})

describe("Authenticator", () => {
  it.effect("knows the key that it made, and shows nothing of its secret", () =>
    Effect.gen(function* () {
      const { user, workspace } = yield* owned
      const authenticator = yield* Authenticator
      const request = {
        workspaceId: workspace.id,
        createdBy: user.id,
        name: "n",
        scopes: ["banks:read"] as const,
        expiresAt: null
      }
      const { key, secret } = yield* authenticator.createKey(request)
      const text = Redacted.value(secret)
      expect([isSecret(text), key.keyPrefix, JSON.stringify(key).includes(text.slice(8))]).toEqual([
        true,
        keyPrefixOf(text),
        false
      ])
      expect(yield* authenticator.apiKey(secret)).toMatchObject({
        kind: "api_key",
        key: { id: key.id },
        workspace: { id: workspace.id }
      })
      const wrong = `${text.slice(0, -1)}${text.endsWith("a") ? "b" : "a"}`
      for (const one of ["", "mill_", wrong, text.toUpperCase(), `${text} `, "x".repeat(10_000)]) {
        expect(yield* Effect.flip(authenticator.apiKey(Redacted.make(one)))).toMatchObject({
          _tag: "CredentialInvalid"
        })
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("refuses a key from the instant on at which it expires", () =>
    Effect.gen(function* () {
      const { user, workspace } = yield* owned
      const authenticator = yield* Authenticator
      const expiresAt = Timestamp.fromMillis(60_000)
      const { secret } = yield* authenticator.createKey({
        workspaceId: workspace.id,
        createdBy: user.id,
        name: "n",
        scopes: [],
        expiresAt
      })
      yield* TestClock.setTime(59_999)
      expect((yield* authenticator.apiKey(secret)).kind).toBe("api_key")
      yield* TestClock.setTime(60_000)
      expect(yield* Effect.flip(authenticator.apiKey(secret))).toMatchObject({ _tag: "CredentialInvalid" })
    }).pipe(Effect.provide(services))
  )
})

const limit = (value: number | undefined) => value ?? Infinity

describe("scopes, roles and plans", () => {
  it("are 34 scopes, each of one resource and one verb", () => {
    expect(allScopes).toHaveLength(34)
    expect(allScopes.filter((scope) => !/^[a-z_]+:(read|write)$/.test(scope))).toEqual([])
  })

  it.effect("gives a key only the scopes it has, and a user what the role allows", () =>
    Effect.gen(function* () {
      const { user, workspace } = yield* owned
      const key = yield* makeApiKey(workspace, user, { scopes: ["banks:write"] })
      const byKey: Principal = { kind: "api_key", workspace, key }
      const byUser: Principal = { kind: "user", workspace, userId: user.id, email: user.email, role: "viewer" }
      const both = ["banks:read", "banks:write"] as const
      expect([
        holds(byKey, { anyOf: ["banks:read"] }),
        holds(byKey, { anyOf: both }),
        holds(byKey, { allOf: both }),
        holds(byKey, { allOf: [] })
      ]).toEqual([false, true, false, true])
      expect([holds(byUser, { anyOf: ["banks:read"] }), holds(byUser, { anyOf: ["tables:write"] })]).toEqual([
        true,
        false
      ])
    }).pipe(Effect.provide(services))
  )

  it.effect("gives an app what both its scopes and the role of its user allow", () =>
    Effect.gen(function* () {
      const { user, workspace } = yield* owned
      const app: Extract<Principal, { kind: "oauth_app" }> = {
        kind: "oauth_app",
        workspace,
        app: { clientId: "app_1", name: "Planner", firstParty: false },
        userId: user.id,
        role: "editor",
        scopes: ["tables:read", "tables:write", "banks:write"]
      }
      expect(
        (["tables:read", "tables:write", "feeds:read", "banks:write"] as const).map((scope) =>
          holds(app, { anyOf: [scope] })
        )
      ).toEqual([true, true, false, false])
      expect(holds({ ...app, role: "viewer" }, { anyOf: ["tables:write"] })).toBe(false)
      expect(holds({ ...app, role: "admin" }, { anyOf: ["banks:write"] })).toBe(true)
      expect(actorOf(app)).toEqual({ kind: "api", clientId: "app_1" })
      expect(userOf(app)).toBe(user.id)
      const mine = { kind: "api", clientId: "app_1" } as const
      const others: ReadonlyArray<ActorRef> = [
        { kind: "api", clientId: "app_2" },
        { kind: "user", userId: "app_1" },
        { kind: "sync", feedId: "app_1" }
      ]
      expect([mine, ...others].map((createdBy) => sees(app, createdBy))).toEqual([true, false, false, false])
      const trusted = { ...app, app: { ...app.app, firstParty: true } }
      expect(others.every((createdBy) => sees(trusted, createdBy))).toBe(true)
    }).pipe(Effect.provide(services))
  )

  it("orders roles from weak to strong", () => {
    for (const [a, role] of roles.entries()) {
      for (const [b, needed] of roles.entries()) expect(atLeast(role, needed)).toBe(a >= b)
    }
  })

  it("gives a bigger plan nothing less", () => {
    for (let i = 1; i < planNames.length; i++) {
      const [less, more] = [plans[planNames[i - 1]!], plans[planNames[i]!]]
      for (const key of ["banks", "feeds", "historyDays", "members", "portals", "rows", "requestsPerMinute"] as const) {
        expect(limit(more[key])).toBeGreaterThanOrEqual(limit(less[key]))
      }
    }
  })
})

describe("ActorRef", () => {
  const read = Schema.decodeUnknownResult(ActorRef)
  const user = { kind: "user", userId: "u" }
  const automation = {
    kind: "automation",
    automationId: "a",
    revision: 1,
    grantId: "g",
    runId: "r",
    node: "n",
    startedBy: user,
    depth: 1
  }

  it.each([
    user,
    { kind: "sync", feedId: "f" },
    {
      kind: "sync",
      feedId: "f",
      jobId: "j",
      cause: { automationId: "a", runId: "r", depth: 2, untrustedSender: true }
    },
    { kind: "extractor", feedId: "f" },
    { kind: "import", importId: "i", userId: "u" },
    { kind: "api", clientId: "c" },
    { kind: "system", reason: "schedule" },
    automation,
    { ...automation, startedBy: automation, depth: 2 }
  ])("reads %j", (actor) => {
    expect(Result.getOrThrow(read(actor, { onExcessProperty: "error" }))).toEqual(actor)
  })

  it.each([
    { ...user, name: "Desk" },
    { kind: "user", userId: "" },
    { kind: "robot" },
    { kind: "sync", feedId: "f", untrustedSender: true },
    { ...automation, depth: 0 },
    { ...automation, startedBy: { ...user, extra: 1 } },
    { ...automation, untrustedSender: false },
    null
  ])("refuses %j", (actor) => {
    expect(Result.isFailure(read(actor, { onExcessProperty: "error" }))).toBe(true)
  })
})

describe("maskNumber", () => {
  it.each([
    ["CH93 0076 2011 6238 5295 7", "whole", "****2957"],
    ["12345678", "masked", "****5678"],
    ["6789", "masked", "****6789"],
    ["6789", "whole", "****89"],
    ["123", "whole", "****3"],
    ["1", "whole", "****"],
    ["", "whole", "****"],
    ["**-*", "masked", "****"]
  ] as const)("shows of %j (%s) only %j", (number, known, masked) => {
    expect(maskNumber(number, known)).toBe(masked)
  })
})
