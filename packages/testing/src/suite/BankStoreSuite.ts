/** Conformance of `BankStore`. */
import { BankStore } from "@millrace/core/storage"
import { CalendarDate, Decimal, Timestamp } from "@millrace/core"
import { acrossTenants } from "@millrace/core/workspace"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeAccount, storeAccount } from "../fixture/Account.ts"
import { makeBank, makeConnection, storeBank } from "../fixture/Bank.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const idsOf = (banks: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> => banks.map(({ id }) => id)
const day = (n: number) => Timestamp.make(`1950-01-0${n}T00:00:00.000Z`)

export const tests: StorageTests = (it) => {
  it.effect("hands back a bank and its connection as they were inserted", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace, { icon: "🏦", name: difficultTexts.join("|") })
      expect(yield* store.get(workspace.id, bank.id)).toEqual(Option.some(bank))
      expect(yield* store.connection(bank.id)).toEqual(Option.some(makeConnection(bank)))
    })
  )

  it.effect("keeps secrets with any text in them", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const bank = yield* makeBank(yield* storeWorkspace())
      const secrets = Object.fromEntries(difficultTexts.map((text, i) => [`secret ${i}`, text]))
      const connection = { instanceId: "demo:main", connection: { ref: `r-${bank.id}`, secrets } }
      yield* store.insert(bank, connection)
      expect(yield* store.connection(bank.id)).toEqual(Option.some(connection))
    })
  )

  it.effect("keeps a bank made of files without a connection", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const {
        connectionStatus: _,
        institutionId: _i,
        providerInstanceId: _p,
        ...bank
      } = yield* makeBank(workspace, {
        source: "file"
      })
      yield* store.insert(bank, undefined)
      const stored = Option.getOrThrow(yield* store.get(workspace.id, bank.id))
      expect(stored).toEqual(bank)
      expect(Object.keys(stored)).not.toContain("connectionStatus")
      expect(yield* store.connection(bank.id)).toEqual(Option.none())
    })
  )

  it.effect("removes a bank with its accounts, for its own workspace only", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const [workspace, stranger] = [yield* storeWorkspace(), yield* storeWorkspace()]
      const [bank, kept] = [yield* storeBank(workspace), yield* storeBank(workspace)]
      yield* storeAccount(bank)
      const account = yield* storeAccount(kept)
      expect(yield* store.remove(stranger.id, bank.id)).toBe(false)
      expect(yield* store.accounts(bank.id)).toHaveLength(1)
      expect(yield* store.remove(workspace.id, bank.id)).toBe(true)
      expect(yield* store.remove(workspace.id, bank.id)).toBe(false)
      expect([yield* store.list([workspace.id]), yield* store.accounts(bank.id)]).toEqual([[kept], []])
      expect([yield* store.connection(bank.id), yield* store.accounts(kept.id)]).toEqual([Option.none(), [account]])
    })
  )

  it.effect("tells deleted banks, banks on their way out and live ones apart", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const [live, deleted, leaving, cleaned] = [
        yield* storeBank(workspace, { order: 1 }),
        yield* storeBank(workspace, { order: 2 }),
        yield* storeBank(workspace, { order: 3 }),
        yield* storeBank(workspace, { order: 4 })
      ]
      const at = Timestamp.make("2026-03-03T00:00:00.000Z")
      const removal = {
        state: "removing",
        stage: "provider",
        tries: 0,
        cause: { kind: "user", userId: "usr_1" }
      } as const
      yield* store.setLife(deleted.id, { deletedAt: at }, at)
      yield* store.setLife(leaving.id, { removal }, at)
      yield* store.setLife(cleaned.id, { deletedAt: at, removal: { ...removal, reason: "why", tries: 2 } }, at)
      expect(idsOf(yield* store.list([workspace.id]))).toEqual([live.id, leaving.id, cleaned.id])
      expect(idsOf(yield* store.list([workspace.id], "deleted"))).toEqual([deleted.id])
      const all = [live, deleted, leaving, cleaned].map(({ id }) => id)
      expect(yield* store.holdLive(workspace.id, all)).toEqual([live.id])
      expect(yield* store.hold(workspace.id, cleaned.id)).toEqual(
        Option.some({ ...cleaned, deletedAt: at, removal: { ...removal, reason: "why", tries: 2 }, updatedAt: at })
      )
      const before = Timestamp.make("2026-03-02T23:59:59.999Z")
      const due = acrossTenants("task engine")
      expect(idsOf(yield* due(store.purgeable(before, 1_000)))).not.toContain(deleted.id)
      expect(idsOf(yield* due(store.purgeable(at, 1_000)))).toContain(deleted.id)
      expect(idsOf(yield* due(store.purgeable(at, 1_000)))).not.toContain(cleaned.id)
      yield* store.setLife(cleaned.id, {}, at)
      expect(yield* store.get(workspace.id, cleaned.id)).toEqual(Option.some({ ...cleaned, updatedAt: at }))
    })
  )

  it.effect("finds the deleted bank of a connection, and forgets how one was reached", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const [first, last] = [yield* makeBank(workspace), yield* makeBank(workspace)]
      const connection = { instanceId: "demo:main", connection: { ref: `shared-${first.id}`, secrets: { a: "b" } } }
      const [early, late] = [Timestamp.make("2026-03-03T00:00:00.000Z"), Timestamp.make("2026-03-04T00:00:00.000Z")]
      yield* store.insert({ ...first, deletedAt: early }, connection)
      yield* store.insert({ ...last, deletedAt: late }, connection)
      const by = (which?: "deleted") =>
        Effect.map(
          store.byConnection(workspace.id, "demo:main", connection.connection.ref, which),
          Option.map(({ id }) => id)
        )
      expect([yield* by(), yield* by("deleted")]).toEqual([Option.none(), Option.some(last.id)])
      const found = acrossTenants("connection look-up")(store.ofConnection("demo:main", connection.connection.ref))
      expect((yield* found).map(({ id }) => id).toSorted()).toEqual([first.id, last.id].toSorted())
      yield* store.dropConnection(last.id)
      expect(yield* store.connection(last.id)).toEqual(Option.none())
      expect((yield* found).map(({ id }) => id)).toEqual([first.id])
    })
  )

  it.effect("tells whether any bank of a workspace has a connection of an instance, deleted ones too", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const any = store.anyConnected(workspace.id, "demo:main")
      yield* storeBank(yield* storeWorkspace())
      expect(yield* any).toBe(false)
      const bank = yield* storeBank(workspace)
      expect([yield* any, yield* store.anyConnected(workspace.id, "demo:other")]).toEqual([true, false])
      yield* store.setLife(bank.id, { deletedAt: bank.createdAt }, bank.createdAt)
      expect(yield* any).toBe(true)
      yield* store.dropConnection(bank.id)
      expect(yield* any).toBe(false)
    })
  )

  it.effect("shows a bank to its own workspace only", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const bank = yield* storeBank(yield* storeWorkspace())
      const stranger = yield* storeWorkspace()
      const account = yield* storeAccount(bank)
      expect(yield* store.get(stranger.id, bank.id)).toEqual(Option.none())
      expect(yield* store.list([stranger.id])).toEqual([])
      expect(yield* store.list([])).toEqual([])
      expect(yield* store.account(stranger.id, bank.id, account.id)).toEqual(Option.none())
      const { instanceId, connection } = makeConnection(bank)
      expect(yield* store.byConnection(stranger.id, instanceId, connection.ref)).toEqual(Option.none())
    })
  )

  it.effect("lists live banks by order, then age", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const second = yield* storeBank(workspace, { order: 2 })
      const young = yield* storeBank(workspace, { order: 1, createdAt: Timestamp.make("2026-03-02T00:00:00.000Z") })
      const old = yield* storeBank(workspace, { order: 1, createdAt: Timestamp.make("2026-03-01T00:00:00.000Z") })
      const deleted = yield* storeBank(workspace, { order: 0, deletedAt: Timestamp.make("2026-03-03T00:00:00.000Z") })
      expect((yield* store.list([workspace.id])).map(({ id }) => id)).toEqual([old.id, young.id, second.id])
      expect(yield* store.list([workspace.id], "deleted")).toEqual([deleted])
      const portal = yield* storeWorkspace()
      const first = yield* storeBank(portal, { order: 0 })
      const ids = Effect.map(store.list([workspace.id, portal.id]), (banks) => banks.map(({ id }) => id))
      expect(yield* ids).toEqual([first.id, old.id, young.id, second.id])
    })
  )

  it.effect("finds the bank of an upstream connection", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace)
      const { instanceId, connection } = makeConnection(bank)
      expect(yield* store.byConnection(workspace.id, instanceId, connection.ref)).toEqual(Option.some(bank))
      expect(yield* store.byConnection(workspace.id, "demo:other", connection.ref)).toEqual(Option.none())
      expect(yield* store.byConnection(workspace.id, instanceId, `${connection.ref}x`)).toEqual(Option.none())
    })
  )

  it.effect("replaces how a bank is reached, and how that is", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const [bank, other] = [yield* storeBank(workspace), yield* storeBank(workspace)]
      const before = makeConnection(bank)
      const after = { ...before, connection: { ref: `new-${bank.id}`, secrets: { token: "another" } } }
      const at = Timestamp.make("2026-03-14T10:00:00.123Z")
      const status = { connected: false, status: "error" } as const
      yield* store.replaceConnection(bank.id, after, status, at)
      const changed = { ...bank, connectionStatus: status, updatedAt: at }
      expect(yield* store.connection(bank.id)).toEqual(Option.some(after))
      const by = (ref: string) => store.byConnection(workspace.id, before.instanceId, ref)
      expect([yield* by(before.connection.ref), yield* by(after.connection.ref)]).toEqual([
        Option.none(),
        Option.some(changed)
      ])
      expect(yield* store.connection(other.id)).toEqual(Option.some(makeConnection(other)))
    })
  )

  it.effect("rotates the secrets of the connection that it knows, and of no other", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const [bank, other] = [yield* storeBank(workspace), yield* storeBank(workspace)]
      const { connection, instanceId } = makeConnection(bank)
      const newer = { ref: connection.ref, secrets: { token: difficultTexts.join("|"), more: "x" } }
      expect(yield* store.rotateSecrets(bank.id, connection, newer.secrets)).toEqual(Option.some(newer))
      expect(yield* store.connection(bank.id)).toEqual(Option.some({ instanceId, connection: newer }))
      // Anyone who knows the old ones, or another reference, learns what there is, and changes nothing.
      for (const known of [connection, { ...newer, ref: "another" }]) {
        expect(yield* store.rotateSecrets(bank.id, known, { token: "late" })).toEqual(Option.some(newer))
      }
      expect(yield* store.connection(bank.id)).toEqual(Option.some({ instanceId, connection: newer }))
      expect(yield* store.connection(other.id)).toEqual(Option.some(makeConnection(other)))
      expect(Option.getOrThrow(yield* store.get(workspace.id, bank.id))).toEqual(bank)
      const {
        connectionStatus: _,
        institutionId: _i,
        providerInstanceId: _p,
        ...files
      } = yield* makeBank(workspace, {
        source: "file"
      })
      yield* store.insert(files, undefined)
      expect(yield* store.rotateSecrets(files.id, newer, {})).toEqual(Option.none())
    })
  )

  it.effect("changes what people say of a bank, and nothing else of it", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const [bank, other] = [yield* storeBank(workspace), yield* storeBank(workspace)]
      const at = Timestamp.make("2026-03-14T10:00:00.123Z")
      const now = Effect.map(store.get(workspace.id, bank.id), Option.getOrThrow)
      expect(yield* store.update(workspace.id, bank.id, { name: "Ours", icon: "bank", order: 7 }, at)).toBe(true)
      expect(yield* now).toEqual({ ...bank, name: "Ours", icon: "bank", order: 7, updatedAt: at })
      expect(yield* store.update(workspace.id, bank.id, { icon: null }, at)).toBe(true)
      const { icon: _, ...rest } = { ...bank, name: "Ours", order: 7, updatedAt: at }
      expect(yield* now).toEqual(rest)
      expect(yield* store.update(workspace.id, bank.id, {}, at)).toBe(true)
      expect(yield* now).toEqual(rest)
      expect(yield* store.get(workspace.id, other.id)).toEqual(Option.some(other))
      expect(yield* store.update((yield* storeWorkspace()).id, bank.id, { name: "Theirs" }, at)).toBe(false)
      expect(yield* now).toEqual(rest)
    })
  )

  it.effect("finds connected banks that nobody has looked at since, oldest look first", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const looked = Effect.fnUntraced(function* (n: number | undefined, change: object = {}) {
        const status = { connected: true, status: "connected" } as const
        const connectionStatus = n === undefined ? status : { ...status, lastCheckedAt: day(n) }
        const bank = yield* makeBank(workspace, { ...change, connectionStatus })
        yield* store.insert(bank, makeConnection(bank))
        return bank.id
      })
      const [late, never, early] = [yield* looked(3), yield* looked(undefined), yield* looked(1)]
      yield* looked(8)
      yield* looked(1, { deletedAt: day(2) })
      yield* store.insert(yield* makeBank(workspace, { source: "file" }), undefined)
      const found = (limit: number) =>
        Effect.map(acrossTenants("task engine")(store.unchecked(day(7), limit)), (all) => all.map(({ id }) => id))
      expect((yield* found(1000)).filter((id) => [late, never, early].includes(id))).toEqual([never, early, late])
      expect(yield* found(1)).toHaveLength(1)
      const ids = new Set(yield* found(1000))
      expect((yield* store.list([workspace.id])).filter(({ id }) => ids.has(id))).toHaveLength(3)
    })
  )

  it.effect("finds no bank that was deleted by its connection", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace, { deletedAt: Timestamp.make("2026-03-03T00:00:00.000Z") })
      const { connection, instanceId } = makeConnection(bank)
      expect(yield* store.byConnection(workspace.id, instanceId, connection.ref)).toEqual(Option.none())
    })
  )

  it.effect("replaces the health of a connection whole", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace)
      const at = Timestamp.make("2026-03-14T10:00:00.123Z")
      const status = { connected: false, status: "reauth_required", errorCode: "REAUTH_REQUIRED" } as const
      yield* store.setStatus(bank.id, status, at)
      expect(yield* store.get(workspace.id, bank.id)).toEqual(
        Option.some({ ...bank, connectionStatus: status, updatedAt: at })
      )
    })
  )

  it.effect("inserts or replaces accounts by id and lists them oldest first", () =>
    Effect.gen(function* () {
      const store = yield* BankStore
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace)
      const other = yield* storeBank(workspace)
      const foreign = yield* storeAccount(other)
      const young = yield* makeAccount(bank, { createdAt: Timestamp.make("2026-03-02T00:00:00.000Z") })
      const old = yield* makeAccount(bank, {
        createdAt: Timestamp.make("2026-03-01T00:00:00.000Z"),
        balance: Decimal.make("-9999999999999.123456789012"),
        creditLimit: Decimal.make("0.1"),
        balanceAsOf: Timestamp.make("2026-03-01T00:00:00.007Z"),
        accountSubtype: "overdraft",
        stableKeys: [...difficultTexts],
        supports: []
      })
      yield* store.putAccounts([young, old])
      expect(yield* store.accounts(bank.id)).toEqual([old, young])
      const { creditLimit: _, ...rest } = old
      const changed = { ...rest, accountName: "Savings 😀", state: "missing" as const, balance: Decimal.zero }
      yield* store.putAccounts([changed])
      const read = Option.getOrThrow(yield* store.account(workspace.id, bank.id, old.id))
      expect(read).toEqual(changed)
      expect(Object.keys(read)).not.toContain("creditLimit")
      expect(yield* store.accounts(bank.id)).toEqual([changed, young])
      const historyFrom = CalendarDate.make("2026-01-31")
      yield* store.setHistoryFrom(old.id, historyFrom)
      yield* store.putAccounts([changed, young])
      expect(yield* store.accounts(bank.id)).toEqual([{ ...changed, historyFrom }, young])
      const readFrom = { trades: CalendarDate.make("2025-05-01") }
      yield* store.setReadFrom(old.id, "transactions", CalendarDate.make("2025-06-01"))
      yield* store.setReadFrom(old.id, "trades", readFrom.trades)
      yield* store.setReadFrom(old.id, "transactions", undefined)
      expect(yield* store.accounts(bank.id)).toEqual([{ ...changed, historyFrom, readFrom }, young])
      yield* store.putAccounts([changed])
      expect(yield* store.accounts(bank.id)).toEqual([{ ...changed, historyFrom, readFrom }, young])
      yield* store.setReadFrom(old.id, "trades", undefined)
      yield* store.putAccounts([{ ...changed, historyFrom: CalendarDate.make("2025-01-31") }])
      expect(yield* store.accounts(bank.id)).toEqual([{ ...changed, historyFrom }, young])
      const at = Timestamp.make("2026-03-05T00:00:00.000Z")
      yield* store.describeAccount(old.id, { accountName: "Ours", signOverride: true }, at)
      const told = {
        ...changed,
        historyFrom,
        upstreamName: changed.accountName,
        accountName: "Ours",
        signOverride: true
      }
      expect(yield* store.accounts(bank.id)).toEqual([{ ...told, updatedAt: at }, young])
      // Who reads the accounts knows of no name but the upstream's, or of the one that there was when it began.
      yield* store.putAccounts([{ ...changed, accountName: "Savings account" }])
      expect(yield* store.accounts(bank.id)).toEqual([{ ...told, upstreamName: "Savings account" }, young])
      yield* store.putAccounts([told])
      yield* store.describeAccount(old.id, {}, at)
      expect(yield* store.accounts(bank.id)).toEqual([{ ...told, updatedAt: at }, young])
      yield* store.describeAccount(old.id, { signAskedAt: at }, at)
      yield* store.describeAccount(old.id, { accountName: "Ours" }, at)
      yield* store.putAccounts([told])
      expect(yield* store.accounts(bank.id)).toEqual([{ ...told, signAskedAt: at }, young])
      yield* store.describeAccount(old.id, { signAskedAt: null }, at)
      expect(yield* store.accounts(bank.id)).toEqual([{ ...told, updatedAt: at }, young])
      yield* store.describeAccount(old.id, { accountName: null, signOverride: false }, at)
      expect(yield* store.accounts(bank.id)).toEqual([{ ...changed, historyFrom, updatedAt: at }, young])
      yield* store.putAccounts([told])
      expect(yield* store.accounts(bank.id)).toEqual([{ ...changed, historyFrom }, young])
      expect(yield* store.accounts(other.id)).toEqual([foreign])
      expect(yield* store.account(workspace.id, other.id, old.id)).toEqual(Option.none())
      yield* store.putAccounts([])
    })
  )
}

export const suite = suiteOf(tests)
