/** Conformance of `Transactor`. */
import { RecordStore, Transactor, WorkspaceStore } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { storeAccount } from "../fixture/Account.ts"
import { storeBank } from "../fixture/Bank.ts"
import { makeWrite, makeWrites, scopeOf } from "../fixture/Record.ts"
import { makeUser, makeWorkspace, storeWorkspace } from "../fixture/Workspace.ts"
import { letOthersRun, suiteOf, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const account = yield* storeAccount(yield* storeBank(yield* storeWorkspace()))
  const scope = scopeOf(account)
  const records = yield* RecordStore
  const kept = yield* makeWrites(3)
  yield* records.write(scope, kept)
  return { account, scope, records, kept, transactor: yield* Transactor }
})

const everything = Effect.fnUntraced(function* (scope: ReturnType<typeof scopeOf>) {
  const records = yield* RecordStore
  return {
    changes: yield* records.changes(scope, { after: 0, upTo: 1e9, limit: 1000 }),
    page: yield* records.page(scope, { filter: {}, limit: 1000 }),
    last: yield* records.lastChange(scope.accountId),
    latest: yield* records.latestDate(scope)
  }
})

export const tests: StorageTests = (it) => {
  it.effect("keeps what a transaction wrote when it succeeds, and answers its value", () =>
    Effect.gen(function* () {
      const { scope, records, transactor } = yield* arrange
      const added = yield* makeWrite()
      const answer = yield* transactor.atomically(Effect.as(records.write(scope, [added]), "done"))
      expect(answer).toBe("done")
      expect(yield* records.lastChange(scope.accountId)).toBe(4)
    })
  )

  it.effect.each(["fails", "dies"] as const)("leaves no trace of a transaction that %s", (how) =>
    Effect.gen(function* () {
      const { scope, records, transactor, kept } = yield* arrange
      const before = yield* everything(scope)
      const workspace = yield* makeWorkspace()
      const owner = yield* makeUser()
      const added = yield* makeWrites(40)
      const exit = yield* transactor
        .atomically(
          Effect.gen(function* () {
            yield* (yield* WorkspaceStore).create(workspace, owner)
            yield* records.write(scope, added)
            yield* records.write(scope, [{ ...kept[0]!, hash: "other", state: "removed" }])
            // The transaction itself sees what it wrote.
            expect(yield* records.lastChange(scope.accountId)).toBe(44)
            expect(yield* records.page(scope, { filter: {}, limit: 1000 })).toHaveLength(42)
            return yield* how === "fails" ? Effect.fail("refused") : Effect.die("broken")
          })
        )
        .pipe(Effect.exit)
      expect(exit).toEqual(how === "fails" ? Exit.fail("refused") : Exit.die("broken"))
      expect(yield* everything(scope)).toEqual(before)
      expect(yield* (yield* WorkspaceStore).get(workspace.id)).toEqual(Option.none())
      // What comes afterwards takes the same numbers again.
      const next = yield* makeWrite()
      yield* records.write(scope, [next])
      expect(yield* records.lastChange(scope.accountId)).toBe(4)
      const changes = yield* records.changes(scope, { after: 3, upTo: 4, limit: 10 })
      expect(changes.map(({ id }) => id)).toEqual([next.id])
    })
  )

  it.effect("leaves no trace of a transaction that is interrupted", () =>
    Effect.gen(function* () {
      const { scope, records, transactor } = yield* arrange
      const before = yield* everything(scope)
      const added = yield* makeWrites(10)
      const written = yield* Deferred.make<void>()
      const fiber = yield* transactor
        .atomically(
          Effect.gen(function* () {
            yield* records.write(scope, added)
            yield* Deferred.succeed(written, undefined)
            return yield* Effect.never
          })
        )
        .pipe(Effect.forkChild)
      yield* Deferred.await(written)
      yield* Fiber.interrupt(fiber)
      expect(yield* everything(scope)).toEqual(before)
      yield* transactor.atomically(records.write(scope, added))
      expect(yield* records.lastChange(scope.accountId)).toBe(13)
    })
  )

  it.effect("lets nested transactions take effect with the outer one only", () =>
    Effect.gen(function* () {
      const { scope, records, transactor } = yield* arrange
      const before = yield* everything(scope)
      const inner = transactor.atomically(Effect.flatMap(makeWrite(), (write) => records.write(scope, [write])))
      yield* transactor.atomically(Effect.andThen(inner, Effect.fail("outer"))).pipe(Effect.flip)
      expect(yield* everything(scope)).toEqual(before)
      yield* transactor.atomically(Effect.andThen(inner, inner))
      expect(yield* records.lastChange(scope.accountId)).toBe(5)
    })
  )

  it.effect("undoes only a nested transaction that fails and whose failure is handled", () =>
    Effect.gen(function* () {
      const { scope, records, transactor } = yield* arrange
      const [first, second, third] = yield* makeWrites(3)
      yield* transactor.atomically(
        Effect.gen(function* () {
          yield* records.write(scope, [first!])
          yield* transactor
            .atomically(Effect.andThen(records.write(scope, [second!]), Effect.fail("inner")))
            .pipe(Effect.ignore)
          yield* records.write(scope, [third!])
        })
      )
      const ids = (yield* records.changes(scope, { after: 3, upTo: 1e9, limit: 10 })).map((record) => record.id)
      expect(ids).toEqual([first!.id, third!.id])
    })
  )

  it.effect("hides unfinished work from everybody else", () =>
    Effect.gen(function* () {
      const { scope, records, transactor } = yield* arrange
      const written = yield* Deferred.make<void>()
      const fiber = yield* transactor
        .atomically(
          Effect.gen(function* () {
            yield* records.write(scope, [yield* makeWrite()])
            yield* Deferred.succeed(written, undefined)
            yield* letOthersRun
            return yield* Effect.fail("no")
          })
        )
        .pipe(Effect.exit, Effect.forkChild)
      yield* Deferred.await(written)
      const seen = yield* records.page(scope, { filter: {}, limit: 10 })
      yield* Fiber.join(fiber)
      expect(seen).toHaveLength(3)
    })
  )

  it.effect("loses no update of concurrent transactions that read and then write one record", () =>
    Effect.gen(function* () {
      const { scope, records, transactor, kept } = yield* arrange
      const target = kept[0]!
      yield* records.write(scope, [{ ...target, fields: { count: "0" } }])
      const writes = yield* makeWrites(20)
      // Writing another record first takes the account, so that the read that follows is not stale.
      yield* Effect.forEach(
        writes,
        (write) =>
          transactor.atomically(
            Effect.gen(function* () {
              yield* records.write(scope, [write])
              const fields = (yield* records.fields(scope, [target.id])).get(target.id)
              yield* Effect.yieldNow
              yield* records.write(scope, [{ ...target, fields: { count: `${Number(fields?.["count"]) + 1}` } }])
            })
          ),
        { concurrency: 8, discard: true }
      )
      expect((yield* records.fields(scope, [target.id])).get(target.id)).toEqual({ count: "20" })
    })
  )
}

export const suite = suiteOf(tests)
