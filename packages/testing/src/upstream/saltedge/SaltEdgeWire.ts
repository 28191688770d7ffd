/** A ledger as Salt Edge writes it. */
import { Decimal, type DecimalText, Timestamp } from "@millrace/core"
import { exactNumber } from "../JsonMutator.ts"
import type { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueInstitution, TrueRow } from "../TrueRecord.ts"

const number = (amount: DecimalText): unknown => exactNumber(amount)

const second = (millis: number): string => `${Timestamp.fromMillis(millis).slice(0, 19)}Z`

export const providerOf = (institution: TrueInstitution, id: string, mark: string) => ({
  id,
  code: institution.id,
  name: `${institution.name}${mark}`,
  country_code: institution.countryCode,
  mode: "oauth",
  status: institution.status === "down" ? "inactive" : "active",
  regulated: true,
  max_consent_days: 180,
  home_url: institution.url ?? null,
  logo_url: null,
  timezone: "Europe/Berlin",
  supported_account_natures: ["account", "card"]
})

const natures: Readonly<Record<string, string>> = {
  checking: "account",
  savings: "savings",
  credit_card: "credit_card",
  mortgage: "mortgage",
  loan: "loan"
}

export const accountOf = (account: TrueAccount, ledger: TrueLedger, connectionId: string, readAt: number) => {
  const isCard = account.type === "credit_card"
  const loan = ledger.loans.get(account.key)
  return {
    id: account.id,
    connection_id: connectionId,
    name: account.name,
    nature: natures[account.type] ?? "account",
    balance: number(ledger.balance(account.key)),
    currency_code: account.currency,
    created_at: second(readAt),
    updated_at: second(readAt),
    extra: {
      account_name: account.name,
      ...(isCard
        ? { cards: [`4444 33** **** ${account.number.slice(-4)}`] }
        : { iban: `DE89 3704 0044 ${account.number}`, account_number: account.number, sort_code: "37040044" }),
      available_amount: number(ledger.available(account.key)),
      ...(account.creditLimit === undefined ? {} : { credit_limit: number(account.creditLimit) }),
      ...(loan === undefined ? {} : { interest_rate: number(loan.ratePercent), loan_type: "annuity" }),
      transactions_count: { posted: ledger.shown(account.key).length, pending: 0 }
    }
  }
}

const categories: Readonly<Record<string, string>> = {
  FOOD_AND_DRINK: "groceries",
  INCOME: "paycheck",
  RENT_AND_UTILITIES: "rent"
}

export const transactionOf = (row: TrueRow, account: TrueAccount, id: string, isCopy: boolean) => ({
  id,
  account_id: account.id,
  duplicated: isCopy,
  mode: "normal",
  status: row.pending ? "pending" : "posted",
  made_on: row.authorizedDate ?? row.date,
  amount: number(row.amount),
  currency_code: account.currency,
  description: row.description,
  category: categories[row.category ?? ""] ?? "uncategorized",
  created_at: second(row.createdAt),
  updated_at: second(row.changedAt),
  extra: {
    ...(row.pending ? {} : { posting_date: row.date }),
    account_balance_snapshot: 1.1,
    ...(Decimal.isNegative(row.amount) ? { payee: row.merchant ?? "Somebody" } : { payer: "Somebody" })
  }
})
