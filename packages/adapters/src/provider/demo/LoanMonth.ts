/** Loans at the demo lender: interest is charged and an instalment paid each month. */
import type { Fields } from "@millrace/core/record"
import { CalendarDate, Decimal } from "@millrace/core"
import { open } from "./Book.ts"
import { dateOf, dayMillis, instant, type Month, monthOf } from "./Calendar.ts"
import { type Entry, proportion } from "./Entry.ts"
import type { DemoAccount } from "./Institutions.ts"

interface Terms {
  readonly loanType: string
  /** Hundredths of a percent a year. */
  readonly rate: bigint
  readonly instalment: bigint
  readonly principal: bigint
  /** Months from the beginning of the history to the last instalment. */
  readonly months: number
  readonly payDay: number
}

const termsBySlug: Readonly<Record<string, Terms>> = {
  mortgage: { loanType: "mortgage", rate: 525n, instalment: 2_148_60n, principal: 360_000_00n, months: 298, payDay: 1 },
  auto: { loanType: "auto", rate: 689n, instalment: 498_25n, principal: 38_500_00n, months: 71, payDay: 15 }
}

/** `undefined` for accounts that are no loans. */
const termsOf = (account: DemoAccount): Terms | undefined => termsBySlug[account.slug]

/** One instalment in twelve comes nine days late. */
const paidAt = (key: string, account: DemoAccount, terms: Terms, month: Month): number => {
  const due = instant(month, terms.payDay, 9)
  return open(`${key}|${account.slug}|paid|${month}`).draws.perMille(83) ? due + 9 * dayMillis : due
}

/** Interest and instalments from `first` to `last`; each month's interest is on what was still owed. */
export const loanEntries = (key: string, account: DemoAccount, first: Month, last: Month): ReadonlyArray<Entry> => {
  const terms = termsOf(account)
  if (terms === undefined) return []
  const { instalment, payDay, rate } = terms
  const entries: Array<Entry> = []
  let balance: bigint = account.opening
  for (let month = first; month <= last && balance < 0n; month++) {
    const book = open(`${key}|${account.slug}|${month}`)
    // Hundredths of a percent of a year: 10,000 parts, 12 months.
    const interest = proportion(balance, rate, 120_000n)
    const owed = -(balance + interest)
    const payment = owed < instalment ? owed : instalment
    book.post({
      account: account.slug,
      at: instant(month, payDay, 1),
      text: "INTEREST CHARGE",
      units: interest,
      type: "INTEREST",
      category: "BANK_FEES"
    })
    book.post({
      account: account.slug,
      at: paidAt(key, account, terms, month),
      text: "PAYMENT RECEIVED - THANK YOU",
      units: payment,
      type: "PAYMENT",
      category: "LOAN_PAYMENTS",
      reference: `INST ${month - first + 1}`
    })
    balance += interest + payment
    entries.push(...book.entries)
  }
  return entries
}

/** The loan as it stands, `undefined` when the account is none; `balance` is the signed position of the account in cents. */
export const loanFields = (
  key: string,
  account: DemoAccount,
  first: Month,
  balance: bigint,
  now: number
): Fields | undefined => {
  const loan = termsOf(account)
  if (loan === undefined) return undefined
  const month = monthOf(now)
  const paid = paidAt(key, account, loan, month)
  const due = instant(month, loan.payDay, 9)
  const last = paid <= now ? paid : month > first ? paidAt(key, account, loan, month - 1) : undefined
  return {
    loanType: loan.loanType,
    principalBalance: Decimal.fromUnits(-balance, 2),
    originationPrincipalAmount: Decimal.fromUnits(loan.principal, 2),
    interestRatePercentage: Decimal.fromUnits(loan.rate, 2),
    nextPaymentAmount: Decimal.fromUnits(loan.instalment < -balance ? loan.instalment : -balance, 2),
    nextPaymentDueDate: dateOf(paid <= now ? instant(month + 1, loan.payDay, 9) : due),
    maturityDate: dateOf(instant(first + loan.months, loan.payDay, 0)),
    isOverdue: now >= CalendarDate.toEpochDay(dateOf(due)) * dayMillis + dayMillis && paid > now,
    ...(last === undefined
      ? {}
      : { lastPaymentAmount: Decimal.fromUnits(loan.instalment, 2), lastPaymentDate: dateOf(last) }),
    currency: account.currency
  }
}
