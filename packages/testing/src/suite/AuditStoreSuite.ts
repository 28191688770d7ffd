/** Conformance of `AuditStore`. */
import { chainHash, chainStart } from "@millrace/core/audit"
import { AuditStore, type AuditRow, type ChainedRow } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import { Timestamp } from "@millrace/core"
import { Transactor } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeAuditRow } from "../fixture/Audit.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

const sha256 = Effect.fnUntraced(function* (text: string) {
  const bytes = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")
})

const day = (n: number) => Timestamp.fromMillis(Date.UTC(2026, 0, 1 + n))

const arrange = Effect.gen(function* () {
  const { id } = yield* storeWorkspace()
  return { id, store: yield* AuditStore, ...(yield* StoreClock) }
})

/** The rows with their places, as they have to be. */
const chained = Effect.fnUntraced(function* (rows: ReadonlyArray<AuditRow>) {
  let hash = chainStart
  const chain: Array<ChainedRow> = []
  for (const row of rows) {
    let hashed = ""
    chainHash((text) => (hashed = text), hash, row.content)
    hash = yield* sha256(hashed)
    chain.push({ ...row, number: chain.length + 1, hash })
  }
  return chain
})

export const tests: StorageTests = (it) => {
  it.effect("keeps what has ended, in the order in which it was begun, each with the hash of all before it", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      const other = yield* storeWorkspace()
      const rows = [
        yield* makeAuditRow(id, {
          changes: [{ field: "texts", before: [...difficultTexts], after: { a: [1.5, null] } }]
        }),
        yield* makeAuditRow(id, { outcome: "denied", actor: { kind: "system", reason: "x" } }),
        yield* makeAuditRow(id, { operationId: "createFeed" })
      ]
      const strange = yield* makeAuditRow(other.id)
      for (const row of [...rows, strange]) yield* store.begin({ ...row, outcome: "failed" })
      expect([yield* store.list(id, { limit: 10 }), yield* store.ends(id)]).toEqual([
        [],
        { newest: { number: 0, hash: chainStart }, forgotten: { number: 0, hash: chainStart } }
      ])
      for (const row of [strange, ...rows.toReversed()]) yield* store.end(row)
      expect(yield* store.chain(id, 0, 10)).toEqual([])
      const expected = yield* chained(rows)
      expect(yield* store.list(id, { limit: 10 })).toEqual(expected.toReversed())
      expect([yield* store.chain(id, 0, 2), yield* store.chain(id, 2, 2)]).toEqual([
        expected.slice(0, 2),
        expected.slice(2)
      ])
      expect((yield* store.ends(id)).newest).toEqual({ number: 3, hash: expected[2]!.hash })
      expect(yield* store.list(other.id, { limit: 10 })).toEqual(yield* chained([strange]))
    })
  )

  it.effect("does not wait for what is under way, and takes what nobody ended as it was begun", () =>
    Effect.gen(function* () {
      const { id, pass, store } = yield* arrange
      const lost = yield* makeAuditRow(id, { outcome: "failed" })
      const [first, second] = [yield* makeAuditRow(id), yield* makeAuditRow(id)]
      yield* store.begin(lost)
      yield* store.begin(first)
      yield* store.end(first)
      expect((yield* store.list(id, { limit: 10 })).map((row) => row.id)).toEqual([first.id])
      yield* pass(limits.auditMinutes * 60 + 1)
      yield* store.begin(second)
      yield* store.end(second)
      const expected = yield* chained([first, lost, second])
      expect(yield* store.list(id, { limit: 10 })).toEqual(expected.toReversed())
      // Who ends it all the same adds to the chain, and changes nothing in it.
      const late = { ...(yield* makeAuditRow(id)), id: lost.id }
      yield* store.end(late)
      expect(yield* store.list(id, { limit: 10 })).toEqual((yield* chained([first, lost, second, late])).toReversed())
    })
  )

  it.effect("gives every entry a place of its own, however many write and look at once", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      const rows = yield* Effect.forEach(Array.from({ length: 40 }), () => makeAuditRow(id))
      yield* Effect.forEach(
        rows,
        (row, n) =>
          Effect.andThen(store.begin(row), store.end(row)).pipe(
            Effect.andThen(n % 4 === 0 ? store.ends(id) : n % 4 === 1 ? store.seal : Effect.void)
          ),
        { concurrency: "unbounded" }
      )
      yield* store.seal
      const chain = yield* store.chain(id, 0, 100)
      expect(chain.map(({ number }) => number)).toEqual(rows.map((_, n) => n + 1))
      expect(new Set(chain.map((row) => row.id)).size).toBe(40)
      expect(chain).toEqual(yield* chained(chain.map(({ hash: _hash, number: _number, ...row }) => row)))
    })
  )

  it.effect("keeps what was begun outside of a transaction that is taken back", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      const { atomically } = yield* Transactor
      const [kept, undone] = [yield* makeAuditRow(id, { outcome: "failed" }), yield* makeAuditRow(id)]
      yield* store.begin(kept)
      yield* Effect.flip(
        atomically(
          Effect.gen(function* () {
            yield* store.begin(undone)
            yield* store.end({ ...kept, outcome: "ok" })
            return yield* Effect.fail("no")
          })
        )
      )
      yield* store.end(kept)
      expect(yield* store.list(id, { limit: 10 })).toEqual(yield* chained([kept]))
    })
  )

  it.effect("finds entries by everything that they can be searched by, page by page", () =>
    Effect.gen(function* () {
      const { id, store } = yield* arrange
      const made = [
        yield* makeAuditRow(id, { at: day(0) }),
        yield* makeAuditRow(id, { at: day(1), actor: { kind: "api", clientId: "key_1" } }),
        yield* makeAuditRow(id, { at: day(2), operationId: "deleteFeed", outcome: "failed" }),
        yield* makeAuditRow(id, { at: day(3), resource: { kind: "bank", id: "bank_1" } })
      ]
      for (const row of made) yield* store.end(row)
      const find = (query: object) =>
        Effect.map(store.list(id, { limit: 10, ...query }), (rows) => rows.map(({ number }) => number))
      expect(yield* find({ from: day(1), to: day(2) })).toEqual([3, 2])
      expect(yield* find({ actorId: "key_1" })).toEqual([2])
      expect(yield* find({ operationId: "deleteFeed" })).toEqual([3])
      expect(yield* find({ outcome: "ok" })).toEqual([4, 2, 1])
      expect(yield* find({ resourceId: "bank_1", outcome: "ok" })).toEqual([4])
      expect([yield* find({ limit: 3 }), yield* find({ limit: 3, before: 2 })]).toEqual([[4, 3, 2], [1]])
    })
  )

  it.effect("forgets the oldest after their time, and keeps where the chain goes on", () =>
    Effect.gen(function* () {
      const { id, pass, store } = yield* arrange
      const old = yield* Effect.forEach(Array.from({ length: 3 }), () => makeAuditRow(id))
      yield* store.end(old[0]!)
      yield* store.end(old[1]!)
      yield* pass(7_200)
      yield* store.end(old[2]!)
      const expected = yield* chained(old)
      yield* store.ends(id)
      yield* pass(limits.auditDays * 86_400 - 3_600)
      while ((yield* store.purge(100)) > 0) continue
      expect(yield* store.list(id, { limit: 10 })).toEqual([expected[2]])
      expect(yield* store.ends(id)).toEqual({
        newest: { number: 3, hash: expected[2]!.hash },
        forgotten: { number: 2, hash: expected[1]!.hash }
      })
    })
  )
}

export const suite = suiteOf(tests)
