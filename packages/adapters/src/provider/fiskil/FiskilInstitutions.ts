/** The institutions that people can connect through Fiskil. */
import { type Institution, type InstitutionQuery, type ProviderError, readRows } from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { shownText } from "../upstream/UpstreamForm.ts"
import { FiskilInstitution } from "./FiskilAnswers.ts"
import type { FiskilClient } from "./FiskilClient.ts"

/** Milliseconds that the list is remembered: it is long, and changes from day to day at most. */
const remembered = 600_000

export const statusOf = ({ status }: FiskilInstitution): Institution["status"] => {
  switch (status?.connections?.status) {
    case "DEGRADED":
      return "degraded"
    case "OUTAGE":
      return "down"
    default:
      return "ok"
  }
}

/** An address that may be shown to people. */
const isHttps = (url: string | null | undefined): url is string => /^https:\/\/[\x21-\x7e]{1,500}$/.test(url ?? "")

const institutionOf = (institution: FiskilInstitution): Institution => {
  const logo = [institution.logo, institution.icon].find(isHttps)
  return {
    id: String(institution.id),
    name: shownText(institution.name) ?? "Bank",
    countryCodes: ["AU"],
    status: statusOf(institution),
    ...(logo === undefined || logo === null ? {} : { logo })
  }
}

export interface FiskilInstitutions {
  readonly list: (query: InstitutionQuery) => Effect.Effect<ReadonlyArray<Institution>, ProviderError>
  /** The institution of an id; `undefined` where there is none that may be used. */
  readonly find: (id: string) => Effect.Effect<Institution | undefined, ProviderError>
}

export const makeInstitutions = (client: FiskilClient, clientId: string): FiskilInstitutions => {
  let known: { readonly all: ReadonlyArray<Institution>; readonly until: number } | undefined

  const all = Effect.gen(function* (): Effect.fn.Return<ReadonlyArray<Institution>, ProviderError> {
    const now = yield* Clock.currentTimeMillis
    if (known !== undefined && now < known.until) return known.all
    const rows = yield* client.askAll(
      { path: "/v1/institutions", query: { client_id: clientId, industry: "banking" } },
      "institutions"
    )
    // One that cannot be read, or may not be used, is none that anybody could choose.
    const usable = readRows(rows, FiskilInstitution, "id").rows.filter(
      ({ industry, is_accessible, name }) =>
        is_accessible !== false && shownText(name) !== undefined && (industry ?? "banking") === "banking"
    )
    const institutions = new Map(
      usable
        .toSorted((a, b) => (a.priority ?? Number.MAX_SAFE_INTEGER) - (b.priority ?? Number.MAX_SAFE_INTEGER))
        .map((institution) => [String(institution.id), institutionOf(institution)])
    )
    known = { all: [...institutions.values()], until: now + remembered }
    return known.all
  })

  return {
    list: Effect.fn("Fiskil.listInstitutions")(function* ({ countryCodes, limit, text }) {
      if (countryCodes.length > 0 && !countryCodes.includes("AU")) return []
      const wanted = text.trim().toLowerCase()
      return (yield* all).filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, limit)
    }),
    find: (id) => Effect.map(all, (institutions) => institutions.find((institution) => institution.id === id))
  }
}
