/** What people have at the institutions of the fake Fiskil, all from a seed. */
import { createHash } from "node:crypto"
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import { Seeded } from "../../model/Seeded.ts"
import { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueInstitution } from "../TrueRecord.ts"

const institution = (id: string, name: string, rest: Partial<TrueInstitution> = {}): TrueInstitution => ({
  id,
  name,
  countryCode: "AU",
  bankType: "bank",
  status: "ok",
  ...rest
})

export const fiskilInstitutions: ReadonlyArray<TrueInstitution> = [
  institution("22", "Eastpac"),
  institution("40", "Southern Mutual"),
  institution("57", "Outback Bank", { status: "degraded" }),
  institution("61", "Closed Bank", { status: "down" })
]

const aud = Currency.make("AUD")

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Ids in the forms of Fiskil's, the same for the same text. */
export const fiskilIds = {
  endUser: (n: number): string => `eu_${hash(`end user ${n}`).slice(0, 26)}`,
  uuid: (text: string): string => {
    const hex = hash(text)
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")
  },
  account: (text: string): string => hash(`account ${text}`).slice(0, 20),
  /** What tells two people at one bank apart: the first of the accounts that they share. */
  key: ({ listed }: TrueLedger): string =>
    createHash("sha256")
      .update(listed.map(({ id }) => id).toSorted()[0] ?? "")
      .digest("base64url")
      .slice(0, 16),
  row: (text: string): string => `bank_tx_${hash(`row ${text}`)}`
}

const accountsOf = (owner: string, numbers: Seeded): ReadonlyArray<TrueAccount> => {
  const make = (key: string, account: Omit<TrueAccount, "key" | "id" | "number" | "currency" | "supports">) => ({
    key,
    id: fiskilIds.account(`${owner} ${key}`),
    number: `${10_000_000 + numbers.below(90_000_000)}`,
    currency: aud,
    supports: ["balances", "transactions"] as const,
    ...account
  })
  return [
    make("everyday", { name: "Everyday", type: "checking", opening: Decimal.make("820.45") }),
    make("card", {
      name: "Low Rate Card",
      type: "credit_card",
      opening: Decimal.make("-144.2"),
      creditLimit: Decimal.make("6000")
    }),
    make("home", { name: "Home Loan", type: "mortgage", opening: Decimal.make("-412000") })
  ]
}

const words = ["Grocer", "Café Ōtani", "Salary", "TRANSPORTFORNSW TAP", "Osko Payment", "Books <3>"]

/** How much there is to begin with. */
export interface FiskilHistory {
  readonly days: number
  /** Rows of the account that moves most; others have fewer. */
  readonly rows: number
}

const fillRows = (ledger: TrueLedger, account: string, seeded: Seeded, { days, rows }: FiskilHistory): void => {
  for (let n = 0; n < rows; n++) {
    const units = BigInt(1 + seeded.below(90_000))
    ledger.post({
      account,
      date: CalendarDate.addDays(ledger.today, -days + Math.floor((n * (days - 5)) / rows) + seeded.below(4)),
      amount: Decimal.fromUnits(seeded.once(3) ? units : -units, 2),
      description: `${seeded.pick(words)} ${n}`,
      ...(seeded.once(2) ? { category: "FOOD_AND_DRINK", merchant: "Blue Heron" } : {})
    })
  }
}

/** What a person has at an institution. */
export const fiskilLedger = (
  of: TrueInstitution,
  person: string,
  now: () => number,
  { days, rows }: FiskilHistory
): TrueLedger => {
  const owner = `${of.id} ${person}`
  const seeded = new Seeded(createHash("sha256").update(owner).digest().readInt32BE())
  const ledger = new TrueLedger({
    institution: of,
    accounts: accountsOf(owner, seeded),
    now,
    makeId: (kind, n) => (kind === "account" ? fiskilIds.account : fiskilIds.row)(`${owner} ${n}`)
  })
  fillRows(ledger, "everyday", seeded, { days, rows })
  fillRows(ledger, "card", seeded, { days, rows: Math.ceil(rows / 2) })
  fillRows(ledger, "home", seeded, { days, rows: Math.ceil(rows / 8) })
  return ledger
}
