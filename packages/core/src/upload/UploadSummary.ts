/** What an upload says of its file once it was read. */
import { maskNumber, type AccountId } from "../bank/Account.ts"
import { isMaskedNumber } from "../bank/AccountReference.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import { refusals } from "./Refusal.ts"
import type { Statement, StatementAccount } from "./Statement.ts"
import type { Upload, UploadStatement } from "./Upload.ts"

/** Days and sum of what is booked. */
export const bookedOf = ({
  rows
}: Pick<StatementAccount, "rows">): Pick<UploadStatement, "firstDay" | "lastDay" | "sum"> => {
  const booked = rows.filter(({ pending }) => !pending)
  if (booked.length === 0) return {}
  const [firstDay, lastDay] = [
    booked.reduce((first, { date }) => CalendarDate.min(first, date), booked[0]!.date),
    booked.reduce((last, { date }) => (date > last ? date : last), booked[0]!.date)
  ]
  return { firstDay, lastDay, sum: Decimal.sum(booked.map(({ amount }) => amount)) }
}

const statementOf = (account: StatementAccount, accountId: AccountId | undefined): UploadStatement => ({
  account: maskNumber(account.number, isMaskedNumber(account.number) ? "masked" : "whole"),
  ...(accountId === undefined ? {} : { accountId }),
  currency: account.currency,
  ...(account.from === undefined ? {} : { from: account.from }),
  ...(account.to === undefined ? {} : { to: account.to }),
  ...(account.openingBalance === undefined ? {} : { openingBalance: account.openingBalance }),
  ...(account.closingBalance === undefined ? {} : { closingBalance: account.closingBalance }),
  ...(account.availableBalance === undefined ? {} : { availableBalance: account.availableBalance }),
  ...(account.balanceDate === undefined ? {} : { balanceDate: account.balanceDate }),
  rows: account.rows.length,
  ...bookedOf(account),
  ...(account.difference === undefined ? {} : { difference: account.difference })
})

/** Two accounts as they are written: longest first, so that no part of one is left of another. */
const numbersOf = ({ accounts }: Statement): ReadonlyArray<string> =>
  [...new Set(accounts.map(({ number }) => number.replace(/[^\p{L}\p{N}]/gu, "")))]
    .filter((number) => number.length > 4)
    .toSorted((a, b) => b.length - a.length)

const separators = "[\\s./_-]*"

/** The text with the numbers of the file's own accounts masked, however they are grouped in it. */
export const withoutNumbers = (statement: Statement): ((text: string) => string) => {
  const patterns = numbersOf(statement).map(
    (number) => [new RegExp([...number].join(separators), "giu"), maskNumber(number, "whole")] as const
  )
  return (text) => patterns.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), text)
}

const longNumber = /[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)(?![A-Z0-9])|\d{9,}/giu
const compactTime = /^(?:19|20)\d{10}(?:\d{2})?$/

/** The text with everything masked that could be the number of an account: for what is said without one being known. */
export const withoutLongNumbers = (text: string): string =>
  text.replace(longNumber, (number) => (compactTime.test(number) ? number : maskNumber(number, "whole")))

/** `accountIds` are those that the accounts of the statement were booked under, in their order. */
export const readingOf = (
  statement: Statement,
  reading: string,
  accountIds: ReadonlyArray<AccountId> = []
): Pick<Upload, "format" | "statements" | "assumed" | "warnings" | "reading"> => {
  const masked = withoutNumbers(statement)
  return {
    format: statement.format,
    statements: statement.accounts.map((account, at) => statementOf(account, accountIds[at])),
    assumed: Object.fromEntries(Object.entries(statement.assumed).map(([key, value]) => [key, masked(value)])),
    warnings: [...statement.warnings, ...refusals(statement.refused ?? [])].map(masked),
    reading
  }
}
