/** Institutions of the fake Plaid, and what a person has at each. */
import { Decimal } from "@millrace/core"
import { accountNumber, fillAccount, fillPortfolio, householdAccount, type HouseholdOptions } from "../Household.ts"
import { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueInstitution } from "../TrueRecord.ts"

const bank = (id: string, name: string, bankType: TrueInstitution["bankType"] = "bank"): TrueInstitution => ({
  id,
  name,
  countryCode: "US",
  bankType,
  status: "ok",
  url: "https://bank.example"
})

/** The first has accounts of every sort, so that some have what others lack. */
export const plaidInstitutions: ReadonlyArray<TrueInstitution> = [
  bank("ins_109508", "First Platypus Bank"),
  bank("ins_109509", "First Gingham Credit Union"),
  bank("ins_115616", "Vanguardia Brokers", "brokerage"),
  { ...bank("ins_132241", "Houndstooth Bank"), status: "down" }
]

const checking = householdAccount("checking", "checking", ["transactions"], { opening: "1200.42" })
const savings = householdAccount("savings", "savings", ["transactions"], { opening: "8000" })
const card = householdAccount("card", "credit_card", ["transactions", "loans"], {
  name: "Platinum Card",
  opening: "-310.15",
  creditLimit: "5000"
})
const broker = householdAccount("broker", "brokerage", ["holdings", "trades"], { name: "Brokerage", opening: "4000" })
const mortgage = householdAccount("mortgage", "mortgage", ["loans"], { opening: "-182400.37" })
const student = householdAccount("student", "loan", ["transactions", "loans"], {
  name: "Student Loan",
  opening: "-23100"
})

const templates: Readonly<Record<string, ReadonlyArray<Omit<TrueAccount, "id" | "number">>>> = {
  ins_109508: [checking, savings, card, broker, mortgage],
  ins_109509: [checking, card, student],
  ins_115616: [broker]
}

const fillLoan = (ledger: TrueLedger, key: string): void => {
  const { type } = ledger.account(key)
  const common = { account: key, principal: Decimal.abs(ledger.balance(key)), isOverdue: false } as const
  if (type === "credit_card") {
    ledger.loans.set(key, {
      ...common,
      kind: "credit_card",
      ratePercent: Decimal.make("21.99"),
      nextPayment: Decimal.make("35")
    })
  } else {
    ledger.loans.set(key, {
      ...common,
      kind: type === "mortgage" ? "mortgage" : "student",
      origination: Decimal.make("240000"),
      ratePercent: Decimal.make("5.25"),
      nextPayment: Decimal.make("1210.4"),
      lastPayment: Decimal.make("1210.4")
    })
  }
}

/** What a person has at an institution from the beginning. */
export const plaidLedger = (
  institution: TrueInstitution,
  person: string,
  now: () => number,
  options: HouseholdOptions
): TrueLedger => {
  const seed = Array.from(`${institution.id} ${person}`).reduce(
    (sum, char) => (sum * 33 + char.charCodeAt(0)) | 0,
    options.seed
  )
  const ledger = new TrueLedger({
    institution,
    accounts: [],
    now,
    makeId: (kind, n) => `${kind.slice(0, 2)}${String(n).padStart(6, "0")}${Math.abs(seed).toString(36)}`
  })
  for (const template of templates[institution.id] ?? [checking]) {
    const { key, supports } = template
    ledger.openAccount({ ...template, number: accountNumber(seed, key) })
    if (supports.includes("transactions")) fillAccount(ledger, key, { ...options, seed: seed + key.length })
    if (supports.includes("trades")) fillPortfolio(ledger, key, { ...options, seed })
    if (supports.includes("loans")) fillLoan(ledger, key)
  }
  return ledger
}
