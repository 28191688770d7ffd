/** Conformance of `IdentityStore`. */
import type { ActorRef } from "@millrace/core/access"
import { fullTrust, type IdentityFact, type LoggedMatch, type LoggedSuggestion } from "@millrace/core/identity"
import { IdentityStore, type RecordScope, Transactor } from "@millrace/core/storage"
import { Ids, limits, Timestamp } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { storeAccount } from "../fixture/Account.ts"
import { storeBank } from "../fixture/Bank.ts"
import { makeWrite, scopeOf } from "../fixture/Record.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

const person: ActorRef = { kind: "user", userId: "usr_1" }

const arrange = Effect.gen(function* () {
  const bank = yield* storeBank(yield* storeWorkspace())
  const account = yield* storeAccount(bank)
  return { bank, account, scope: scopeOf(account), identity: yield* IdentityStore, ids: yield* Ids }
})

const makeMatch = Effect.fnUntraced(function* (scope: RecordScope, change: Partial<LoggedMatch> = {}) {
  const { id: recordId, ...before } = yield* makeWrite({ pending: true })
  const { id: _, ...observed } = yield* makeWrite({
    fields: { text: difficultTexts.join("/"), amount: "-1.10", no: null }
  })
  const match: Omit<LoggedMatch, "at"> = {
    id: yield* (yield* Ids).next("match"),
    ...scope,
    recordId,
    versionBefore: 3,
    before,
    observed,
    evidence: { tier: "cost", cost: 142, parts: { date: 72, text: 70 }, margin: 12, approximate: true },
    coverage: { kind: "delta" },
    state: "made",
    ...change
  }
  return match
})

const makeSuggestion = Effect.fnUntraced(function* (scope: RecordScope, change: Partial<LoggedSuggestion> = {}) {
  const ids = yield* Ids
  const suggestion: Omit<LoggedSuggestion, "at" | "state"> = {
    id: yield* ids.next("suggestion"),
    ...scope,
    recordId: yield* ids.next("transaction"),
    observedId: yield* ids.next("transaction"),
    evidence: { tier: "cost", cost: 518, margin: 12 },
    jobId: yield* ids.next("job"),
    ...change
  }
  return suggestion
})

const makeFact = Effect.fnUntraced(function* (scope: RecordScope, change: Partial<IdentityFact> = {}) {
  const ids = yield* Ids
  const fact: IdentityFact = {
    id: yield* ids.next("fact"),
    ...scope,
    kind: "forbid",
    recordId: yield* ids.next("transaction"),
    key: { providerId: difficultTexts.join(" "), hash: "h1" },
    otherId: yield* ids.next("transaction"),
    otherKey: { providerId: "", hash: "h2" },
    by: person,
    at: Timestamp.make("2026-03-14T09:30:00.000Z"),
    ...change
  }
  return fact
})

const sorted = (facts: ReadonlyArray<IdentityFact>) => facts.toSorted((a, b) => (a.id < b.id ? -1 : 1))

const withoutAt = <A extends { readonly at: string }>(logged: A) => {
  const { at: _, ...rest } = logged
  return rest
}

