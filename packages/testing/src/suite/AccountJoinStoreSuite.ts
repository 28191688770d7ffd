/** Conformance of `AccountJoinStore`: what is of an upstream is exchanged, what is of records goes with them. */
import {
  AccountJoinStore,
  AnalysisStore,
  BankStore,
  IdentityStore,
  RecordStore,
  UploadStore
} from "@millrace/core/storage"
import { CalendarDate, Ids, Timestamp } from "@millrace/core"
import { expect } from "@effect/vitest"
import { acrossTenants } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeAccountJoin, storeAccount } from "../fixture/Account.ts"
import { storeBank } from "../fixture/Bank.ts"
import { makeWrite, scopeOf } from "../fixture/Record.ts"
import { storeWholeWorkspace } from "../fixture/WholeWorkspace.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const at = Timestamp.make("2026-03-14T06:30:00.000Z")
const across = acrossTenants("job engine")

/** Two accounts of two banks, with what is kept of how each is read. */
const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const [oldBank, newBank] = [yield* storeBank(workspace), yield* storeBank(workspace)]
  const elder = yield* storeAccount(oldBank, { accountName: "Elder", state: "missing" })
  const younger = yield* storeAccount(newBank, { accountName: "Younger", accountSubtype: "checking" })
  const records = yield* RecordStore
  const identity = yield* IdentityStore
  const banks = yield* BankStore
  const [of, to] = [scopeOf(younger), scopeOf(elder)]
  yield* banks.setHistoryFrom(younger.id, CalendarDate.make("2026-01-01"))
  yield* banks.setReadFrom(elder.id, "trades", CalendarDate.make("2025-01-01"))
  yield* records.setPulled([of])
  yield* records.saveCheckpoint({ bankId: newBank.id, accountId: younger.id, dataType: "transactions" }, "young")
  yield* records.saveCheckpoint({ bankId: newBank.id, accountId: elder.id, dataType: "transactions" }, "old")
  yield* identity.setTrust(of, { contradictions: [1], demoted: true })
  yield* identity.setLearnt(of, [{ pending: "a", booked: "b", score: 1 }])
  const told = Effect.gen(function* () {
    const all = [...(yield* banks.accounts(oldBank.id)), ...(yield* banks.accounts(newBank.id))]
    const kept = yield* Effect.forEach([elder.id, younger.id], (accountId) =>
      Effect.gen(function* () {
        const scope = { ...of, accountId }
        const { learnt, trust } = yield* identity.recall(scope)
        const checkpoint = { bankId: newBank.id, accountId, dataType: of.dataType }
        return {
          learnt: learnt.length,
          isDemoted: trust.demoted,
          checkpoint: yield* records.checkpoint(checkpoint),
          isPulled: (yield* records.pulledAt(scope)) !== undefined,
          former: [...(yield* identity.aliases(scope, ["f1", "f2"])).keys()].toSorted()
        }
      })
    )
    const accounts = [elder.id, younger.id].map((id) => {
      const { updatedAt: _, ...rest } = all.find((one) => one.id === id)!
      return rest
    })
    return { accounts, kept }
  })
  return { workspace, oldBank, newBank, elder, younger, of, to, told, records, identity, banks }
})

