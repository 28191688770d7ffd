/** From Quiltt's accounts to ours. Its balances have our signs: what is owed is negative, from whichever source. */
import { Currency, Decimal, Timestamp } from "@millrace/core"
import type { AccountType, BankType, ObservedAccount } from "@millrace/core/provider"
import type { SyncDataType } from "@millrace/core/record"
import { currencyOf as known, instantOf, shownText } from "../upstream/UpstreamForm.ts"
import type { QuilttAccount, QuilttConnection } from "./QuilttAnswers.ts"

/** From the most particular part of the taxonomy to the least. */
const typesByMember: ReadonlyArray<readonly [member: string, type: AccountType]> = [
  ["MORTGAGE", "mortgage"],
  ["HOME_EQUITY", "line_of_credit"],
  ["LINE_OF_CREDIT", "line_of_credit"],
  ["CARD", "credit_card"],
  ["AUTO", "loan"],
  ["STUDENT", "loan"],
  ["RETIREMENT", "retirement"],
  ["CERTIFICATE_OF_DEPOSIT", "cd"],
  ["MONEY_MARKET", "money_market"],
  ["CASH_MANAGEMENT", "cash_management"],
  ["PREPAID", "prepaid"],
  ["ELECTRONIC_BENEFIT_TRANSFER", "prepaid"],
  ["HEALTH_SAVINGS_ACCOUNT", "savings"],
  ["SAVINGS", "savings"],
  ["SPENDING", "checking"],
  ["LOAN", "loan"],
  ["CREDIT", "credit_card"],
  ["INVESTMENT", "investment"],
  ["DEPOSITORY", "other"]
]

const membersOf = ({ kind, taxonomy }: QuilttAccount): ReadonlySet<string> =>
  new Set([...(taxonomy ?? []), ...(kind === undefined || kind === null ? [] : [kind])])

const typeOf = (members: ReadonlySet<string>): AccountType =>
  typesByMember.find(([member]) => members.has(member))?.[1] ?? "unknown"

/** An account without a currency is of the country that Quiltt is for. */
const currencyOf = (code: string | null | undefined): Currency.Currency => known(code, code) ?? Currency.make("USD")

const isInvestment = (account: QuilttAccount): boolean => membersOf(account).has("INVESTMENT")

/** Only Plaid tells more of a loan than its balance. */
const hasLoan = (account: QuilttAccount): boolean => {
  const members = membersOf(account)
  return account.provider === "PLAID" && members.has("LOAN")
}

const supportsOf = (account: QuilttAccount): ReadonlyArray<SyncDataType> => [
  "balances",
  "transactions",
  ...(isInvestment(account) ? (["trades", "holdings"] as const) : []),
  ...(hasLoan(account) ? (["loans"] as const) : [])
]

const text = (value: string | null | undefined): string => shownText(value) ?? ""

/**
 * How an account is known again under another connection: ids stay as long as the connection does. Two of one
 * institution may look alike, so the id comes first.
 */
const stableKeysOf = (
  connection: QuilttConnection,
  account: QuilttAccount,
  type: AccountType
): ReadonlyArray<string> => {
  const mask = text(account.mask)
  const institution = text(connection.institution?.name)
  return [
    account.id,
    ...(mask === "" || institution === "" ? [] : [[institution, mask, type, text(account.name)].join("|")])
  ]
}

export const observedAccount = (connection: QuilttConnection, account: QuilttAccount): ObservedAccount => {
  const { at, available, current, limit } = account.balance ?? {}
  const type = typeOf(membersOf(account))
  const currency = currencyOf(account.currencyCode)
  const money = (amount: Decimal.Decimal) => Currency.toMinorUnit(amount, currency)
  const asOf = instantOf(at)
  const mask = text(account.mask)
  return {
    providerAccountId: account.id,
    stableKeys: stableKeysOf(connection, account, type),
    number: mask,
    name: text(account.name) === "" ? (mask === "" ? "Account" : `Account ${mask}`) : text(account.name),
    type,
    ...(account.taxonomy === undefined || account.taxonomy === null || account.taxonomy.length < 3
      ? {}
      : { subtype: text(account.taxonomy.at(-1)).toLowerCase() }),
    currency,
    balance: money(current ?? available ?? Decimal.zero),
    ...(available === undefined || available === null ? {} : { availableBalance: money(available) }),
    // The limit of a debt has its sign.
    ...(limit === undefined || limit === null ? {} : { creditLimit: money(Decimal.abs(limit)) }),
    ...(asOf === undefined ? {} : { balanceAsOf: asOf }),
    supports: supportsOf(account)
  }
}

/** When Quiltt last had something from the bank: the newest of the balances. */
export const lastUpdateOf = ({ accounts }: QuilttConnection): Timestamp.Timestamp | undefined =>
  accounts
    .flatMap(({ balance }) => instantOf(balance?.at) ?? [])
    .reduce<Timestamp.Timestamp | undefined>(
      (latest, at) => (latest === undefined || at > latest ? at : latest),
      undefined
    )

/** When the person's consent ends, where the data provider says so. */
export const consentExpiryOf = ({ remoteData }: QuilttConnection): Timestamp.Timestamp | undefined =>
  instantOf(remoteData?.plaid?.connection?.response?.consentExpirationTime)

/** What sort of bank has these accounts; a bank where they are of several sorts, or not there yet. */
export const bankTypeOf = ({ accounts }: QuilttConnection): BankType => {
  const types = new Set(
    accounts.map((account): BankType => {
      const members = membersOf(account)
      return members.has("INVESTMENT")
        ? "brokerage"
        : members.has("LOAN")
          ? "lender"
          : members.has("CREDIT")
            ? "credit_card"
            : "bank"
    })
  )
  return types.size === 1 ? [...types][0]! : "bank"
}
