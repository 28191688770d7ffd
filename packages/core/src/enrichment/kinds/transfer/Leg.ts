/** A record as one side of a possible transfer (enrichments D2). */
import type { AccountType } from "../../../provider/AccountType.ts"
import type { Fields, FieldValue } from "../../../record/FieldValue.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { Id } from "../../../shared/Ids.ts"
import type { SetAccount, SetRecord } from "../SetKind.ts"
import type { TransferConfig } from "./TransferConfig.ts"

type AccountId = Id<"account">

/** Fields that are looked at. The names of the account are there so that a new name is noticed. */
export const legFields = [
  "date",
  "amount",
  "currency",
  "description",
  "originalDescription",
  "merchantName",
  "category",
  "type",
  "reference",
  "pending",
  "accountName",
  "account"
] as const

export interface Leg {
  readonly recordId: string
  readonly accountId: AccountId
  readonly accountType: AccountType
  readonly currency: Currency.Currency
  readonly date: CalendarDate.CalendarDate
  /** Days since 1970-01-01. */
  readonly day: number
  /** Money leaves the account; of a mirror, as the other side sees it. */
  readonly out: boolean
  /** The account is a mirror: links of it are suggested and never made. */
  readonly mirror: boolean
  /** Without sign. */
  readonly amount: Decimal.Decimal
  /** The same in ten-thousandths; of amounts that a double cannot hold exactly, the nearest. */
  readonly units: number
  readonly pending: boolean
  readonly record: SetRecord
}

export const unitsPerOne = 10_000

/** In ten-thousandths; of what a double cannot hold exactly, the nearest. */
const unitsOf = (amount: Decimal.Decimal): number => {
  const safe = Decimal.safeUnits(amount)
  return Number.isNaN(safe) ? Math.round(Number(amount) * unitsPerOne) : safe
}

/** Days since 1970-01-01; NaN where the text is no day. */
const dayOf = (text: string): number => (text.length === 10 ? CalendarDate.epochDayOf(text) : Number.NaN)

const currencies = new Map<string, Currency.Currency | undefined>()

const currencyOf = (text: string): Currency.Currency | undefined => {
  if (!currencies.has(text) && currencies.size < 1_000) currencies.set(text, Currency.parse(text))
  return currencies.has(text) ? currencies.get(text) : Currency.parse(text)
}

/** The day on which a record counts; `undefined` where it has none. */
export const legDate = ({ fields }: SetRecord): CalendarDate.CalendarDate | undefined => {
  const { date } = fields
  return typeof date === "string" && !Number.isNaN(dayOf(date)) ? (date as CalendarDate.CalendarDate) : undefined
}

/** Whether money leaves, as the record says it; `undefined` without an amount, and for nothing at all. */
export const leaves = ({ fields }: SetRecord): boolean | undefined => {
  const { amount } = fields
  if (typeof amount !== "string" || amount === "0") return undefined
  return amount.charCodeAt(0) === 45
}

/** `undefined` for what can be no leg. */
export const legOf = (
  record: SetRecord,
  account: SetAccount | undefined,
  { includePending, mirrors, excluded }: LegRules
): Leg | undefined => {
  const { fields, recordId } = record
  if (account === undefined || excluded.has(account.accountId)) return undefined
  const { accountId } = account
  const date = legDate(record)
  const isOut = leaves(record)
  if (date === undefined || isOut === undefined) return undefined
  const pending = fields["pending"] === true
  if (pending && !includePending) return undefined
  const signed = Decimal.parse(fields["amount"] as string)
  if (signed === undefined || signed === "0") return undefined
  const sent = fields["currency"]
  const currency = typeof sent === "string" ? currencyOf(sent) : account.currency
  if (currency === undefined) return undefined
  const amount = Decimal.abs(signed)
  const mirror = mirrors.has(accountId)
  return {
    recordId,
    accountId,
    accountType: account.accountType,
    currency,
    date,
    day: dayOf(date),
    out: isOut !== mirror,
    mirror,
    amount,
    units: unitsOf(amount),
    pending,
    record
  }
}

export interface LegRules {
  readonly includePending: boolean
  readonly mirrors: ReadonlySet<string>
  readonly excluded: ReadonlySet<string>
}

export const legRules = ({ excludeAccountIds, includePending, mirrorAccountIds }: TransferConfig): LegRules => ({
  includePending,
  mirrors: new Set(mirrorAccountIds),
  excluded: new Set(excludeAccountIds)
})

export const fieldText = (value: FieldValue | undefined): string => (typeof value === "string" ? value : "")

/** All that was written about it. */
export const legText = ({ description, originalDescription }: Fields): string => {
  const [original, shown] = [fieldText(originalDescription), fieldText(description)]
  return original === "" || original === shown ? shown : shown === "" ? original : `${shown} ${original}`
}

const code = /[\p{L}\p{N}]{6,40}/gu

/** Figures that a code has at least. */
const leastFigures = 3

const hasFigures = (text: string): boolean => {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if ((text.charCodeAt(at) - 48) >>> 0 <= 9 && ++count === leastFigures) return true
  }
  return false
}

const noCodes: ReadonlySet<string> = new Set()

/** Words of a text that could be a number of the transfer: six characters or more, three figures among them. */
export const codesIn = (text: string): ReadonlySet<string> => {
  if (!hasFigures(text)) return noCodes
  const codes = new Set<string>()
  for (const [word] of text.toUpperCase().matchAll(code)) if (hasFigures(word)) codes.add(word)
  return codes.size === 0 ? noCodes : codes
}