export const tests: StorageTests = (it) => {
  it.effect("exchanges all that is of an upstream, and is undone by doing it again", () =>
    across(
      Effect.gen(function* () {
        const joins = yield* AccountJoinStore
        const { elder, identity, newBank, of, oldBank, records, to, told, workspace, younger } = yield* arrange
        const [one, two] = [yield* makeWrite(), yield* makeWrite()]
        yield* records.write(to, [one])
        yield* records.write(of, [two])
        yield* identity.addAliases(to, [{ providerId: "f1", recordId: one.id }])
        yield* identity.addAliases(of, [{ providerId: "f2", recordId: two.id }])
        const before = yield* told
        yield* joins.exchange(workspace.id, elder.id, younger.id, at)
        const after = yield* told
        expect(after.accounts[0]).toMatchObject({
          id: elder.id,
          bankId: newBank.id,
          accountName: "Elder",
          providerAccountId: younger.providerAccountId,
          stableKeys: younger.stableKeys,
          accountSubtype: "checking",
          state: "open",
          historyFrom: "2026-01-01",
          createdAt: elder.createdAt
        })
        expect(after.accounts[0]).not.toHaveProperty("readFrom")
        expect(after.accounts[1]).toMatchObject({
          id: younger.id,
          bankId: oldBank.id,
          accountName: "Younger",
          state: "missing",
          readFrom: { trades: "2025-01-01" }
        })
        expect(after.accounts[1]).not.toHaveProperty("accountSubtype")
        expect(after.kept).toEqual(before.kept.toReversed())
        yield* joins.exchange(workspace.id, elder.id, younger.id, at)
        expect(yield* told).toEqual(before)
      })
    )
  )

  it.effect("moves records as they are, in their order, above all that the account had", () =>
    across(
      Effect.gen(function* () {
        const joins = yield* AccountJoinStore
        const { elder, identity, of, records, to, workspace, younger } = yield* arrange
        const [own, first, second, part, stays] = yield* Effect.all(Array.from({ length: 5 }, () => makeWrite()))
        yield* records.write(to, [own!])
        yield* records.write(of, [first!, second!, part!, stays!], { apart: true })
        yield* records.write(of, [{ ...part!, state: "removed" }])
        yield* records.merge(of, [{ id: part!.id, into: first!.id }])
        yield* records.setMissed(of, [second!.id], 1)
        yield* records.keepDayHashes(to, { put: new Map(), removed: [] })
        const held = new Map((yield* records.held(of, [first!.id, second!.id])).map((one) => [one.id, one]))
        const ids = [second!.id, first!.id, part!.id, "txn_unknown"]
        yield* joins.move({ ...of, from: younger.id, to: elder.id, ids, workspaceId: workspace.id })
        const moved = yield* records.changes(to, { after: 0, upTo: 1_000, limit: 10 })
        expect(moved.map(({ id }) => id)).toEqual([own!.id, first!.id, second!.id, part!.id])
        expect(new Set(moved.map(({ changeNo }) => changeNo)).size).toBe(4)
        expect(yield* records.lastChange(elder.id)).toBe(moved.at(-1)!.changeNo)
        for (const now of yield* records.held(to, [first!.id, second!.id])) {
          const { accountId: _a, changeNo: _c, publicChangeNo: _p, ...was } = held.get(now.id)!
          expect(now).toMatchObject(was)
        }
        expect(yield* records.merged(to)).toEqual(new Map([[part!.id, first!.id]]))
        expect((yield* records.index(of, {})).map(({ id }) => id)).toEqual([stays!.id])
        expect((yield* records.page(of, { filter: {}, limit: 10 })).map(({ id }) => id)).toEqual([stays!.id])
        expect((yield* records.dayHashes(to)).isCurrent).toBe(false)
        // What is found by its words is found where it is now.
        const text = String(first!.fields["description"])
        const page = (scope: typeof of) => records.page(scope, { filter: { text }, limit: 10 })
        expect((yield* page(to)).map(({ id }) => id)).toContain(first!.id)
        expect((yield* page(of)).map(({ id }) => id)).not.toContain(first!.id)
        // What comes next is newer than what came.
        const next = yield* makeWrite()
        yield* records.write(to, [next])
        expect((yield* records.changes(to, { after: moved.at(-1)!.changeNo, upTo: 1_000, limit: 10 }))[0]?.id).toBe(
          next.id
        )
        const suggestionIds = yield* (yield* Ids).batch("suggestion", 2)
        const evidence = { tier: "equal" } as const
        yield* identity.suggest([
          { id: suggestionIds[0]!, ...to, recordId: first!.id, observedId: second!.id, evidence },
          { id: suggestionIds[1]!, ...to, recordId: own!.id, observedId: second!.id, evidence }
        ])
        yield* joins.move({ ...of, from: elder.id, to: younger.id, ids: [first!.id, second!.id] })
        const left = yield* identity.suggestions(of, { limit: 10 })
        expect(left.map(({ id }) => id)).toEqual([suggestionIds[0]])
        expect(yield* identity.suggestions(to, { limit: 10 })).toEqual([])
      })
    )
  )

  it.effect("takes along what is remembered and said of records", () =>
    across(
      Effect.gen(function* () {
        const joins = yield* AccountJoinStore
        const { account, analysis, bank, fact, match, scope, suggestion, workspace, write, other } =
          yield* storeWholeWorkspace
        const identity = yield* IdentityStore
        const analyses = yield* AnalysisStore
        const target = yield* storeAccount(bank)
        const to = scopeOf(target)
        const { version } = yield* analyses.head(analysis)
        yield* joins.move({
          ...scope,
          from: account.id,
          to: target.id,
          ids: [write.id, other.id],
          workspaceId: workspace.id
        })
        expect((yield* identity.matches(to, { limit: 10 })).map(({ id }) => id)).toEqual([match.id])
        expect((yield* identity.matches(to, { ids: [], limit: 10 })).length).toBe(0)
        expect((yield* identity.suggestions(to, { limit: 10 })).map(({ id }) => id)).toEqual([suggestion.id])
        expect((yield* identity.facts(to)).map(({ id }) => id)).toEqual([fact.id])
        expect(yield* identity.matches(scope, { limit: 10 })).toEqual([])
        expect(yield* identity.facts(scope)).toEqual([])
        expect(yield* analyses.accountRecords(analysis, target.id, 10)).toEqual([write.id])
        expect(yield* analyses.accountRecords(analysis, account.id, 10)).toEqual([])
        const head = yield* analyses.head(analysis)
        expect(head.version).toBeGreaterThan(version)
        expect(head.marks.find(({ accountId }) => accountId === target.id)).toMatchObject({ changeNo: 0 })
      })
    )
  )

  it.effect("takes records along out of what is kept together, and leaves the others there", () =>
    across(
      Effect.gen(function* () {
        const joins = yield* AccountJoinStore
        const { account, analysis, bank, enrichment, scope, workspace } = yield* storeWholeWorkspace
        const analyses = yield* AnalysisStore
        const target = yield* storeAccount(bank)
        const of = { ...analysis, dataType: "balances" } as const
        const before = yield* analyses.members(of, enrichment.id, ["together"])
        expect(before.length).toBe(5)
        const ids = [before[1]!.recordId, before[3]!.recordId]
        yield* joins.move({
          ...scope,
          dataType: "balances",
          from: account.id,
          to: target.id,
          ids,
          workspaceId: workspace.id
        })
        expect(yield* analyses.members(of, enrichment.id, ["together"])).toEqual(
          before.map((one) => (ids.includes(one.recordId) ? { ...one, accountId: target.id } : one))
        )
        expect(yield* analyses.accountRecords(of, target.id, 10)).toEqual(ids)
        expect((yield* analyses.accountRecords(of, account.id, 10)).length).toBe(3)
      })
    )
  )

  it.effect("keeps joins newest first, hides what is part of another, and forgets them with their matches", () =>
    across(
      Effect.gen(function* () {
        const joins = yield* AccountJoinStore
        const { account, bank, match, upload, workspace } = yield* storeWholeWorkspace
        const banks = yield* BankStore
        const uploads = yield* UploadStore
        const whole = yield* storeAccount(bank)
        const another = yield* storeAccount(bank)
        const first = makeAccountJoin(whole, account)
        const second = {
          ...makeAccountJoin(whole, another),
          id: another.id.replace("acct", "join") as typeof first.id,
          matches: [{ dataType: "transactions" as const, ids: [match.id] }]
        }
        yield* joins.insert(first)
        yield* joins.insert(second)
        expect(yield* joins.of(workspace.id, whole.id)).toEqual([second, first])
        expect(Option.getOrThrow(yield* joins.into(workspace.id, account.id))).toEqual(first)
        expect(Option.isNone(yield* banks.account(workspace.id, bank.id, account.id))).toBe(true)
        const held = () => Effect.map(banks.accounts(bank.id), (all) => new Map(all.map((one) => [one.id, one])))
        expect((yield* held()).get(account.id)?.joinedInto).toBe(whole.id)
        expect((yield* held()).get(whole.id)?.joins).toBe(2)
        expect((yield* uploads.shown(upload.id)).map(({ accountId }) => accountId)).toEqual([whole.id])
        // A list of the bank leaves it as it is.
        yield* banks.putAccounts([account, whole])
        expect((yield* held()).get(account.id)?.joinedInto).toBe(whole.id)
        yield* joins.remove(second)
        yield* joins.remove(second)
        expect(yield* joins.of(workspace.id, whole.id)).toEqual([first])
        expect((yield* held()).get(another.id)).not.toHaveProperty("joinedInto")
        expect((yield* held()).get(whole.id)?.joins).toBe(1)
        expect(yield* (yield* IdentityStore).matches(scopeOf(account), { limit: 10 })).toEqual([])
        yield* joins.remove(first)
        expect((yield* held()).get(whole.id)).not.toHaveProperty("joins")
        expect((yield* uploads.shown(upload.id)).map(({ accountId }) => accountId)).toEqual([account.id])
      })
    )
  )

  it.effect("gives back what was noted since matches were made", () =>
    across(
      Effect.gen(function* () {
        const { identity, of, records } = yield* arrange
        const ids = yield* Ids
        const [kept, part] = [yield* makeWrite(), yield* makeWrite()]
        yield* records.write(of, [kept, part])
        const { id: _, ...content } = kept
        const [made, later] = yield* ids.batch("match", 2)
        const match = {
          ...of,
          recordId: kept.id,
          versionBefore: 1,
          before: { ...content, providerId: "own" },
          observed: content,
          evidence: { tier: "equal" as const },
          state: "made" as const
        }
        yield* identity.logMatches([{ ...match, id: made!, separateId: part.id }])
        yield* identity.logMatches([{ ...match, id: later! }])
        yield* identity.addAliases(of, [
          { providerId: "own", recordId: kept.id },
          { providerId: "since", recordId: kept.id }
        ])
        const [logged] = yield* identity.matches(of, { ids: [made!], limit: 1 })
        yield* identity.handBack(of, [{ ...logged!, separateId: part.id }])
        expect(yield* identity.aliases(of, ["own", "since"])).toEqual(
          new Map([
            ["own", kept.id],
            ["since", part.id]
          ])
        )
        expect((yield* identity.matches(of, { recordId: part.id, limit: 10 })).map(({ id }) => id)).toEqual([later])
        expect((yield* identity.matches(of, { recordId: kept.id, limit: 10 })).map(({ id }) => id)).toEqual([made])
      })
    )
  )
}

export const suite = suiteOf(tests)
