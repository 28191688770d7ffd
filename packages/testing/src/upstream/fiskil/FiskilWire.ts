/** How the fake Fiskil writes what is true: text for amounts, instants for days, and no day for most of what is pending. */
import { Decimal, type DecimalText } from "@millrace/core"
import type { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueInstitution, TrueRow } from "../TrueRecord.ts"

const money = (amount: DecimalText): string => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return `${whole}.${fraction.padEnd(2, "0")}`
}

const categories: Readonly<Partial<Record<TrueAccount["type"], string>>> = {
  checking: "TRANS_AND_SAVINGS_ACCOUNTS",
  credit_card: "CRED_AND_CHRG_CARDS",
  mortgage: "RESIDENTIAL_MORTGAGES"
}

export const accountOf = (account: TrueAccount, ledger: TrueLedger, arrangementId: string) => ({
  account_id: account.id,
  fiskil_id: `bank_acc_${account.id}`,
  arrangement_id: arrangementId,
  institution_id: ledger.institution.id,
  display_name: account.name,
  nickname: account.name,
  product_name: `${account.name} Account`,
  // The whole number comes along, and is not to be kept.
  account_number: account.number,
  bsb: "062-000",
  masked_number: `xxxx xxxx ${account.number.slice(-4)}`,
  product_category: categories[account.type] ?? "TRANS_AND_SAVINGS_ACCOUNTS",
  open_status: "OPEN",
  account_ownership: "ONE_PARTY"
})

export const balanceOf = (account: TrueAccount, ledger: TrueLedger, arrangementId: string) => ({
  account_id: account.id,
  fiskil_id: `bank_balance_${account.id}`,
  arrangement_id: arrangementId,
  institution_id: ledger.institution.id,
  current_balance: money(ledger.balance(account.key)),
  available_balance: money(ledger.available(account.key)),
  credit_limit: account.creditLimit === undefined ? null : money(account.creditLimit),
  currency: account.currency
})

/** Institutions write days in zones of their own: the day is that of the text. */
const instantOf = (row: TrueRow): string =>
  row.line % 2 === 0 ? `${row.date}T00:00:00.000Z` : `${row.date}T08:15:00+10:00`

export const transactionOf = (row: TrueRow, account: TrueAccount, ledger: TrueLedger, arrangementId: string) => ({
  fiskil_id: row.id,
  transaction_id: `inst-${row.line}-${row.pending ? "p" : "b"}`,
  account_id: account.id,
  arrangement_id: arrangementId,
  institution_id: ledger.institution.id,
  amount: money(row.amount),
  currency: account.currency,
  description: row.description,
  reference: "",
  merchant_name: row.merchant ?? null,
  merchant_category_code: "5812",
  status: row.pending ? "PENDING" : "POSTED",
  ...(row.pending ? {} : { posting_date_time: instantOf(row) }),
  ...(row.authorizedDate === undefined ? {} : { execution_date_time: `${row.authorizedDate}T03:00:00Z` }),
  type: Decimal.isNegative(row.amount) ? "PAYMENT" : "TRANSFER_INCOMING",
  category: { primary_category: row.category ?? "OTHER", secondary_category: "OTHER", confidence_level: "HIGH" },
  is_detail_available: false
})
export type WireTransaction = ReturnType<typeof transactionOf>

const institutionStatus = { ok: "HEALTHY", degraded: "DEGRADED", down: "OUTAGE" } as const

export const institutionOf = (institution: TrueInstitution, isAway: boolean, priority: number) => ({
  id: institution.id,
  name: institution.name,
  icon: `https://logos.example/${institution.id}-icon.svg`,
  logo: `https://logos.example/${institution.id}.svg`,
  industry: "banking",
  is_accessible: true,
  priority,
  status: { connections: { status: isAway ? "OUTAGE" : institutionStatus[institution.status] } }
})
