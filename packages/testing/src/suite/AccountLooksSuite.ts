/** Conformance of `AccountLooks`: what one look finds is what the stores tell one after the other. */
import { AccountLooks, BankStore, RecordStore } from "@millrace/core/storage"
import { CalendarDate, Decimal, Timestamp } from "@millrace/core"
import type { Account, AccountRef } from "@millrace/core/bank"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { storeAccount } from "../fixture/Account.ts"
import { storeBank } from "../fixture/Bank.ts"
import { makeWrite, scopeOf } from "../fixture/Record.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { type StorageTests } from "./StorageTests.ts"

const refOf = ({ bankId, id }: Account): AccountRef => ({ bankId, accountId: id })

const writeOf = (date: CalendarDate.CalendarDate) => makeWrite({ date, fields: { date } })

export const tests: StorageTests = (it) => {
  it.effect("finds bank and account with every field, and how fresh the records of a type are", () =>
    Effect.gen(function* () {
      const [{ look }, records, workspace] = [yield* AccountLooks, yield* RecordStore, yield* storeWorkspace()]
      const bank = yield* storeBank(workspace, { icon: "🏦" })
      const account = yield* storeAccount(bank, {
        accountSubtype: "gold",
        creditLimit: Decimal.make("1000.5"),
        balanceAsOf: Timestamp.make("2026-03-04T05:06:07.008Z"),
        historyFrom: CalendarDate.make("2025-01-01"),
        stableKeys: ["a", "b"]
      })
      const ask = look(workspace.id, refOf(account), "transactions")
      expect(yield* ask).toEqual({
        bank: Option.some(bank),
        account: Option.some(account),
        pulledAt: undefined,
        lastChange: 0
      })
      yield* records.write(scopeOf(account), [yield* makeWrite({}), yield* makeWrite({})])
      yield* records.setPulled([scopeOf(account)])
      const { lastChange, pulledAt } = yield* ask
      expect([lastChange, pulledAt]).toEqual([2, yield* records.pulledAt(scopeOf(account))])
      expect(pulledAt).toBeDefined()
      // Each type was read at a time of its own; changes are counted for the account.
      const balances = yield* look(workspace.id, refOf(account), "balances")
      expect([balances.lastChange, balances.pulledAt]).toEqual([2, undefined])
    })
  )

  it.effect("leaves out what is not there, and what an account of few fields has not", () =>
    Effect.gen(function* () {
      const [{ look }, workspace] = [yield* AccountLooks, yield* storeWorkspace()]
      const bank = yield* storeBank(workspace)
      const other = yield* storeAccount(yield* storeBank(workspace))
      const plain = yield* storeAccount(bank)
      const found = yield* look(workspace.id, refOf(plain), "transactions")
      expect(found).toEqual({
        bank: yield* (yield* BankStore).get(workspace.id, bank.id),
        account: Option.some(plain),
        pulledAt: undefined,
        lastChange: 0
      })
      expect(Object.keys(Option.getOrThrow(found.account))).not.toContain("historyFrom")
      const nothing = { account: Option.none(), pulledAt: undefined, lastChange: 0 }
      expect(yield* look(workspace.id, { bankId: bank.id, accountId: other.id }, "transactions")).toEqual({
        bank: Option.some(bank),
        ...nothing
      })
      const foreign = yield* storeWorkspace()
      expect(yield* look(foreign.id, refOf(plain), "transactions")).toEqual({ bank: Option.none(), ...nothing })
    })
  )

  it.effect("reads a page of the records with the look, which is the one that they are read by without", () =>
    Effect.gen(function* () {
      const [{ look }, records, workspace] = [yield* AccountLooks, yield* RecordStore, yield* storeWorkspace()]
      const bank = yield* storeBank(workspace)
      const account = yield* storeAccount(bank)
      const other = yield* storeAccount(bank)
      const days = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"].map((day) => CalendarDate.make(day))
      yield* records.write(scopeOf(account), yield* Effect.forEach(days, writeOf))
      yield* records.write(scopeOf(other), yield* Effect.forEach(days, writeOf))
      for (const query of [
        { filter: {}, limit: 3 },
        { filter: { from: days[1]!, to: days[2]! }, limit: 10 },
        { filter: { state: "removed" as const }, limit: 10 }
      ]) {
        const found = yield* look(workspace.id, refOf(account), "transactions", query)
        expect(found.page).toEqual(yield* records.shownPage(scopeOf(account), query))
        const { page: _, ...plain } = found
        expect(yield* look(workspace.id, refOf(account), "transactions")).toEqual(plain)
      }
      const query = { filter: {}, limit: 3 }
      expect((yield* look(workspace.id, refOf(account), "transactions", query)).page).toHaveLength(3)
      // Nothing is shown of an account that is not the bank's.
      const elsewhere = { bankId: (yield* storeBank(workspace)).id, accountId: account.id }
      expect((yield* look(workspace.id, elsewhere, "transactions", query)).page).toBeUndefined()
    })
  )
}
