/** Conformance of what stores promise of accounts that are made for a feed, and of their end. */
import { BankStore, FeedStore, IdentityStore, RecordStore, Transactor } from "@millrace/core/storage"
import { fullTrust } from "@millrace/core/identity"
import { noDayHashes } from "@millrace/core/record"
import { Ids, Timestamp } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { storeAccount } from "../fixture/Account.ts"
import { makeMadeBank, storeBank } from "../fixture/Bank.ts"
import { storeFeed } from "../fixture/Feed.ts"
import { makeWrite, scopeOf } from "../fixture/Record.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { letOthersRun, suiteOf, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  return {
    workspace,
    feed: yield* storeFeed(workspace),
    banks: yield* BankStore,
    feeds: yield* FeedStore,
    records: yield* RecordStore,
    identity: yield* IdentityStore,
    transactor: yield* Transactor
  }
})

const nextId = <Kind extends "match" | "suggestion" | "fact">(kind: Kind) =>
  Effect.flatMap(Ids, (ids) => ids.next(kind))

const everything = { after: 0, upTo: 1e9, limit: 100 }

export const tests: StorageTests = (it) => {
  it.effect("shows what was made for a feed to nobody but who asks for it", () =>
    Effect.gen(function* () {
      const { banks, feed, workspace } = yield* arrange
      const bank = yield* makeMadeBank(feed, "extractor")
      const real = yield* storeBank(workspace)
      expect(yield* banks.holdMade(bank)).toEqual(bank)
      const account = yield* storeAccount(bank)
      expect(yield* banks.made(feed.id)).toEqual([bank])
      expect(yield* banks.accounts(bank.id)).toEqual([account])
      expect(yield* banks.list([workspace.id])).toEqual([real])
      expect(yield* banks.list([workspace.id], "deleted")).toEqual([])
      expect(yield* banks.get(workspace.id, bank.id)).toEqual(Option.none())
      expect(yield* banks.account(workspace.id, bank.id, account.id)).toEqual(Option.none())
      expect(yield* banks.made((yield* storeFeed(workspace)).id)).toEqual([])
    })
  )

  it.effect("keeps the first bank that was made for a feed and a kind of source", () =>
    Effect.gen(function* () {
      const { banks, feed, workspace } = yield* arrange
      const [first, second, mail] = [
        yield* makeMadeBank(feed, "extractor"),
        yield* makeMadeBank(feed, "extractor"),
        yield* makeMadeBank(feed, "mail", { order: 1 })
      ]
      const elsewhere = yield* makeMadeBank(yield* storeFeed(workspace), "extractor")
      expect(yield* banks.holdMade(first)).toEqual(first)
      expect(yield* banks.holdMade(second)).toEqual(first)
      expect(yield* banks.holdMade(mail)).toEqual(mail)
      expect(yield* banks.holdMade(elsewhere)).toEqual(elsewhere)
      expect(yield* banks.made(feed.id)).toEqual([first, mail])
    })
  )

  it.effect("makes one bank where several want it at the same time, and lets each have it alone", () =>
    Effect.gen(function* () {
      const { banks, feed, feeds, transactor } = yield* arrange
      let within = 0
      let most = 0
      const held = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () =>
          transactor.atomically(
            Effect.gen(function* () {
              expect(yield* feeds.hold(feed.id)).toBe(true)
              const bank = yield* banks.holdMade(yield* makeMadeBank(feed, "automation"))
              most = Math.max(most, ++within)
              yield* letOthersRun
              within--
              return bank.id
            })
          ),
        { concurrency: 6 }
      )
      expect(most).toBe(1)
      expect(new Set(held)).toEqual(new Set((yield* banks.made(feed.id)).map(({ id }) => id)))
      expect(new Set(held).size).toBe(1)
    })
  )

  it.effect("lets nobody remove a feed that is held, and holds none that is gone", () =>
    Effect.gen(function* () {
      const { banks, feed, feeds, transactor, workspace } = yield* arrange
      const order: Array<string> = []
      const isHeld = yield* Deferred.make<void>()
      const remove = transactor.atomically(
        Effect.gen(function* () {
          expect(yield* feeds.remove(workspace.id, feed.id)).toBe(true)
          order.push("removed")
          for (const { id } of yield* banks.made(feed.id)) yield* banks.remove(workspace.id, id)
        })
      )
      const removing = yield* Effect.forkChild(Effect.andThen(Deferred.await(isHeld), remove))
      yield* transactor.atomically(
        Effect.gen(function* () {
          expect(yield* feeds.hold(feed.id)).toBe(true)
          yield* Deferred.succeed(isHeld, undefined)
          yield* letOthersRun
          yield* banks.holdMade(yield* makeMadeBank(feed, "mail"))
          order.push("made")
        })
      )
      yield* Fiber.join(removing)
      expect(order).toEqual(["made", "removed"])
      expect(yield* banks.made(feed.id)).toEqual([])
      expect(yield* feeds.hold(feed.id)).toBe(false)
    })
  )

  it.effect("forgets an account with its records of all types, and no other", () =>
    Effect.gen(function* () {
      const { records, workspace } = yield* arrange
      const bank = yield* storeBank(workspace)
      const [account, other] = [yield* storeAccount(bank), yield* storeAccount(bank)]
      for (const one of [account, other]) {
        for (const dataType of ["transactions", "trades"] as const) {
          const scope = scopeOf(one, dataType)
          yield* records.write(scope, [yield* makeWrite({}, dataType)])
          yield* records.keepDayHashes(scope, { put: new Map([[null, "hash"]]), removed: [] })
          yield* records.setPulled([{ ...scope, shown: [] }])
          yield* records.saveCheckpoint({ bankId: bank.id, accountId: one.id, dataType }, "here")
        }
      }
      const told = Effect.fnUntraced(function* (one: typeof account, dataType: "transactions" | "trades") {
        const scope = scopeOf(one, dataType)
        return [
          (yield* records.changes(scope, everything)).length,
          (yield* records.index(scope, {})).length,
          yield* records.lastChange(one.id),
          yield* records.dayHashes(scope),
          (yield* records.pulledAt(scope)) !== undefined,
          yield* records.checkpoint({ bankId: bank.id, accountId: one.id, dataType })
        ]
      })
      const before = [yield* told(other, "transactions"), yield* told(other, "trades")]
      yield* records.forget(workspace.id, account.id)
      const nothing = [0, 0, 0, noDayHashes, false, undefined]
      expect([yield* told(account, "transactions"), yield* told(account, "trades")]).toEqual([nothing, nothing])
      expect([yield* told(other, "transactions"), yield* told(other, "trades")]).toEqual(before)
    })
  )

  it.effect("forgets what is remembered of an account's records, and of no other's", () =>
    Effect.gen(function* () {
      const { identity, workspace } = yield* arrange
      const bank = yield* storeBank(workspace)
      const [account, other] = [yield* storeAccount(bank), yield* storeAccount(bank)]
      for (const one of [account, other]) {
        const scope = scopeOf(one)
        const { id: recordId, ...content } = yield* makeWrite()
        const evidence = { tier: "cost", cost: 142, margin: 12 } as const
        yield* identity.setTrust(scope, { contradictions: [1], demoted: false })
        yield* identity.setLearnt(scope, [{ pending: "a", booked: "b", score: 1 }])
        yield* identity.addAliases(scope, [{ providerId: "former", recordId }])
        const match = { ...scope, recordId, versionBefore: 1, before: content, observed: content, evidence }
        yield* identity.logMatches([{ ...match, id: yield* nextId("match"), state: "made" }])
        yield* identity.suggest([{ ...scope, id: yield* nextId("suggestion"), recordId, observedId: "x", evidence }])
        yield* identity.addFact({
          ...scope,
          id: yield* nextId("fact"),
          kind: "keep",
          recordId,
          key: { providerId: content.providerId, hash: content.hash },
          by: { kind: "user", userId: "usr_1" },
          at: yield* Timestamp.now
        })
      }
      const told = Effect.fnUntraced(function* (one: typeof account) {
        const scope = scopeOf(one)
        const { facts, learnt, trust } = yield* identity.recall(scope)
        return [
          facts.length,
          learnt.length,
          trust,
          (yield* identity.aliases(scope, ["former"])).size,
          (yield* identity.matches(scope, { limit: 10 })).length,
          (yield* identity.suggestions(scope, { limit: 10 })).length
        ]
      })
      yield* identity.forget(workspace.id, account.id)
      expect(yield* told(account)).toEqual([0, 0, fullTrust, 0, 0, 0])
      expect(yield* told(other)).toEqual([1, 1, { contradictions: [1], demoted: false }, 1, 1, 1])
    })
  )
}

export const suite = suiteOf(tests)
