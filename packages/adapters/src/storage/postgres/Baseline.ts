/** The schema of a new database: the files of `schema/`, in the order of their names. */
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

const ownPackage = dirname(createRequire(import.meta.url).resolve("@millrace/adapters/package.json"))
const folder = join(ownPackage, "src/storage/postgres/schema")

export const baseline = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const name of readdirSync(folder).toSorted()) {
    const statements = readFileSync(join(folder, name), "utf8")
    // The protocol takes one statement at a time, and `execute` takes them all.
    yield* sql.unsafe(`do $file$ begin execute $statements$${statements}$statements$; end $file$`).unprepared
  }
})
