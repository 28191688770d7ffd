import { Corrections } from "../../src/identity/Corrections.ts"
import { freeBanks, leaseBank } from "@millrace/testing/fixture"
import { limits } from "../../src/shared/Limits.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { arrange, person, services } from "./Correcting.ts"

const fields = (description: string, amount: string) => ({ description, amount, currency: "CHF" })

describe("Corrections", () => {
  it.effect("parts a match: the record says what it said before, the observation is a record of its own", () =>
    Effect.gen(function* () {
      const { caller, held, identity, match, put, ref, records, scope } = yield* arrange
      const { undo } = yield* Corrections
      const pending = yield* put({ pending: true, providerId: "p0", fields: fields("LAMP", "-42") })
      const { logged } = yield* match(pending, {
        pending: false,
        providerId: "x1",
        hash: "posted",
        fields: fields("LAMP SHOP", "-49.56")
      })
      const before = yield* records.lastChange(scope.accountId)
      const view = yield* undo(caller, ref, logged.id)
      const separateId = view.match.separateId!
      expect(yield* held(pending.id)).toMatchObject({ ...pending, version: 3 })
      expect(yield* held(separateId)).toMatchObject({
        providerId: "x1",
        pending: false,
        state: "live",
        hash: "posted",
        fields: fields("LAMP SHOP", "-49.56")
      })
      expect(view.before).toMatchObject({ id: pending.id, amount: "-42" })
      expect(view.observed).toMatchObject({ id: separateId, amount: "-49.56" })
      expect(view.match).toMatchObject({ state: "undone", decided: { by: person } })
      // Feeds hear of both.
      const changes = yield* records.changes(scope, { after: before, upTo: 1e9, limit: 10 })
      expect(changes.map(({ id }) => id).toSorted()).toEqual([pending.id, separateId].toSorted())
      expect(yield* identity.facts(scope)).toMatchObject([
        {
          kind: "forbid",
          recordId: pending.id,
          key: { providerId: "p0", hash: pending.hash },
          otherId: separateId,
          otherKey: { providerId: "x1", hash: "posted" },
          by: person
        }
      ])
    }).pipe(Effect.provide(services))
  )

  it.effect("leaves later matches of an observation with it when an earlier one is parted", () =>
    Effect.gen(function* () {
      const { caller, held, identity, match, put, ref, scope } = yield* arrange
      const { undo } = yield* Corrections
      const first = yield* put({ providerId: "p0", fields: fields("LAMP", "-1") })
      const one = yield* match(first, { providerId: "x1", hash: "h1", fields: fields("DESK", "-1") })
      const two = yield* match(one.next, { providerId: "x2", hash: "h2", fields: fields("CHAIR", "-1") })
      const separateId = (yield* undo(caller, ref, one.logged.id)).match.separateId!
      expect(yield* held(first.id)).toMatchObject({ providerId: "p0", fields: fields("LAMP", "-1") })
      expect(yield* held(separateId)).toMatchObject({ providerId: "x2", fields: fields("CHAIR", "-1") })
      expect(yield* identity.aliases(scope, ["p0", "x1"])).toEqual(
        new Map([
          ["p0", first.id],
          ["x1", separateId]
        ])
      )
      const third = (yield* undo(caller, ref, two.logged.id)).match.separateId!
      expect(yield* held(separateId)).toMatchObject({ providerId: "x1", fields: fields("DESK", "-1") })
      expect(yield* held(third)).toMatchObject({ providerId: "x2", fields: fields("CHAIR", "-1") })
    }).pipe(Effect.provide(services))
  )

  it.effect("parts a correction under one id: what is shown under the id is the other record's", () =>
    Effect.gen(function* () {
      const { caller, held, match, put, ref } = yield* arrange
      const { undo } = yield* Corrections
      const first = yield* put({ providerId: "x1", fields: fields("LAMP", "-1") })
      const { logged } = yield* match(first, { hash: "h1", fields: fields("LAMP", "-2") })
      const { match: undone } = yield* undo(caller, ref, logged.id)
      expect(yield* held(first.id)).toMatchObject({ providerId: "", fields: fields("LAMP", "-1") })
      expect(yield* held(undone.separateId!)).toMatchObject({ providerId: "x1", fields: fields("LAMP", "-2") })
    }).pipe(Effect.provide(services))
  )

  it.effect("parts a row of a file from the record of a connection that it was taken for", () =>
    Effect.gen(function* () {
      const { caller, held, identity, ids, put, ref, scope } = yield* arrange
      const { undo } = yield* Corrections
      const record = yield* put({ providerId: "x1", fields: fields("LAMP", "-1") })
      const { id: _, ...content } = record
      const observed = { ...content, providerId: "file:1", hash: "file", fields: fields("Lamp shop", "-1") }
      const id = yield* ids.next("match")
      const evidence = { tier: "cost", cost: 10 } as const
      const logged = { id, ...scope, recordId: record.id, versionBefore: 1, before: content, observed, evidence }
      yield* identity.logMatches([{ ...logged, secondSource: true, state: "made" }])
      yield* identity.addAliases(scope, [{ providerId: "file:1", recordId: record.id }])
      const { match: undone } = yield* undo(caller, ref, id)
      expect(yield* held(record.id)).toMatchObject({ ...record, version: 1 })
      expect(yield* held(undone.separateId!)).toMatchObject({ ...observed, state: "live" })
      expect(yield* identity.aliases(scope, ["file:1"])).toEqual(new Map([["file:1", undone.separateId]]))
    }).pipe(Effect.provide(services))
  )

  it.effect("takes an undo back by a match of its own, which can be undone again", () =>
    Effect.gen(function* () {
      const { caller, held, identity, match, put, ref, scope, state } = yield* arrange
      const { redo, undo } = yield* Corrections
      const first = yield* put({ providerId: "p0", fields: fields("LAMP", "-1") })
      const { logged } = yield* match(first, { providerId: "x1", hash: "h1", fields: fields("DESK", "-1") })
      const separateId = (yield* undo(caller, ref, logged.id)).match.separateId!
      const parted = yield* state
      yield* TestClock.adjust(1_000)
      const again = yield* redo(caller, ref, logged.id)
      expect(again.match).toMatchObject({ state: "made", recordId: first.id, separateId, decided: { by: person } })
      expect(yield* held(first.id)).toMatchObject({ providerId: "x1", state: "live", fields: fields("DESK", "-1") })
      expect(yield* held(separateId)).toBeUndefined()
      expect(yield* identity.facts(scope)).toEqual([])
      yield* undo(caller, ref, again.match.id)
      expect(yield* state).toEqual(parted)
      expect(yield* Effect.flip(undo(caller, ref, again.match.id))).toMatchObject({ code: "INVALID_STATE" })
    }).pipe(Effect.provide(services))
  )

  it.effect("accepts a suggestion: the older record goes on with what the younger one says", () =>
    Effect.gen(function* () {
      const { caller, held, identity, put, ref, scope, state, suggest } = yield* arrange
      const { accept, suggestions, undo, matches } = yield* Corrections
      const older = yield* put({ providerId: "p0", pending: true, state: "removed", fields: fields("LAMP", "-42") })
      const younger = yield* put({ providerId: "x1", fields: fields("LAMP SHOP", "-49.56") })
      yield* identity.addAliases(scope, [{ providerId: "x0", recordId: younger.id }])
      const before = yield* state
      yield* TestClock.adjust(1_000)
      const id = yield* suggest(older.id, younger.id)
      const view = yield* accept(caller, ref, id)
      expect(view).toMatchObject({
        suggestion: { state: "accepted", decided: { by: person } },
        record: { id: older.id, description: "LAMP SHOP" }
      })
      expect(yield* held(older.id)).toMatchObject({ providerId: "x1", pending: false, state: "live" })
      expect(yield* held(younger.id)).toBeUndefined()
      expect(yield* identity.aliases(scope, ["p0", "x0"])).toEqual(
        new Map([
          ["p0", older.id],
          ["x0", older.id]
        ])
      )
      expect(yield* Effect.flip(accept(caller, ref, id))).toMatchObject({ code: "INVALID_STATE" })
      const { rows } = yield* matches(caller, ref, { recordId: older.id })
      yield* undo(caller, ref, rows[0]!.match.id)
      expect(yield* state).toEqual(before)
      expect((yield* suggestions(caller, ref, {})).rows).toMatchObject([{ suggestion: { state: "rejected" } }])
    }).pipe(Effect.provide(services))
  )

  it.effect("joins a row of a file to the record of a connection, which goes on as the connection tells it", () =>
    Effect.gen(function* () {
      const { caller, held, identity, put, ref, scope, state, suggest } = yield* arrange
      const { accept, matches, undo } = yield* Corrections
      const record = yield* put({ providerId: "x1", fields: fields("LAMP", "-1") })
      const row = yield* put({ providerId: "file:1", fields: fields("Lamp shop", "-1") })
      yield* identity.addAliases(scope, [{ providerId: "file:0", recordId: row.id }])
      const before = yield* state
      yield* TestClock.adjust(1_000)
      yield* accept(caller, ref, yield* suggest(record.id, row.id))
      expect(yield* held(record.id)).toMatchObject({ ...record, version: 1 })
      expect(yield* held(row.id)).toBeUndefined()
      expect(yield* identity.aliases(scope, ["file:0", "file:1", "x1"])).toEqual(
        new Map([
          ["file:0", record.id],
          ["file:1", record.id]
        ])
      )
      const [made] = (yield* matches(caller, ref, {})).rows
      expect(made!.match.secondSource).toBe(true)
      yield* undo(caller, ref, made!.match.id)
      expect(yield* state).toEqual(before)
    }).pipe(Effect.provide(services))
  )

  it.effect("rejects a suggestion for good, until somebody accepts it after all", () =>
    Effect.gen(function* () {
      const { caller, held, identity, put, ref, scope, suggest } = yield* arrange
      const { accept, reject } = yield* Corrections
      const older = yield* put()
      const younger = yield* put()
      const id = yield* suggest(older.id, younger.id)
      yield* reject(caller, ref, id)
      expect(yield* identity.facts(scope)).toMatchObject([{ kind: "forbid", recordId: older.id, otherId: younger.id }])
      expect(yield* Effect.flip(reject(caller, ref, id))).toMatchObject({ code: "INVALID_STATE" })
      yield* accept(caller, ref, id)
      expect(yield* identity.facts(scope)).toEqual([])
      expect(yield* held(younger.id)).toBeUndefined()
    }).pipe(Effect.provide(services))
  )

  it.effect("forbids the record that goes on what was forbidden the one that is gone", () =>
    Effect.gen(function* () {
      const { caller, identity, put, ref, scope, suggest } = yield* arrange
      const { accept, reject } = yield* Corrections
      const [a, b, c] = [yield* put(), yield* put(), yield* put()]
      yield* reject(caller, ref, yield* suggest(b.id, c.id))
      yield* accept(caller, ref, yield* suggest(a.id, b.id))
      const pairs = (yield* identity.facts(scope)).map(({ otherId, recordId }) => [recordId, otherId])
      expect(pairs).toContainEqual([a.id, c.id])
    }).pipe(Effect.provide(services))
  )

  it.effect("deletes a record and brings it back", () =>
    Effect.gen(function* () {
      const { caller, held, identity, put, ref, records, scope, state } = yield* arrange
      const { remove, restore } = yield* Corrections
      const record = yield* put()
      const before = yield* state
      yield* remove(caller, ref, record.id)
      expect(yield* held(record.id)).toMatchObject({ state: "deleted", fields: record.fields, changeNo: 2 })
      expect(yield* records.page(scope, { filter: {}, limit: 10 })).toEqual([])
      expect(yield* identity.facts(scope)).toMatchObject([{ kind: "delete", recordId: record.id, by: person }])
      expect(yield* Effect.flip(remove(caller, ref, record.id))).toMatchObject({ _tag: "NotFound" })
      expect(yield* restore(caller, ref, record.id)).toMatchObject({ id: record.id })
      expect(yield* state).toEqual(before)
      expect(yield* identity.facts(scope)).toEqual([])
      expect(yield* Effect.flip(restore(caller, ref, record.id))).toMatchObject({ code: "INVALID_STATE" })
    }).pipe(Effect.provide(services))
  )

  it.effect("keeps a record that it brings back although the upstream no longer has it, until it is deleted", () =>
    Effect.gen(function* () {
      const { caller, identity, put, ref, scope } = yield* arrange
      const { remove, restore } = yield* Corrections
      const record = yield* put({ state: "removed" })
      yield* restore(caller, ref, record.id)
      expect(yield* identity.facts(scope)).toMatchObject([{ kind: "keep", recordId: record.id }])
      yield* remove(caller, ref, record.id)
      expect(yield* identity.facts(scope)).toMatchObject([{ kind: "delete", recordId: record.id }])
    }).pipe(Effect.provide(services))
  )

  it.effect("refuses what cannot be decided now, and says why", () =>
    Effect.gen(function* () {
      const { caller, ids, match, put, ref, suggest } = yield* arrange
      const { accept, matches, redo, remove, restore, undo } = yield* Corrections
      const other = yield* (yield* Ids).next("match")
      expect(yield* Effect.flip(undo(caller, ref, other))).toMatchObject({ _tag: "NotFound", resource: "Match" })
      const first = yield* put({ providerId: "p0" })
      const { logged } = yield* match(first, { providerId: "x1", hash: "h1" })
      expect(yield* Effect.flip(redo(caller, ref, logged.id))).toMatchObject({ message: "Match is made" })
      yield* remove(caller, ref, first.id)
      expect(yield* Effect.flip(undo(caller, ref, logged.id))).toMatchObject({
        message: "Transaction is deleted; restore it first"
      })
      yield* restore(caller, ref, first.id)
      const second = yield* put()
      yield* accept(caller, ref, yield* suggest(second.id, first.id))
      expect(yield* Effect.flip(undo(caller, ref, logged.id))).toMatchObject({
        message: "Transaction is part of another one; undo that match first"
      })
      expect(yield* Effect.flip(restore(caller, ref, first.id))).toMatchObject({ _tag: "NotFound" })
      const elsewhere = { ...ref, accountId: yield* ids.next("account") }
      expect(yield* Effect.flip(matches(caller, elsewhere, {}))).toMatchObject({
        _tag: "NotFound",
        resource: "Account"
      })
      expect(yield* Effect.flip(undo(caller, { ...ref, dataType: "trades" }, logged.id))).toMatchObject({
        _tag: "NotFound"
      })
    }).pipe(Effect.provide(services))
  )

  it.effect("does not race a sync: while one reads the bank, it asks to come again", () =>
    Effect.gen(function* () {
      const { caller, bank, held, put, ref } = yield* arrange
      const { remove } = yield* Corrections
      const record = yield* put()
      yield* leaseBank(bank.id, "a sync")
      expect(yield* Effect.flip(remove(caller, ref, record.id))).toMatchObject({ code: "SYNC_ALREADY_RUNNING" })
      expect(yield* held(record.id)).toMatchObject({ state: "live" })
      yield* freeBanks("a sync")
      yield* remove(caller, ref, record.id)
      // It leaves no lease behind, whether it succeeds or not.
      yield* Effect.flip(remove(caller, ref, record.id))
      expect(yield* leaseBank(bank.id, "the next sync")).toBe(true)
    }).pipe(Effect.provide(services))
  )

  it.effect("pages through matches and suggestions, newest first, by what was asked", () =>
    Effect.gen(function* () {
      const { caller, match, put, ref, suggest } = yield* arrange
      const { matches, suggestions } = yield* Corrections
      const record = yield* put({ providerId: "p0" })
      const made = [
        (yield* match(record, { providerId: "p1", hash: "1" })).logged.id,
        (yield* match(record, { providerId: "p2", hash: "2" })).logged.id,
        (yield* match(yield* put(), { providerId: "p3", hash: "3" })).logged.id
      ]
      const one = yield* matches(caller, ref, { recordId: record.id, limit: 1 })
      expect([one.hasMore, one.rows.map((row) => row.match.id)]).toEqual([true, [made[1]]])
      const two = yield* matches(caller, ref, { limit: 1, cursor: one.cursor! })
      expect([two.hasMore, two.cursor, two.rows.map((row) => row.match.id)]).toEqual([false, undefined, [made[0]]])
      expect((yield* matches(caller, ref, { state: "undone" })).rows).toEqual([])
      expect(yield* Effect.flip(suggestions(caller, ref, { cursor: one.cursor! }))).toMatchObject({
        _tag: "CursorUnusable"
      })
      const ids = [yield* suggest(record.id, (yield* put()).id), yield* suggest(record.id, (yield* put()).id)]
      const first = yield* suggestions(caller, ref, { limit: 1, state: "open" })
      const last = yield* suggestions(caller, ref, { cursor: first.cursor! })
      expect([...first.rows, ...last.rows].map((row) => row.suggestion.id)).toEqual(ids.toReversed())
    }).pipe(Effect.provide(services))
  )

  it.effect("keeps a bounded number of decisions", () =>
    Effect.gen(function* () {
      const { caller, held, identity, ids, put, ref, scope } = yield* arrange
      const { remove } = yield* Corrections
      const record = yield* put()
      const sizes = limits as { identityFacts: number }
      const { identityFacts } = limits
      yield* Effect.addFinalizer(() => Effect.sync(() => (sizes.identityFacts = identityFacts)))
      sizes.identityFacts = 3
      const fact = {
        ...scope,
        kind: "forbid",
        recordId: "r",
        by: person,
        at: caller.principal.workspace.createdAt
      } as const
      for (const id of yield* ids.batch("fact", limits.identityFacts)) yield* identity.addFact({ ...fact, id })
      expect(yield* Effect.flip(remove(caller, ref, record.id))).toMatchObject({ code: "LIMIT_EXCEEDED" })
      expect(yield* held(record.id)).toMatchObject({ state: "live" })
    }).pipe(Effect.provide(services))
  )
})
