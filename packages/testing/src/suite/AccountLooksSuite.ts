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
}
