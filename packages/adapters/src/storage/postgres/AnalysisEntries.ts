/**
 * Where records stand in the partitions of enrichments, in PostgreSQL.
 *
 * Entries that are written together and are of one account and partition stand in one row (`EntryBlock`): that is how a first sync
 * comes, and everything that is looked at again. Few are rows of their own. A block never grows; a record that changes is
 * taken out of it.
 */
import type { AnalysisChanges, AnalysisEntry, AnalysisScope } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { blockWith, type EntryBlock, groupsOf, packedGroups, unpackedEntries } from "./EntryBlock.ts"
import { storedInBulk } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

interface EntryRow extends Omit<AnalysisEntry, "lines"> {
  readonly lines: AnalysisEntry["lines"] | null
}

interface BlockRow extends EntryBlock {
  readonly enrichmentId: string
}

/** A block of a partition that may have more records than are wanted; without its body then. */
interface PartitionBlock extends Omit<EntryBlock, "body"> {
  readonly body: string | null
  readonly first: string
  readonly last: string
  readonly size: number
}

const toEntry = ({ lines, ...entry }: EntryRow): AnalysisEntry =>
  lines === null || lines === undefined ? entry : { ...entry, lines }

const byPlace = (a: AnalysisEntry, b: AnalysisEntry): number =>
  a.partition === b.partition ? (a.recordId < b.recordId ? -1 : 1) : a.partition < b.partition ? -1 : 1

/** Of one partition. Those of one account come in order already. */
const inOrderOfRecords = (entries: ReadonlyArray<AnalysisEntry>): ReadonlyArray<AnalysisEntry> => {
  for (let n = 1; n < entries.length; n++) {
    if (entries[n - 1]!.recordId < entries[n]!.recordId) continue
    return entries.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
  }
  return entries
}

/** Ids that are compared with each block; where there are more, all blocks between the first and the last are read. */
const mostCompared = 2_000

/** Written in one statement. */
const blocksAtOnce = 500

/** Of a partition with more records than may be planned: what its last ones stand in. */
const lastBlocks = (blocks: ReadonlyArray<PartitionBlock>): ReadonlyArray<PartitionBlock> => {
  let found = 0
  let from = ""
  for (const { first, size } of blocks.toSorted((a, b) => (a.first < b.first ? 1 : -1))) {
    from = first
    found += size
    if (found > limits.partitionRecords) break
  }
  return blocks.filter(({ last }) => last >= from)
}

const rowsStatement = (schema: string) => `insert into ${schema}analysis_entry
    (workspace_id, data_type, enrichment_id, partition, record_id, account_id, fields, lines)
  select $1, $2, $3, e.partition, e.record, e.account, e.fields::json, e.lines::json
  from unnest(string_to_array($5, $4), string_to_array($6, $4), string_to_array($7, $4), string_to_array($8, $4),
    string_to_array($9, $4, '')) as e(partition, record, account, fields, lines)`

// Texts of all blocks, taken apart by the first character; the records of one by the second.
const blocksStatement = (schema: string) => `insert into ${schema}analysis_block
    (workspace_id, data_type, enrichment_id, partition, account_id, first_record, last_record, size, records, body)
  select $1, $2, $3, b.partition, b.account, r.ids[1], r.ids[cardinality(r.ids)], cardinality(r.ids), r.ids, b.body
  from unnest(string_to_array($6, $4), string_to_array($7, $4), string_to_array($8, $4), string_to_array($9, $4))
      as b(partition, account, records, body)
    cross join lateral string_to_array(b.records, $5) as r(ids)`

/** What is written as JSON is read as it was written: PostgreSQL makes no text of what is inside. */
const rowColumnsOf = (entries: ReadonlyArray<AnalysisEntry>) =>
  textColumns(
    [
      entries.map(({ partition }) => partition),
      entries.map(({ recordId }) => recordId),
      entries.map(({ accountId }) => accountId),
      entries.map(({ fields }) => JSON.stringify(fields)),
      entries.map(({ lines }) => (lines === undefined ? "" : JSON.stringify(lines)))
    ],
    []
  )

