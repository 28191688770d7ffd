/** Which accounts an upstream shows are which that we hold: accounts survive a reconnect (enrichments D1.1). */
import { isOwnAccount, maskNumber, type Account } from "./Account.ts"
import type { ObservedAccount } from "../provider/Provider.ts"

const shareKey = (held: Account, observed: ObservedAccount): boolean =>
  held.stableKeys.length === 0 ||
  observed.stableKeys.length === 0 ||
  observed.stableKeys.some((key) => held.stableKeys.includes(key))

/**
 * Whether another connection shows the account: by a key that both have, or by its id where one of them has no keys. Where both
 * have keys an id proves nothing: some upstreams count the accounts of each connection from one.
 */
export const isKnownBy = (held: Account, observed: ObservedAccount): boolean =>
  held.stableKeys.length === 0 || observed.stableKeys.length === 0
    ? held.providerAccountId === observed.providerAccountId
    : shareKey(held, observed)

/** What is left to know an account by when no key is: only good for what has no double. */
const likeness = (account: Pick<Account, "currency">, type: string, mask: string, name: string): string =>
  JSON.stringify([account.currency, type, mask, name])

/** By the upstream's name: the upstream knows of no other. */
const likenessOfHeld = (held: Account): string =>
  likeness(held, held.accountType, held.accountNumber, held.upstreamName ?? held.accountName)
const likenessOfObserved = (observed: ObservedAccount): string =>
  likeness(observed, observed.type, maskNumber(observed.number), observed.name)

const grouped = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => string | undefined): ReadonlyMap<string, Array<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const one of all) {
    const key = keyOf(one)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return groups
}

/**
 * Observed account -> the one we hold, one to one; those that are new are left out. By the upstream's id where
 * no key speaks against it, then by the strongest key that both sides have once, then by the id alone (keys may
 * change, too), then by currency, type, number and name where both sides have them once.
 */
export const matchAccounts = (
  held: ReadonlyArray<Account>,
  observed: ReadonlyArray<ObservedAccount>
): ReadonlyMap<ObservedAccount, Account> => {
  const matched = new Map<ObservedAccount, Account>()
  const taken = new Set<Account>()
  const take = (one: ObservedAccount, account: Account | undefined): void => {
    if (account === undefined || matched.has(one) || taken.has(account)) return
    matched.set(one, account)
    taken.add(account)
  }
  const heldById = grouped(held, (account) => account.providerAccountId)
  const withId = ({ providerAccountId }: ObservedAccount) => heldById.get(providerAccountId)?.[0]

  // What is part of another account is known by its id alone; what else tells it tells the whole.
  const wholeOf = (account: Account): Account => {
    const whole = held.find(({ id }) => id === account.joinedInto)
    return whole === undefined ? account : wholeOf(whole)
  }

  for (const one of observed) {
    const account = withId(one)
    if (account !== undefined && shareKey(account, one)) take(one, account)
  }
  const most = observed.reduce((length, { stableKeys }) => Math.max(length, stableKeys.length), 0)
  for (let rank = 0; rank < most; rank++) {
    for (const [key, group] of grouped(observed, ({ stableKeys }) => stableKeys[rank])) {
      const one = group[0]!
      if (group.length > 1 || matched.has(one)) continue
      const like = new Set(
        held
          .filter((account) => account.currency === one.currency && account.stableKeys.includes(key))
          .map(wholeOf)
          .filter(isOwnAccount)
      )
      if (like.size === 1) take(one, [...like][0])
    }
  }
  for (const one of observed) take(one, withId(one))
  const heldAlike = grouped(held.filter(isOwnAccount), likenessOfHeld)
  for (const [key, group] of grouped(observed, likenessOfObserved)) {
    const alike = heldAlike.get(key)
    if (group.length === 1 && alike?.length === 1) take(group[0]!, alike[0])
  }
  return matched
}
