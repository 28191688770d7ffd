/**
 * Lists of transactions over random lives: rows come, change and go, enrichments and people say something about them, records are
 * deleted, restored and parted, accounts are joined. After each step every filter shows what the unfiltered list has of it, page
 * by page, and a watermark returns what readers are shown otherwise, and nothing else.
 */
import { ownerOf, somebody, storeFeed, storeTable } from "@millrace/testing/fixture"
import { NodeDigest } from "@millrace/adapters"
import type { ScriptedBank, TrueRow } from "@millrace/testing/fake"
import { Seeded } from "@millrace/testing/model"
import { enrichedWith, isOfSets } from "@millrace/verification/simulation/Analysed"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { describe, expect } from "vitest"
import type { Account } from "../../src/bank/Account.ts"
import { Banks } from "../../src/bank/Banks.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { EnrichmentFacts } from "../../src/enrichment/EnrichmentFacts.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { Kinds } from "../../src/enrichment/Kinds.ts"
import { Corrections } from "../../src/identity/Corrections.ts"
import type { Fields } from "../../src/record/FieldValue.ts"
import { type RecordState, recordStates } from "../../src/record/LedgerRecord.ts"
import { type RecordFilter, RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import type * as Decimal from "../../src/shared/Decimal.ts"
import { Ids } from "../../src/shared/Ids.ts"
import * as RowEdits from "../../src/table/RowEdits.ts"
import { fold } from "../../src/text/Fold.ts"
import { AccountJoins } from "../../src/usecase/AccountJoins.ts"
import { TransactionPages, type TransactionRows } from "../../src/usecase/TransactionPages.ts"

const aDay = 86_401

/** What lives are played on. */
export const serve = (simulation: Simulation) =>
  Layer.mergeAll(
    Corrections.layer,
    TransactionPages.layer,
    EnrichmentFacts.layer.pipe(Layer.provide(Ids.layer)),
    AccountJoins.layer.pipe(Layer.provide([RowEdits.layer, Kinds.layer([])]))
  ).pipe(
    Layer.provide(Cursors.layer(Redacted.make("key")).pipe(Layer.provide(NodeDigest.layer))),
    Layer.provideMerge(simulation.layer)
  )

export type Scene = (
  title: string,
  body: (simulation: Simulation) => Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof serve>>>
) => void

const words = ["COFFEE BAR", "Grocer Zürich", "book  shop", "Cinéma 12", "BAKERY ΟΔΟΣ", "x".repeat(230), "寿司 東京"]
const categories = ["FOOD_AND_DRINK", "TRANSPORTATION", "y".repeat(220)]
const amounts = ["-5", "-12.5", "-0.01", "0", "20", "1000.25"]

/** What a caller is shown of a row, in any order of its fields. */
const shown = (row: Fields): string => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const says = (row: Fields, field: string, text: string): boolean => {
  const value = row[field]
  return typeof value === "string" && fold(value).includes(fold(text))
}

/** The filter said of a row of the unfiltered list. */
const meets = (filter: RecordFilter, row: Fields): boolean => {
  const { category, from, maxAmount, minAmount, pending, text, to, type } = filter
  const [amount, date] = [Number(row["amount"]), String(row["date"])]
  return (
    (from === undefined || date >= from) &&
    (to === undefined || date <= to) &&
    (pending === undefined || row["pending"] === pending) &&
    (type === undefined || row["type"] === type) &&
    (category === undefined || row["category"] === category) &&
    (text === undefined || says(row, "description", text) || says(row, "merchantName", text)) &&
    (minAmount === undefined || amount >= Number(minAmount)) &&
    (maxAmount === undefined || amount <= Number(maxAmount))
  )
}

const drawFilter = (random: Seeded, rows: ReadonlyArray<Fields>): RecordFilter => {
  const valueOf = (field: string, others: ReadonlyArray<string>): string => {
    const value = rows.length === 0 || random.once(4) ? undefined : random.pick(rows)[field]
    return typeof value === "string" && value !== "" ? value : random.pick(others)
  }
  const part = (text: string): string => {
    const letters = Array.from(text)
    const at = random.below(letters.length)
    const some = letters.slice(at, at + 1 + random.below(random.once(4) ? 300 : 8)).join("")
    return random.once(2) ? some.toLowerCase() : some
  }
  const day = () => CalendarDate.make(valueOf("date", ["2026-01-01"]))
  const amount = () => valueOf("amount", amounts) as Decimal.Decimal
  const draw = <A>(make: () => A): A | undefined => (random.once(3) ? make() : undefined)
  const [from, to] = [draw(day), draw(day)]
  const isBackwards = from !== undefined && to !== undefined && from > to
  const drawn = {
    from: isBackwards ? to : from,
    to: isBackwards ? from : to,
    pending: draw(() => random.once(2)),
    type: draw(() => valueOf("type", ["TRANSFER"])),
    category: draw(() => valueOf("category", categories)),
    text: draw(() => part(valueOf(random.once(3) ? "merchantName" : "description", words))),
    minAmount: draw(amount),
    maxAmount: draw(amount)
  }
  return Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)) as RecordFilter
}

