/**
 * Accounts that come back under ids that nothing tells, joined at any moment: nothing is lost, doubled or overwritten, and
 * parting them leaves both as they were.
 */
import { ownerOf, storeFeed, storeTable, makeBank, somebody } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import type { ScriptedBank, TrueRow } from "@millrace/testing/fake"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import type { Account } from "../../src/bank/Account.ts"
import type { Bank } from "../../src/bank/Bank.ts"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import type { Feed } from "../../src/feed/Feed.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import type { Row } from "../../src/table/Table.ts"
import { wholeScan } from "../../src/table/RowScan.ts"
import * as RowEdits from "../../src/table/RowEdits.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import { Kinds } from "../../src/enrichment/Kinds.ts"
import { AccountJoins } from "../../src/usecase/AccountJoins.ts"
import { memoryScene } from "../sync/MemoryScene.ts"
import * as Layer from "effect/Layer"

const aDay = 86_401
const seeds = process.env["MILLRACE_LONG"] === "1" ? 200 : 6
const shops = ["COFFEE BAR", "GROCER", "BOOK SHOP", "CINEMA", "BAKERY", "HARDWARE STORE"]

const keyOf = ({ amount, date, description, pending }: Omit<TrueRow, "line" | "providerId" | "account">): string =>
  [date, amount, description, pending].join(" ")

const liveOf = (account: Account) =>
  Effect.map(ledgerOf(account), (all) =>
    all
      .filter(({ state }) => state === "live")
      .map(({ date, fields, id, pending }) => ({
        id,
        key: [date, fields["amount"], fields["description"], pending].join(" ")
      }))
  )

const idsIn = (all: ReadonlyArray<string>) => all.map((text) => text.split(" ")[0]!)

/** What can be told of an account and its rows: by id, in no order. */
const told = Effect.fnUntraced(function* (accounts: ReadonlyArray<Account>, tables: ReadonlyArray<string>) {
  const stores = yield* TableStore
  const rows = yield* Effect.forEach(tables, (id) => stores.rows(wholeScan(id as never)))
  return {
    accounts: yield* Effect.forEach(accounts, (account) =>
      Effect.map(liveOf(account), (all) => all.map(({ id, key }) => `${id} ${key}`).toSorted())
    ),
    rows: rows.map((all) =>
      all.map(({ id, values }) => [id, values["id"], values["description"], values["amount"]].join(" ")).toSorted()
    )
  }
})

