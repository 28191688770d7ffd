/** Institutions of the demo provider and the accounts that a connection finds there. */
import type { AccountType, BankType } from "@millrace/core/provider"
import type { SyncDataType } from "@millrace/core/record"
import { Currency } from "@millrace/core"

export interface DemoAccount {
  readonly slug: string
  readonly name: string
  readonly type: AccountType
  readonly subtype: string
  readonly currency: Currency.Currency
  /** Minor units when the history begins. */
  readonly opening: bigint
  /** Minor units. */
  readonly creditLimit?: bigint
  readonly supports: ReadonlyArray<SyncDataType>
}

export interface DemoInstitution {
  readonly name: string
  readonly bankType: BankType
  readonly countryCodes: ReadonlyArray<string>
  readonly accounts: ReadonlyArray<DemoAccount>
}

const usd = Currency.make("USD")
const cashbook: ReadonlyArray<SyncDataType> = ["balances", "transactions"]

export const institutions = {
  "demo-retail": {
    name: "Demo National Bank",
    bankType: "bank",
    countryCodes: ["US"],
    accounts: [
      {
        slug: "checking",
        name: "Everyday Checking",
        type: "checking",
        subtype: "checking",
        currency: usd,
        opening: 4_210_55n,
        supports: cashbook
      },
      {
        slug: "savings",
        name: "Rainy Day Savings",
        type: "savings",
        subtype: "savings",
        currency: usd,
        opening: 11_800_00n,
        supports: cashbook
      },
      {
        slug: "card",
        name: "Demo Rewards Card",
        type: "credit_card",
        subtype: "credit card",
        currency: usd,
        opening: -1_612_40n,
        creditLimit: 12_000_00n,
        supports: cashbook
      }
    ]
  },
  "demo-broker": {
    name: "Demo Brokerage",
    bankType: "brokerage",
    countryCodes: ["US"],
    accounts: [
      {
        slug: "sweep",
        name: "Cash Sweep",
        type: "cash_management",
        subtype: "cash management",
        currency: usd,
        opening: 2_500_00n,
        supports: cashbook
      },
      {
        slug: "invest",
        name: "Individual Investing",
        type: "investment",
        subtype: "individual",
        currency: usd,
        opening: 5_000_00n,
        supports: ["balances", "trades", "holdings", "orders"]
      }
    ]
  },
  "demo-lender": {
    name: "Demo Home Loans",
    bankType: "lender",
    countryCodes: ["US"],
    accounts: [
      {
        slug: "mortgage",
        name: "30-Year Fixed Mortgage",
        type: "mortgage",
        subtype: "mortgage",
        currency: usd,
        opening: -318_450_12n,
        supports: ["balances", "transactions", "loans"]
      },
      {
        slug: "auto",
        name: "Auto Loan",
        type: "loan",
        subtype: "auto",
        currency: usd,
        opening: -31_204_77n,
        supports: ["balances", "transactions", "loans"]
      }
    ]
  },
  "demo-wallet": {
    name: "Demo Wallet",
    bankType: "wallet",
    countryCodes: ["JP", "KW"],
    accounts: [
      {
        slug: "yen",
        name: "円ウォレット",
        type: "prepaid",
        subtype: "wallet",
        currency: Currency.make("JPY"),
        opening: 84_200n,
        supports: cashbook
      },
      {
        slug: "dinar",
        name: "Dinar Wallet",
        type: "prepaid",
        subtype: "wallet",
        currency: Currency.make("KWD"),
        opening: 412_750n,
        supports: cashbook
      },
      {
        slug: "coin",
        name: "Demo Coin",
        type: "crypto",
        subtype: "coin",
        currency: Currency.make("x:DEMOCOIN"),
        opening: 2_50000000n,
        supports: cashbook
      }
    ]
  }
} as const satisfies Record<string, DemoInstitution>

export type InstitutionId = keyof typeof institutions

export const institutionOf = (id: InstitutionId): DemoInstitution => institutions[id]

export const isInstitution = (id: string): id is InstitutionId => Object.hasOwn(institutions, id)

/** Where a connection goes when nobody chose. */
export const defaultInstitution: InstitutionId = "demo-retail"
