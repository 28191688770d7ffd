/** Institutions of Plaid. */
import type { BankType, Institution, InstitutionQuery, ProviderError } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { shownText } from "../upstream/UpstreamForm.ts"
import type { PlaidClient } from "./PlaidClient.ts"
import type { PlaidSettings } from "./PlaidConfig.ts"
import { InstitutionAnswer, InstitutionsAnswer, type PlaidInstitution } from "./PlaidForm.ts"

/** What a list of Plaid has at most. */
const longestList = 500

const statusOf = ({ status }: PlaidInstitution): Institution["status"] => {
  const words = [status?.item_logins?.status, status?.transactions_updates?.status]
  // Without a sign-in nothing else matters.
  return words[0] === "DOWN" ? "down" : words.some((word) => word === "DOWN" || word === "DEGRADED") ? "degraded" : "ok"
}

const toInstitution = (one: PlaidInstitution): Institution => {
  const url = one.url
  return {
    id: one.institution_id,
    name: shownText(one.name) ?? one.institution_id,
    countryCodes: one.country_codes.filter((code) => /^[A-Z]{2}$/.test(code)),
    status: statusOf(one),
    ...(typeof url === "string" && /^https:\/\/[^\s"'<>]{1,500}$/.test(url) ? { url } : {})
  }
}

/** Plaid does not say what an institution is; the accounts of a connection tell. */
export const bankTypeOf = (types: ReadonlyArray<string>): BankType =>
  types.includes("depository")
    ? "bank"
    : types.includes("investment") || types.includes("brokerage")
      ? "brokerage"
      : types.includes("credit")
        ? "credit_card"
        : types.includes("loan")
          ? "lender"
          : "bank"

/** The countries that are asked for, of those that the instance offers. */
const countriesOf = (settings: PlaidSettings, countryCodes: ReadonlyArray<string>): ReadonlyArray<string> =>
  countryCodes.length === 0
    ? settings.countryCodes
    : countryCodes.filter((code) => settings.countryCodes.includes(code))

export const listInstitutions = Effect.fnUntraced(function* (
  client: PlaidClient,
  settings: PlaidSettings,
  { countryCodes, limit, text }: InstitutionQuery
): Effect.fn.Return<ReadonlyArray<Institution>, ProviderError> {
  const countries = countriesOf(settings, countryCodes)
  const query = text.trim()
  const count = Math.max(1, Math.min(limit, longestList))
  if (countries.length === 0) return []
  const { institutions } =
    query === ""
      ? yield* client.ask("/institutions/get", InstitutionsAnswer, {
          count,
          offset: 0,
          country_codes: countries,
          options: { products: settings.products, include_optional_metadata: true }
        })
      : yield* client.ask("/institutions/search", InstitutionsAnswer, {
          query,
          products: settings.products,
          country_codes: countries,
          options: { include_optional_metadata: true }
        })
  const byId = new Map(institutions.map((one) => [one.institution_id, toInstitution(one)]))
  return [...byId.values()].slice(0, count)
})

/** One institution with its status; an unknown one is `InvalidConnectPayload`. */
export const institutionOf = (client: PlaidClient, settings: PlaidSettings, id: string) =>
  Effect.map(
    client.ask("/institutions/get_by_id", InstitutionAnswer, {
      institution_id: id,
      country_codes: settings.countryCodes,
      options: { include_optional_metadata: true, include_status: true }
    }),
    ({ institution }) => toInstitution(institution)
  )
