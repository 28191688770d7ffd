/** Loans: what Plaid tells of them through Quiltt, by account. */
import { Decimal } from "@millrace/core"
import type { ObservedAccount, ObservedRecord } from "@millrace/core/provider"
import type { Fields, FieldValue } from "@millrace/core/record"
import type { QuilttLoans, QuilttMortgage, QuilttStudentLoan } from "./QuilttAnswers.ts"

const told = (fields: Readonly<Record<string, FieldValue | null | undefined>>): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) =>
      value === undefined || value === null || value === "" ? [] : [[key, value] as const]
    )
  )

const mortgage = (loan: QuilttMortgage): Fields =>
  told({
    loanType: "mortgage",
    originationPrincipalAmount: loan.originationPrincipalAmount,
    interestRatePercentage: loan.interestRate?.percentage,
    nextPaymentAmount: loan.nextMonthlyPayment,
    nextPaymentDueDate: loan.nextPaymentDueDate,
    maturityDate: loan.maturityDate,
    isOverdue:
      loan.pastDueAmount === undefined || loan.pastDueAmount === null
        ? undefined
        : Decimal.compare(loan.pastDueAmount, Decimal.zero) > 0,
    lastPaymentAmount: loan.lastPaymentAmount,
    lastPaymentDate: loan.lastPaymentDate
  })

const student = (loan: QuilttStudentLoan): Fields =>
  told({
    loanType: "student",
    originationPrincipalAmount: loan.originationPrincipalAmount,
    interestRatePercentage: loan.interestRatePercentage,
    nextPaymentAmount: loan.minimumPaymentAmount,
    nextPaymentDueDate: loan.nextPaymentDueDate,
    maturityDate: loan.expectedPayoffDate,
    isOverdue: loan.isOverdue,
    lastPaymentAmount: loan.lastPaymentAmount,
    lastPaymentDate: loan.lastPaymentDate
  })

/** Loans by the id that Plaid gives their accounts. */
const byPlaidAccount = ({ remoteData }: QuilttLoans): ReadonlyMap<string, Fields> | undefined => {
  const response = remoteData?.plaid?.liabilities?.response
  if (response === undefined || response === null) return undefined
  return new Map([
    ...(response.mortgage ?? []).map((loan) => [loan.accountId ?? "", mortgage(loan)] as const),
    ...(response.student ?? []).map((loan) => [loan.accountId ?? "", student(loan)] as const)
  ])
}

export interface ReadLoans {
  readonly rows: ReadonlyArray<ObservedRecord>
  /** Accounts that have no loan, as far as the upstream says anything of loans. */
  readonly none: ReadonlyArray<string>
}

/** The loan of each of the accounts: what is still owed is their balance. */
export const loansOf = (answer: QuilttLoans, accounts: ReadonlyArray<ObservedAccount>): ReadLoans => {
  const loans = byPlaidAccount(answer)
  if (loans === undefined) return { rows: [], none: [] }
  const plaidIds = new Map(
    (answer.accounts ?? []).map(
      ({ id, remoteData }) => [id, remoteData?.plaid?.account?.response?.accountId ?? ""] as const
    )
  )
  const rows: Array<ObservedRecord> = []
  const none: Array<string> = []
  for (const { balance, currency, providerAccountId } of accounts) {
    const plaidId = plaidIds.get(providerAccountId) ?? ""
    const fields = plaidId === "" ? undefined : loans.get(plaidId)
    if (fields === undefined) {
      none.push(providerAccountId)
      continue
    }
    rows.push({
      providerAccountId,
      providerId: providerAccountId,
      pending: false,
      fields: { ...fields, principalBalance: Decimal.abs(balance), currency }
    })
  }
  return { rows, none }
}
