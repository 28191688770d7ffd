/** From Quiltt's rows to ours: transactions, trades and holdings. */
import { CalendarDate, type Currency, Decimal } from "@millrace/core"
import type { ObservedRecord } from "@millrace/core/provider"
import { categories, type Fields } from "@millrace/core/record"
import { currencyOf as known, instantOf } from "../upstream/UpstreamForm.ts"
import type { PlaidTransaction, QuilttHolding, QuilttSecurity, QuilttTransaction } from "./QuilttAnswers.ts"

const text = (value: string | null | undefined): string => (value ?? "").trim()

/** A field that is left out where the upstream knows nothing. */
const told = <K extends string>(key: K, value: string | null | undefined): Fields => {
  const plain = text(value)
  return plain === "" ? {} : { [key]: plain }
}

const decimal = <K extends string>(key: K, value: Decimal.Decimal | null | undefined): Fields =>
  value === undefined || value === null ? {} : { [key]: value }

const currencyOf = (code: string | null | undefined, otherwise: Currency.Currency): Currency.Currency =>
  known(code, code) ?? otherwise

/** The sign that comes with an amount is not to be trusted: the type of the entry says which way money went. */
const signed = ({ amount, entryType }: QuilttTransaction): Decimal.Decimal =>
  entryType === "CREDIT" ? Decimal.abs(amount) : Decimal.negate(Decimal.abs(amount))

const plaidOf = (row: QuilttTransaction): PlaidTransaction | undefined =>
  row.remoteData?.plaid?.transaction?.response ?? undefined

const categoryOf = (plaid: PlaidTransaction | undefined): string => {
  const primary = text(plaid?.personalFinanceCategory?.primary)
  return categories.find((category) => category === primary) ?? "UNCATEGORIZED"
}

/** A row is a trade where it is about a security, whatever the account. */
export const isTrade = ({ security }: QuilttTransaction): boolean => security !== undefined && security !== null

/** The ids of rows by the ids that Plaid gave them: posted rows name their pending form by those. */
export const idsAtPlaid = (rows: ReadonlyArray<QuilttTransaction>): ReadonlyMap<string, string> =>
  new Map(
    rows.flatMap((row) => {
      const id = text(plaidOf(row)?.transactionId)
      return id === "" ? [] : [[id, row.id] as const]
    })
  )

export const transaction = (
  row: QuilttTransaction,
  accountCurrency: Currency.Currency,
  ids: ReadonlyMap<string, string>
): ObservedRecord => {
  const amount = signed(row)
  const isSpent = Decimal.isNegative(amount)
  const pending = row.status === "PENDING"
  const plaid = plaidOf(row)
  const original = text(plaid?.originalDescription)
  const description = text(row.description)
  const settles = pending ? undefined : ids.get(text(plaid?.pendingTransactionId))
  const authorized = CalendarDate.ofText(text(plaid?.authorizedDate))
  return {
    providerAccountId: row.account.id,
    providerId: row.id,
    ...(settles === undefined || settles === row.id ? {} : { pendingProviderId: settles }),
    pending,
    fields: {
      date: row.date,
      ...(authorized === undefined ? {} : { authorizedDate: authorized }),
      description: description === "" ? original : description,
      originalDescription: original === "" ? description : original,
      ...told("merchantName", plaid?.merchantName),
      amount,
      creditAmount: isSpent ? Decimal.zero : amount,
      debitAmount: isSpent ? Decimal.negate(amount) : Decimal.zero,
      currency: currencyOf(row.currencyCode, accountCurrency),
      category: categoryOf(plaid),
      type: "OTHER",
      reference: "",
      pending
    },
    evidence: { amount: row.amount, entryType: row.entryType }
  }
}

const securityId = (security: QuilttSecurity): string =>
  [security.isin, security.cusip, security.id].map(text).find((id) => id !== "") ?? ""

const securityFields = (security: QuilttSecurity | null | undefined): Fields =>
  security === undefined || security === null
    ? {}
    : {
        ...told("securityName", security.name),
        ...told("securityId", securityId(security)),
        ...told("ticker", security.ticker)
      }

/** What Plaid says it was; else what the units say. */
const tradeType = (row: QuilttTransaction): string => {
  const { subtype, type } = row.remoteData?.plaid?.investmentTransaction?.response ?? {}
  const said = text(type) === "cash" ? text(subtype) : text(type)
  if (said !== "") return said.toLowerCase()
  const quantity = row.quantity ?? Decimal.zero
  if (quantity === Decimal.zero) return "other"
  return Decimal.isNegative(quantity) ? "sell" : "buy"
}

export const trade = (row: QuilttTransaction, accountCurrency: Currency.Currency): ObservedRecord => ({
  providerAccountId: row.account.id,
  providerId: row.id,
  pending: row.status === "PENDING",
  fields: {
    date: row.date,
    type: tradeType(row),
    ...told("description", row.description),
    ...securityFields(row.security),
    ...decimal("quantity", row.quantity),
    ...decimal("price", row.price),
    amount: signed(row),
    ...decimal("fees", row.fees),
    currency: currencyOf(row.currencyCode, accountCurrency)
  },
  evidence: { amount: row.amount, entryType: row.entryType }
})

export const holding = (
  providerAccountId: string,
  row: QuilttHolding,
  accountCurrency: Currency.Currency
): ObservedRecord => {
  const asOf = instantOf(row.at)
  return {
    providerAccountId,
    providerId: row.id,
    pending: false,
    fields: {
      ...securityFields(row.security),
      quantity: row.quantity,
      ...decimal("costBasis", row.costBasis),
      ...decimal("currentValue", row.value),
      ...decimal("currentPrice", row.price),
      currency: accountCurrency,
      isCashEquivalent: text(row.security?.type).toUpperCase() === "CASH",
      ...(asOf === undefined ? {} : { asOf })
    }
  }
}
