/** The banks of Salt Edge: thousands, country by country. */
import {
  type Institution,
  type InstitutionQuery,
  ProtocolViolation,
  type ProviderError,
  readRows
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { addressOf, wordsOf } from "../upstream/Texts.ts"
import type { SaltEdgeClient } from "./Client.ts"
import * as Forms from "./Forms.ts"
import { inOrder, isId } from "./Ids.ts"

const pageRows = 1_000
const mostPages = 30
/** Milliseconds for which a list of banks is good: it changes by the day, the state of a bank by the hour. */
const freshMillis = 10 * 60_000
/** Countries that one search looks at, at most. */
const mostCountries = 5

export interface Banks {
  readonly search: (query: InstitutionQuery) => Effect.Effect<ReadonlyArray<Institution>, ProviderError>
  /** The bank of a code; `undefined` for one that Salt Edge does not have. */
  readonly find: (code: string) => Effect.Effect<Institution | undefined, ProviderError>
}

const statuses: Readonly<Record<string, Institution["status"]>> = { active: "ok", inactive: "down", disabled: "down" }

const institutionOf = (provider: Forms.Provider): Institution => {
  const country = wordsOf(provider.country_code)?.toUpperCase()
  const logo = addressOf(provider.logo_url)
  const url = addressOf(provider.home_url)
  return {
    id: provider.code,
    name: wordsOf(provider.name) ?? provider.code,
    // XO and XF stand for banks of no country, and fake ones.
    countryCodes: country !== undefined && /^[A-WYZ][A-Z]$/.test(country) ? [country] : [],
    status: statuses[provider.status ?? "active"] ?? "ok",
    ...(logo === undefined ? {} : { logo }),
    ...(url === undefined ? {} : { url })
  }
}

export const makeBanks = (client: SaltEdgeClient, includeSandboxes: boolean): Banks => {
  const kept = new Map<string, { readonly until: number; readonly banks: ReadonlyArray<Institution> }>()

  const list = Effect.fnUntraced(function* (
    country: string
  ): Effect.fn.Return<ReadonlyArray<Institution>, ProviderError> {
    const now = yield* Clock.currentTimeMillis
    const known = kept.get(country)
    if (known !== undefined && now < known.until) return known.banks
    const banks: Array<Institution> = []
    let next: string | undefined
    for (let page = 0; page < mostPages; page++) {
      const answer: { readonly data: ReadonlyArray<unknown>; readonly nextId?: string } = yield* client.ask({
        answer: Forms.List,
        path: "/providers",
        query: {
          ...(country === "" ? {} : { country_code: country }),
          ...(includeSandboxes ? { include_sandboxes: "true" } : {}),
          per_page: String(pageRows),
          ...(next === undefined ? {} : { from_id: next })
        },
        counts: { endpoint: "institutions" }
      })
      banks.push(
        ...readRows(answer.data, Forms.Provider, "code", (row) =>
          row.mode === "file" ? Result.fail("it is connected by files") : Result.succeed(institutionOf(row))
        ).rows
      )
      if (answer.nextId === undefined) {
        kept.set(country, { until: now + freshMillis, banks })
        return banks
      }
      if (!isId(answer.nextId) || (next !== undefined && inOrder(answer.nextId, next) <= 0)) break
      next = answer.nextId
    }
    return yield* new ProtocolViolation({
      message: "The list of banks of Salt Edge does not end",
      path: "meta.next_id"
    })
  })

  return {
    search: Effect.fnUntraced(function* ({ countryCodes, limit, text }) {
      const wanted = text.trim().toLowerCase()
      const countries = countryCodes.length === 0 ? [""] : countryCodes.slice(0, mostCountries)
      const found = (yield* Effect.forEach(countries, list)).flat()
      const rank = ({ name }: Institution): number =>
        name.toLowerCase() === wanted ? 0 : name.toLowerCase().startsWith(wanted) ? 1 : 2
      return found
        .filter(({ id, name }) => name.toLowerCase().includes(wanted) || id === wanted)
        .toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
        .slice(0, limit)
    }),
    find: Effect.fnUntraced(function* (code) {
      if (!/^[\w.-]{1,120}$/.test(code)) return undefined
      const asked = client.ask({
        answer: Forms.Provider,
        path: `/providers/${code}`,
        counts: { endpoint: "institution" }
      })
      return yield* asked.pipe(
        Effect.map(({ data }): Institution | undefined => institutionOf(data)),
        Effect.catchTag("InvalidConnectPayload", () => Effect.succeed(undefined))
      )
    })
  }
}
