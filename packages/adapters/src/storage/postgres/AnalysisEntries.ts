/** Where records stand in the partitions of enrichments, in PostgreSQL: a row for each record and partition. */
import type { AnalysisChanges, AnalysisEntry, AnalysisScope } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { storedInBulk } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

interface EntryRow extends Omit<AnalysisEntry, "lines"> {
  readonly lines: AnalysisEntry["lines"] | null
}

const toEntry = ({ lines, ...entry }: EntryRow): AnalysisEntry =>
  lines === null || lines === undefined ? entry : { ...entry, lines }

const insertStatement = (schema: string) => `insert into ${schema}analysis_entry
    (workspace_id, data_type, enrichment_id, partition, record_id, account_id, fields, lines)
  select $1, $2, $3, e.partition, e.record, e.account, e.fields::jsonb, e.lines::jsonb
  from unnest(string_to_array($5, $4), string_to_array($6, $4), string_to_array($7, $4), string_to_array($8, $4),
    string_to_array($9, $4, '')) as e(partition, record, account, fields, lines)`

const columnsOf = (entries: ReadonlyArray<AnalysisEntry>) => {
  // Neighbours are mostly of one record, with the same fields.
  let [fields, text]: readonly [AnalysisEntry["fields"] | undefined, string] = [undefined, ""]
  const textOf = (own: AnalysisEntry["fields"]): string => {
    if (own !== fields) [fields, text] = [own, JSON.stringify(own)]
    return text
  }
  return textColumns(
    [
      entries.map(({ partition }) => partition),
      entries.map(({ recordId }) => recordId),
      entries.map(({ accountId }) => accountId)
    ],
    [
      entries.map((entry) => textOf(entry.fields)),
      entries.map(({ lines }) => (lines === undefined ? "" : JSON.stringify(lines)))
    ]
  )
}

const inScope = (sql: SqlClient.SqlClient, { dataType, workspaceId }: AnalysisScope): Fragment =>
  sql`workspace_id = ${workspaceId} and data_type = ${dataType}`

/** The entries in a table whose name begins with the name of a schema, where it is not the usual one. */
export const analysisEntries = (schema: "" | "pg_temp.") =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const table = sql.literal(`${schema}analysis_entry`)
    const columns = sql.literal(`partition, record_id as "recordId", account_id as "accountId", fields, lines`)

    /**
     * Looks records up one by one, by the index that begins with the record. Before PostgreSQL has counted the rows it would join
     * them with the whole table.
     */
    const ofEach = (recordIds: ReadonlyArray<string>, selected: Fragment, own: Fragment): Fragment =>
      sql`select e.* from unnest(${[...recordIds]}::text[]) r(id) cross join lateral (select ${selected} from ${table}
        where record_id = r.id and ${own} offset 0) e`

    return {
      /** Replaces all entries of some records, and adds those of others: there are none. */
      put: Effect.fnUntraced(function* (
        { dataType, workspaceId }: AnalysisScope,
        {
          enrichmentId,
          entries,
          fresh = []
        }: Pick<AnalysisChanges["enrichments"][number], "enrichmentId" | "entries" | "fresh">
      ) {
        if (entries.length > 0) {
          const own = sql`enrichment_id = ${enrichmentId} and workspace_id = ${workspaceId}`
          const recordIds = entries.map(({ recordId }) => recordId)
          yield* sql`delete from ${table} where ctid = any(array(${ofEach(recordIds, sql`ctid`, own)}))`.unprepared
        }
        const added = [...fresh, ...entries.flatMap((one) => one.entries)]
        for (const some of Arr.chunksOf(added, limits.commitChunk)) {
          const { separator, texts } = yield* columnsOf(some)
          const values = [workspaceId, dataType, enrichmentId, separator, ...texts]
          yield* sql.unsafe(insertStatement(schema), values).unprepared
        }
      }),

      /** By record; those of the records that have none are left out. */
      ofRecords: Effect.fnUntraced(function* (
        scope: AnalysisScope,
        enrichmentId: string,
        recordIds: ReadonlyArray<string>
      ) {
        if (recordIds.length === 0) return new Map<string, ReadonlyArray<AnalysisEntry>>()
        const own = sql`enrichment_id = ${enrichmentId} and ${inScope(sql, scope)}`
        const rows = yield* storedInBulk(
          sql<EntryRow>`${ofEach(recordIds, sql`${columns}`, own)} order by e."recordId", e.partition`
        )
        return Map.groupBy(rows.map(toEntry), ({ recordId }) => recordId) as ReadonlyMap<
          string,
          ReadonlyArray<AnalysisEntry>
        >
      }),

      /** By partition and record. */
      members: Effect.fnUntraced(function* (scope: AnalysisScope, enrichmentId: string, keys: ReadonlyArray<string>) {
        if (keys.length === 0) return []
        const rows = yield* storedInBulk(sql<EntryRow>`select e.* from unnest(${[...new Set(keys)]}::text[]) k(key)
          cross join lateral (select ${columns} from ${table}
            where enrichment_id = ${enrichmentId} and partition = k.key and ${inScope(sql, scope)}
            order by enrichment_id desc, partition desc, record_id desc limit ${limits.partitionRecords + 1}) e
          order by e.partition, e."recordId"`)
        return rows.map(toEntry)
      }),

      /** Some of the records of an account, by id. */
      ofAccount: Effect.fnUntraced(function* (scope: AnalysisScope, accountId: string, limit: number) {
        // An order inside would let PostgreSQL walk all records by id.
        const rows = yield* storedInBulk(sql<{ readonly id: string }>`select distinct id from (
            select record_id as id from ${table} where account_id = ${accountId} and ${inScope(sql, scope)} offset 0
          ) e order by id limit ${limit}`)
        return rows.map(({ id }) => id)
      }),

      /** The partitions that hold one of these records: a statement with the columns `enrichment_id` and `partition`. */
      partitionsOf: (scope: AnalysisScope, recordIds: ReadonlyArray<string>): Fragment =>
        sql`select distinct p.enrichment_id, p.partition
          from (${ofEach(recordIds, sql`enrichment_id, partition`, inScope(sql, scope))}) p`
    }
  })
