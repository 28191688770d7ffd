/** Conformance of `BankDataPurge`: all that is held of a bank goes, and nothing else. */
import {
  AccountJoinStore,
  AnalysisStore,
  BankDataPurge,
  BankStore,
  DeliveryStore,
  FeedStore,
  FindingStore,
  IdentityStore,
  RecordChangeStore,
  RecordStore,
  UploadStore
} from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import { noDayHashes } from "@millrace/core/record"
import { acrossTenants } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import { storeAccount } from "../fixture/Account.ts"
import { storeBank } from "../fixture/Bank.ts"
import { makeIntent } from "../fixture/Delivery.ts"
import { makeFinding } from "../fixture/Findings.ts"
import { makeWrite, scopeOf } from "../fixture/Record.ts"
import { storeWholeWorkspace, type WholeWorkspace } from "../fixture/WholeWorkspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"
import { portrait } from "./RowLevelSecurityCases.ts"

/** All that the stores tell of the account of a whole workspace. */
const remains = Effect.fnUntraced(function* ({
  account,
  analysis,
  checkpoint,
  enrichment,
  feed,
  finding,
  scope,
  upload,
  workspace,
  write
}: WholeWorkspace) {
  const records = yield* RecordStore
  const identity = yield* IdentityStore
  const analyses = yield* AnalysisStore
  const recalled = yield* identity.recall(scope)
  return {
    records: yield* records.index(scope, {}),
    lastChange: yield* records.lastChange(account.id),
    pulledAt: yield* records.pulledAt(scope),
    dayHashes: yield* records.dayHashes(scope),
    checkpoint: yield* records.checkpoint(checkpoint),
    trust: recalled.trust.contradictions,
    learnt: recalled.learnt,
    aliases: recalled.hasAliases,
    matches: yield* identity.matches(scope, { limit: 10 }),
    suggestions: yield* identity.suggestions(scope, { limit: 10 }),
    facts: yield* identity.facts(scope),
    marks: yield* (yield* FeedStore).marks(feed.id),
    deliveries: (yield* (yield* DeliveryStore).entries(feed.id, [write.id])).size,
    shown: yield* (yield* UploadStore).shown(upload.id),
    analysed: yield* analyses.accountRecords(analysis, account.id, 10),
    analysisMarks: (yield* analyses.head(analysis)).marks,
    notes: (yield* analyses.notes(workspace.id, [write.id])).size,
    findings: yield* (yield* FindingStore)
      .list(workspace.id, enrichment.id, { limit: 10 })
      .pipe(Effect.map((all) => all.filter(({ id }) => id !== finding.id))),
    history: yield* (yield* RecordChangeStore).ofRecord(workspace.id, write.id, 10)
  }
})

const nothing = {
  records: [],
  lastChange: 0,
  pulledAt: undefined,
  dayHashes: noDayHashes,
  checkpoint: undefined,
  trust: [],
  learnt: [],
  aliases: false,
  matches: [],
  suggestions: [],
  facts: [],
  marks: [],
  deliveries: 0,
  shown: [],
  analysed: [],
  analysisMarks: [],
  notes: 0,
  findings: [],
  history: []
}

const tests: StorageTests = (it) => {
  for (const limit of [1, 1_000]) {
    it.effect(`destroys all that is held of a bank, ${limit} at a time, and nothing of others`, () =>
      Effect.gen(function* () {
        const store = yield* BankDataPurge
        const [whole, other] = [yield* storeWholeWorkspace, yield* storeWholeWorkspace]
        const every = acrossTenants("task engine")
        yield* Effect.gen(function* () {
          const { bank, enrichment, workspace, write } = whole
          // Another bank of the workspace, and what an enrichment found of a record.
          const neighbour = yield* storeAccount(yield* storeBank(workspace))
          const records = yield* RecordStore
          yield* records.write(scopeOf(neighbour), [yield* makeWrite(), yield* makeWrite()])
          const found = yield* makeFinding(workspace.id, enrichment.id)
          yield* (yield* FindingStore).putFindings([
            { ...found, key: "of a record", subject: { kind: "transaction", id: write.id } }
          ])
          for (const [key, value] of Object.entries(yield* remains(whole))) {
            // Else the test would say nothing about it.
            expect([key, value]).not.toEqual([key, nothing[key as keyof typeof nothing]])
          }
          const before = [yield* portrait(other), yield* records.index(scopeOf(neighbour), {})]
          let left = 1
          while (left > 0) left = yield* store.destroySome(workspace.id, bank.id, limit)
          expect(yield* remains(whole)).toEqual(nothing)
          expect([yield* portrait(other), yield* records.index(scopeOf(neighbour), {})]).toEqual(before)
          expect(yield* (yield* BankStore).accounts(bank.id)).toHaveLength(1)
        }).pipe(every)
      })
    )
  }

  it.effect(
    "leaves what was noted of the deliveries of records, and their lines, that have moved to another bank",
    () =>
      Effect.gen(function* () {
        const { account, bank, feed, scope, workspace, write } = yield* storeWholeWorkspace
        const neighbour = yield* storeAccount(yield* storeBank(workspace))
        const [deliveries, records] = [yield* DeliveryStore, yield* RecordStore]
        const line = `${write.id}:line`
        const ids = (yield* records.index(scope, {})).map(({ id }) => id)
        const other = ids.find((id) => id !== write.id)!
        const [entry] = (yield* deliveries.entries(feed.id, [write.id])).values()
        yield* deliveries.intend(feed.id, entry!.jobId, [makeIntent(account, line), makeIntent(account, other)])
        const noted = deliveries.entries(feed.id, [write.id, line])
        const before = yield* noted
        expect(before.size).toBe(2)
        yield* (yield* AccountJoinStore).move({
          workspaceId: workspace.id,
          from: account.id,
          to: neighbour.id,
          dataType: scope.dataType,
          ids: [write.id]
        })
        let left = 1
        while (left > 0) left = yield* (yield* BankDataPurge).destroySome(workspace.id, bank.id, 1_000)
        expect((yield* records.index(scopeOf(neighbour), {})).map(({ id }) => id)).toEqual([write.id])
        expect(yield* noted).toEqual(before)
        expect((yield* deliveries.entries(feed.id, [other])).size).toBe(0)
      }).pipe(acrossTenants("task engine"))
  )
}

export const suite = suiteOf(tests)
