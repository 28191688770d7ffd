import { Audit } from "../../src/audit/Audit.ts"
import { operations } from "../../src/access/catalogue.generated.ts"
import type { AuditContent } from "../../src/audit/AuditEntry.ts"
import { AuditStore, type ChainedRow } from "../../src/audit/AuditStore.ts"
import { asOwner, callerOf } from "../../src/access/Caller.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Ids } from "../../src/shared/Ids.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { makeAuditRow } from "@millrace/testing/fixture"
import { storeWorkspace } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const base = Layer.mergeAll(NodeDigest.layer, MemoryStorage.layer, Ids.layer)
const cursors = Cursors.layer(Redacted.make("only for tests")).pipe(
  Layer.provide([NodeDigest.layer, MemoryStorage.layer])
)

/** A chain of six entries, of which somebody has made something else in storage. */
const verified = (tamper: (chain: Array<ChainedRow>) => void, known?: "second" | "rewritten") =>
  Effect.gen(function* () {
    const { id } = yield* storeWorkspace()
    const store = yield* AuditStore
    for (let n = 0; n < 6; n++) yield* store.end(yield* makeAuditRow(id, { requestId: `r${n}` }))
    const ends = yield* store.ends(id)
    const chain = [...(yield* store.chain(id, 0, 100))]
    const second = { number: 2, hash: known === "rewritten" ? "0".repeat(64) : chain[1]!.hash }
    tamper(chain)
    const tampered = AuditStore.of({
      ...store,
      ends: () => Effect.succeed(ends),
      chain: (_, after, limit) => Effect.succeed(chain.filter(({ number }) => number > after).slice(0, limit))
    })
    const audit = Layer.fresh(Audit.layer).pipe(
      Layer.provide([Layer.succeed(AuditStore, tampered), cursors]),
      Layer.provide([NodeDigest.layer, Ids.layer])
    )
    return yield* Effect.flatMap(Audit, ({ verify }) => verify(id, known === undefined ? undefined : second)).pipe(
      Effect.provide(audit)
    )
  }).pipe(Effect.provide(base))

describe("the list of an audit", () => {
  const listing = Effect.gen(function* () {
    const workspace = yield* storeWorkspace()
    const store = yield* AuditStore
    const add = (change: Partial<AuditContent>) => Effect.flatMap(makeAuditRow(workspace.id, change), store.end)
    const owner = asOwner(workspace, { id: yield* (yield* Ids).next("user"), email: "owner@example.com" })
    const { list } = yield* Audit
    return { add, list, owner, workspace }
  })
  const provided = Effect.provide(Audit.layer.pipe(Layer.provide(cursors), Layer.provideMerge(base)))

  it.effect("goes on with the filter of its first page", () =>
    Effect.gen(function* () {
      const { add, list, owner, workspace } = yield* listing
      for (let n = 0; n < 6; n++) yield* add({ requestId: `r${n}`, outcome: n % 2 === 0 ? "denied" : "ok" })
      const first = yield* list(owner, workspace.id, { outcome: "denied", limit: 2 })
      expect(first.rows.map(({ requestId }) => requestId)).toEqual(["r4", "r2"])
      const second = yield* list(owner, workspace.id, { cursor: first.cursor!, outcome: "ok", limit: 2 })
      expect(second).toMatchObject({ rows: [{ requestId: "r0" }], hasMore: false })
      expect(second.cursor).toBeUndefined()
    }).pipe(provided)
  )

  it.effect("has the first and the last moment of the days that are asked for, and no other", () =>
    Effect.gen(function* () {
      const { add, list, owner, workspace } = yield* listing
      const moments = ["01T23:59:59.999Z", "02T00:00:00.000Z", "03T23:59:59.999Z", "04T00:00:00.000Z"]
      for (const moment of moments) yield* add({ requestId: moment, at: Timestamp.make(`2026-03-${moment}`) })
      const [from, to] = [CalendarDate.make("2026-03-02"), CalendarDate.make("2026-03-03")]
      const { rows } = yield* list(owner, workspace.id, { from, to })
      expect(rows.map(({ requestId }) => requestId)).toEqual([moments[2], moments[1]])
    }).pipe(provided)
  )

  it.effect("is that of the caller's own workspace: not even that of one of its portals", () =>
    Effect.gen(function* () {
      const { list, owner } = yield* listing
      const portal = yield* storeWorkspace()
      const family = { ...owner, workspaces: [...owner.workspaces, portal] }
      expect(yield* Effect.flip(list(family, portal.id, {}))).toMatchObject({ _tag: "NotFound", resource: "Workspace" })
    }).pipe(provided)
  )
})

