/** How sealed addresses of enrichments lie in their bodies. Statements do not parse a body: it may hold any text, NUL included. */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** The id of the key that sealed; null where nothing is. What is sealed is the last field of a body. */
export const enrichmentKey = (sql: SqlClient): Fragment =>
  sql`substring(body::text from '"sealed":"v[0-9]+\\.([^."]*)\\.[^"]*"\\}$')`

/** The body with something else sealed. */
export const withSealed = (body: string, sealed: string): string => {
  const { sealed: _, ...rest } = JSON.parse(body) as Readonly<Record<string, unknown>>
  return JSON.stringify({ ...rest, sealed })
}
