/** Which of the accounts that we hold a statement is of (enrichments D1.1, for files). */
import { maskNumber, type Account } from "../bank/Account.ts"
import { accountNames, bankOfName, isMaskedNumber, sealedName } from "../bank/AccountReference.ts"
import type { AccountType } from "../provider/AccountType.ts"
import { cleanText } from "../text/CleanText.ts"
import { accountInFileName } from "./FileName.ts"
import type { StatementAccount } from "./Statement.ts"

/** What a statement without a number calls its account: its own words, or those in the name of the file. */
export const wordsForAccount = ({ name, number }: StatementAccount, fileName: string): string =>
  number === "" ? cleanText(name) || accountInFileName(fileName) : ""

/** The key of files that say nothing about their account. */
export const namelessKey = "words="

/** Makes what is kept of a part of a number. */
export type Seal = (part: string) => string

/**
 * Keys by which the account is known again, strongest first. Of an account whose number is not known whole, they are the
 * end of the number or the words that name it.
 */
export const accountKeys = (statement: StatementAccount, fileName: string, seal: Seal): ReadonlyArray<string> => {
  const { bankId = "", number } = statement
  const names = accountNames({ bankId, number })
  if (names.length > 0) return names.map((name) => sealedName(name, seal))
  return number === "" ? [`words=${wordsForAccount(statement, fileName).toLowerCase()}`] : [`end=${maskNumber(number)}`]
}

const isNumber = (key: string): boolean => !key.startsWith("words=") && !key.startsWith("end=")

/** Whether the type says something. */
export const isStated = (type: AccountType): boolean => type !== "unknown" && type !== "other"

/** Two types that are stated are of two accounts, which some banks give one number. */
const mayBeOf = (account: Account, statement: StatementAccount, currencyIsAssumed: boolean): boolean =>
  (currencyIsAssumed || account.currency === statement.currency) &&
  (account.accountType === statement.type || !isStated(account.accountType) || !isStated(statement.type))

/** Whether both name their bank, and not the same. */
const isElsewhere = (account: Account, keys: ReadonlyArray<string>): boolean => {
  const [one, other] = [account.stableKeys, keys].map((all) => all.flatMap((key) => bankOfName(key) ?? []))
  return one!.length > 0 && other!.length > 0 && !one!.some((bank) => other!.includes(bank))
}

/** The only one, or the only one of just this type. */
const onlyOf = (accounts: ReadonlyArray<Account>, type: AccountType): Account | undefined => {
  if (accounts.length < 2) return accounts[0]
  const same = accounts.filter(({ accountType }) => accountType === type)
  return same.length === 1 ? same[0] : undefined
}

export interface Asked {
  readonly statement: StatementAccount
  /** Of the statement, by `accountKeys`. */
  readonly keys: ReadonlyArray<string>
  /** Its key as it was kept before accounts went by several. */
  readonly formerKey: string
  /** The file does not say its currency, so it speaks against no account. */
  readonly currencyIsAssumed: boolean
}

/**
 * The account of a statement among those that files of one bank gave, or `undefined` where none is certain: by its
 * number in any form, then by the end of one that is masked, then by the words that name it. Of several that could
 * be meant alike it is none: what was kept apart can be put right, what was mixed cannot.
 */
export const accountOf = (
  held: ReadonlyArray<Account>,
  { currencyIsAssumed, formerKey, keys, statement }: Asked
): Account | undefined => {
  const possible = held.filter(
    (account) => mayBeOf(account, statement, currencyIsAssumed) && !isElsewhere(account, keys)
  )
  for (const key of keys) {
    const found = onlyOf(
      possible.filter(({ stableKeys }) => stableKeys.includes(key)),
      statement.type
    )
    if (found !== undefined) return found
  }
  if (statement.number !== "") {
    const end = maskNumber(statement.number)
    const masked = isMaskedNumber(statement.number)
    // The end of a number tells an account where the rest of one of the two is not known.
    const alike = possible.filter(
      ({ accountNumber, stableKeys }) =>
        stableKeys.includes(`end=${end}`) || (masked && accountNumber === end && stableKeys.some(isNumber))
    )
    const found = onlyOf(alike, statement.type)
    if (found !== undefined) return found
  }
  return possible.find(({ stableKeys }) => stableKeys.length === 1 && stableKeys[0] === formerKey)
}

/** Accounts that may be meant although no key says so, because one of the two has no number: their rows tell. */
export const withoutNumber = (
  held: ReadonlyArray<Account>,
  { currencyIsAssumed, statement }: Asked
): ReadonlyArray<Account> =>
  held.filter(
    (account) =>
      mayBeOf(account, statement, currencyIsAssumed) && (statement.number === "" || !account.stableKeys.some(isNumber))
  )
