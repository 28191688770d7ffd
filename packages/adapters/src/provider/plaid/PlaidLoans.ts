/** Loans and cards as debts: one record for each account that is one. */
import { Decimal, type DecimalText } from "@millrace/core"
import {
  type Connection,
  MutationDuringPagination,
  type ObservedRecord,
  type ProviderError,
  type PullRequest,
  type SyncPage,
  readRecords
} from "@millrace/core/provider"
import type { Fields } from "@millrace/core/record"
import * as Effect from "effect/Effect"
import { currencyOf } from "../upstream/UpstreamForm.ts"
import { type PlaidClient, tokenOf } from "./PlaidClient.ts"
import { accountsIn } from "./PlaidAccounts.ts"
import {
  CreditLiability,
  LiabilitiesAnswer,
  MortgageLiability,
  type PlaidAccount,
  StudentLiability
} from "./PlaidForm.ts"

type Found = Readonly<Record<string, DecimalText | string | boolean | null | undefined>>

/** Fields that are there. */
const present = (fields: Found): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as Fields

const creditFields = (card: typeof CreditLiability.Type): Found => {
  const aprs = card.aprs ?? []
  const apr = aprs.find(({ apr_type }) => apr_type === "purchase_apr") ?? aprs[0]
  return {
    loanType: "credit_card",
    interestRatePercentage: apr?.apr_percentage,
    nextPaymentAmount: card.minimum_payment_amount,
    nextPaymentDueDate: card.next_payment_due_date,
    isOverdue: card.is_overdue,
    lastPaymentAmount: card.last_payment_amount,
    lastPaymentDate: card.last_payment_date
  }
}

const mortgageFields = (loan: typeof MortgageLiability.Type): Found => ({
  loanType: "mortgage",
  originationPrincipalAmount: loan.origination_principal_amount,
  interestRatePercentage: loan.interest_rate?.percentage,
  nextPaymentAmount: loan.next_monthly_payment,
  nextPaymentDueDate: loan.next_payment_due_date,
  maturityDate: loan.maturity_date,
  isOverdue: typeof loan.past_due_amount === "string" ? Decimal.sign(loan.past_due_amount) > 0 : undefined,
  lastPaymentAmount: loan.last_payment_amount,
  lastPaymentDate: loan.last_payment_date
})

const studentFields = (loan: typeof StudentLiability.Type): Found => ({
  loanType: "student",
  originationPrincipalAmount: loan.origination_principal_amount,
  interestRatePercentage: loan.interest_rate_percentage,
  nextPaymentAmount: loan.minimum_payment_amount,
  nextPaymentDueDate: loan.next_payment_due_date,
  maturityDate: loan.expected_payoff_date,
  isOverdue: loan.is_overdue,
  lastPaymentAmount: loan.last_payment_amount,
  lastPaymentDate: loan.last_payment_date
})

/** What Plaid says is still owed: the balance, which of loans is their principal. */
const owedFields = (account: PlaidAccount | undefined): Found => {
  const balances = account?.balances
  const currency = currencyOf(balances?.iso_currency_code, balances?.unofficial_currency_code)
  return { principalBalance: balances?.current, currency }
}

export const pullLoans = Effect.fnUntraced(function* (
  client: PlaidClient,
  connection: Connection,
  request: PullRequest
): Effect.fn.Return<SyncPage, ProviderError> {
  if (request.position !== undefined) return yield* new MutationDuringPagination({ message: "Loans have one page" })
  const { accounts, liabilities } = yield* client.ask(
    "/liabilities/get",
    LiabilitiesAnswer,
    tokenOf(connection.secrets),
    { item: connection.ref, dataType: request.dataType }
  )
  const byId = new Map(accountsIn(accounts).map((account) => [account.account_id, account]))
  const asked = new Set(request.providerAccountIds)
  const seen = new Set<string>()
  const record = (id: string, fields: Found): ObservedRecord | string | undefined => {
    if (!asked.has(id)) return undefined
    // An account of several student loans is one record, that of the first.
    if (seen.has(id)) return undefined
    seen.add(id)
    return {
      providerAccountId: id,
      providerId: id,
      pending: false,
      fields: present({ ...owedFields(byId.get(id)), ...fields })
    }
  }
  const parts = [
    readRecords(liabilities.credit ?? [], CreditLiability, "account_id", (one) =>
      record(one.account_id, creditFields(one))
    ),
    readRecords(liabilities.mortgage ?? [], MortgageLiability, "account_id", (one) =>
      record(one.account_id, mortgageFields(one))
    ),
    readRecords(liabilities.student ?? [], StudentLiability, "account_id", (one) =>
      record(one.account_id, studentFields(one))
    )
  ]
  const quarantined = parts.flatMap((part) => part.quarantined)
  return {
    upserted: parts.flatMap((part) => part.upserted),
    removed: [],
    quarantined,
    coverage: {
      kind: "full",
      complete: true,
      none: quarantined.length > 0 ? [] : [...asked].filter((id) => byId.has(id) && !seen.has(id))
    },
    end: { kind: "done" }
  }
})
