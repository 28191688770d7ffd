/** The accounts of a demo connection with their balances. */
import { isLiability, type ObservedAccount } from "@millrace/core/provider"
import { Timestamp } from "@millrace/core"
import type { DemoAccount } from "./Institutions.ts"
import { portfolio } from "./Portfolio.ts"
import { accountId, accountNumber, amount, brokerMonths, ledger, sums, type World } from "./World.ts"

interface Balance {
  readonly balance: bigint
  readonly available: bigint
}

const balanceOf = (here: World, account: DemoAccount, entries: ReturnType<typeof ledger>): Balance => {
  if (account.supports.includes("holdings")) {
    const own = portfolio(account, brokerMonths(here), here.now)
    return { balance: own.value, available: own.cash }
  }
  const { pending, posted } = sums(here, account, entries.get(account.slug) ?? [])
  const balance = account.opening + posted
  return { balance, available: balance + pending + (account.creditLimit ?? 0n) }
}

/** Balances are the opening balance and all posted rows; what is available counts pending rows as well. */
export const observedAccounts = (here: World): ReadonlyArray<ObservedAccount> => {
  const entries = ledger(here)
  return here.accounts.map((account): ObservedAccount => {
    const { available, balance } = balanceOf(here, account, entries)
    const number = accountNumber(here, account)
    const drawable = !isLiability(account.type) || account.creditLimit !== undefined
    return {
      providerAccountId: accountId(here, account),
      stableKeys: [
        `${here.connection.institution}:${number}`,
        `${account.currency}:${account.type}:${number.slice(-4)}:${account.name}`
      ],
      number,
      name: account.name,
      type: account.type,
      subtype: account.subtype,
      currency: account.currency,
      balance: amount(account, balance),
      ...(drawable ? { availableBalance: amount(account, available) } : {}),
      ...(account.creditLimit === undefined ? {} : { creditLimit: amount(account, account.creditLimit) }),
      balanceAsOf: Timestamp.fromMillis(here.now),
      supports: account.supports
    }
  })
}
