/** Enrichments that a person can take as they are, and change afterwards like any other. */
import type * as Schema from "effect/Schema"
import type { DataType } from "../../record/DataType.ts"
import { categories, primaryCategories } from "../../merchant/CategoryTree.ts"
import { blockName } from "../EnrichmentContract.ts"
import type { EnrichmentType } from "../kinds/EnrichmentType.ts"
import { type CountryPhrases, countryPhrases } from "./CountryPhrases.ts"

export interface Starter {
  /** What it is asked for by: lower-case words joined by hyphens. */
  readonly name: string
  /** One sentence that says what is there afterwards. */
  readonly summary: string
  readonly enrichment: {
    readonly name: string
    readonly emoji: string
    readonly type: EnrichmentType
    readonly dataType: DataType
    readonly config: Schema.JsonObject
  }
}

const equals = (field: string, ...values: ReadonlyArray<string>): Schema.JsonObject => ({
  logic: "or",
  conditions: values.map((value) => ({ field, operator: "equals", value }))
})

/** Holds where neither a bank nor a person has given a category. */
const undecided: Schema.JsonObject = {
  logic: "or",
  conditions: [
    { field: "category", operator: "isEmpty" },
    { field: "category", operator: "equals", value: "UNCATEGORIZED" }
  ]
}

/** Characters that the phrases of one pattern have at most, so that the pattern stays below what a condition takes. */
const mostPhrases = 380

/** Phrases, in groups that each fit into a pattern. */
const grouped = (phrases: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const groups: Array<Array<string>> = [[]]
  let length = 0
  for (const phrase of phrases) {
    length += phrase.length + 8
    if (length > mostPhrases) {
      groups.push([])
      length = phrase.length + 8
    }
    groups.at(-1)?.push(phrase)
  }
  return groups
}

/**
 * A phrase where a word begins: `fee` stands in `coffee`, and is none. What follows is open, since `refund` is also
 * `refunded`. Word boundaries of patterns know ASCII alone, so that a phrase that begins otherwise has none.
 */
const begun = (phrase: string): string =>
  `${/^[a-z0-9]/.test(phrase) ? "\\b" : ""}${phrase.replaceAll(/[.+*?()[\]{}|\\^$]/g, "\\$&")}`

const names = (phrases: ReadonlyArray<string>): Schema.JsonObject => ({
  logic: "or",
  conditions: grouped(phrases).map((group) => ({
    field: "description",
    operator: "matches",
    value: `(?i)(?:${group.map(begun).join("|")})`
  }))
})

const when = (...conditions: ReadonlyArray<Schema.Json>): Schema.JsonObject => ({ logic: "and", conditions })

const outgoing = { field: "amount", operator: "lt", value: "0" }
const incoming = { field: "amount", operator: "gt", value: "0" }

const patternsOf = ({ country, fees, name, refunds, transfers }: CountryPhrases): Starter => ({
  name: `patterns-${country.toLowerCase()}`,
  summary: `Categories for own transfers and bank fees that have none, and refunds as such, by the words of banks in: ${name}.`,
  enrichment: {
    name: `Usual patterns (${name})`,
    emoji: "🧭",
    type: "rule",
    dataType: "transactions",
    config: {
      rules: [
        {
          name: "Refunds",
          conditions: when(names(refunds), incoming),
          action: { field: "type", value: "REFUND" }
        },
        {
          name: "Bank fees",
          conditions: when(names(fees), undecided, outgoing),
          action: { field: "category", value: "BANK_FEES" }
        },
        {
          name: "To own accounts",
          conditions: when(names(transfers), undecided, outgoing),
          action: { field: "category", value: "TRANSFER_OUT" }
        },
        {
          name: "From own accounts",
          conditions: when(names(transfers), undecided, incoming),
          action: { field: "category", value: "TRANSFER_IN" }
        }
      ]
    }
  }
})

const budgetLine = (key: string, name: string, amount: string, ...codes: ReadonlyArray<string>) => ({
  key,
  name,
  match: equals("category", ...codes),
  amount
})

/** The list in the open, so that a person can rename, join and drop. */
const primaryEntries = primaryCategories.map(({ code, label }) => ({ id: code, label, seeds: [code] }))

const primaryLabels = new Map(primaryCategories.map(({ code, label }) => [code, label]))

/** Each detailed category by its own name and that of the one it belongs to. */
const detailedEntries = categories.flatMap(({ code, label, primary }) =>
  code === primary ? [] : [{ id: code, label: `${primaryLabels.get(primary)}: ${label}`, seeds: [code] }]
)