/** One life: an account that is read, relinked under other ids, and read on. */
const lived = Effect.fnUntraced(function* (simulation: Simulation, instance: string, seed: number) {
  const random = new Seeded(seed)
  const provider = simulation.providers.find((one) => one.options.instance === instance)!
  const first = yield* connect(simulation, provider, ["a"])
  const { workspace } = first
  let upstream: ScriptedBank = first.upstream
  upstream.keyless = true
  const store = yield* BankStore
  const tables = yield* TableStore
  const feeds = yield* FeedStore
  const banks = yield* Banks
  const again = (bank: Bank) =>
    Effect.map(banks.refresh(bank, Effect.void, somebody), ({ listed }) =>
      listed!.accounts.filter(({ state }) => state === "open")
    )
  const [elder] = yield* again(first.bank)
  const followed = Effect.fnUntraced(function* (accounts: ReadonlyArray<Account>) {
    const table = yield* storeTable(workspace, { fields: [] })
    const feed = yield* storeFeed(workspace, {
      destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true, onRemoved: "delete" },
      sourceConfig: { type: "sync", accounts: accounts.map(({ bankId, id }) => ({ bankId, accountId: id })) },
      fieldMappings: mappings
    })
    return { feed: feed.id, table: table.id }
  })
  const old = yield* followed([elder!])
  const following = [old]
  const current = (id: Feed["id"]) => Effect.map(feeds.byId(id), Option.getOrThrow)
  const sync = Effect.fnUntraced(function* () {
    for (const { feed } of following) {
      const { job } = yield* drive(simulation, yield* current(feed))
      const codes = job.errors.map(({ code }) => code)
      expect([seed, codes.filter((code) => code !== "RECONNECT_REQUIRED"), job.errors]).toEqual([seed, [], job.errors])
    }
  })
  const pending = new Set<number>()
  const step = Effect.fnUntraced(function* () {
    const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, "UTC")
    for (let n = random.below(4); n > 0; n--) {
      const isPending = random.once(4)
      const row = upstream.post({
        account: "a",
        date: CalendarDate.addDays(today, isPending ? 0 : -random.below(3)),
        amount: `-${random.pick([5, 5, 10, 20, 42])}`,
        description: random.pick(shops),
        pending: isPending
      })
      if (isPending) pending.add(row.line)
    }
    for (const line of Array.from(pending)) {
      const row = upstream.rows.get(line)
      if (row === undefined || !row.pending || !random.once(2)) continue
      upstream.settle(row, { newId: false, link: false })
    }
    if (random.once(2)) yield* sync()
    yield* simulation.pass(aDay)
  })
  /** A person writes on some rows of a table. Returns what they wrote, by row. */
  const edit = Effect.fnUntraced(function* (table: (typeof old)["table"], one: number) {
    const said = new Map<Row["id"], string>()
    for (const row of yield* tables.rows(wholeScan(table))) {
      if (!random.once(one)) continue
      const text = `note ${row.id}`
      const values = { ...row.values, description: text }
      yield* tables.putRows(
        table,
        [{ row: { ...row, values, held: ["description"], version: row.version + 1 }, folded: {}, entries: [] }],
        0
      )
      said.set(row.id, text)
    }
    return said
  })
  for (let n = 0; n < 6; n++) yield* step()
  yield* sync()
  const notes = seed % 2 === 0 ? yield* edit(old.table, 4) : new Map<Row["id"], string>()

  // The same account under other ids: in a new connection, or in the same one.
  let bank = first.bank
  if (random.once(2)) {
    upstream.reconnect()
    pending.clear()
  } else {
    const ref = simulation.nextRef()
    const next = provider.bank(ref, ["a"])
    next.keyless = true
    next.shownIds.set("a", "a-new")
    for (let n = random.below(5); n > 0; n--)
      next.post({ account: "a", date: CalendarDate.make("1970-01-02"), amount: "1", description: "x" })
    next.rows.clear()
    next.events.length = 0
    pending.clear()
    for (const row of upstream.rows.values()) next.post(row)
    bank = yield* makeBank(workspace, { providerInstanceId: provider.driver.instanceId })
    yield* store.insert(bank, { instanceId: provider.driver.instanceId, connection: { ref, secrets: {} } })
    upstream.health = { status: "reauth_required", reason: "password changed" } as never
    upstream = next
  }
  for (const row of upstream.rows.values()) if (row.pending) pending.add(row.line)
  const younger = (yield* again(bank)).find(({ id }) => id !== elder!.id)!
  expect([seed, younger === undefined]).toEqual([seed, false])
  // What people do about it before they know better.
  const way = random.pick(["nothing", "both", "apart"])
  if (way === "both") {
    const feed = yield* current(old.feed)
    const accounts = [elder!, younger].map(({ bankId, id }) => ({ bankId, accountId: id }))
    yield* feeds.update({ ...feed, sourceConfig: { type: "sync", accounts }, version: feed.version + 1 })
  }
  if (way === "apart") following.push(yield* followed([younger]))
  for (let n = random.below(3); n > 0; n--) yield* step()
  if (way !== "nothing") yield* sync()
  if (way === "apart" && seed % 2 === 1)
    for (const [row, text] of yield* edit(following[1]!.table, 4)) notes.set(row, text)
  const accounts = [elder!, younger] as const
  const tablesOf = following.map(({ table }) => table)
  const now = () => told(accounts, tablesOf)
  const held = (id: string) =>
    Effect.gen(function* () {
      for (const one of yield* store.list([workspace.id])) {
        const found = (yield* store.accounts(one.id)).find((account) => account.id === id)
        if (found !== undefined) return found
      }
      return yield* Effect.die(id)
    })
  return {
    accounts,
    bank,
    caller: ownerOf(workspace),
    following,
    held,
    notes,
    now,
    random,
    step,
    sync,
    tablesOf,
    upstreamOf: () => upstream,
    way,
    workspace
  }
})

const joins = AccountJoins.layer.pipe(Layer.provide([RowEdits.layer, Kinds.layer([])]))

const instances = ["snapshotwindow-account-stable", "snapshotfull-account-none", "delta-connection-perstatus"] as const

