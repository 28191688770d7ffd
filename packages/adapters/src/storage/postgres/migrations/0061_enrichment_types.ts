/** Enrichments are found by their type, without a look at what is configured in them. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const enrichmentTypes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table enrichment add column "type" key_text`
  // Texts of the body may hold characters that PostgreSQL does not read, and are not asked for: each becomes a line end.
  yield* sql`update enrichment
    set "type" = regexp_replace(body::text, '\\\\u[0-9a-fA-F]{4}', '\\\\n', 'g')::json ->> 'type'`
})
