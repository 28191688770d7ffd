/** Conformance of `OutboxStore`. */
import { Ids, limits } from "@millrace/core"
import { OutboxStore, Transactor } from "@millrace/core/storage"
import { acrossTenants } from "@millrace/core/workspace"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeMessage } from "../fixture/Message.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, type StorageTests } from "./StorageTests.ts"

const day = 86_400

const place = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const enrichmentId = yield* (yield* Ids).next("enrichment")
  const store = yield* OutboxStore
  const make = (id: string, change?: Parameters<typeof makeMessage>[3]) =>
    makeMessage(workspace.id, enrichmentId, `${workspace.id} ${id}`, change)
  const stateOf = (id: string) => Effect.map(store.get(workspace.id, `${workspace.id} ${id}`), (found) => found?.state)
  return {
    id: (name: string) => `${workspace.id} ${name}`,
    workspaceId: workspace.id,
    enrichmentId,
    make,
    stateOf,
    store
  }
})

export const tests: StorageTests = (it) => {
  it.effect("adds a message once, and shows it as it was added", () =>
    Effect.gen(function* () {
      const { id, make, store, workspaceId } = yield* place
      const message = make("a", {
        content: { ...make("a").content, title: difficultTexts.join(" "), data: { texts: difficultTexts } },
        endpoint: { channel: "webhook", to: "https://example.com/hook", secret: "whsec_x" }
      })
      expect(yield* store.insert([message, make("b")])).toEqual(new Set([id("a"), id("b")]))
      expect(yield* store.insert([make("a"), make("c")])).toEqual(new Set([id("c")]))
      const { createdAt, ...kept } = (yield* store.get(workspaceId, id("a")))!
      expect(kept).toEqual(message)
      expect(createdAt).toMatch(/Z$/)
      expect((yield* store.list(workspaceId, { limit: 2 })).map((one) => one.id)).toEqual([id("c"), id("b")])
      expect(yield* store.insert([])).toEqual(new Set())
    })
  )

  it.effect("is there with the transaction that added it, and not without", () =>
    Effect.gen(function* () {
      const { id, make, store, workspaceId } = yield* place
      const { atomically } = yield* Transactor
      yield* Effect.exit(atomically(Effect.andThen(store.insert([make("a")]), Effect.fail("broken"))))
      expect(yield* store.get(workspaceId, id("a"))).toBeUndefined()
      expect(yield* store.insert([make("a")])).toEqual(new Set([id("a")]))
    })
  )

  it.effect("starts what is ready, starts it again while it is being sent, and ends it once", () =>
    Effect.gen(function* () {
      const { id, make, stateOf, store, workspaceId } = yield* place
      yield* store.insert([make("a"), make("b"), make("held", { state: "held" })])
      yield* store.settle(workspaceId, id("a"), { state: "sent" })
      expect(yield* stateOf("a")).toBe("ready")
      expect((yield* store.start(workspaceId, id("a")))?.state).toBe("sending")
      expect((yield* store.start(workspaceId, id("a")))?.id).toBe(id("a"))
      yield* store.settle(workspaceId, id("a"), { state: "sent" })
      expect(yield* store.start(workspaceId, id("a"))).toBeUndefined()
      yield* store.settle(workspaceId, id("a"), { state: "failed", error: "late" })
      expect(yield* store.get(workspaceId, id("a"))).toMatchObject({ state: "sent", sentAt: expect.any(String) })
      yield* store.start(workspaceId, id("b"))
      yield* store.settle(workspaceId, id("b"), { state: "failed", error: "No such mailbox" })
      expect(yield* store.get(workspaceId, id("b"))).toMatchObject({ state: "failed", error: "No such mailbox" })
      expect(yield* store.start(workspaceId, id("held"))).toBeUndefined()
      expect(yield* store.start(workspaceId, "nothing")).toBeUndefined()
    })
  )

  it.effect("fixes the words of a message once, while it is being sent", () =>
    Effect.gen(function* () {
      const { id, make, store, workspaceId } = yield* place
      const { content } = make("a")
      const rephrase = {
        text: "{1} went out.",
        values: ["€5.00"],
        model: "default",
        monthlyTokens: 1_000,
        dataType: "transactions"
      } as const
      yield* store.insert([make("a", { content: { ...content, rephrase } }), make("plain")])
      const said = (prose: string) => ({ ...content, prose })
      const wordsOf = (name: string) => Effect.map(store.get(workspaceId, id(name)), (found) => found?.content)
      expect((yield* store.reword(workspaceId, id("a"), said("too early")))?.content).toEqual({ ...content, rephrase })
      for (const name of ["a", "plain"]) yield* store.start(workspaceId, id(name))
      expect((yield* store.reword(workspaceId, id("a"), said("first")))?.content).toEqual(said("first"))
      expect((yield* store.reword(workspaceId, id("a"), said("second")))?.content).toEqual(said("first"))
      yield* store.reword(workspaceId, id("plain"), said("never"))
      expect(yield* wordsOf("a")).toEqual(said("first"))
      expect(yield* wordsOf("plain")).toEqual(make("plain").content)
      expect(yield* store.reword(workspaceId, "nothing", said("of none"))).toBeUndefined()
    })
  )

  it.effect("withdraws what has not left, and tells what has", () =>
    Effect.gen(function* () {
      const { enrichmentId, id, make, store, workspaceId } = yield* place
      yield* store.insert([make("ready"), make("held", { state: "held" }), make("sending"), make("sent"), make("open")])
      for (const name of ["sending", "sent"]) yield* store.start(workspaceId, id(name))
      yield* store.settle(workspaceId, id("sent"), { state: "sent" })
      const names = ["ready", "held", "sending", "sent", "nothing"]
      const states = yield* store.withdraw(workspaceId, names.map(id))
      expect(names.map((name) => states.get(id(name)))).toEqual([
        "withdrawn",
        "withdrawn",
        "sending",
        "sent",
        undefined
      ])
      expect(yield* store.start(workspaceId, id("ready"))).toBeUndefined()
      expect(yield* store.silence(workspaceId, "enr_other")).toBe(0)
      expect(yield* store.silence(workspaceId, enrichmentId)).toBe(1)
      expect(yield* store.start(workspaceId, id("open"))).toBeUndefined()
    })
  )

  it.effect("shows what a lane holds, whether it speaks, and for how long it has been silent", () =>
    Effect.gen(function* () {
      const { id, make, stateOf, store, workspaceId } = yield* place
      const { pass } = yield* StoreClock
      const lane = id("lane")
      const held = (name: string) => make(name, { lane, state: "held", cooldownSeconds: 60 })
      yield* store.insert([held("a"), held("b"), held("c"), make("other", { state: "held" })])
      const first = yield* store.lane(workspaceId, lane, 2)
      expect([first.held.map((one) => one.id), first.busy, first.silentSeconds]).toEqual([
        [id("a"), id("b")],
        false,
        undefined
      ])
      yield* store.release(workspaceId, id("a"))
      expect(yield* store.lane(workspaceId, lane, 5)).toMatchObject({ busy: true })
      yield* store.start(workspaceId, id("a"))
      expect(yield* store.lane(workspaceId, lane, 5)).toMatchObject({ busy: true, silentSeconds: undefined })
      yield* store.settle(workspaceId, id("a"), { state: "sent" })
      yield* pass(40)
      const later = yield* store.lane(workspaceId, lane, 5)
      expect([later.held.length, later.busy]).toEqual([2, false])
      expect(Math.round(later.silentSeconds!)).toBeGreaterThanOrEqual(40)
      expect(later.silentSeconds!).toBeLessThan(100)
      yield* store.insert([make("summary", { lane })])
      yield* store.collect(workspaceId, [id("b"), id("c"), id("a")], id("summary"))
      expect([yield* stateOf("a"), yield* stateOf("b"), yield* stateOf("c")]).toEqual([
        "sent",
        "collected",
        "collected"
      ])
      expect((yield* store.get(workspaceId, id("b")))?.into).toBe(id("summary"))
    })
  )

  it.effect("forgets messages after their time", () =>
    Effect.gen(function* () {
      const { id, make, store, workspaceId } = yield* place
      const { pass } = yield* StoreClock
      yield* store.insert([make("old")])
      yield* pass(limits.messageDays * day)
      yield* store.insert([make("new")])
      yield* pass(60)
      const purge = acrossTenants("task engine")(store.purge(1))
      let forgotten = 0
      for (let some = 1; some > 0; forgotten += some) some = yield* purge
      expect(forgotten).toBeGreaterThanOrEqual(1)
      expect((yield* store.list(workspaceId, { limit: 5 })).map((one) => one.id)).toEqual([id("new")])
    })
  )
}
