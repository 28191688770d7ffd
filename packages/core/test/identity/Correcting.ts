/** An account in memory whose matches and suggestions a test makes, and the acts of people on it. */
import { ownerOf } from "@millrace/testing/fixture/Caller"
import * as MemoryStorage from "@millrace/adapters/storage/memory/MemoryStorage"
import * as NodeDigest from "@millrace/adapters/digest/NodeDigest"
import type { ActorRef } from "@millrace/core/access/ActorRef"
import { Corrections } from "@millrace/core/identity/Corrections"
import type { LedgerRef } from "@millrace/core/identity/IdentityLog"
import { IdentityStore } from "@millrace/core/identity/IdentityStore"
import type { LoggedMatch } from "@millrace/core/identity/LoggedMatch"
import type { RecordWrite } from "@millrace/core/record/LedgerRecord"
import { RecordStore } from "@millrace/core/record/RecordStore"
import { Cursors } from "@millrace/core/cursor/Cursors"
import { Ids } from "@millrace/core/shared/Ids"
import { storeAccount } from "@millrace/testing/fixture/Account"
import { storeBank } from "@millrace/testing/fixture/Bank"
import { makeWrite, scopeOf } from "@millrace/testing/fixture/Record"
import { storeWorkspace } from "@millrace/testing/fixture/Workspace"
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
