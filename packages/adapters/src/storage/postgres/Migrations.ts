/** The schema of the PostgreSQL storage, as numbered steps that run once each. */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import { stored } from "./SqlFailure.ts"
import { foundation } from "./migrations/0001_foundation.ts"
import { feeds } from "./migrations/0002_feeds.ts"
import { tables } from "./migrations/0003_tables.ts"
import { fileBanks } from "./migrations/0004_file_banks.ts"
import { rows } from "./migrations/0005_rows.ts"
import { waitingUploads } from "./migrations/0006_waiting_uploads.ts"
import { identity } from "./migrations/0007_identity.ts"
import { engine } from "./migrations/0008_engine.ts"
import { jobs } from "./migrations/0009_jobs.ts"
import { settled } from "./migrations/0010_settled.ts"

/**
 * Numbers are contiguous: a step whose number is below the newest one applied would be skipped in silence.
 * A step that was released is never changed.
 */
export const migrations = {
  "0001_foundation": foundation,
  "0002_feeds": feeds,
  "0003_tables": tables,
  "0004_file_banks": fileBanks,
  "0005_rows": rows,
  "0006_waiting_uploads": waitingUploads,
  "0007_identity": identity,
  "0008_engine": engine,
  "0009_jobs": jobs,
  "0010_settled": settled
} as const

/** Brings the database to the newest schema. Safe to run from several processes at once. */
export const migrate = Migrator.make({})({
  loader: Migrator.fromRecord(migrations),
  table: "schema_migration"
}).pipe(stored, Effect.withSpan("PostgresStorage.migrate"))
