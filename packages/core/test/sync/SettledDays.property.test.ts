/** Days that an earlier read settled make a read cheaper and change nothing else. */
import {
  freeBanks,
  ownerOf,
  scopeOf,
  somebody,
  storeAccount,
  storeBank,
  storeWorkspace,
  takeBank
} from "@millrace/testing/fixture"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { Corrections } from "../../src/identity/Corrections.ts"
import { IdentityStore } from "../../src/identity/IdentityStore.ts"
import type { IdTrust } from "../../src/provider/Capabilities.ts"
import type { Coverage } from "../../src/provider/Provider.ts"
import { noDayHashes } from "../../src/record/DayHashes.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { Digest } from "../../src/shared/Digest.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { rowForm, takeIn, TakenRow } from "../../src/sync/Ingest.ts"
import type { SnapshotOfAccount } from "../../src/sync/SnapshotOfAccount.ts"
import { LedgerWriter } from "../../src/sync/LedgerWriter.ts"
import * as RowEdits from "../../src/table/RowEdits.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const lives = process.env["MILLRACE_LONG"] === "1" ? 3_000 : 20
const steps = 14

interface Row {
  id: string
  link: string
  date: CalendarDate.CalendarDate
  undated: boolean
  text: string
  amount: string
  pending: boolean
}

interface Read {
  readonly rows: ReadonlyArray<Row>
  readonly removed: ReadonlySet<string>
  readonly unread: ReadonlySet<string>
  readonly coverage: Coverage
  readonly idTrust: IdTrust
  readonly byIdOnly: boolean
}

type Act =
  | { readonly kind: "read"; readonly read: Read }
  | { readonly kind: "pass"; readonly hours: number }
  /** A person deletes the n-th record, or takes the n-th match back. */
  | { readonly kind: "remove" | "undo"; readonly n: number }

const texts = ["COOP-4412 ZURICH", "MIGROS M-1201", "SHELL OIL", "NETFLIX.COM", "SALARY ACME AG"]
const first = CalendarDate.make("2026-01-05")

/** A bank that misbehaves in every way that identity knows of, and how it is read. */
const script = (random: Seeded): ReadonlyArray<Act> => {
  let names = 0
  // Of some banks each id is above the one before it.
  const digits = random.once(2) ? 4 : 1
  const nameOf = (): string => `u${String(++names).padStart(digits, "0")}`
  const span = random.once(3) ? 2 : 40
  const day = () => CalendarDate.addDays(first, random.below(span))
  const row = (): Row => ({
    id: random.once(25) ? "" : nameOf(),
    link: "",
    date: day(),
    undated: random.once(20),
    text: random.pick(texts),
    amount: `-${1 + random.below(30)}.5`,
    pending: random.once(6)
  })
  let rows = Array.from({ length: random.once(5) ? 110 : 5 + random.below(30) }, row)
  const idTrust: IdTrust = random.once(4)
    ? random.pick(["perStatus", "session", "positional", "none"] as const)
    : "stable"
  const coverage = (): Coverage => {
    if (random.once(9)) return { kind: "delta" }
    if (random.once(9)) {
      const from = day()
      return { kind: "window", complete: true, from, to: CalendarDate.addDays(from, 20) }
    }
    return { kind: "full", complete: !random.once(9) }
  }
  const acts: Array<Act> = []
  for (let n = 0; n < steps; n++) {
    for (let m = random.below(4); m > 0 && rows.length > 0; m--) {
      const one = random.pick(rows)
      const next = { ...one }
      const replace = (...by: ReadonlyArray<Row>) => {
        rows = rows.flatMap((other) => (other === one ? by : [other]))
      }
      switch (random.below(12)) {
        case 0:
          rows = [...rows, row(), row()]
          continue
        case 1:
          replace()
          continue
        case 2:
          next.text = random.pick(texts)
          break
        case 3:
          next.amount = `-${1 + random.below(30)}.5`
          break
        case 4:
          next.date = CalendarDate.addDays(one.date, random.below(7) - 3)
          next.undated = random.once(6)
          break
        case 5:
          next.id = nameOf()
          break
        case 6:
          // Booked, under another id that says which pending one it was, mostly.
          next.pending = !one.pending
          next.id = nameOf()
          next.link = random.once(3) ? "" : one.id
          break
        case 7:
          next.id = random.once(2) ? random.pick(rows).id : one.id
          break
        case 8:
          next.link = random.pick(rows).id
          break
        case 9:
          replace(one, { ...one, id: nameOf() })
          continue
        case 10:
          rows = rows.toReversed()
          continue
        default:
          // So many at once that the read may not be believed.
          rows = rows.filter(() => !random.once(rows.length > 50 ? 25 : 8))
          continue
      }
      replace(next)
    }
    const kind = coverage()
    const gone = random.once(6) && rows.length > 0 ? [random.pick(rows).id] : []
    const shown = rows.filter(
      ({ date, id }) =>
        !(gone.includes(id) && random.once(2)) &&
        (kind.kind !== "window" || (date >= kind.from && date <= kind.to)) &&
        (kind.kind !== "delta" || random.once(4))
    )
    const read: Read = {
      rows: shown,
      removed: new Set(random.once(2) ? gone : []),
      unread: new Set(random.once(2) ? gone : []),
      coverage: kind,
      idTrust,
      byIdOnly: random.once(20)
    }
    acts.push({ kind: "read", read })
    if (random.once(2)) acts.push({ kind: "read", read })
    if (random.once(8)) acts.push({ kind: random.pick(["remove", "undo"] as const), n: random.below(50) })
    acts.push({ kind: "pass", hours: random.pick([1, 5, 25, 25, 24 * 20]) })
  }
  return acts
}