const blockColumnsOf = Effect.fnUntraced(function* (blocks: ReadonlyArray<EntryBlock>) {
  const { separator: inner } = yield* textColumns([blocks.flatMap(({ records }) => records)], [])
  const { separator, texts } = yield* textColumns(
    [
      blocks.map(({ partition }) => partition),
      blocks.map(({ accountId }) => accountId),
      blocks.map(({ records }) => records.join(inner)),
      blocks.map(({ body }) => body)
    ],
    []
  )
  return [separator, inner, ...texts]
})

const inScope = (sql: SqlClient.SqlClient, { dataType, workspaceId }: AnalysisScope): Fragment =>
  sql`workspace_id = ${workspaceId} and data_type = ${dataType}`

/** The entries in tables whose names begin with the name of a schema, where it is not the usual one. */
export const analysisEntries = (schema: "" | "pg_temp.") =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const row = sql.literal(`${schema}analysis_entry`)
    const block = sql.literal(`${schema}analysis_block`)
    const states = sql.literal(`${schema}analysis_partition`)
    const rowColumns = sql.literal(`partition, record_id as "recordId", account_id as "accountId", fields, lines`)
    const blockColumns = sql.literal(`partition, account_id as "accountId", records, body`)

    /** Blocks that may have one of these records. */
    const around = (recordIds: ReadonlyArray<string>): Fragment => {
      const ids = recordIds.toSorted()
      const between = sql`last_record >= ${ids[0]} and first_record <= ${ids.at(-1)}`
      // How many of the ids come before a place in their order is found by halving.
      return ids.length > mostCompared
        ? between
        : sql`${between} and (first_record = any(${ids}::text[])
            or width_bucket(first_record::text, ${ids}::text[]) < width_bucket(last_record::text, ${ids}::text[]))`
    }

    /**
     * Blocks of an enrichment that may have one of these records. Where the account of each is known, those of an account lie
     * between the first and the last of its own records: between those of all there may be every block of the others.
     */
    const blocksAround = (
      scope: AnalysisScope,
      enrichmentId: string,
      recordIds: ReadonlyArray<string>,
      accountIds: ReadonlyArray<string> | undefined
    ): Fragment => {
      const own = sql`${inScope(sql, scope)} and enrichment_id = ${enrichmentId} and ${around(recordIds)}`
      if (accountIds === undefined) return sql`${block} where ${own}`
      const spans = new Map<string, readonly [first: string, last: string]>()
      accountIds.forEach((accountId, at) => {
        const id = recordIds[at]!
        const [first, last] = spans.get(accountId) ?? [id, id]
        spans.set(accountId, [id < first ? id : first, id > last ? id : last])
      })
      const ends = [...spans.values()]
      return sql`unnest(${[...spans.keys()]}::text[], ${ends.map(([first]) => first)}::text[],
          ${ends.map(([, last]) => last)}::text[]) s(account, first, last)
        cross join lateral (select * from ${block} where account_id = s.account and last_record >= s.first
          and first_record <= s.last and ${own} order by account_id, enrichment_id, last_record) b`
    }

    const insertRows = Effect.fnUntraced(function* (
      { dataType, workspaceId }: AnalysisScope,
      enrichmentId: string,
      entries: ReadonlyArray<AnalysisEntry>
    ) {
      for (const some of Arr.chunksOf(entries, limits.commitChunk)) {
        const { separator, texts } = yield* rowColumnsOf(some)
        yield* sql.unsafe(rowsStatement(schema), [workspaceId, dataType, enrichmentId, separator, ...texts]).unprepared
      }
    })

    const insertBlocks = Effect.fnUntraced(function* (
      { dataType, workspaceId }: AnalysisScope,
      enrichmentId: string,
      blocks: ReadonlyArray<EntryBlock>
    ) {
      for (const some of Arr.chunksOf(blocks, blocksAtOnce)) {
        const columns = yield* blockColumnsOf(some)
        yield* sql.unsafe(blocksStatement(schema), [workspaceId, dataType, enrichmentId, ...columns]).unprepared
      }
    })

    /** Takes records out of blocks; answers what these held of them. */
    const takeOut = Effect.fnUntraced(function* (
      scope: AnalysisScope,
      blocks: ReadonlyArray<BlockRow>,
      recordIds: ReadonlySet<string>
    ) {
      const taken: Array<{ readonly enrichmentId: string; readonly entries: ReadonlyArray<AnalysisEntry> }> = []
      for (const [enrichmentId, own] of Map.groupBy(blocks, (one) => one.enrichmentId)) {
        const out: Array<AnalysisEntry> = []
        const rest: Array<EntryBlock> = []
        const left: Array<EntryBlock> = []
        for (const one of own) {
          if (!one.records.some((id) => recordIds.has(id))) continue
          left.push(one)
          const entries = unpackedEntries(one)
          const staying = entries.filter(({ recordId }) => !recordIds.has(recordId))
          out.push(...entries.filter(({ recordId }) => recordIds.has(recordId)))
          if (staying.length > 0) rest.push(blockWith(staying))
        }
        if (left.length === 0) continue
        const partitions = left.map(({ partition }) => partition)
        const firsts = left.map(({ records }) => records[0]!)
        // One by one: the planner knows nothing yet of how many there have become, and would read all of them.
        yield* sql`delete from ${block} where ctid = any(array(
            select own.at from unnest(${partitions}::text[], ${firsts}::text[]) g(partition, first)
              cross join lateral (select ctid as at from ${block} b
                where ${inScope(sql, scope)} and b.enrichment_id = ${enrichmentId} and b.partition = g.partition
                  and b.first_record = g.first
                order by b.enrichment_id, b.partition, b.first_record limit 1) own
          ))`.unprepared
        yield* insertBlocks(scope, enrichmentId, rest)
        taken.push({ enrichmentId, entries: out })
      }
      return taken
    })

    return {
      /** Replaces all entries of some records, and adds those of others, of which there are none. */
      put: Effect.fnUntraced(function* (
        scope: AnalysisScope,
        {
          enrichmentId,
          entries,
          fresh = []
        }: Pick<AnalysisChanges["enrichments"][number], "enrichmentId" | "entries" | "fresh">
      ) {
        if (entries.length > 0) {
          const recordIds = entries.map(({ recordId }) => recordId)
          const accountIds = entries.map(({ accountId }) => accountId).filter((id) => id !== undefined)
          const known = accountIds.length === recordIds.length ? accountIds : undefined
          yield* sql`delete from ${row} where enrichment_id = ${enrichmentId}
            and workspace_id = ${scope.workspaceId} and record_id = any(${recordIds}::text[])`.unprepared
          const held = yield* sql<BlockRow>`select enrichment_id as "enrichmentId", ${blockColumns}
            from ${blocksAround(scope, enrichmentId, recordIds, known)}`.unprepared
          yield* takeOut(scope, held, new Set(recordIds))
        }
        const moved = entries.length === 0 ? [] : groupsOf(entries.flatMap((one) => one.entries))
        const { alone, blocks } = packedGroups([...fresh, ...moved])
        yield* insertRows(scope, enrichmentId, alone)
        yield* insertBlocks(scope, enrichmentId, blocks)
      }),

      /** By record; those of the records that have none are left out. */
      ofRecords: Effect.fnUntraced(function* (
        scope: AnalysisScope,
        enrichmentId: string,
        recordIds: ReadonlyArray<string>,
        accountIds: ReadonlyArray<string> | undefined
      ) {
        if (recordIds.length === 0) return new Map<string, ReadonlyArray<AnalysisEntry>>()
        const own = sql`${inScope(sql, scope)} and enrichment_id = ${enrichmentId}`
        const [rows, blocks] = yield* Effect.all(
          [
            storedInBulk(sql<EntryRow>`select ${rowColumns} from ${row}
              where ${own} and record_id = any(${[...recordIds]}::text[])`),
            storedInBulk(
              sql<EntryBlock>`select ${blockColumns} from ${blocksAround(scope, enrichmentId, recordIds, accountIds)}`
            )
          ],
          { concurrency: 2 }
        )
        const all = rows.map(toEntry)
        const wanted = new Set(recordIds)
        for (const one of blocks) {
          if (!one.records.some((id) => wanted.has(id))) continue
          for (const entry of unpackedEntries(one)) if (wanted.has(entry.recordId)) all.push(entry)
        }
        return Map.groupBy(all.toSorted(byPlace), ({ recordId }) => recordId) as ReadonlyMap<
          string,
          ReadonlyArray<AnalysisEntry>
        >
      }),

      /** By partition and record. */
      members: Effect.fnUntraced(function* (scope: AnalysisScope, enrichmentId: string, keys: ReadonlyArray<string>) {
        if (keys.length === 0) return []
        const own = sql`${inScope(sql, scope)} and enrichment_id = ${enrichmentId}`
        const most = limits.partitionRecords + 1
        const [rows, blocks] = yield* Effect.all(
          [
            storedInBulk(sql<EntryRow>`select e.* from unnest(${[...keys]}::text[]) k(key)
              cross join lateral (select ${rowColumns} from ${row}
                where ${own} and partition = k.key order by record_id desc limit ${most}) e`),
            storedInBulk(sql<PartitionBlock>`select partition, account_id as "accountId", records,
                first_record as first, last_record as last, size,
                case when sum(size) over (partition by partition) <= ${most} then body end as body
              from ${block} where ${own} and partition = any(${[...keys]}::text[])`)
          ],
          { concurrency: 2 }
        )
        const all = new Map<string, Array<AnalysisEntry>>(
          Map.groupBy(rows.map(toEntry), ({ partition }) => partition) as Map<string, Array<AnalysisEntry>>
        )
        const add = (one: EntryBlock) => {
          const known = all.get(one.partition) ?? []
          all.set(one.partition, known)
          for (const entry of unpackedEntries(one)) known.push(entry)
        }
        for (const [key, some] of Map.groupBy(blocks, (one) => one.partition)) {
          if (some[0]!.body !== null) {
            const inOrder = some.toSorted((a, b) => (a.first < b.first ? -1 : 1))
            for (const one of inOrder) add(one as EntryBlock)
            continue
          }
          const firsts = lastBlocks(some).map(({ first }) => first)
          const found = yield* storedInBulk(sql<EntryBlock>`select ${blockColumns} from ${block}
            where ${own} and partition = ${key} and first_record = any(${firsts}::text[])`)
          for (const one of found) add(one)
        }
        return [...all.keys()].toSorted().flatMap((key) => {
          const some = inOrderOfRecords(all.get(key)!)
          return some.length > most ? some.slice(-most) : some
        })
      }),

      /** Some of the records of an account, by id. */
      ofAccount: Effect.fnUntraced(function* (scope: AnalysisScope, accountId: string, limit: number) {
        const own = sql`${inScope(sql, scope)} and account_id = ${accountId}`
        const rows = yield* storedInBulk(sql<{ readonly id: string }>`select id from (
            (select distinct record_id::text as id from ${row} where ${own} order by id limit ${limit})
            union select unnest(records) from ${block} where ${own}
          ) e order by id limit ${limit}`)
        return rows.map(({ id }) => id)
      }),

      /** The partitions that hold one of these records: a statement with the columns `enrichment_id` and `partition`. */
      partitionsOf: (scope: AnalysisScope, recordIds: ReadonlyArray<string>): Fragment =>
        sql`select enrichment_id, partition from ${row}
            where ${inScope(sql, scope)} and record_id = any(${[...recordIds]}::text[])
          union select enrichment_id, partition from ${block}
            where ${inScope(sql, scope)} and enrichment_id in
                (select enrichment_id from ${states} where ${inScope(sql, scope)})
              and ${around(recordIds)} and records && ${[...recordIds]}::text[]`,

      /** Makes entries of these records rows of their own. */
      unpack: Effect.fnUntraced(function* (scope: AnalysisScope, accountId: string, recordIds: ReadonlyArray<string>) {
        const blocks = yield* sql<BlockRow>`select enrichment_id as "enrichmentId", ${blockColumns} from ${block}
          where ${inScope(sql, scope)} and account_id = ${accountId} and ${around(recordIds)}`.unprepared
        for (const { enrichmentId, entries } of yield* takeOut(scope, blocks, new Set(recordIds))) {
          yield* insertRows(scope, enrichmentId, entries)
        }
      })
    }
  })
