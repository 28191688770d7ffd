/**
 * What counts beside a cursor, which carries the question itself: the rest of the request is ignored, whatever is in it
 * (decisions 1.6).
 */
import type { Route } from "../request/Routes.ts"
import type { StrictJson } from "@millrace/core/operation"

const counts: ReadonlySet<string> = new Set(["cursor", "limit", "cached", "includeTotal"])

/** The query, which begins with its question mark or is empty. */
export const queryOf = ({ paged }: Route, query: string): string => {
  if (!paged.query) return query
  const parameters = new URLSearchParams(query)
  if (!parameters.has("cursor")) return query
  for (const name of new Set(parameters.keys())) if (!counts.has(name)) parameters.delete(name)
  return `?${parameters.toString()}`
}

export const bodyOf = ({ paged }: Route, json: StrictJson.Json): StrictJson.Json => {
  const isObject = typeof json === "object" && json !== null && !Array.isArray(json)
  if (!paged.body || !isObject || !Object.hasOwn(json, "cursor")) return json
  return Object.fromEntries(Object.entries(json).filter(([name]) => counts.has(name)))
}
