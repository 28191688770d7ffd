/** Sessions that the server issues itself: whose they are, where they reach, and what ends them. */
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { storeWorkspace } from "@millrace/testing/fixture"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { OwnSessions } from "../../src/access/OwnSessions.ts"
import { Ids } from "../../src/shared/Ids.ts"

const keys = ["now", "before", "never"].map((text) => Redacted.make(`a key of these tests alone: ${text}`))
const [current, former, foreign] = keys as [Redacted.Redacted, Redacted.Redacted, Redacted.Redacted]
const stores = Layer.mergeAll(MemoryStorage.layer, NodeDigest.layer, Ids.layer)
const using = (key: Redacted.Redacted, ...previous: ReadonlyArray<Redacted.Redacted>) =>
  Layer.build(OwnSessions.layer(key, ...previous))

const arrive = (token: Redacted.Redacted, id?: string, anyWorkspace = false) =>
  Effect.flatMap(using(current, former), (made) =>
    OwnSessions.use((sessions) => sessions.authenticate(token, id, anyWorkspace)).pipe(Effect.provide(made))
  )

const opened = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-20T10:00:00Z"))
  const workspace = yield* storeWorkspace()
  const portal = yield* storeWorkspace({ parentWorkspaceId: workspace.id })
  const other = yield* storeWorkspace()
  const userId = yield* (yield* Ids).next("user")
  const issue = (key: Redacted.Redacted) =>
    Effect.flatMap(using(key), (made) =>
      OwnSessions.use((sessions) =>
        sessions.issue({ userId, email: "owner@localhost", workspaceId: workspace.id })
      ).pipe(Effect.provide(made))
    )
  return { workspace, portal, other, userId, issue }
})

it.effect("is its owner in the own workspace, an admin in its portals, and nobody elsewhere", () =>
  Effect.gen(function* () {
    const { issue, other, portal, userId, workspace } = yield* opened
    const { expiresAt, token } = yield* issue(current)
    expect(expiresAt).toBe("2026-11-20T22:00:00.000Z")
    const { decision, principal } = yield* arrive(token, workspace.id)
    expect(decision).toMatchObject({ admitted: true, limit: 600 })
    expect(principal).toEqual({ kind: "user", userId, email: "owner@localhost", role: "owner", workspace })
    expect((yield* arrive(token, portal.id)).principal).toMatchObject({ role: "admin", workspace: portal })
    for (const id of [other.id, "ws_nothing", "x", `${workspace.id}x`]) {
      expect(yield* Effect.flip(arrive(token, id))).toMatchObject({
        _tag: "Forbidden",
        code: "WORKSPACE_ACCESS_DENIED"
      })
    }
    expect(yield* Effect.flip(arrive(token))).toMatchObject({ code: "WORKSPACE_HEADER_REQUIRED" })
    expect((yield* arrive(token, undefined, true)).principal).toEqual({
      ...principal,
      workspaces: [
        { workspace, role: "owner" },
        { workspace: portal, role: "admin" }
      ]
    })
  }).pipe(Effect.scoped, Effect.provide(stores))
)

it.effect("ends with its time and with the key that signed it, and cannot be written by anybody else", () =>
  Effect.gen(function* () {
    const { issue, other, workspace } = yield* opened
    const refused = (token: string) =>
      Effect.map(Effect.flip(arrive(Redacted.make(token), workspace.id)), ({ _tag }) =>
        expect(_tag).toBe("CredentialInvalid")
      )
    const good = Redacted.value((yield* issue(current)).token)
    const [body = "", signature = ""] = good.slice("mses_".length).split(".")
    const forged = btoa(
      atob(body.replaceAll("-", "+").replaceAll("_", "/")).replace(workspace.id, other.id)
    ).replaceAll("=", "")
    const others = ["", "mses_", "mses_.", `mses_${body}`, `mses_${body}.`, `${good}x`, `${good}.x`, good.slice(5)]
    for (const token of [
      ...others,
      `mses_${forged}.${signature}`,
      `mill_${"a".repeat(44)}`,
      `mses_${"a".repeat(2_000)}.a`
    ]) {
      yield* refused(token)
    }
    yield* refused(Redacted.value((yield* issue(foreign)).token))
    const earlier = (yield* issue(former)).token
    expect((yield* arrive(earlier, workspace.id)).principal.workspace).toEqual(workspace)
    yield* TestClock.adjust("12 hours")
    yield* refused(good)
  }).pipe(Effect.scoped, Effect.provide(stores))
)
