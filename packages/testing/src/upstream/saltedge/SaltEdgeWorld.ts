/** What people have at the banks of the fake Salt Edge, all from a seed. */
import { createHash } from "node:crypto"
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import { Seeded } from "../../model/Seeded.ts"
import { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueInstitution } from "../TrueRecord.ts"

export const saltEdgeInstitutions: ReadonlyArray<TrueInstitution> = [
  {
    id: "nordhafen_bank_de",
    name: "Nordhafen Bank",
    countryCode: "DE",
    bankType: "bank",
    status: "ok",
    url: "https://nordhafen.example"
  },
  { id: "banque_du_lac_fr", name: "Banque du Lac", countryCode: "FR", bankType: "bank", status: "ok" },
  { id: "closed_bank_de", name: "Closed Bank", countryCode: "DE", bankType: "bank", status: "down" }
]

const eur = Currency.make("EUR")

/** Ids have 19 digits, more than a double holds, and grow with each thing that arrives; between two there is room. */
export const saltEdgeId = (n: number): string => (1_234_567_890_123_000_000n + BigInt(n) * 10n).toString()

const words = [
  "REWE SAGT DANKE",
  "Café Ōtani",
  "Miete <1. OG>",
  "Gehalt ACME GmbH",
  "BVG Ticket",
  "Apotheke am Markt",
  "Storno"
]

const accountsOf = (numbers: Seeded, id: () => string): ReadonlyArray<TrueAccount> => {
  const number = () => `${1_000_000_000 + numbers.below(900_000_000)}`
  const make = (key: string, account: Omit<TrueAccount, "key" | "id" | "number" | "currency">): TrueAccount => ({
    key,
    id: id(),
    number: number(),
    currency: eur,
    ...account
  })
  return [
    make("giro", {
      name: "Girokonto",
      type: "checking",
      opening: Decimal.make("1500"),
      supports: ["balances", "transactions"]
    }),
    make("savings", {
      name: "Tagesgeld",
      type: "savings",
      opening: Decimal.make("8000.07"),
      supports: ["balances", "transactions"]
    }),
    make("card", {
      name: "Kreditkarte",
      type: "credit_card",
      opening: Decimal.make("-120.4"),
      creditLimit: Decimal.make("2500"),
      supports: ["balances", "transactions"]
    }),
    make("mortgage", {
      name: "Baufinanzierung",
      type: "mortgage",
      opening: Decimal.make("-182400"),
      supports: ["balances", "loans"]
    })
  ]
}

/** What a person has at a bank. `offset` keeps the ids of one bank apart from those of another. */
export const saltEdgeLedger = (
  institution: TrueInstitution,
  person: string,
  now: () => number,
  { days, offset, rows }: { readonly offset: number; readonly rows: number; readonly days: number }
): TrueLedger => {
  const seeded = new Seeded(createHash("sha256").update(`${institution.id} ${person}`).digest().readInt32BE())
  let accounts = 0
  const ledger = new TrueLedger({
    institution,
    accounts: accountsOf(seeded, () => saltEdgeId(offset + ++accounts)),
    now,
    makeId: (_, n) => saltEdgeId(offset + 100 + n)
  })
  for (const { key } of ledger.accounts.values()) {
    if (key === "mortgage") continue
    for (let n = 0; n < rows; n++) {
      ledger.post({
        account: key,
        date: CalendarDate.addDays(ledger.today, -days + Math.floor((n * (days - 2)) / rows)),
        amount: Decimal.fromUnits(BigInt((seeded.once(4) ? 1 : -1) * (1 + seeded.below(60_000))), 2),
        description: `${seeded.pick(words)} ${n}`,
        category: seeded.pick(["FOOD_AND_DRINK", "INCOME", "RENT_AND_UTILITIES", "UNCATEGORIZED"])
      })
    }
    ledger.post({
      account: key,
      date: CalendarDate.addDays(ledger.today, -1),
      amount: Decimal.make("-12.34"),
      description: `${seeded.pick(words)} vorgemerkt`,
      pending: true
    })
  }
  ledger.loans.set("mortgage", {
    account: "mortgage",
    kind: "mortgage",
    principal: Decimal.abs(ledger.cash("mortgage")),
    ratePercent: Decimal.make("3.85"),
    isOverdue: false
  })
  return ledger
}