/** How reads of records came about. */
class Counts {
  divided = 0
  spared = 0
}

const worldOf = (remembers: boolean, counts: Counts) =>
  Layer.mergeAll(LedgerWriter.layer.pipe(Layer.provide(RowEdits.layer)), Corrections.layer).pipe(
    Layer.provideMerge(
      Layer.effectContext(
        Effect.map(RecordStore, (records) =>
          Context.make(
            RecordStore,
            RecordStore.of({
              ...records,
              dayHashes: remembers ? records.dayHashes : () => Effect.succeed(noDayHashes),
              index: (scope, only) => {
                if (only.days !== undefined) counts.divided++
                return records.index(scope, only)
              }
            })
          )
        )
      )
    ),
    Layer.provideMerge(Cursors.layer(Redacted.make("key"))),
    Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer, Ids.layer, NodeDigest.layer))
  )

/** Lives through the script; answers everything that can be told of it, with records by their order of creation. */
const live = Effect.fnUntraced(function* (acts: ReadonlyArray<Act>) {
  yield* TestClock.setTime(Date.parse("2026-02-20T09:00:00Z"))
  const workspace = yield* storeWorkspace()
  const bank = yield* storeBank(workspace)
  const account = yield* storeAccount(bank)
  const scope = scopeOf(account)
  const [records, identity, writer, corrections, digest] = [
    yield* RecordStore,
    yield* IdentityStore,
    yield* LedgerWriter,
    yield* Corrections,
    yield* Digest
  ]
  const form = rowForm("transactions", digest)
  const caller = ownerOf(workspace)
  const ref = { bankId: bank.id, accountId: account.id, dataType: "transactions" } as const
  const names = new Map<string, string>()
  const nameOf = (id: string | undefined) => (id === undefined ? undefined : (names.get(id) ?? `unknown ${id}`))
  const told: Array<unknown> = []

  const snapshotOf = ({ rows, ...read }: Read): SnapshotOfAccount => ({
    scope,
    observations: rows.flatMap(({ amount, date, id, link, pending, text, undated }) => {
      const fields = { date, originalDescription: text, description: text, amount, currency: "CHF" }
      const found = takeIn("transactions", {
        providerAccountId: "a",
        providerId: id,
        pendingProviderId: link,
        pending,
        fields
      })
      if ("quarantined" in found) throw new Error(found.quarantined.reason)
      return [new TakenRow(undated ? { ...found, date: null } : found, form)]
    }),
    changeModel: read.coverage.kind === "delta" ? "delta" : "snapshotFull",
    ...read
  })

  for (const act of acts) {
    let said: unknown
    const all = yield* records.changes(scope, { after: 0, upTo: 1e9, limit: 1e6 })
    switch (act.kind) {
      case "pass":
        yield* TestClock.adjust(`${act.hours} hours`)
        continue
      case "read":
        said = yield* writer.write(
          { bankId: bank.id, lease: yield* takeBank(bank.id, "test", 1_000_000), cause: somebody },
          snapshotOf(act.read)
        )
        yield* freeBanks("test")
        break
      case "remove": {
        const record = all[act.n % Math.max(1, all.length)]
        if (record !== undefined) yield* Effect.exit(corrections.remove(caller, ref, record.id))
        break
      }
      case "undo": {
        const matches = yield* identity.matches(scope, { limit: 100 })
        const match = matches[act.n % Math.max(1, matches.length)]
        if (match !== undefined) yield* Effect.exit(corrections.undo(caller, ref, match.id))
      }
    }
    const after = yield* records.changes(scope, { after: 0, upTo: 1e9, limit: 1e6 })
    for (const { id } of after) if (!names.has(id)) names.set(id, `record ${names.size}`)
    const ledger: Array<unknown> = []
    for (const { id, mergedInto, ...record } of after) {
      const [held] = yield* records.held(scope, [id])
      const aliases = (yield* identity.aliasesOf(scope, id)).map(({ lastSeen, providerId }) => ({
        lastSeen,
        providerId
      }))
      const { missed, missedAt, missedSince } = held ?? {}
      const { accountId: _, ...rest } = record
      ledger.push({ ...rest, name: nameOf(id), into: nameOf(mergedInto), missed, missedAt, missedSince, aliases })
    }
    const matches = (yield* identity.matches(scope, { limit: 1_000 })).map((match) => ({
      record: nameOf(match.recordId),
      observed: match.observed,
      evidence: match.evidence,
      state: match.state
    }))
    const suggestions = (yield* identity.suggestions(scope, { limit: 1_000 })).map((one) => ({
      record: nameOf(one.recordId),
      observed: nameOf(one.observedId),
      evidence: one.evidence,
      state: one.state
    }))
    const { facts, hasAliases, trust } = yield* identity.recall(scope)
    told.push({ act: act.kind, said, ledger, matches, suggestions, facts: facts.length, hasAliases, trust })
  }
  return told
})

describe("days that reads have settled", () => {
  it.effect(
    "change nothing of the results of later reads",
    () =>
      Effect.gen(function* () {
        const counts = new Counts()
        for (let seed = 0; seed < lives; seed++) {
          const acts = script(new Seeded(seed))
          const withIt = yield* live(acts).pipe(Effect.provide(worldOf(true, counts)))
          const without = yield* live(acts).pipe(Effect.provide(worldOf(false, new Counts())))
          for (const [n, told] of withIt.entries()) expect([seed, n, told]).toEqual([seed, n, without[n]])
        }
        expect(counts.divided).toBeGreaterThan(lives)
      }),
    600_000
  )
})
