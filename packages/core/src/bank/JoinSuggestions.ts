/**
 * Which accounts may be one that a person could join: an account of a new or renewed connection that looks like one that we
 * hold, where nothing tells it for certain (decisions 12). It only says so, with its evidence; nothing is done by it.
 */
import * as Effect from "effect/Effect"
import { fold } from "../text/Fold.ts"
import { type Account, type AccountId, isOwnAccount } from "./Account.ts"
import { type Bank, natureOf } from "./Bank.ts"
import { BankStore } from "./BankStore.ts"

/** In what the two agree. */
export const joinEvidence = [
  "stableKey",
  "providerAccountId",
  "institution",
  "currency",
  "type",
  "number",
  "name"
] as const
export type JoinEvidence = (typeof joinEvidence)[number]

export interface JoinSuggestion {
  readonly bankId: Bank["id"]
  readonly accountId: AccountId
  readonly evidence: ReadonlyArray<JoinEvidence>
}

/** An account, and the bank that it is under. */
export interface Owned {
  readonly bank: Bank
  readonly account: Account
}

/** All accounts of the banks of a workspace that are there; those that are part of others as well. */
export const makeOwnedOf = Effect.map(BankStore, (banks) =>
  Effect.fnUntraced(function* (workspaceId: Bank["workspaceId"]) {
    const found: Array<Owned> = []
    for (const bank of yield* banks.list([workspaceId])) {
      for (const account of yield* banks.accounts(bank.id)) found.push({ bank, account })
    }
    return found
  })
)

/** Types that sources name differently; what is not listed is a family of its own. */
const families: Readonly<Record<string, string>> = {
  checking: "cash",
  savings: "cash",
  money_market: "cash",
  cd: "cash",
  cash_management: "cash",
  prepaid: "cash",
  credit_card: "credit",
  line_of_credit: "credit",
  loan: "loan",
  mortgage: "loan",
  investment: "investment",
  brokerage: "investment",
  retirement: "investment"
}
const anything: ReadonlySet<string> = new Set(["other", "unknown"])

/** Whether sources may mean one account by the two types: each calls it after its own fashion. */
export const mayBeOneType = (a: Account["accountType"], b: Account["accountType"]): boolean =>
  a === b || anything.has(a) || anything.has(b) || (families[a] !== undefined && families[a] === families[b])

const isSameInstitution = (a: Bank, b: Bank): boolean =>
  a.id === b.id ||
  (a.source === b.source && a.institutionId !== undefined && b.institutionId !== undefined
    ? a.institutionId === b.institutionId
    : fold(a.name) === fold(b.name))

/** Digits that tell accounts of one bank apart: fewer are shared by chance. */
const tellingDigits = 3

const isSameNumber = (a: string, b: string): boolean => a === b && a.replaceAll("*", "").length >= tellingDigits

/**
 * Whether one provider shows both under one id. Where both have keys an id proves nothing: some upstreams count the accounts of
 * each connection from one.
 */
const isSameAtProvider = (a: Owned, b: Owned): boolean =>
  a.bank.providerInstanceId !== undefined &&
  a.bank.providerInstanceId === b.bank.providerInstanceId &&
  a.account.providerAccountId === b.account.providerAccountId &&
  (a.account.stableKeys.length === 0 || b.account.stableKeys.length === 0)

/** In what they agree; `undefined` where that is not enough to ask a person. */
const evidenceOf = (a: Owned, b: Owned): ReadonlyArray<JoinEvidence> | undefined => {
  const agrees: Readonly<Record<JoinEvidence, boolean>> = {
    stableKey: a.account.stableKeys.some((key) => b.account.stableKeys.includes(key)),
    providerAccountId: isSameAtProvider(a, b),
    institution: isSameInstitution(a.bank, b.bank),
    currency: a.account.currency === b.account.currency,
    type: a.account.accountType === b.account.accountType,
    number: isSameNumber(a.account.accountNumber, b.account.accountNumber),
    name: fold(a.account.accountName) === fold(b.account.accountName)
  }
  if (!agrees.currency || !agrees.institution || !mayBeOneType(a.account.accountType, b.account.accountType)) {
    return undefined
  }
  const isEnough =
    agrees.stableKey || (agrees.type && agrees.providerAccountId) || (agrees.type && agrees.number && agrees.name)
  return isEnough ? joinEvidence.filter((one) => agrees[one]) : undefined
}

/** Accounts that may be the same one as `of`: what agrees in most first, then the oldest. */
export const joinSuggestions = (of: Owned, all: ReadonlyArray<Owned>): ReadonlyArray<JoinSuggestion> =>
  all
    .flatMap((other) => {
      if (other.account.id === of.account.id || !isOwnAccount(other.account) || !isOwnAccount(of.account)) return []
      if (natureOf(other.bank) !== "connected" || natureOf(of.bank) !== "connected") return []
      const evidence = evidenceOf(of, other)
      return evidence === undefined ? [] : [{ bankId: other.bank.id, accountId: other.account.id, evidence }]
    })
    .toSorted((a, b) => b.evidence.length - a.evidence.length || (a.accountId < b.accountId ? -1 : 1))