describe("a refusal", () => {
  const refusing = Effect.gen(function* () {
    const workspace = yield* storeWorkspace()
    const { list, refused } = yield* Audit
    const owner = asOwner(workspace, { id: yield* (yield* Ids).next("user"), email: "owner@example.com" })
    const by = (userId: string) =>
      callerOf({ kind: "user", workspace, userId, email: "x@example.com", role: "viewer" }, `request of ${userId}`)
    const told = Effect.map(list(owner, workspace.id, { limit: 500 }), ({ rows }) => rows)
    return { by, refused, told }
  })
  const provided = Effect.provide(Audit.layer.pipe(Layer.provide(cursors), Layer.provideMerge(base)))

  it.effect("is told once an hour for the same person and operation", () =>
    Effect.gen(function* () {
      const { by, refused, told } = yield* refusing
      for (let n = 0; n < 100; n++) yield* refused(by("usr_one"), operations.createFeed)
      yield* refused(by("usr_one"), operations.deleteFeed)
      yield* refused(by("usr_two"), operations.createFeed)
      expect(yield* told).toMatchObject([
        { operationId: "createFeed", actor: { userId: "usr_two" } },
        { operationId: "deleteFeed" },
        {
          operationId: "createFeed",
          outcome: "denied",
          actor: { kind: "user", userId: "usr_one" },
          credential: { kind: "user", id: "usr_one" },
          requestId: "request of usr_one"
        }
      ])
      yield* TestClock.adjust("1 hour")
      yield* refused(by("usr_one"), operations.createFeed)
      expect(yield* told).toHaveLength(4)
    }).pipe(provided)
  )

  it.effect("is told 60 times at once in a workspace, and then every three minutes, whoever asks", () =>
    Effect.gen(function* () {
      const { by, refused, told } = yield* refusing
      for (let n = 0; n < 100; n++) yield* refused(by(`usr_${n}`), operations.createFeed)
      expect(yield* told).toHaveLength(60)
      yield* TestClock.adjust("6 minutes")
      for (let n = 100; n < 200; n++) yield* refused(by(`usr_${n}`), operations.createFeed)
      expect(yield* told).toHaveLength(62)
    }).pipe(provided)
  )
})

describe("the check of an audit", () => {
  it.effect("finds a chain whole that is what was written, also from a place that is known", () =>
    Effect.gen(function* () {
      expect(yield* verified(() => {})).toMatchObject({ intact: true, entries: 6, newest: { number: 6 } })
      expect(yield* verified(() => {}, "second")).toMatchObject({ intact: true, entries: 4, newest: { number: 6 } })
    })
  )

  const third = 2
  const tampering: ReadonlyArray<readonly [string, (chain: Array<ChainedRow>) => void, string, number]> = [
    [
      "was changed",
      (chain) => void (chain[third] = { ...chain[third]!, content: chain[third]!.content.replace('"ok"', '"denied"') }),
      "changed",
      3
    ],
    [
      "says something else where it is searched by",
      (chain) => void (chain[third] = { ...chain[third]!, actorId: "usr_other" }),
      "changed",
      3
    ],
    [
      "is about nothing any more",
      (chain) => {
        const { resourceId: _, ...row } = chain[third]!
        chain[third] = row
      },
      "changed",
      3
    ],
    ["was removed", (chain) => void chain.splice(third, 1), "missing", 3],
    ["was removed at the beginning", (chain) => void chain.shift(), "missing", 1],
    ["was removed at the end", (chain) => void chain.pop(), "missing", 6],
    [
      "was removed, and the others moved up",
      (chain) => {
        chain.splice(third, 1)
        for (const [n, row] of chain.entries()) chain[n] = { ...row, number: n + 1 }
      },
      "changed",
      3
    ],
    [
      "was put in between",
      (chain) => {
        chain.splice(third, 0, { ...chain[0]! })
        for (const [n, row] of chain.entries()) chain[n] = { ...row, number: n + 1 }
      },
      "changed",
      3
    ],
    [
      "changed places with its neighbour",
      (chain) => {
        const [a, b] = [chain[third]!, chain[third + 1]!]
        chain[third] = { ...b, number: 3 }
        chain[third + 1] = { ...a, number: 4 }
      },
      "changed",
      3
    ]
  ]
  for (const [what, tamper, fault, number] of tampering) {
    it.effect(`finds an entry that ${what}`, () =>
      Effect.gen(function* () {
        expect(yield* verified(tamper)).toEqual({ intact: false, fault, number })
      })
    )
  }

  it.effect("finds a chain that was made anew, against a hash that was kept elsewhere", () =>
    Effect.gen(function* () {
      expect(yield* verified(() => {}, "rewritten")).toEqual({ intact: false, fault: "changed", number: 3 })
    })
  )
})
