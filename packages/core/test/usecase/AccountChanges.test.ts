/** What people say of accounts: later reads and syncs follow it, and nothing that they wrote elsewhere is overwritten. */
import { NodeDigest } from "@millrace/adapters"
import { FaultPoints } from "@millrace/testing/fault"
import { ownerOf, storeAccount, storeBank, storeFeed, storeTable } from "@millrace/testing/fixture"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import { describe, expect } from "vitest"
import { bankLease } from "../../src/bank/BankLease.ts"
import { BankStore, type AccountDetails } from "../../src/bank/BankStore.ts"
import { Banks } from "../../src/bank/Banks.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { Corrections } from "../../src/identity/Corrections.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Leases } from "../../src/storage/Lease.ts"
import * as RowEdits from "../../src/table/RowEdits.ts"
import { wholeScan } from "../../src/table/RowScan.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import { Kinds } from "../../src/enrichment/Kinds.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import { Ids } from "../../src/shared/Ids.ts"
import type { RunningTask } from "../../src/task/TaskHandler.ts"
import { TaskStore } from "../../src/task/TaskStore.ts"
import { AccountChanges } from "../../src/usecase/AccountChanges.ts"
import { AccountJoins } from "../../src/usecase/AccountJoins.ts"
import { signChanges } from "../../src/usecase/SignChangeTask.ts"
import { signChangeTask } from "../../src/usecase/SignChangeTaskKind.ts"
import { RowsTurnedAtOnce } from "../../src/usecase/FlippedAmounts.ts"
import { memoryScene } from "../sync/MemoryScene.ts"

const useCases = Layer.mergeAll(
  AccountChanges.layer,
  Corrections.layer.pipe(Layer.provide(Cursors.layer(Redacted.make("key"))))
).pipe(Layer.provide(NodeDigest.layer))

const columns = ["amount", "creditAmount", "debitAmount", "description", "accountName", "pending"]
const day = CalendarDate.make("2026-11-20")

/** Two accounts of one connection that a feed follows into a table. */
const opened = Effect.fnUntraced(function* (simulation: Simulation, instance: string) {
  const provider = simulation.providers.find(({ options }) => options.instance === instance)!
  const world = yield* connect(simulation, provider, ["a", "b"])
  const account = world.accounts.find(({ providerAccountId }) => providerAccountId === "a")!
  const table = yield* storeTable(world.workspace, { fields: [] })
  const tables = yield* TableStore
  const changes = yield* AccountChanges
  const feed = yield* storeFeed(world.workspace, {
    destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true },
    sourceConfig: { type: "sync", accounts: world.accounts.map(({ bankId, id }) => ({ bankId, accountId: id })) },
    dataTypeOptions: { dataType: "transactions", pendingMode: "sync_all" },
    fieldMappings: columns.map((field) => ({ sourceField: field, destinationField: field }))
  })
  const caller = ownerOf(world.workspace)
  const ref = { bankId: world.bank.id, accountId: account.id }
  const all = tables.rows(wholeScan(table.id))
  return {
    ...world,
    account,
    caller,
    ref,
    ledger: Effect.map(ledgerOf(account), (held) => held.toSorted((a, b) => (a.id < b.id ? -1 : 1))),
    /** Text -> the cells of that row. */
    rows: Effect.map(all, (rows) =>
      Object.fromEntries(rows.map(({ values }) => [String(values["description"]), values] as const))
    ),
    post: (description: string, amount: string, more: { readonly account?: string; readonly pending?: boolean } = {}) =>
      world.upstream.post({ account: "a", date: day, amount, description, ...more }),
    /** A person writes into a row. */
    edit: Effect.fnUntraced(function* (text: string, cells: Readonly<Record<string, string>>) {
      const row = (yield* all).find(({ values }) => values["description"] === text)!
      const edited = { ...row, values: { ...row.values, ...cells }, held: Object.keys(cells), version: 9 }
      yield* tables.putRows(table.id, [{ row: edited, folded: {}, entries: [] }], 0)
    }),
    sync: Effect.map(drive(simulation, feed), ({ job: { counts, status } }) => {
      expect(status).toBe("completed")
      return [counts.created, counts.updated, counts.removed]
    }),
    say: (details: AccountDetails) => changes.update(caller, ref, details)
  }
})

