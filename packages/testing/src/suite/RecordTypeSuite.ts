/** Conformance of the ledger for every type of record: each is kept apart from the others of its account. */
import { dataTypes, type DataType, fieldsOf, type Fields, idKindOf, type RecordWrite } from "@millrace/core/record"
import { IdentityStore, RecordStore } from "@millrace/core/storage"
import { CalendarDate, isId } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storeAccount } from "../fixture/Account.ts"
import { storeBank } from "../fixture/Bank.ts"
import { makeWrite, scopeOf } from "../fixture/Record.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const all = { after: 0, upTo: 1e9, limit: 100 }

/** A value for each field, as the catalogue shows it. */
const examplesOf = (dataType: DataType): Fields =>
  Object.fromEntries(Object.entries(fieldsOf[dataType]).map(([key, { example }]) => [key, example ?? null]))

const arrange = Effect.gen(function* () {
  const account = yield* storeAccount(yield* storeBank(yield* storeWorkspace()))
  const writes = new Map<DataType, RecordWrite>()
  for (const dataType of dataTypes) {
    // One upstream id for all of them: types do not share what ids mean.
    writes.set(dataType, yield* makeWrite({ fields: examplesOf(dataType), providerId: "p", hash: "h" }, dataType))
  }
  return { account, writes, records: yield* RecordStore, identity: yield* IdentityStore }
})

export const tests: StorageTests = (it) => {
  for (const dataType of dataTypes) {
    it.effect(`keeps ${dataType} beside all other types of the account`, () =>
      Effect.gen(function* () {
        const { account, records, writes } = yield* arrange
        for (const [other, write] of writes) yield* records.write(scopeOf(account, other), [write])
        const scope = scopeOf(account, dataType)
        const write = writes.get(dataType)!
        expect(isId(idKindOf[dataType], write.id)).toBe(true)
        const own = { ...write, accountId: account.id, dataType, changeNo: dataTypes.indexOf(dataType) + 1, version: 1 }
        expect(yield* records.changes(scope, all)).toMatchObject([own])
        expect(yield* records.page(scope, { filter: {}, limit: 10 })).toMatchObject([own])
        expect(yield* records.held(scope, [write.id])).toMatchObject([own])
        expect((yield* records.index(scope, { providerIds: ["p"] })).map(({ id }) => id)).toEqual([write.id])
        expect(yield* records.latestDate(scope)).toBe("2026-03-14")
      })
    )

    it.effect(`moves number and version of ${dataType} with each change, and nothing of other types`, () =>
      Effect.gen(function* () {
        const { account, records, writes } = yield* arrange
        for (const [other, write] of writes) yield* records.write(scopeOf(account, other), [write])
        const scope = scopeOf(account, dataType)
        const write = writes.get(dataType)!
        yield* records.write(scope, [{ ...write, hash: "other", date: CalendarDate.make("2026-03-15") }])
        yield* records.write(scope, [{ ...write, state: "removed" }])
        yield* records.write(scope, [write])
        const last = dataTypes.length + 3
        expect(yield* records.changes(scope, { ...all, after: dataTypes.length })).toMatchObject([
          { ...write, changeNo: last, version: 4 }
        ])
        expect(yield* records.lastChange(account.id)).toBe(last)
        for (const other of dataTypes) {
          if (other === dataType) continue
          expect(yield* records.changes(scopeOf(account, other), { ...all, after: dataTypes.length })).toEqual([])
        }
      })
    )

    it.effect(`remembers former ids, pulls and checkpoints of ${dataType} alone`, () =>
      Effect.gen(function* () {
        const { account, identity, records, writes } = yield* arrange
        const scope = scopeOf(account, dataType)
        const write = writes.get(dataType)!
        yield* records.write(scope, [write])
        yield* identity.addAliases(scope, [{ providerId: "former", recordId: write.id }])
        yield* records.setPulled([scope])
        yield* records.saveCheckpoint({ bankId: account.bankId, accountId: account.id, dataType }, "here")
        for (const other of dataTypes) {
          const asked = scopeOf(account, other)
          const own = other === dataType
          expect((yield* identity.aliases(asked, ["former"])).get("former")).toBe(own ? write.id : undefined)
          expect((yield* records.pulledAt(asked)) !== undefined).toBe(own)
          const key = { bankId: account.bankId, accountId: account.id, dataType: other }
          expect(yield* records.checkpoint(key)).toBe(own ? "here" : undefined)
        }
      })
    )
  }
}

export const suite = suiteOf(tests)
