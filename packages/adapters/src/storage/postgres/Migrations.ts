/** The schema of the PostgreSQL storage, as numbered steps that run once each. */
import { addTables } from "./AddedTables.ts"
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { checkDatabase, checkSchema, checkVersion, DatabaseUnfit } from "./DatabaseCheck.ts"
import { moveFrom, schemaName } from "./Schema.ts"
import { prepareServerRole } from "./ServerRole.ts"
import { inTransaction, unavailable } from "./SqlFailure.ts"
import { sayEveryWorkspace } from "./WorkspaceWall.ts"
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
import { keys } from "./migrations/0011_keys.ts"
import { uploadPieces } from "./migrations/0012_upload_pieces.ts"
import { cursors } from "./migrations/0013_cursors.ts"
import { shown } from "./migrations/0014_shown.ts"
import { learntTexts } from "./migrations/0015_learnt_texts.ts"
import { ownPlan } from "./migrations/0016_own_plan.ts"
import { places } from "./migrations/0017_places.ts"
import { boundColumns } from "./migrations/0018_bound_columns.ts"
import { events } from "./migrations/0019_events.ts"
import { tasks } from "./migrations/0020_tasks.ts"
import { leases } from "./migrations/0021_leases.ts"
import { audit } from "./migrations/0022_audit.ts"
import { wall } from "./migrations/0023_workspace_wall.ts"
import { connectionAttempts } from "./migrations/0024_connection_attempts.ts"
import { idempotency } from "./migrations/0025_idempotency.ts"
import { resources } from "./migrations/0026_resources.ts"
import { plainKeys } from "./migrations/0027_plain_keys.ts"
import { leanDeliveries } from "./migrations/0028_lean_deliveries.ts"
import { recordSearch } from "./migrations/0029_record_search.ts"
import { madeAccounts } from "./migrations/0030_made_accounts.ts"
import { workspaceTurns } from "./migrations/0031_workspace_turns.ts"
import { extraction } from "./migrations/0032_extraction.ts"
import { stage } from "./migrations/0033_stage.ts"
import { deliveryOrder } from "./migrations/0034_delivery_order.ts"
import { analysis } from "./migrations/0035_analysis.ts"
import { analysisLines } from "./migrations/0036_analysis_lines.ts"
import { finding } from "./migrations/0037_finding.ts"
import { recordHistory } from "./migrations/0038_record_history.ts"
import { modelAnswers } from "./migrations/0039_model_answers.ts"
import { memory } from "./migrations/0040_memory.ts"
import { messages } from "./migrations/0041_messages.ts"
import { enrichmentRun } from "./migrations/0042_enrichment_run.ts"
import { bankRemoval } from "./migrations/0043_bank_removal.ts"
import { connectionStates } from "./migrations/0044_connection_states.ts"
import { receivedWebhooks } from "./migrations/0045_received_webhooks.ts"
import { readFrom } from "./migrations/0046_read_from.ts"
import { accountDetails } from "./migrations/0047_account_details.ts"
import { askedJobs } from "./migrations/0048_asked_jobs.ts"
import { leanRows } from "./migrations/0049_lean_rows.ts"
import { packedStage } from "./migrations/0050_packed_stage.ts"
import { accountJoins } from "./migrations/0051_account_joins.ts"
import { plainFindings } from "./migrations/0052_plain_findings.ts"
import { allowances } from "./migrations/0053_allowances.ts"
import { endedSubjects } from "./migrations/0054_ended_subjects.ts"
import { signChanges } from "./migrations/0055_sign_changes.ts"
import { leftSubjects } from "./migrations/0056_left_subjects.ts"
import { packedHistory } from "./migrations/0057_packed_history.ts"
import { entryIndexes } from "./migrations/0058_entry_indexes.ts"
import { simulation } from "./migrations/0059_simulation.ts"
import { recordDatesInOrder } from "./migrations/0060_record_dates.ts"
import { enrichmentTypes } from "./migrations/0061_enrichment_types.ts"
import { entryBlocks } from "./migrations/0062_entry_blocks.ts"
import { recordScopes } from "./migrations/0063_record_scopes.ts"
import { numberedRowKeys } from "./migrations/0064_row_keys.ts"
import { shortNames } from "./migrations/0065_short_names.ts"
import { recordIds } from "./migrations/0066_record_ids.ts"
import { openDeliveriesByDay } from "./migrations/0067_open_deliveries.ts"
import { countedBytes } from "./migrations/0068_counted_bytes.ts"
import { historyBlocks } from "./migrations/0069_history_blocks.ts"
import { plainEntryBlocks } from "./migrations/0070_plain_entry_blocks.ts"
import { searchGroups } from "./migrations/0071_search_groups.ts"
import { publicChanges } from "./migrations/0072_public_changes.ts"
import { listColumns } from "./migrations/0073_list_columns.ts"
import { modelBudget } from "./migrations/0074_model_budget.ts"
import { auditOfFunctions } from "./migrations/0075_audit_of_functions.ts"
import { uploadPages } from "./migrations/0076_upload_pages.ts"
import { differs } from "./migrations/0077_differs.ts"

