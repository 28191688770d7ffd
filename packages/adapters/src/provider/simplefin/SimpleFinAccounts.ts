/** Accounts of SimpleFIN, and what it says of those that it could not read. */
import { Currency, type CurrencyCode, Timestamp } from "@millrace/core"
import type { AccountType, ObservedAccount } from "@millrace/core/provider"
import { shownText } from "../upstream/UpstreamForm.ts"
import type { AccountsShown, SimpleFinAccount } from "./SimpleFinForm.ts"

/** SimpleFIN does not say what an account is; names of accounts do at times. */
const words: ReadonlyArray<readonly [RegExp, AccountType]> = [
  [/\bmortgage\b/i, "mortgage"],
  [/\b(ira|401k|401\(k\)|roth|retirement|pension|rrsp)\b/i, "retirement"],
  [/\b(brokerage|invest(ment|ing)?|stocks?)\b/i, "brokerage"],
  [/\b(credit card|visa|mastercard|amex|american express|platinum card)\b/i, "credit_card"],
  [/\b(loan|auto finance)\b/i, "loan"],
  [/\bline of credit\b/i, "line_of_credit"],
  [/\bsavings?\b/i, "savings"],
  [/\bche(ck|qu)ing\b/i, "checking"]
]

const typeOf = ({ holdings, name }: SimpleFinAccount): AccountType =>
  words.find(([word]) => word.test(name))?.[1] ?? ((holdings?.length ?? 0) > 0 ? "investment" : "unknown")

/** An official code, or the last part of the address of a currency of somebody's own. */
export const currencyOf = (text: string): CurrencyCode => {
  if (/^[A-Za-z]{3}$/.test(text)) {
    const official = Currency.parse(text)
    if (official !== undefined) return official
  }
  const last = text.split("/").findLast((part) => part !== "") ?? ""
  return Currency.parse(`x:${last.replaceAll(/[^\w.-]/g, "").slice(0, 20)}`) ?? Currency.make("x:unknown")
}

/** The last digits of a number that the name of the account has, such as in `Checking (1234)`. */
const numberIn = (name: string): string => /(?:^|\D)(\d{4})\)?\s*$/.exec(name)?.[1] ?? ""

/** One account; the same person has it under the same id whatever access shows it. */
const observe = (account: SimpleFinAccount): ObservedAccount => {
  const currency = currencyOf(account.currency)
  const balanceDate = account["balance-date"]
  const available = account["available-balance"]
  const name = shownText(account.name) ?? "Account"
  return {
    providerAccountId: account.id,
    stableKeys: [`simplefin:${account.id}`],
    number: numberIn(name),
    name,
    type: typeOf(account),
    currency,
    // What is owed is negative already; a bank that shows it otherwise is known by the person alone.
    balance: Currency.toMinorUnit(account.balance, currency),
    ...(typeof available === "string" ? { availableBalance: Currency.toMinorUnit(available, currency) } : {}),
    ...(typeof balanceDate === "number" && balanceDate > 0
      ? { balanceAsOf: Timestamp.fromMillis(balanceDate * 1000) }
      : {}),
    supports:
      account.holdings === undefined || account.holdings === null
        ? ["balances", "transactions"]
        : ["balances", "transactions", "holdings"]
  }
}

export const observedAccounts = ({ accounts }: AccountsShown): ReadonlyArray<ObservedAccount> => accounts.map(observe)

/** Sentences for people, without marks of pages, addresses and whatever else does not belong into one. */
const sentence = (text: unknown): string | undefined =>
  typeof text === "string"
    ? shownText(
        text
          .replaceAll(/<[^>]*>/g, " ")
          .replaceAll(/\b[a-z]+:\/\/\S+/gi, " ")
          .replaceAll(/[<>]/g, " ")
          .replaceAll(/\s+/g, " "),
        300
      )
    : undefined

/** What SimpleFIN tells people of this answer: most often, that a bank could not be read. */
export const toldBy = ({ errlist, errors }: AccountsShown): ReadonlyArray<string> =>
  [...(errors ?? []), ...(errlist ?? []).map(({ msg }) => msg)].flatMap((text) => sentence(text) ?? []).slice(0, 20)

const nameOf = ({ org }: SimpleFinAccount): string | undefined => shownText(org?.name) ?? shownText(org?.domain)

const isAbout = (text: string, name: string): boolean => text.toLowerCase().includes(name.toLowerCase())

/** Accounts whose rows may be missing from an answer that tells of a trouble: those of the banks that it names, or all. */
export const doubtful = (answer: AccountsShown): ReadonlySet<string> => {
  const told = toldBy(answer)
  const names = new Set(answer.accounts.flatMap((account) => nameOf(account) ?? []))
  const areNamed = told.every((text) => [...names].some((name) => isAbout(text, name)))
  return new Set(
    answer.accounts
      .filter((account) => {
        const name = nameOf(account)
        return told.length > 0 && (!areNamed || name === undefined || told.some((text) => isAbout(text, name)))
      })
      .map(({ id }) => id)
  )
}