/** A caller that follows an account by a watermark: upserts rows by their id, and drops those that are removed. */
interface Follower {
  readonly rows: Map<string, string>
  cursor: string
}

const listing = Effect.gen(function* () {
  const pages = yield* TransactionPages
  const records = yield* RecordStore
  const read = Effect.fnUntraced(function* (account: Account, query: Parameters<typeof pages.read>[3]) {
    const scope = { workspaceId: account.workspaceId, accountId: account.id, dataType: "transactions" } as const
    const lastChange = yield* records.lastChange(account.id)
    return yield* pages.read(scope, account.id, {}, query, { lastChange })
  })
  /** All rows of a filter, read in pages of so many. */
  const list = Effect.fnUntraced(function* (account: Account, filter: RecordFilter, limit: number) {
    let page = yield* read(account, { filter, limit })
    const rows = [...page.rows]
    while (page.hasMore) {
      page = yield* read(account, { filter: {}, limit, cursor: page.cursor })
      rows.push(...page.rows)
    }
    return { rows, cursor: page.cursor }
  })
  const follow = Effect.fnUntraced(function* (account: Account) {
    const { cursor, rows } = yield* list(account, {}, 500)
    return { cursor, rows: new Map(rows.map((row) => [String(row["id"]), shown(row)])) } satisfies Follower
  })
  const catchUp = Effect.fnUntraced(function* (account: Account, follower: Follower, told: unknown) {
    for (;;) {
      const page: TransactionRows = yield* read(account, { filter: {}, limit: 7, cursor: follower.cursor })
      for (const row of page.rows) {
        const id = String(row["id"])
        expect([told, id, follower.rows.get(id) === shown(row)]).toEqual([told, id, false])
        follower.rows.set(id, shown(row))
      }
      for (const id of page.removed ?? []) follower.rows.delete(id)
      follower.cursor = page.cursor
      if (!page.hasMore) return
    }
  })
  /** Compares lists of an account with its records, and some filters of each state with the unfiltered list. */
  const check = Effect.fnUntraced(function* (account: Account, random: Seeded, told: unknown) {
    const scope = { workspaceId: account.workspaceId, accountId: account.id, dataType: "transactions" } as const
    const ledger = yield* records.changes(scope, { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 100_000 })
    let found = 0
    for (const state of recordStates) {
      const all = (yield* list(account, { state }, 1 + random.below(30))).rows
      const expected = ledger
        .filter((record) => record.state === state && record.mergedInto === undefined)
        .toSorted((a, b) => (a.date === b.date ? (a.id < b.id ? 1 : -1) : a.date! < b.date! ? 1 : -1))
      expect([told, state, all.map(({ id }) => id)]).toEqual([told, state, expected.map(({ id }) => id)])
      if (all.length === 0) continue
      for (let n = 0; n < 8; n++) {
        const filter = { state, ...drawFilter(random, all) }
        const naive = all.filter((row) => meets(filter, row))
        const { rows } = yield* list(account, filter, 1 + random.below(20))
        expect([told, filter, rows.map(shown)]).toEqual([told, filter, naive.map(shown)])
        found += rows.length
      }
    }
    return found
  })
  return { catchUp, check, follow }
})

