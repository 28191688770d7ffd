/** A record as one side of a possible transfer (enrichments D2). */
import type { AccountType } from "../../../../../src/provider/AccountType.ts"
import { categories } from "../../../../../src/record/TransactionType.ts"
import * as CalendarDate from "../../../../../src/shared/CalendarDate.ts"
import * as Currency from "../../../../../src/shared/Currency.ts"
import * as Decimal from "../../../../../src/shared/Decimal.ts"
import type { Id } from "../../../../../src/shared/Ids.ts"
import type { SetAccount, SetRecord } from "../../../../../src/enrichment/kinds/SetKind.ts"
import type { TransferConfig } from "../../../../../src/enrichment/kinds/transfer/TransferConfig.ts"
import type { TextReader, TextSigns } from "../../../../../src/enrichment/kinds/transfer/TextSigns.ts"

type AccountId = Id<"account">

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

const dayOf = (text: string): number =>
  Date.UTC(+text.slice(0, 4), +text.slice(5, 7) - 1, +text.slice(8, 10)) / 86_400_000
const dayNumbers = new Map<string, number>()

/** Days since 1970-01-01; `undefined` where the text is no day. */
const epochDay = (text: string): number | undefined => {
  let day = dayNumbers.get(text)
  if (day === undefined) {
    if (CalendarDate.parse(text) === undefined) return undefined
    day = dayOf(text)
    dayNumbers.set(text, day)
  }
  return day
}

const currencies = new Map<string, Currency.Currency | undefined>()

const currencyOf = (text: string): Currency.Currency | undefined => {
  if (!currencies.has(text) && currencies.size < 1_000) currencies.set(text, Currency.parse(text))
  return currencies.has(text) ? currencies.get(text) : Currency.parse(text)
}

/** The day on which a record counts; `undefined` where it has none. */
const legDate = ({ fields }: SetRecord): CalendarDate.CalendarDate | undefined => {
  const { date } = fields
  return typeof date === "string" && epochDay(date) !== undefined ? (date as CalendarDate.CalendarDate) : undefined
}

/** Whether money leaves, as the record says it; `undefined` without an amount, and for nothing at all. */
const leaves = ({ fields }: SetRecord): boolean | undefined => {
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
  const { accountId, fields, recordId } = record
  if (account === undefined || excluded.has(accountId)) return undefined
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
  const safe = Decimal.safeUnits(amount)
  const mirror = mirrors.has(accountId)
  return {
    recordId,
    accountId,
    accountType: account.accountType,
    currency,
    date,
    day: epochDay(date)!,
    out: isOut !== mirror,
    mirror,
    amount,
    units: Number.isNaN(safe) ? Math.round(Number(amount) * unitsPerOne) : safe,
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

const text = (record: SetRecord, field: string): string => {
  const value = record.fields[field]
  return typeof value === "string" ? value : ""
}

/** All that was written about it. */
const legText = ({ record }: Pick<Leg, "record">): string => {
  const [original, shown] = [text(record, "originalDescription"), text(record, "description")]
  return original === "" || original === shown ? shown : shown === "" ? original : `${shown} ${original}`
}

const moving: ReadonlySet<string> = new Set(["TRANSFER_IN", "TRANSFER_OUT", "LOAN_PAYMENTS"])
const unsaid: ReadonlySet<string> = new Set(["UNCATEGORIZED", "BANK_FEES"])
const primary: ReadonlySet<string> = new Set(categories)

export interface LegSigns extends TextSigns {
  /** What the provider makes of it: a transfer, something else, or nothing. */
  readonly hint: 1 | 0 | -1
  /** The weight by itself, whoever the other side is, in centibits. */
  readonly weight: number
}

const bounds = { least: -600, most: 500 } as const

const clamp = (value: number): number => Math.min(bounds.most, Math.max(bounds.least, value))

const liabilities: ReadonlySet<AccountType> = new Set(["credit_card", "line_of_credit", "loan", "mortgage"])

/** Points of a side in centibits (enrichments D2.2). */
const points = {
  transfer: 300,
  names: 300,
  namesAnother: -300,
  other: -200,
  purchase: -500,
  earning: -400,
  paidIn: 250
}

/** A transfer to somebody else is none of one's own, whatever it is called. */
const baseOf = (leg: Leg, signs: TextSigns, foreign: boolean): number =>
  (foreign ? points.other : signs.transfer ? points.transfer : 0) +
  (signs.purchase ? points.purchase : 0) +
  (signs.earning || signs.refund ? points.earning : 0) +
  (!leg.out && liabilities.has(leg.accountType) && !signs.purchase && !signs.refund ? points.paidIn : 0)

const namesOthers = (signs: TextSigns, accountId: string): boolean =>
  signs.named.size > 1 || (signs.named.size === 1 && !signs.named.has(accountId))

/** What is known of a leg by itself. */
export const signsOf = (leg: Leg, reader: TextReader): LegSigns => {
  const { record } = leg
  const read = reader.read(legText(leg))
  const type = text(record, "type")
  const category = text(record, "category")
  const merchant = text(record, "merchantName")
  const purchase =
    read.purchase || type === "CARD" || type === "ATM" || (merchant !== "" && !read.transfer && read.named.size === 0)
  const refund = read.refund || type === "REFUND"
  const earning = read.earning || type === "INTEREST" || type === "FEE"
  const signs = { ...read, purchase, refund, earning }
  const hints = moving.has(category) || type === "TRANSFER_OUTGOING" || type === "TRANSFER_INCOMING"
  const denies = primary.has(category) && !moving.has(category) && !unsaid.has(category)
  const weight = baseOf(leg, signs, signs.party !== "") + (namesOthers(signs, leg.accountId) ? points.names : 0)
  return { ...signs, hint: hints ? 1 : denies ? -1 : 0, weight: clamp(weight) }
}

/** The weight of its text where that account is the other side, in centibits. */
export const textWeight = (leg: Leg, signs: LegSigns, otherId: string, otherSigns: LegSigns): number => {
  // Whom both sides name is who holds both.
  const holder = signs.party !== "" && signs.party === otherSigns.party
  const named =
    holder || signs.named.has(otherId) ? points.names : namesOthers(signs, leg.accountId) ? points.namesAnother : 0
  return clamp(baseOf(leg, signs, signs.party !== "" && !holder) + named)
}

const code = /[\p{L}\p{N}]{6,40}/gu
const figures = /\d/g

/** Words that could be a number of the transfer: six characters or more, three digits among them. */
export const codesOf = (leg: Leg): ReadonlySet<string> => {
  const codes = new Set<string>()
  for (const field of ["reference", "description", "originalDescription"]) {
    for (const [word] of text(leg.record, field).toUpperCase().matchAll(code)) {
      if ((word.match(figures)?.length ?? 0) >= 3) codes.add(word)
    }
  }
  return codes
}
