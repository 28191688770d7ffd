/** How an instance of Plaid is configured, such as `plaid:us`. */
import { Secret } from "@millrace/core/provider"
import * as Schema from "effect/Schema"

/** Products of Plaid that hold what we read. */
const PlaidProduct = Schema.Literals(["transactions", "investments", "liabilities"])

/** Languages that Link speaks. */
const languages = [
  "da",
  "de",
  "en",
  "es",
  "et",
  "fr",
  "hi",
  "it",
  "lt",
  "lv",
  "nl",
  "no",
  "pl",
  "pt",
  "ro",
  "sv",
  "vi"
] as const

export const PlaidConfig = Schema.Struct({
  environment: Schema.Literals(["sandbox", "production"]).annotate({
    description: "each environment has a secret of its own"
  }),
  clientId: Schema.String.check(Schema.isPattern(/^\w{1,100}$/)).annotate({
    description: "from the dashboard of Plaid"
  }),
  secret: Secret,
  baseUrl: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^https?:\/\/[^/?#\s@]+$/)).annotate({
      description: "asked in place of Plaid: for tests and trials"
    })
  ),
  clientName: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^\S(.{0,28}\S)?$/u)).annotate({
      description: "how Link calls the application; Millrace unless given"
    })
  ),
  countryCodes: Schema.optionalKey(
    Schema.NonEmptyArray(Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/)))
      .check(Schema.isMaxLength(20))
      .annotate({ description: 'countries whose institutions are offered; ["US"] unless given' })
  ),
  language: Schema.optionalKey(
    Schema.Literals(languages).annotate({ description: "of Link, where a request names none; en unless given" })
  ),
  products: Schema.optionalKey(
    Schema.NonEmptyArray(PlaidProduct).annotate({
      description: 'institutions must have all of them to be offered; ["transactions"] unless given'
    })
  ),
  optionalProducts: Schema.optionalKey(
    Schema.Array(PlaidProduct).annotate({
      description: "read where the institution has them; those of the three that are not in products unless given"
    })
  ),
  historyDays: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 730 })).annotate({
      description:
        "days of transactions that a new connection begins with; it can never have more later. 730 unless given"
    })
  ),
  hostedLink: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "people sign in on a page of Plaid instead of in a widget of our page; false unless given"
    })
  ),
  linkEvents: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Plaid has switched Link events on for the account, so that public tokens of other sign-ins are known and refused; false unless given"
    })
  ),
  refresh: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Plaid may be asked to read from the bank now, which it bills; false unless given"
    })
  ),
  realtimeBalances: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "balances are asked of the bank at each read, which Plaid bills; false unless given"
    })
  )
})
export type PlaidConfig = typeof PlaidConfig.Type
export type PlaidProduct = typeof PlaidProduct.Type

export const isLanguage = (tag: string): tag is (typeof languages)[number] =>
  (languages as ReadonlyArray<string>).includes(tag)

const hosts = { sandbox: "https://sandbox.plaid.com", production: "https://production.plaid.com" } as const

/** The settings with all that was left out. */
export const completed = (config: PlaidConfig) => {
  const products: ReadonlyArray<PlaidProduct> = config.products ?? ["transactions"]
  return {
    ...config,
    baseUrl: config.baseUrl ?? hosts[config.environment],
    clientName: config.clientName ?? "Millrace",
    countryCodes: (config.countryCodes ?? ["US"]) as ReadonlyArray<string>,
    language: config.language ?? ("en" as const),
    products,
    optionalProducts: (config.optionalProducts ?? PlaidProduct.literals).filter((one) => !products.includes(one)),
    historyDays: config.historyDays ?? 730,
    hostedLink: config.hostedLink ?? false,
    linkEvents: config.linkEvents ?? false,
    refresh: config.refresh ?? false,
    realtimeBalances: config.realtimeBalances ?? false
  }
}
export type PlaidSettings = ReturnType<typeof completed>