/** What a bank or a person has said already stays. */
const categorize = (name: string, entries: typeof primaryEntries): Starter["enrichment"] => ({
  name,
  emoji: "🏷️",
  type: "ai_categorize",
  dataType: "transactions",
  config: { categories: entries, replaceProvider: false }
})

/** By their names, in the order in which somebody would take them. */
export const starters: ReadonlyArray<Starter> = [
  {
    name: "transfers",
    summary:
      "The two sides of transfers between own accounts are linked, so that they count as neither income nor spending.",
    enrichment: {
      name: "Own transfers",
      emoji: "🔁",
      type: "transfer_match",
      dataType: "transactions",
      config: {}
    }
  },
  {
    name: "fees",
    summary: "What banks charge is marked, with its kind and its cause, and whether it could have been avoided.",
    enrichment: { name: "Bank fees", emoji: "🧾", type: "fees", dataType: "transactions", config: {} }
  },
  {
    name: "recurring",
    summary:
      "Bills, subscriptions and pay that come again are series, with their rhythm, their price and the next day.",
    enrichment: {
      name: "Recurring payments",
      emoji: "🗓️",
      type: "recurring",
      dataType: "transactions",
      config: {}
    }
  },
  {
    name: "anomalies",
    summary:
      "Findings for what is unusual: amounts far above a merchant's own, charges that came twice, large payments to somebody new, prices that changed.",
    enrichment: { name: "Unusual payments", emoji: "❗", type: "anomaly", dataType: "transactions", config: {} }
  },
  {
    name: "budget",
    summary:
      "A monthly budget of a household by the categories of banks. The amounts are a beginning: make them yours.",
    enrichment: {
      name: "Household",
      emoji: "🪙",
      type: "budget",
      dataType: "transactions",
      config: {
        lines: [
          budgetLine("home", "Home and utilities", "2500", "RENT_AND_UTILITIES", "HOME_IMPROVEMENT"),
          budgetLine("food", "Food and drink", "1200", "FOOD_AND_DRINK"),
          budgetLine("transport", "Getting around", "250", "TRANSPORTATION"),
          budgetLine("shopping", "Shopping", "400", "GENERAL_MERCHANDISE"),
          budgetLine("health", "Health and care", "150", "MEDICAL", "PERSONAL_CARE"),
          {
            ...budgetLine("fun", "Going out and travel", "300", "ENTERTAINMENT", "TRAVEL"),
            carry: "positive",
            carryCap: "600"
          },
          budgetLine("fees", "Bank fees", "0", "BANK_FEES")
        ]
      }
    }
  },
  {
    name: "watch",
    summary:
      "Cases for accounts that are not read any more, consents that end, balances that do not follow from transactions, and payments that do not come.",
    enrichment: {
      name: "Watch",
      emoji: "🔭",
      type: "monitor",
      dataType: "transactions",
      config: {
        checks: [
          { kind: "stale", key: "stale", name: "Not read any more" },
          { kind: "consentExpiry", key: "consent", name: "Consent ends" },
          { kind: "tieOut", key: "books", name: "Balance and transactions differ" },
          { kind: "missingRecurring", key: "bills", name: "Payment did not come" },
          { kind: "missingTransferLeg", key: "transfers", name: "Transfer without another side" }
        ]
      }
    }
  },
  {
    name: "digest",
    summary:
      "What came in, what went out and what stood out in a week, told on Monday morning once you name who it is sent to.",
    enrichment: { name: "The week", emoji: "📰", type: "digest", dataType: "transactions", config: {} }
  },
  {
    name: "merchants",
    summary:
      "One name for each merchant, whichever payment service, town or code the text carries; a text that nobody knows keeps its own.",
    enrichment: { name: "Merchants", emoji: "🏪", type: "ai_merchant", dataType: "transactions", config: {} }
  },
  {
    name: "categories",
    summary:
      "A category for transactions that have none, out of a short list, by a classifier in this process that says nothing where it is not sure.",
    enrichment: categorize("Categories", primaryEntries)
  },
  {
    name: "categories-detailed",
    summary: "The same with about a hundred categories, such as groceries and restaurants for food and drink.",
    enrichment: categorize("Detailed categories", detailedEntries)
  },
  {
    name: "memory",
    summary:
      "Categories that people give to a merchant again and again are learnt, and given to the next transactions.",
    enrichment: { name: "Memory", emoji: "🧠", type: "memory", dataType: "transactions", config: {} }
  },
  ...countryPhrases.map(patternsOf)
]

/** The body of the request that makes it; the feeds it applies to are not in it. */
export const starterBody = ({ enrichment: { config, ...own } }: Starter): Schema.JsonObject => ({
  ...own,
  [blockName(own.type)]: config
})