export const tests: StorageTests = (it) => {
  it.effect("remembers nothing about an account at first", () =>
    Effect.gen(function* () {
      const { identity, scope } = yield* arrange
      const { now, ...recalled } = yield* identity.recall(scope)
      expect(recalled).toEqual({ trust: fullTrust, learnt: [], hasAliases: false, facts: [] })
      expect(Timestamp.parse(now)).toBe(now)
      yield* (yield* StoreClock).pass(60)
      const later = (yield* identity.recall(scope)).now
      expect(Timestamp.toMillis(later) - Timestamp.toMillis(now)).toBeGreaterThanOrEqual(60_000)
    })
  )

  it.effect("keeps what an account has shown of texts, each type by itself, and replaces it whole", () =>
    Effect.gen(function* () {
      const { identity, scope } = yield* arrange
      const learnt = difficultTexts.map((text, n) => ({ pending: text, booked: `MTA ${n}`, score: n - 4 }))
      yield* identity.setLearnt(scope, learnt)
      expect((yield* identity.recall(scope)).learnt).toEqual(learnt)
      expect((yield* identity.recall({ ...scope, dataType: "trades" })).learnt).toEqual([])
      yield* identity.setLearnt(scope, learnt.slice(0, 1))
      expect((yield* identity.recall(scope)).learnt).toEqual(learnt.slice(0, 1))
    })
  )

  it.effect("keeps how far ids are trusted apart by account and type, until it is forgotten", () =>
    Effect.gen(function* () {
      const { account, bank, identity, scope } = yield* arrange
      const other = scopeOf(yield* storeAccount(bank))
      const trade = scopeOf(account, "trades")
      const counter = { contradictions: [0, 17], demoted: false }
      yield* identity.setTrust(scope, { contradictions: [4], demoted: false })
      yield* identity.setTrust(scope, counter)
      yield* identity.setTrust(other, { contradictions: [], demoted: true })
      expect((yield* identity.recall(scope)).trust).toEqual(counter)
      expect((yield* identity.recall(trade)).trust).toEqual(fullTrust)
      yield* identity.forgetTrust(account.workspaceId, [account.id])
      expect((yield* identity.recall(scope)).trust).toEqual(fullTrust)
      expect((yield* identity.recall(other)).trust).toEqual({ contradictions: [], demoted: true })
    })
  )

  it.effect("leads from a former upstream id to the record that had it last", () =>
    Effect.gen(function* () {
      const { bank, identity, scope } = yield* arrange
      const elsewhere = scopeOf(yield* storeAccount(bank))
      const strange = difficultTexts.join("/")
      yield* identity.addAliases(scope, [
        { providerId: "p1", recordId: "r1" },
        { providerId: strange, recordId: "r1" }
      ])
      yield* identity.addAliases(scope, [{ providerId: "p1", recordId: "r2" }])
      yield* identity.addAliases(elsewhere, [{ providerId: "p9", recordId: "r9" }])
      yield* identity.addAliases(scope, [])
      expect(yield* identity.aliases(scope, ["p1", strange, "p9", "nobody"])).toEqual(
        new Map([
          ["p1", "r2"],
          [strange, "r1"]
        ])
      )
      expect(yield* identity.aliases(scope, [])).toEqual(new Map())
      expect((yield* identity.recall(scope)).hasAliases).toBe(true)
      expect((yield* identity.aliasesOf(scope, "r1")).map(({ providerId }) => providerId)).toEqual([strange])
    })
  )

  it.effect("keeps the newest former ids of a record, newest first, and no more than its share", () =>
    Effect.gen(function* () {
      const { identity, scope } = yield* arrange
      const names = Array.from({ length: limits.aliasesPerRecord + 3 }, (_, n) => `p${n}`)
      yield* identity.addAliases(
        scope,
        names.slice(0, 10).map((providerId) => ({ providerId, recordId: "r1" }))
      )
      yield* identity.addAliases(scope, [{ providerId: "other", recordId: "r2" }])
      yield* (yield* StoreClock).pass(1)
      yield* identity.addAliases(
        scope,
        names.slice(10).map((providerId) => ({ providerId, recordId: "r1" }))
      )
      // Seen again, so it is the newest.
      yield* identity.addAliases(scope, [{ providerId: "p5", recordId: "r1" }])
      const expected = [
        "p5",
        ...names
          .slice(3)
          .filter((name) => name !== "p5")
          .toReversed()
      ]
      expect((yield* identity.aliasesOf(scope, "r1")).map(({ providerId }) => providerId)).toEqual(expected)
      expect(yield* identity.formerIds(scope, ["r1", "r2", "nobody"])).toEqual(
        new Map([
          ["r1", expected.toReversed()],
          ["r2", ["other"]]
        ])
      )
      expect(yield* identity.formerIds(scope, [])).toEqual(new Map())
      expect(yield* identity.aliases(scope, ["p0", "p2", "p3", "other"])).toEqual(
        new Map([
          ["p3", "r1"],
          ["other", "r2"]
        ])
      )
    })
  )

  it.effect("moves former ids to another record as old as they are", () =>
    Effect.gen(function* () {
      const { identity, scope } = yield* arrange
      yield* identity.addAliases(scope, [
        { providerId: "p1", recordId: "r1" },
        { providerId: "p2", recordId: "r1" }
      ])
      const before = yield* identity.aliasesOf(scope, "r1")
      yield* (yield* StoreClock).pass(5)
      yield* identity.moveAliases(scope, ["p2", "nobody"], "r2")
      yield* identity.moveAliases(scope, [], "r2")
      expect(yield* identity.aliasesOf(scope, "r1")).toEqual(before.filter(({ providerId }) => providerId === "p1"))
      expect(yield* identity.aliasesOf(scope, "r2")).toEqual([{ ...before[0]!, recordId: "r2" }])
    })
  )

  it.effect("hands back a match as it was logged, and what became of it", () =>
    Effect.gen(function* () {
      const { account, ids, identity, scope } = yield* arrange
      const sparse = yield* makeMatch(scope)
      const full = yield* makeMatch(scope, {
        coverage: { kind: "full", complete: true },
        jobId: yield* ids.next("job"),
        separateId: yield* ids.next("transaction"),
        secondSource: true,
        decided: { by: person, at: Timestamp.make("2026-03-14T09:30:00.000Z") }
      })
      yield* identity.logMatches([sparse, full])
      yield* identity.logMatches([])
      for (const match of [sparse, full]) {
        const read = Option.getOrThrow(yield* identity.match(scope, match.id))
        expect(withoutAt(read)).toEqual(match)
        expect(Timestamp.parse(read.at)).toBe(read.at)
      }
      expect(yield* identity.match(scopeOf(account, "trades"), full.id)).toEqual(Option.none())
      const decided = { by: person, at: Timestamp.make("2026-04-14T09:30:00.000Z") }
      yield* identity.setMatch({ ...sparse, recordId: "r2", state: "undone", separateId: "r3", decided })
      expect(withoutAt(Option.getOrThrow(yield* identity.match(scope, sparse.id)))).toEqual({
        ...sparse,
        recordId: "r2",
        state: "undone",
        separateId: "r3",
        decided
      })
      const { decided: _, separateId: _separateId, ...plain } = full
      yield* identity.setMatch(plain)
      expect(withoutAt(Option.getOrThrow(yield* identity.match(scope, full.id)))).toEqual(plain)
    })
  )

  it.effect("lists matches newest first, by record and state, page by page, of that type of that account only", () =>
    Effect.gen(function* () {
      const { account, bank, identity, scope } = yield* arrange
      const a = yield* makeMatch(scope)
      const b = yield* makeMatch(scope, { recordId: a.recordId })
      const c = yield* makeMatch(scope, { state: "undone" })
      yield* identity.logMatches([a, b, c])
      yield* identity.logMatches([yield* makeMatch(scopeOf(account, "trades"))])
      yield* identity.logMatches([yield* makeMatch(scopeOf(yield* storeAccount(bank)))])
      const list = (query: Partial<Parameters<typeof identity.matches>[1]>) =>
        Effect.map(identity.matches(scope, { limit: 10, ...query }), (rows) => rows.map(({ id }) => id))
      expect(yield* list({})).toEqual([c.id, b.id, a.id])
      expect(yield* list({ limit: 2 })).toEqual([c.id, b.id])
      expect(yield* list({ limit: 2, before: b.id })).toEqual([a.id])
      expect(yield* list({ recordId: a.recordId })).toEqual([b.id, a.id])
      expect(yield* list({ state: "undone" })).toEqual([c.id])
    })
  )

  it.effect("keeps each suggested pair once, with what was decided", () =>
    Effect.gen(function* () {
      const { account, identity, scope } = yield* arrange
      const one = yield* makeSuggestion(scope)
      const { jobId: _, ...other } = yield* makeSuggestion(scope, { recordId: one.recordId })
      yield* identity.suggest([one, other])
      yield* identity.suggest([
        { ...(yield* makeSuggestion(scope)), recordId: one.recordId, observedId: one.observedId }
      ])
      yield* identity.suggest([])
      const all = yield* identity.suggestions(scope, { limit: 10 })
      expect(all.map(withoutAt)).toEqual([
        { ...other, state: "open" },
        { ...one, state: "open" }
      ])
      const decided = { by: person, at: Timestamp.make("2026-03-14T09:30:00.000Z") }
      yield* identity.decideSuggestion(one, "rejected", decided)
      expect(withoutAt(Option.getOrThrow(yield* identity.suggestion(scope, one.id)))).toEqual({
        ...one,
        state: "rejected",
        decided
      })
      expect(yield* identity.suggestions(scope, { limit: 10, state: "open" })).toMatchObject([{ id: other.id }])
      expect(yield* identity.suggestions(scope, { limit: 10, recordId: "nobody" })).toEqual([])
      expect(yield* identity.suggestions(scope, { limit: 10, before: other.id })).toMatchObject([{ id: one.id }])
      yield* identity.decideSuggestion(one, "open", undefined)
      expect(withoutAt(Option.getOrThrow(yield* identity.suggestion(scope, one.id)))).toEqual({ ...one, state: "open" })
      expect(yield* identity.suggestion(scopeOf(account, "trades"), one.id)).toEqual(Option.none())
    })
  )

  it.effect("recalls facts of the account that hold, and counts those of the workspace", () =>
    Effect.gen(function* () {
      const { account, bank, identity, scope } = yield* arrange
      const forbid = yield* makeFact(scope)
      const { key: _k, otherId: _o, otherKey: _ok, ...keep } = yield* makeFact(scope, { kind: "keep" })
      const elsewhere = yield* makeFact(scopeOf(yield* storeAccount(bank)), { kind: "delete" })
      const deleted = yield* makeFact(scope, { kind: "delete" })
      for (const fact of [forbid, keep, elsewhere, deleted]) yield* identity.addFact(fact)
      const recalled = Effect.map(identity.recall(scope), ({ facts }) => sorted(facts))
      expect(yield* recalled).toEqual([forbid, keep])
      expect(sorted(yield* identity.facts(scope))).toEqual([forbid, keep, deleted])
      expect((yield* identity.recall(scopeOf(account, "trades"))).facts).toEqual([])
      expect(yield* identity.countFacts(account.workspaceId)).toBe(4)
      const lifted = { by: person, at: Timestamp.make("2026-03-15T09:30:00.000Z") }
      yield* identity.liftFacts(account.id, [forbid.id, elsewhere.id], lifted)
      yield* identity.liftFacts(account.id, [], lifted)
      expect(yield* recalled).toEqual([keep])
      expect(yield* identity.countFacts(account.workspaceId)).toBe(3)
    })
  )

  it.effect("forgets what is old, but no former id of a record that a person deleted", () =>
    Effect.gen(function* () {
      const { identity, scope } = yield* arrange
      const clock = yield* StoreClock
      const old = yield* makeMatch(scope)
      yield* identity.logMatches([old])
      yield* identity.suggest([yield* makeSuggestion(scope)])
      yield* identity.addFact(yield* makeFact(scope, { kind: "delete", recordId: "r2" }))
      yield* identity.addAliases(scope, [
        { providerId: "p1", recordId: "r1" },
        { providerId: "p2", recordId: "r2" }
      ])
      yield* clock.pass((limits.aliasDays + 1) * 86_400)
      yield* identity.addAliases(scope, [{ providerId: "p3", recordId: "r1" }])
      const young = yield* makeMatch(scope)
      yield* identity.logMatches([young])
      // The store may hold what other tests left.
      while ((yield* identity.purge(100)) > 0);
      expect([...(yield* identity.aliases(scope, ["p1", "p2", "p3"])).keys()].toSorted()).toEqual(["p2", "p3"])
      expect((yield* identity.matches(scope, { limit: 10 })).map(({ id }) => id)).toEqual([young.id])
      expect(yield* identity.suggestions(scope, { limit: 10 })).toEqual([])
    })
  )

  it.effect("takes back what a transaction noted that failed", () =>
    Effect.gen(function* () {
      const { account, identity, scope } = yield* arrange
      const match = yield* makeMatch(scope)
      const fact = yield* makeFact(scope)
      yield* identity.addFact(fact)
      yield* (yield* Transactor)
        .atomically(
          Effect.gen(function* () {
            yield* identity.setTrust(scope, { contradictions: [], demoted: true })
            yield* identity.addAliases(scope, [{ providerId: "p1", recordId: "r1" }])
            yield* identity.logMatches([match])
            yield* identity.suggest([yield* makeSuggestion(scope)])
            yield* identity.addFact(yield* makeFact(scope))
            yield* identity.liftFacts(account.id, [fact.id], {
              by: person,
              at: Timestamp.make("2026-03-14T09:30:00.000Z")
            })
            return yield* Effect.fail("refused")
          })
        )
        .pipe(Effect.flip)
      expect(yield* identity.recall(scope)).toMatchObject({ trust: fullTrust, hasAliases: false, facts: [fact] })
      expect(yield* identity.matches(scope, { limit: 10 })).toEqual([])
      expect(yield* identity.suggestions(scope, { limit: 10 })).toEqual([])
    })
  )
}

export const suite = suiteOf(tests)