/**
 * A step whose number is below the newest one applied would be skipped in silence: a new one takes the next number.
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
  "0010_settled": settled,
  "0011_keys": keys,
  "0012_upload_pieces": uploadPieces,
  "0013_cursors": cursors,
  "0014_shown": shown,
  "0015_learnt_texts": learntTexts,
  "0016_own_plan": ownPlan,
  "0017_places": places,
  "0018_bound_columns": boundColumns,
  "0019_events": events,
  "0020_tasks": tasks,
  "0021_leases": leases,
  "0022_audit": audit,
  "0023_workspace_wall": wall,
  "0024_connection_attempts": connectionAttempts,
  "0025_idempotency": idempotency,
  "0026_resources": resources,
  "0027_plain_keys": plainKeys,
  "0028_lean_deliveries": leanDeliveries,
  "0029_record_search": recordSearch,
  "0030_made_accounts": madeAccounts,
  "0031_workspace_turns": workspaceTurns,
  "0032_extraction": extraction,
  "0033_stage": stage,
  "0034_delivery_order": deliveryOrder,
  "0035_analysis": analysis,
  "0036_analysis_lines": analysisLines,
  "0037_finding": finding,
  "0038_record_history": recordHistory,
  "0039_model_answers": modelAnswers,
  "0040_memory": memory,
  "0041_messages": messages,
  "0042_enrichment_run": enrichmentRun,
  "0043_bank_removal": bankRemoval,
  "0044_connection_states": connectionStates,
  "0045_received_webhooks": receivedWebhooks,
  "0046_read_from": readFrom,
  "0047_account_details": accountDetails,
  "0048_asked_jobs": askedJobs,
  "0049_lean_rows": leanRows,
  "0050_packed_stage": packedStage,
  "0051_account_joins": accountJoins,
  "0052_plain_findings": plainFindings,
  "0053_allowances": allowances,
  "0054_ended_subjects": endedSubjects,
  "0055_sign_changes": signChanges,
  "0056_left_subjects": leftSubjects,
  "0057_packed_history": packedHistory,
  "0058_entry_indexes": entryIndexes,
  "0059_simulation": simulation,
  "0060_record_dates": recordDatesInOrder,
  "0061_enrichment_types": enrichmentTypes,
  "0062_entry_blocks": entryBlocks,
  "0063_record_scopes": recordScopes,
  "0064_row_keys": numberedRowKeys,
  "0065_short_names": shortNames,
  "0066_record_ids": recordIds,
  "0067_open_deliveries": openDeliveriesByDay,
  "0068_counted_bytes": countedBytes,
  "0069_history_blocks": historyBlocks,
  "0070_plain_entry_blocks": plainEntryBlocks,
  "0071_search_groups": searchGroups,
  "0072_public_changes": publicChanges,
  "0073_list_columns": listColumns,
  "0074_model_budget": modelBudget,
  "0075_audit_of_functions": auditOfFunctions,
  "0076_upload_pages": uploadPages,
  "0077_differs": differs
} as const

/** All steps that this version knows, the first one first. */
export const knownSchema = Object.keys(migrations).map((key) => ({ id: Number(key.slice(0, 4)), name: key.slice(5) }))

/** The number of the newest schema. */
export const newestSchema = knownSchema.length

/** One process at a time makes or changes the schema: any number, as long as nobody else takes it. */
const migrationLock = 7_236_114_590_210_664_001n

export const lockSchema = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select pg_advisory_xact_lock(${migrationLock.toString()}::bigint)`
)

const reasonOf = ({ cause, message }: Migrator.MigrationError): string => {
  const reason = isSqlError(cause) ? unavailable(cause).message : undefined
  return reason === undefined ? message : `${message}: ${reason}`
}

/** Runs the steps up to that number that have not run; in the transaction of the caller, who holds the lock. */
export const migrateTo = (number: number) =>
  Migrator.make({})({
    loader: Migrator.fromRecord(Object.fromEntries(Object.entries(migrations).slice(0, number))),
    table: "schema_migration"
  }).pipe(Effect.catchTag("MigrationError", (error) => Effect.fail(new DatabaseUnfit({ message: reasonOf(error) }))))

/**
 * Brings the database to the newest schema: all of it or nothing. Safe to run from several processes at once. Refuses
 * a database that cannot be used, before anything is changed in it.
 */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sayEveryWorkspace
  yield* checkDatabase
  yield* lockSchema
  const { applied, earlier, exists } = yield* checkSchema(newestSchema)
  yield* checkVersion(applied, knownSchema)
  if (!exists) yield* sql`create schema ${sql(schemaName)}`
  if (earlier !== undefined) yield* moveFrom(earlier)
  const done = yield* migrateTo(newestSchema)
  yield* addTables
  yield* prepareServerRole
  return done
}).pipe(
  (steps) => Effect.flatMap(SqlClient.SqlClient, (sql) => inTransaction(sql)(steps)),
  Effect.withSpan("PostgresStorage.migrate")
)