describe("an account that came back under ids that nothing tells", () => {
  for (const instance of instances) {
    memoryScene(`is one with what it was once a person says so (${instance})`, { model: "upsertByKey" }, (simulation) =>
      Effect.gen(function* () {
        const service = yield* AccountJoins
        const tables = yield* TableStore
        const ways = new Set<string>()
        for (let seed = 1; seed <= seeds; seed++) {
          const life = yield* lived(simulation, instance, seed)
          const {
            accounts: [elder, younger],
            caller,
            held,
            notes,
            step,
            sync,
            tablesOf,
            way
          } = life
          ways.add(way)
          const before = yield* Effect.forEach(tablesOf, (id) => tables.rows(wholeScan(id)))
          const other = yield* held(younger.id)
          const joined = yield* service.join(caller, { bankId: other.bankId, accountId: other.id }, elder.id)
          expect([seed, joined.account.id, joined.account.bankId]).toEqual([seed, elder.id, other.bankId])
          // Said once more, from the other side.
          const repeated = yield* service.join(
            caller,
            { bankId: joined.account.bankId, accountId: elder.id },
            younger.id
          )
          expect(repeated.join.id).toBe(joined.join.id)
          for (let n = 0; n < 3; n++) yield* step()
          for (let n = 0; n < 4; n++) {
            yield* sync()
            yield* simulation.pass(aDay)
          }
          const truth = [...life.upstreamOf().rows.values()].map(keyOf)
          const ours = (yield* liveOf(yield* held(elder.id))).map(({ key }) => key)
          expect([seed, way, ours.toSorted()]).toEqual([seed, way, truth.toSorted()])
          const after = yield* Effect.forEach(tablesOf, (id) => tables.rows(wholeScan(id)))
          for (const [n, rows] of after.entries()) {
            expect([seed, way, n, rows.length]).toEqual([seed, way, n, truth.length])
            // Rows stay rows: but for the second of two that were there of one event.
            const ids = new Set(rows.map(({ id }) => id))
            const gone = before[n]!.filter(({ id }) => !ids.has(id)).length
            expect([seed, way, n, gone]).toEqual([seed, way, n, way === "both" ? gone : 0])
            for (const { id, values } of rows) {
              if (notes.has(id)) expect([seed, values["description"]]).toEqual([seed, notes.get(id)])
            }
          }
          const present = new Set(after.flat().map(({ id }) => id))
          expect([seed, way, [...notes.keys()].filter((id) => !present.has(id))]).toEqual([seed, way, []])
        }
        expect(ways.size).toBe(3)
      }).pipe(Effect.provide(joins))
    )
  }

  memoryScene("is two again once a person takes it back", { model: "upsertByKey" }, (simulation) =>
    Effect.gen(function* () {
      const service = yield* AccountJoins
      for (let seed = 1; seed <= seeds; seed++) {
        const life = yield* lived(simulation, instances[seed % instances.length]!, seed)
        const {
          accounts: [elder, younger],
          caller,
          held,
          now,
          random,
          step,
          sync,
          way
        } = life
        const before = yield* now()
        const other = yield* held(younger.id)
        const old = yield* held(elder.id)
        const { account } = yield* service.join(caller, { bankId: other.bankId, accountId: other.id }, elder.id)
        const isQuiet = random.once(2)
        if (!isQuiet) {
          for (let n = 0; n < 3; n++) yield* step()
          yield* sync()
        }
        const known = new Set(life.upstreamOf().rows.values().map(keyOf))
        yield* service.part(caller, { bankId: account.bankId, accountId: elder.id })
        const [one, two] = [yield* held(elder.id), yield* held(younger.id)]
        expect([
          seed,
          one.bankId,
          one.providerAccountId,
          one.joins,
          two.bankId,
          two.providerAccountId,
          two.joinedInto
        ]).toEqual([
          seed,
          old.bankId,
          old.providerAccountId,
          undefined,
          other.bankId,
          other.providerAccountId,
          undefined
        ])
        if (isQuiet) {
          const { accounts } = yield* now()
          expect([seed, way, accounts]).toEqual([seed, way, before.accounts])
          yield* sync()
          const { rows } = yield* now()
          expect([seed, way, rows]).toEqual([seed, way, before.rows])
        }
        const after = yield* now()
        if (!isQuiet) {
          // What the older account had, it has, and nothing else; the younger one has what arrived.
          expect([seed, idsIn(after.accounts[0]!)]).toEqual([seed, idsIn(before.accounts[0]!)])
          expect([seed, idsIn(before.accounts[1]!).filter((id) => !idsIn(after.accounts[1]!).includes(id))]).toEqual([
            seed,
            []
          ])
        }
        for (let n = 0; n < 3; n++) {
          yield* sync()
          yield* simulation.pass(aDay)
        }
        if (way !== "nothing") {
          const ours = (yield* liveOf(two)).map(({ key }) => key)
          expect([seed, way, ours.toSorted()]).toEqual([
            seed,
            way,
            [...life.upstreamOf().rows.values()].map(keyOf).toSorted()
          ])
        }
        expect(known.size).toBeGreaterThan(0)
      }
    }).pipe(Effect.provide(joins))
  )
})