/** Feeds of changes and snapshots, read for the whole connection or account by account. */
const instances = ["delta-connection-stable", "snapshotwindow-account-none", "snapshotfull-account-perstatus"]

describe.each(instances)("what people say of an account of %s", (instance) => {
  memoryScene("renames it in rows of all times, but not where a person wrote a name", { model: "upsertByKey" }, (on) =>
    Effect.gen(function* () {
      const { bank, caller, edit, post, rows, say, sync } = yield* opened(on, instance)
      post("one", "-1")
      post("two", "-2")
      post("other", "-3", { account: "b" })
      expect(yield* sync).toEqual([3, 0, 0])
      const before = (yield* rows)["one"]!["accountName"]
      yield* edit("two", { accountName: "Mine" })
      const { row } = yield* say({ accountName: "Household" })
      expect(row).toMatchObject({ accountName: "Household", upstreamName: before })
      // A look at the bank says what the upstream calls it.
      yield* (yield* Banks).refresh(bank, Effect.void, caller.cause)
      yield* sync
      const after = yield* rows
      expect([after["one"]!["accountName"], after["two"]!["accountName"]]).toEqual(["Household", "Mine"])
      expect(after["other"]!["accountName"]).not.toBe("Household")
      expect(yield* sync).toEqual([0, 0, 0])
      expect((yield* say({ accountName: null })).row.accountName).toBe(before)
      yield* sync
      expect((yield* rows)["one"]!["accountName"]).toBe(before)
    }).pipe(Effect.provide(useCases))
  )

  memoryScene("turns its amounts round, those of before and those to come", { model: "upsertByKey" }, (on) =>
    Effect.gen(function* () {
      const { edit, ledger, post, rows, say, sync, upstream } = yield* opened(on, instance)
      post("bought", "10")
      post("held", "20.5")
      const open = post("open", "5", { pending: true })
      post("other", "-3", { account: "b" })
      yield* sync
      yield* edit("held", { amount: "99" })
      const before = yield* ledger
      expect((yield* say({ signOverride: true })).row.signOverride).toBe(true)
      yield* sync
      expect((yield* ledger).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
      const after = yield* rows
      expect(after["bought"]).toMatchObject({ amount: "-10", creditAmount: "0", debitAmount: "10" })
      expect(after["held"]).toMatchObject({ amount: "99", debitAmount: "20.5" })
      expect(after["other"]).toMatchObject({ amount: "-3" })
      expect(yield* sync).toEqual([0, 0, 0])
      // What comes now is turned as it is read, and settles what we hold.
      upstream.settle(open, { newId: true, link: false })
      post("late", "7")
      expect(yield* sync).toEqual([1, 1, 0])
      expect([(yield* rows)["late"]!["amount"], (yield* rows)["open"]!["amount"]]).toEqual(["-7", "-5"])
      yield* say({ signOverride: true })
      expect(yield* sync).toEqual([0, 0, 0])

      yield* say({ signOverride: false })
      const back = yield* ledger
      const contents = (held: typeof back) => held.map(({ fields, hash, id, state }) => ({ id, fields, hash, state }))
      const posted = contents(before.filter(({ pending }) => !pending))
      expect(contents(back)).toEqual(expect.arrayContaining(posted))
      yield* sync
      expect((yield* rows)["late"]!["amount"]).toBe("7")
      expect(yield* sync).toEqual([0, 0, 0])
    }).pipe(Effect.provide(useCases))
  )
})

describe("turning the amounts of an account round", () => {
  memoryScene("turns what a match that is taken back restores", { model: "upsertByKey" }, (on) =>
    Effect.gen(function* () {
      const world = yield* opened(on, "snapshotfull-account-perstatus")
      const { caller, ledger, post, ref, say, sync, upstream } = world
      const corrections = yield* Corrections
      const open = post("open", "5", { pending: true })
      yield* sync
      upstream.settle(open, { newId: true, link: true, change: { amount: "6" } })
      yield* sync
      yield* say({ signOverride: true })
      const of = { ...ref, dataType: "transactions" } as const
      const [match] = (yield* corrections.matches(caller, of, {})).rows
      yield* corrections.undo(caller, of, match!.match.id)
      expect((yield* ledger).map(({ fields }) => fields["amount"]).toSorted()).toEqual(["-5", "-6"])
    }).pipe(Effect.provide(useCases))
  )

  memoryScene("waits for nobody who reads the bank, and is not for files", { model: "upsertByKey" }, (on) =>
    Effect.gen(function* () {
      const { bank, caller, ref, say, workspace } = yield* opened(on, "delta-connection-stable")
      const changes = yield* AccountChanges
      const leases = yield* Leases
      yield* leases.take([bankLease(bank.id)], "a run", 60)
      expect(yield* Effect.flip(say({ signOverride: true }))).toMatchObject({ code: "SYNC_ALREADY_RUNNING" })
      // A name has nothing to do with what is read.
      expect((yield* say({ accountName: "Ours", signOverride: false })).row.accountName).toBe("Ours")
      yield* leases.free("a run")
      yield* say({ signOverride: true })
      expect(yield* leases.current(bankLease(bank.id))).toMatchObject({ _tag: "None" })

      const files = yield* storeBank(workspace, { source: "file" })
      const account = yield* storeAccount(files)
      const refused = changes.update(caller, { bankId: files.id, accountId: account.id }, { signOverride: true })
      expect(yield* Effect.flip(refused)).toMatchObject({ _tag: "Conflict", code: "INVALID_STATE" })

      yield* (yield* BankStore).setLife(bank.id, { deletedAt: workspace.createdAt }, workspace.createdAt)
      expect(yield* Effect.flip(changes.update(caller, ref, { accountName: "x" }))).toMatchObject({ _tag: "NotFound" })
    }).pipe(Effect.provide(useCases))
  )
})

/** One try of the task that turns an account, by a process that has these stores; `undefined` where none is ready. */
const tryOnce = Effect.fnUntraced(function* (records?: RecordStore["Service"]) {
  const tasks = yield* TaskStore
  const ids = yield* Ids
  const handler = yield* signChanges.pipe(
    Effect.provide(NodeDigest.layer),
    records === undefined ? (same) => same : Effect.provideService(RecordStore, records)
  )
  const [claimed] = (yield* tasks.claim("runner", [{ kind: signChangeTask.name, limit: 1 }], 60)).tasks
  if (claimed === undefined) return undefined
  const { fence, task } = claimed
  const guard = tasks.fence(fence)
  const running: RunningTask<unknown> = {
    ...task,
    workspaceId: task.workspaceId,
    attempt: task.attempts,
    guard,
    finish: () => Effect.die("it ends in a transaction of its own")
  }
  const exit = yield* Effect.exit(handler.run(running))
  if (Exit.isSuccess(exit)) {
    const again = exit.value
    yield* tasks.complete(
      fence,
      again === undefined ? undefined : { id: yield* ids.next("task"), afterSeconds: again.againSeconds }
    )
    return again === undefined ? "done" : "later"
  }
  // A process that died writes nothing; here the task is given back, as it is when its lease runs out.
  yield* tasks.release(fence, 0)
  return "died"
})

describe("turning the amounts of an account with many rows", () => {
  const few = Effect.provideService(RowsTurnedAtOnce, 2)

  /** An account with more rows than a request turns. */
  const large = Effect.fnUntraced(function* (on: Simulation) {
    const world = yield* opened(on, "snapshotfull-account-perstatus")
    for (const n of [1, 2, 3]) world.post(`row ${n}`, `${n}`)
    yield* world.sync
    const amounts = Effect.map(world.rows, (rows) =>
      Object.values(rows)
        .map(({ amount }) => amount)
        .toSorted()
    )
    return { ...world, amounts, wish: (details: AccountDetails) => few(world.say(details)) }
  })

  memoryScene("is left to a task, and tells so until all of them are turned", { model: "upsertByKey" }, (on) =>
    Effect.gen(function* () {
      const { amounts, bank, ledger, post, sync, wish } = yield* large(on)
      const before = yield* ledger
      const { row } = yield* wish({ signOverride: true, accountName: "Turned" })
      expect(row).toMatchObject({ accountName: "Turned", signAskedAt: expect.any(String) })
      expect(row.signOverride).toBeUndefined()
      expect(yield* ledger).toEqual(before)
      // What is read meanwhile is taken as it always was, and turned with the others.
      post("row 4", "4")
      yield* sync
      expect(yield* amounts).toEqual(["1", "2", "3", "4"])
      // Said once more it is the same wish.
      expect((yield* wish({ signOverride: true })).row.signAskedAt).toBe(row.signAskedAt)
      const leases = yield* Leases
      yield* leases.take([bankLease(bank.id)], "a run", 60)
      expect(yield* tryOnce()).toBe("later")
      yield* leases.free("a run")
      yield* Effect.flatMap(Clock.Clock, ({ sleep }) => sleep(Duration.seconds(10)))
      expect(yield* tryOnce()).toBe("done")
      const account = (yield* (yield* BankStore).accounts(bank.id)).find(({ id }) => id === row.id)
      expect(account).toMatchObject({ signOverride: true })
      expect(account!.signAskedAt).toBeUndefined()
      expect(yield* leases.current(bankLease(bank.id))).toMatchObject({ _tag: "None" })
      yield* sync
      expect(yield* amounts).toEqual(["-1", "-2", "-3", "-4"])
      expect(yield* sync).toEqual([0, 0, 0])
      expect(yield* tryOnce()).toBeUndefined()
    }).pipe(Effect.provide(useCases))
  )

  memoryScene(
    "can be taken back while it waits, and keeps accounts from being joined",
    { model: "upsertByKey" },
    (on) =>
      Effect.gen(function* () {
        const { accounts, caller, ledger, ref, wish } = yield* large(on)
        const before = yield* ledger
        yield* wish({ signOverride: true })
        const joins = yield* AccountJoins
        const other = accounts.find(({ id }) => id !== ref.accountId)!
        const refused = yield* Effect.flip(joins.join(caller, ref, other.id))
        expect(refused).toMatchObject({ code: "INVALID_STATE", message: expect.stringContaining("signChange") })
        // A name says nothing of the sign.
        expect((yield* wish({ accountName: "Ours" })).row.signAskedAt).toBeDefined()
        expect((yield* wish({ signOverride: false })).row.signAskedAt).toBeUndefined()
        expect(yield* tryOnce()).toBeUndefined()
        expect(yield* ledger).toEqual(before)
      }).pipe(Effect.provide([useCases, AccountJoins.layer.pipe(Layer.provide([RowEdits.layer, Kinds.layer([])]))]))
  )

  memoryScene("leaves no half of it where a process dies on the way", { model: "upsertByKey" }, (on) =>
    Effect.gen(function* () {
      const { bank, ledger, ref, wish } = yield* large(on)
      const before = yield* ledger
      yield* wish({ signOverride: true })
      const points = new FaultPoints()
      const records = points.wrap("RecordStore", yield* RecordStore)
      const deaths: Array<string> = []
      for (let n = 1; ; n++) {
        points.arm(n)
        const came = yield* tryOnce(records)
        const died = points.fired
        if (died === undefined) {
          expect(came).toBe("done")
          break
        }
        deaths.push(died)
        expect([came, yield* ledger]).toEqual(["died", before])
        const account = (yield* (yield* BankStore).accounts(bank.id)).find(({ id }) => id === ref.accountId)
        expect(account).toMatchObject({ signAskedAt: expect.any(String) })
      }
      expect(deaths).toContain("RecordStore.write ends")
      expect((yield* ledger).map(({ fields }) => fields["amount"]).toSorted()).toEqual(["-1", "-2", "-3"])
    }).pipe(Effect.provide(useCases))
  )
})
