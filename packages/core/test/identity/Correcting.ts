/** An account in memory whose matches and suggestions a test makes, and the acts of people on it. */
import { makeWrite, ownerOf, scopeOf, storeAccount, storeBank, storeWorkspace } from "@millrace/testing/fixture"
import { MemoryStorage } from "@millrace/adapters/memory"
import { NodeDigest } from "@millrace/adapters"
import type { ActorRef } from "../../src/access/ActorRef.ts"
import { Corrections } from "../../src/identity/Corrections.ts"
import type { LedgerRef } from "../../src/identity/IdentityLog.ts"
import { IdentityStore } from "../../src/identity/IdentityStore.ts"
import type { LoggedMatch } from "../../src/identity/LoggedMatch.ts"
import type { RecordWrite } from "../../src/record/LedgerRecord.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { Ids } from "../../src/shared/Ids.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

export const services = Corrections.layer.pipe(
  Layer.provideMerge(Cursors.layer(Redacted.make("key"))),
  Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer, Ids.layer, NodeDigest.layer))
)

export const person: ActorRef = { kind: "user", userId: "usr_00000000000000000000000001" }

export const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const bank = yield* storeBank(workspace)
  const account = yield* storeAccount(bank)
  const scope = scopeOf(account)
  const caller = ownerOf(workspace)
  const ref: LedgerRef = { bankId: bank.id, accountId: account.id, dataType: "transactions" }
  const records = yield* RecordStore
  const identity = yield* IdentityStore
  const ids = yield* Ids

  /** As the writer of a sync makes a match: the record goes on with another content, and the old id is noted. */
  const match = Effect.fnUntraced(function* (record: RecordWrite, change: Partial<RecordWrite>) {
    yield* TestClock.adjust(1_000)
    const { id: _, ...before } = record
    const next = { ...record, ...change }
    const { id: _next, ...observed } = next
    const logged: Omit<LoggedMatch, "at"> = {
      id: yield* ids.next("match"),
      ...scope,
      recordId: record.id,
      versionBefore: 1,
      before,
      observed,
      evidence: { tier: "cost", cost: 100 },
      coverage: { kind: "full", complete: true },
      state: "made"
    }
    yield* identity.logMatches([logged])
    if (next.providerId !== record.providerId && record.providerId !== "") {
      yield* identity.addAliases(scope, [{ providerId: record.providerId, recordId: record.id }])
    }
    yield* records.write(scope, [next])
    yield* TestClock.adjust(1_000)
    return { logged, next }
  })

  const suggest = Effect.fnUntraced(function* (recordId: string, observedId: string) {
    const id = yield* ids.next("suggestion")
    yield* identity.suggest([{ id, ...scope, recordId, observedId, evidence: { tier: "cost", cost: 500, margin: 12 } }])
    return id
  })

  /** All that the ledger says: records by id, and which other ids lead to them. */
  const state = Effect.gen(function* () {
    const all = yield* records.changes(scope, { after: 0, upTo: 1e9, limit: 10_000 })
    const rows: Array<unknown> = []
    for (const { date, fields, hash, id, mergedInto, pending, providerId, state: is } of all.toSorted((a, b) =>
      a.id < b.id ? -1 : 1
    )) {
      const aliases = (yield* identity.aliasesOf(scope, id)).map((alias) => alias.providerId)
      const others = aliases.filter((alias) => alias !== providerId).toSorted()
      rows.push({ id, is, providerId, date, pending, hash, fields, mergedInto, others })
    }
    return rows
  })

  const put = Effect.fnUntraced(function* (change: Partial<RecordWrite> = {}) {
    const write = yield* makeWrite(change)
    yield* records.write(scope, [write])
    return write
  })

  const held = (id: string) => Effect.map(records.held(scope, [id]), ([record]) => record)

  return { caller, account, bank, workspace, scope, ref, records, identity, ids, match, suggest, state, put, held }
})