const lived = Effect.fnUntraced(function* (simulation: Simulation, seed: number, steps: number) {
  const random = new Seeded(seed)
  const provider = simulation.providers.find((one) => one.options.instance === "snapshotfull-account-stable")!
  const { bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
  upstream.keyless = true
  const caller = ownerOf(workspace)
  const records = yield* RecordStore
  const corrections = yield* Corrections
  const facts = yield* EnrichmentFacts
  const joins = yield* AccountJoins
  const listed = Effect.map((yield* Banks).refresh(bank, Effect.void, somebody), (seen) =>
    seen.listed!.accounts.filter(({ state }) => state === "open")
  )
  const elder = (yield* listed)[0]!
  const { catchUp, check, follow } = yield* listing
  yield* enrichedWith(workspace, (type) => isOfSets(type) && type !== "digest" && type !== "monitor")
  const table = yield* storeTable(workspace, { fields: [] })
  const feeds = yield* FeedStore
  const sourceOf = (some: ReadonlyArray<Account>) => ({
    type: "sync" as const,
    accounts: some.map(({ id }) => ({ bankId: bank.id, accountId: id }))
  })
  const { id: feedId } = yield* storeFeed(workspace, {
    destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true },
    sourceConfig: sourceOf([elder]),
    fieldMappings: mappings
  })
  const currentFeed = Effect.map(feeds.byId(feedId), Option.getOrThrow)
  const accounts = [elder]
  const said: Array<{ readonly account: Account; readonly id: string; readonly fact: never }> = []
  const scopeOf = (account: Account) =>
    ({ workspaceId: workspace.id, accountId: account.id, dataType: "transactions" }) as const
  const refOf = (account: Account) => ({ bankId: bank.id, accountId: account.id, dataType: "transactions" }) as const
  const recordsOf = (account: Account, state: RecordState) =>
    Effect.map(records.page(scopeOf(account), { filter: { state }, limit: 1_000 }), (all) => all.map(({ id }) => id))
  const post = (bankOf: ScriptedBank, today: CalendarDate.CalendarDate): TrueRow =>
    bankOf.post({
      account: "a",
      date: CalendarDate.addDays(today, -random.below(12)),
      amount: random.pick(amounts),
      description: `${random.pick(words)}${random.once(3) ? ` ${random.below(9)}` : ""}`,
      pending: random.once(4)
    })
  const acts = {
    sync: Effect.gen(function* () {
      const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, "UTC")
      for (let n = random.below(8); n > 0; n--) post(upstream, today)
      for (const row of Array.from(upstream.rows.values())) {
        if (row.pending && random.once(2)) upstream.settle(row, { newId: random.once(2), link: random.once(2) })
        else if (random.once(20)) upstream.remove(row)
      }
      const { job } = yield* drive(simulation, yield* currentFeed)
      expect([seed, job.status === "failed" ? job.errors : []]).toEqual([seed, []])
      yield* simulation.pass(aDay)
    }),
    edit: Effect.gen(function* () {
      const account = random.pick(accounts)
      const ids = yield* recordsOf(account, "live")
      if (ids.length === 0) return
      const id = random.pick(ids)
      const of = { workspaceId: workspace.id, dataType: "transactions" } as const
      const about = [{ scope: scopeOf(account), recordIds: [id] }]
      const request = { kind: "set", recordId: id, field: "category", value: random.pick(categories) } as const
      const [fact] = yield* facts.add(of, about, [request], somebody)
      said.push({ account, id, fact: fact!.id as never })
    }),
    undo: Effect.gen(function* () {
      const last = said.pop()
      if (last !== undefined) {
        const of = { workspaceId: workspace.id, dataType: "transactions" } as const
        const about = [{ scope: scopeOf(last.account), recordIds: [last.id] }]
        yield* Effect.ignore(facts.lift(of, about, [last.fact], somebody))
      }
      const account = random.pick(accounts)
      const { rows } = yield* corrections.matches(caller, refOf(account), { state: "made" })
      if (rows.length > 0) yield* Effect.ignore(corrections.undo(caller, refOf(account), random.pick(rows).match.id))
    }),
    annotate: Effect.gen(function* () {
      const account = random.pick(accounts)
      const ids = yield* recordsOf(account, "live")
      yield* records.touch(
        scopeOf(account),
        ids.filter(() => random.once(3))
      )
    }),
    delete: Effect.gen(function* () {
      const account = random.pick(accounts)
      const ids = yield* recordsOf(account, "live")
      if (ids.length > 0) yield* corrections.remove(caller, refOf(account), random.pick(ids))
    }),
    restore: Effect.gen(function* () {
      const account = random.pick(accounts)
      const ids = yield* recordsOf(account, random.once(2) ? "deleted" : "removed")
      if (ids.length > 0) yield* corrections.restore(caller, refOf(account), random.pick(ids))
    }),
    /** The account comes back under an id that nothing tells, and a person says that it is the same. */
    join: Effect.gen(function* () {
      if (accounts.length > 1) {
        yield* joins.join(caller, refOf(accounts[1]!), elder.id)
        accounts.length = 1
        return
      }
      upstream.reconnect()
      const younger = (yield* listed).find(({ id }) => id !== elder.id)
      if (younger === undefined || (yield* listed).length > 2) return
      accounts.push(younger)
      const feed = yield* currentFeed
      yield* feeds.update({ ...feed, sourceConfig: sourceOf(accounts), version: feed.version + 1 })
    }),
    /** Rows become others in what the scripted bank does not say. */
    rewrite: Effect.gen(function* () {
      const scope = scopeOf(random.pick(accounts))
      const some = (yield* records.page(scope, { filter: {}, limit: 1_000 })).filter(() => random.once(3))
      yield* records.write(
        scope,
        some.map(({ date, fields, id, pending, providerId, state }) => ({
          id,
          date,
          pending,
          providerId,
          state,
          hash: `other ${random.below(1e9)}`,
          fields: {
            ...fields,
            ...(random.once(2) ? { category: random.pick(categories), type: random.pick(["CARD", "ATM"]) } : {}),
            ...(random.once(2) ? { merchantName: random.pick(words) } : {})
          }
        }))
      )
    })
  }
  yield* acts.sync
  yield* acts.sync
  const followers = new Map<Account, Follower>()
  const done = new Set<string>()
  // Each of them in every round, in any order.
  const left: Array<keyof typeof acts> = []
  let found = 0
  let joined = false
  for (let n = 0; n < steps; n++) {
    if (left.length === 0) left.push(...(Object.keys(acts) as Array<keyof typeof acts>), "sync", "sync")
    const act = left.splice(random.below(left.length), 1)[0]!
    const wasJoined = joined
    if (act === "join") {
      if (joined) continue
      joined = accounts.length > 1
    }
    for (const account of accounts) if (!followers.has(account)) followers.set(account, yield* follow(account))
    yield* acts[act]
    done.add(act)
    const told = { seed, step: n, act }
    for (const account of accounts) {
      found += yield* check(account, random, told)
      const follower = followers.get(account)
      if (follower === undefined) continue
      yield* catchUp(account, follower, told)
      const fresh = yield* follow(account)
      expect([told, [...follower.rows].toSorted()]).toEqual([told, [...fresh.rows].toSorted()])
    }
    if (joined && !wasJoined) said.length = 0
  }
  return { done, found, joined: joined && accounts.length === 1 }
})

export const playAll = (scene: Scene, lives: number, steps: number): void => {
  describe("lists of transactions", () => {
    scene("show what the unfiltered list has, whatever happens, and watermarks what became another", (simulation) =>
      Effect.gen(function* () {
        const all: Array<Effect.Success<ReturnType<typeof lived>>> = []
        for (let seed = 1; seed <= lives; seed++) all.push(yield* lived(simulation, seed, steps))
        expect(all.reduce((sum, { found }) => sum + found, 0)).toBeGreaterThan(lives * 100)
        expect([...new Set(all.flatMap(({ done }) => [...done]))].toSorted()).toEqual([
          "annotate",
          "delete",
          "edit",
          "join",
          "restore",
          "rewrite",
          "sync",
          "undo"
        ])
        expect(all.some(({ joined }) => joined)).toBe(true)
      })
    )
  })
}
