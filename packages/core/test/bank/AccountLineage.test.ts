import type { Account } from "../../src/bank/Account.ts"
import { isKnownBy, matchAccounts } from "../../src/bank/AccountLineage.ts"
import type { ObservedAccount } from "../../src/provider/Provider.ts"
import * as Currency from "../../src/shared/Currency.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { makeAccount, makeBank, makeWorkspace } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"

const bank = Effect.runSync(Effect.flatMap(makeWorkspace(), makeBank).pipe(Effect.provide(Ids.layer)))
const held = (change: Partial<Account>): Account =>
  Effect.runSync(makeAccount(bank, { stableKeys: [], ...change }).pipe(Effect.provide(Ids.layer)))

const observed = (change: Partial<ObservedAccount>): ObservedAccount => ({
  providerAccountId: "new",
  stableKeys: [],
  number: "****6789",
  name: "Current account",
  type: "checking",
  currency: Currency.make("CHF"),
  balance: Decimal.make("1"),
  supports: ["balances"],
  ...change
})

const pairs = (accounts: ReadonlyArray<Account>, shown: ReadonlyArray<ObservedAccount>) => {
  const matched = matchAccounts(accounts, shown)
  return shown.map((one) => {
    const account = matched.get(one)
    return account === undefined ? -1 : accounts.indexOf(account)
  })
}

describe("matchAccounts", () => {
  it("knows accounts by their id", () => {
    const accounts = [held({ providerAccountId: "a", stableKeys: ["k1"] }), held({ providerAccountId: "b" })]
    expect(pairs(accounts, [observed({ providerAccountId: "b" }), observed({ providerAccountId: "a" })])).toEqual([
      1, 0
    ])
    // Keys that all changed are no other account.
    expect(pairs(accounts, [observed({ providerAccountId: "a", stableKeys: ["k9"], name: "x" })])).toEqual([0])
  })

  it("goes by keys where a reconnect gave the ids out anew, even to other accounts", () => {
    const accounts = [
      held({ providerAccountId: "1", stableKeys: ["k1"] }),
      held({ providerAccountId: "2", stableKeys: ["k2"] })
    ]
    const swapped = [
      observed({ providerAccountId: "1", stableKeys: ["k2"] }),
      observed({ providerAccountId: "2", stableKeys: ["k1"] })
    ]
    expect(pairs(accounts, swapped)).toEqual([1, 0])
  })

  it("believes the strongest key first, and no key that two accounts share", () => {
    const accounts = [
      held({ providerAccountId: "a", stableKeys: ["number:1", "joint"], accountName: "A" }),
      held({ providerAccountId: "b", stableKeys: ["number:2", "joint"], accountName: "B" })
    ]
    const strong = [
      observed({ providerAccountId: "x", stableKeys: ["number:2", "number:1"] }),
      observed({ providerAccountId: "y", stableKeys: ["number:1", "joint"] })
    ]
    expect(pairs(accounts, strong)).toEqual([1, 0])
    expect(pairs(accounts, [observed({ stableKeys: ["joint"] })])).toEqual([-1])
    const shared = [observed({ stableKeys: ["number:1"] }), observed({ stableKeys: ["number:1"] })]
    expect(pairs(accounts, shared)).toEqual([-1, -1])
    expect(pairs(accounts, [observed({ stableKeys: ["number:1"], currency: Currency.make("EUR") })])).toEqual([-1])
  })

  it("falls back to currency, type, number and name where both sides have them once", () => {
    const accounts = [held({ accountNumber: "****1111" }), held({ accountNumber: "****2222" })]
    const two = observed({ number: "****2222" })
    expect(pairs(accounts, [two, observed({ number: "****1111" })])).toEqual([1, 0])
    for (const other of [{ currency: Currency.make("EUR") }, { type: "savings" as const }, { name: "Other" }]) {
      expect(pairs(accounts, [observed({ number: "****2222", ...other })])).toEqual([-1])
    }
    expect(pairs(accounts, [two, { ...two }])).toEqual([-1, -1])
    expect(pairs([...accounts, held({ accountNumber: "****2222" })], [two])).toEqual([-1])
  })

  it("matches one to one", () => {
    const account = held({ providerAccountId: "a", stableKeys: ["k"] })
    const shown = [observed({ providerAccountId: "a" }), observed({ providerAccountId: "b", stableKeys: ["k"] })]
    expect(pairs([account], shown)).toEqual([0, -1])
  })
})

describe("isKnownBy", () => {
  it("asks for a key where both sides have keys, and else for the id", () => {
    const account = held({ providerAccountId: "1", stableKeys: ["k", "l"] })
    expect(isKnownBy(account, observed({ providerAccountId: "9", stableKeys: ["l"] }))).toBe(true)
    expect(isKnownBy(account, observed({ providerAccountId: "1", stableKeys: ["m"] }))).toBe(false)
    expect(isKnownBy(account, observed({ providerAccountId: "1" }))).toBe(true)
    expect(isKnownBy(account, observed({ providerAccountId: "9" }))).toBe(false)
    expect(isKnownBy(held({ providerAccountId: "1" }), observed({ providerAccountId: "1", stableKeys: ["k"] }))).toBe(
      true
    )
  })
})
