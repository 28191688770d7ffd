/**
 * Documents of custom users of Plaid's sandbox (`override_accounts`) as a ledger of the fake: what an operator has for
 * the sandbox can be tried without it.
 */
import { CalendarDate, Currency, Decimal, type DecimalText, isRawNumber, numberOf } from "@millrace/core"
import type { AccountType } from "@millrace/core/provider"
import type { SyncDataType } from "@millrace/core/record"
import { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueInstitution, TrueSecurity, TrueTrade } from "../TrueRecord.ts"

type Doc = Readonly<Record<string, unknown>>

// The types of this version of TypeScript do not know the third argument of a reviver yet.
const { parse } = JSON as unknown as {
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ) => unknown
}

/** Numbers keep all their digits. */
const read = (text: string): Doc => {
  const value = parse(text.replace(/^\uFEFF/, ""), (_, one, { source }) =>
    typeof one === "number" ? numberOf(source ?? String(one)) : one
  )
  return typeof value === "object" && value !== null ? (value as Doc) : {}
}

const docs = (value: unknown): ReadonlyArray<Doc> =>
  Array.isArray(value) ? value.filter((one): one is Doc => typeof one === "object" && one !== null) : []

const decimal = (value: unknown): DecimalText | undefined =>
  typeof value === "number" ? Decimal.make(String(value)) : isRawNumber(value) ? Decimal.make(value.rawJSON) : undefined

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

const types: Readonly<Record<string, readonly [AccountType, ReadonlyArray<SyncDataType>]>> = {
  depository: ["checking", ["transactions"]],
  credit: ["credit_card", ["transactions", "loans"]],
  loan: ["loan", ["loans"]],
  investment: ["brokerage", ["holdings", "trades"]]
}

const typeOf = (account: Doc): readonly [AccountType, ReadonlyArray<SyncDataType>] | undefined => {
  const subtype = account["subtype"]
  if (subtype === "savings") return ["savings", ["transactions"]]
  if (subtype === "mortgage") return ["mortgage", ["loans"]]
  if (account["type"] === "loan" && subtype === "student") return ["loan", ["transactions", "loans"]]
  return types[String(account["type"])]
}

const securityOf = (doc: Doc): TrueSecurity => {
  const ticker = text(doc["ticker_symbol"])
  const name = text(doc["name"]) ?? ticker ?? "Security"
  return {
    id: `sec-${name.replaceAll(/[^A-Za-z0-9]/g, "-")}`,
    name,
    ...(ticker === undefined ? {} : { ticker }),
    kind: ticker?.startsWith("CUR:") === true ? "crypto" : "equity",
    currency: Currency.make(text(doc["currency"]) ?? "USD")
  }
}

const tradeTypes: Readonly<Record<string, TrueTrade["type"]>> = { buy: "buy", sell: "sell", fee: "fee" }

const fill = (ledger: TrueLedger, key: string, doc: Doc): void => {
  for (const row of docs(doc["transactions"])) {
    const date = CalendarDate.parse(String(row["date_posted"]))
    const authorizedDate = CalendarDate.parse(String(row["date_transacted"]))
    const amount = decimal(row["amount"])
    if (date === undefined || amount === undefined) continue
    ledger.post({
      account: key,
      // As in answers of Plaid, money that leaves is positive.
      amount: Decimal.negate(amount),
      description: text(row["description"]) ?? "Transaction",
      date,
      ...(authorizedDate === undefined ? {} : { authorizedDate }),
      // What is booked on a day to come is not booked yet.
      pending: date > ledger.today
    })
  }
  const holdings = docs(doc["holdings"]).map((holding) => {
    const quantity = decimal(holding["quantity"]) ?? Decimal.zero
    const price = decimal(holding["institution_price"]) ?? Decimal.zero
    const cost = decimal(holding["cost_basis"])
    const cents = (Decimal.toUnits(quantity, 8) * Decimal.toUnits(price, 4)) / 10n ** 10n
    return {
      account: key,
      security: securityOf((holding["security"] ?? {}) as Doc),
      quantity,
      price,
      value: Decimal.fromUnits(cents, 2),
      ...(cost === undefined ? {} : { cost }),
      asOf: Date.parse(`${String(holding["institution_price_as_of"])}T00:00:00Z`)
    }
  })
  if (holdings.length > 0) ledger.holdings.set(key, holdings)
  for (const trade of docs(doc["investment_transactions"])) {
    const date = CalendarDate.parse(String(trade["date"]))
    if (date === undefined) continue
    const quantity = decimal(trade["quantity"]) ?? Decimal.zero
    const price = decimal(trade["price"]) ?? Decimal.zero
    const fees = decimal(trade["fees"]) ?? Decimal.zero
    const cents = (Decimal.toUnits(quantity, 8) * Decimal.toUnits(price, 4)) / 10n ** 10n
    ledger.trade({
      account: key,
      date,
      type: tradeTypes[String(trade["type"])] ?? "buy",
      security: securityOf((trade["security"] ?? {}) as Doc),
      quantity,
      price,
      amount: Decimal.negate(Decimal.fromUnits(cents, 2)),
      fees,
      description: text(trade["name"]) ?? "Trade"
    })
  }
  const liability = doc["liability"]
  if (typeof liability !== "object" || liability === null) return
  const of = liability as Doc
  const principal = decimal(of["principal"]) ?? Decimal.abs(ledger.balance(key))
  ledger.loans.set(key, {
    account: key,
    kind: of["type"] === "credit" ? "credit_card" : of["type"] === "mortgage" ? "mortgage" : "student",
    principal,
    origination: principal,
    ratePercent: decimal(of["nominal_apr"]) ?? decimal(of["purchase_apr"]) ?? Decimal.zero,
    isOverdue: false
  })
}

/** The ledger that such a document describes; `undefined` for one without accounts that the fake can show. */
export const sandboxLedger = (
  document: string,
  institution: TrueInstitution,
  now: () => number
): TrueLedger | undefined => {
  const accounts = docs(read(document)["override_accounts"])
  const ledger = new TrueLedger({ institution, accounts: [], now, makeId: (kind, n) => `${kind}${n}` })
  for (const [at, doc] of accounts.entries()) {
    const found = typeOf(doc)
    if (found === undefined) continue
    const [type, supports] = found
    const meta = (doc["meta"] ?? {}) as Doc
    const liability = (doc["liability"] ?? {}) as Doc
    const start = decimal(doc["starting_balance"]) ?? decimal(liability["principal"]) ?? Decimal.zero
    const isOwed = type === "credit_card" || type === "loan" || type === "mortgage"
    const account: Omit<TrueAccount, "id"> = {
      key: `account${at}`,
      number: text(((doc["numbers"] ?? {}) as Doc)["account"]) ?? `000000000${at}${at}${at}${at}`,
      name: text(meta["name"]) ?? `Account ${at + 1}`,
      type,
      currency: Currency.make("USD"),
      opening: isOwed ? Decimal.negate(start) : start,
      supports: ["balances", ...supports]
    }
    ledger.openAccount(account)
    fill(ledger, account.key, doc)
  }
  return ledger.listed.length === 0 ? undefined : ledger
}
