/** What kinds that look at sets cost on ledgers of several sizes: everything at first, and later what changed. */
import { Analysis } from "@millrace/core/kernel"
import { CalendarDate, Decimal, limits } from "@millrace/core"
import type { Enrichment } from "@millrace/core/enrichment"
import type { LedgerRecord, RecordWrite } from "@millrace/core/record"
import { EnrichmentStore, RecordStore } from "@millrace/core/storage"
import { acrossTenants } from "@millrace/core/workspace"
import {
  makeEnrichment,
  makeWrites,
  scopeOf,
  storeAccount,
  storeBank,
  storeFeed,
  storeWorkspace
} from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import { type Transaction, transactions } from "../transactions.ts"

const today = CalendarDate.make("2026-03-14")
const accounts = 20
/** Records that change before an incremental run, all of the last days: what a feed reads every few hours. */
export const changed = 200

const when = (field: string, operator: string, value: string) => ({
  logic: "and",
  conditions: [{ field, operator, value }]
})

const sets: ReadonlyArray<readonly [type: string, config: object]> = [
  ["transfer_match", {}],
  [
    "budget",
    {
      period: { unit: "month", anchor: "1970-01-01" },
      lines: ["Groceries", "Restaurants", "Travel"].map((name) => ({
        key: name.toLowerCase(),
        name,
        match: when("category", "equals", name),
        amount: "400"
      }))
    }
  ]
]

const writeOf = (row: Transaction, made: RecordWrite): RecordWrite => {
  const { accountId: _account, bankId: _bank, id: _id, ...fields } = row
  return { ...made, date: CalendarDate.make(fields.date), hash: `${fields.description} ${fields.amount}`, fields }
}

/** Records of a day: a ledger grows by the days that it goes back. */
const daily = 55

/** A ledger of that many records, seen by one feed and analysed whole. */
const ledgerOf = Effect.fnUntraced(function* (count: number) {
  const workspace = yield* storeWorkspace()
  const bank = yield* storeBank(workspace)
  const all = yield* Effect.forEach(Array.from({ length: accounts }), () => storeAccount(bank))
  yield* storeFeed(workspace, {
    sourceConfig: { type: "sync", accounts: all.map(({ id }) => ({ bankId: bank.id, accountId: id })) }
  })
  const records = yield* RecordStore
  const store = yield* EnrichmentStore
  const enrichments: Array<Enrichment> = []
  for (const [type, config] of sets) {
    const made = yield* makeEnrichment(workspace, { type, config: config as Enrichment["config"] })
    yield* store.insert(made)
    enrichments.push(made)
  }
  const rows = transactions({ seed: 5, count }).map((row, n) => ({
    ...row,
    date: CalendarDate.addDays(today, -Math.floor((count - 1 - n) / daily))
  }))
  for (const [n, account] of all.entries()) {
    const own = rows.filter((_, at) => at % accounts === n)
    for (let at = 0; at < own.length; at += limits.commitChunk) {
      const chunk = own.slice(at, at + limits.commitChunk)
      const made = yield* makeWrites(chunk.length)
      yield* records.write(
        scopeOf(account),
        chunk.map((row, nth) => writeOf(row, made[nth]!))
      )
    }
  }
  const analysis = yield* Analysis
  const run = analysis.run({
    workspace,
    dataType: "transactions",
    enrichments,
    accounts: all.map((account) => ({ bank, account })),
    today,
    cause: { kind: "system", reason: "bench" },
    guard: Effect.void
  })
  return { all, records, run }
})

const secondsOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const from = performance.now()
    const result = yield* work
    return { result, seconds: (performance.now() - from) / 1_000 }
  })

/** Seconds of the whole analysis, and of one after some records of the last days changed. */
export const costOf = (count: number) =>
  Effect.gen(function* () {
    const { all, records, run } = yield* ledgerOf(count)
    const whole = yield* secondsOf(run)
    if (whole.result.length > 0) return yield* Effect.die(JSON.stringify(whole.result.slice(0, 3)))
    const each = changed / accounts
    const seconds: Array<number> = []
    for (let round = 0; round < 5; round++) {
      for (const account of all) {
        const scope = scopeOf(account)
        const last = yield* records.lastChange(account.id)
        const page = yield* records.page(scope, { filter: {}, limit: each })
        const edited = page.map((record: LedgerRecord): RecordWrite => ({
          ...record,
          hash: `${record.hash} ${round} ${last}`,
          fields: {
            ...record.fields,
            amount: Decimal.add(Decimal.make(String(record.fields["amount"])), Decimal.make("-0.01"))
          }
        }))
        yield* records.write(scope, edited)
      }
      const incremental = yield* secondsOf(run)
      if (incremental.result.length > 0) return yield* Effect.die(JSON.stringify(incremental.result.slice(0, 3)))
      seconds.push(incremental.seconds)
    }
    // The best of them: whatever else the machine does makes none of them faster.
    return { whole: whole.seconds, incremental: Math.min(...seconds) }
  }).pipe(acrossTenants("job engine"), Effect.orDie)
