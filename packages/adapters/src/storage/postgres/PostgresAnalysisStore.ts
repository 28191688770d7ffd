/** What enrichments of set kinds keep and say, in PostgreSQL. */
import { EnrichmentFact, notesOf } from "@millrace/core/enrichment"
import {
  type AnalysisChanges,
  type AnalysisHead,
  type AnalysisLink,
  type AnalysisMark,
  type AnalysisNote,
  type AnalysisScope,
  AnalysisStore,
  type PartitionOutput,
  type PartitionState
} from "@millrace/core/storage"
import type { CalendarDate } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { analysisEntries } from "./AnalysisEntries.ts"
import { inTransaction, stored, storedInBulk } from "./SqlFailure.ts"

interface HeadRow {
  readonly version: string
  readonly as_of: CalendarDate.CalendarDate | null
  readonly planned: AnalysisHead["planned"] | null
  readonly marks: ReadonlyArray<AnalysisMark> | null
  readonly due: CalendarDate.CalendarDate | null
  readonly has_facts: boolean
}

const encodeFact = Schema.encodeSync(Schema.toCodecJson(EnrichmentFact))
const decodeFact = Schema.decodeUnknownSync(Schema.toCodecJson(EnrichmentFact))

/** Rows as one parameter; taken apart by `json_to_recordset`. */
const json = (rows: ReadonlyArray<unknown>): string => JSON.stringify(rows)

const inScope = (sql: SqlClient.SqlClient, { dataType, workspaceId }: AnalysisScope): Fragment =>
  sql`workspace_id = ${workspaceId} and data_type = ${dataType}`

/** All that the store of an analysis reads and writes. */
export const analysisTables = [
  "analysis",
  "analysis_mark",
  "analysis_entry",
  "analysis_partition",
  "analysis_event",
  "annotation",
  "record_link",
  "enrichment_fact"
] as const

const linkColumns = "id, kind, state, members, evidence"

/** The store over its tables, which begin with the name of a schema where it is not the usual one. */
export const layerOf = (schema: "" | "pg_temp."): Layer.Layer<AnalysisStore, never, SqlClient.SqlClient> =>
  Layer.effect(
    AnalysisStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const placed = yield* analysisEntries(schema)
      const t = Object.fromEntries(
        analysisTables.map((name) => [name, sql.literal(`${schema}${name}`)])
      ) as unknown as Readonly<Record<(typeof analysisTables)[number], ReturnType<typeof sql.literal>>>

      const within = (scope: AnalysisScope, enrichmentId: string, keys: ReadonlyArray<string>): Fragment =>
        sql`${inScope(sql, scope)} and enrichment_id = ${enrichmentId} and partition = any(${[...keys]}::text[])`

      const bump = (scope: AnalysisScope) =>
        sql`update ${t.analysis} set version = version + 1 where ${inScope(sql, scope)}`

      const put = Effect.fnUntraced(function* (scope: AnalysisScope, changes: AnalysisChanges["enrichments"][number]) {
        const { dataType, workspaceId } = scope
        const { enrichmentId } = changes
        const own = sql`enrichment_id = ${enrichmentId} and workspace_id = ${workspaceId}`
        yield* placed.put(scope, changes)
        if (changes.partitions.length > 0) {
          yield* sql`insert into ${t.analysis_partition} (workspace_id, data_type, enrichment_id, partition, tag, state, due)
          select ${workspaceId}, ${dataType}, ${enrichmentId}, p.partition, p.tag, coalesce(p.state, 'null'::json), p.due
          from json_to_recordset(${json(changes.partitions)}::json)
            as p(partition text, tag text, state json, due date)
          on conflict (enrichment_id, partition) do update set tag = excluded.tag, state = excluded.state,
            due = excluded.due`.unprepared
        }
        if (changes.dropped.length > 0) {
          yield* sql`delete from ${t.analysis_partition} where ${own} and partition = any(${[...changes.dropped]}::text[])`
            .unprepared
        }
        if (changes.droppedNotes.length > 0) {
          yield* sql`delete from ${t.annotation} using json_to_recordset(${json(changes.droppedNotes)}::json)
            as d(partition text, "recordId" text)
          where ${own} and annotation.partition = d.partition and annotation.record_id = d."recordId"`.unprepared
        }
        if (changes.notes.length > 0) {
          yield* sql`insert into ${t.annotation}
          (workspace_id, data_type, enrichment_id, partition, record_id, account_id, claims)
          select ${workspaceId}, ${dataType}, ${enrichmentId}, n.partition, n."recordId", n."accountId", n.claims
          from json_to_recordset(${json(changes.notes)}::json)
            as n(partition text, "recordId" text, "accountId" text, claims json)
          on conflict (enrichment_id, partition, record_id) do update set account_id = excluded.account_id,
            claims = excluded.claims`.unprepared
        }
        if (changes.droppedLinks.length > 0) {
          yield* sql`delete from ${t.record_link} where ${own} and id = any(${[...changes.droppedLinks]}::text[])`
            .unprepared
        }
        if (changes.links.length > 0) {
          yield* sql`insert into ${t.record_link}
          (workspace_id, data_type, enrichment_id, partition, id, kind, state, members, evidence)
          select ${workspaceId}, ${dataType}, ${enrichmentId}, l.partition, l.id, l.kind, l.state, l.members,
            coalesce(l.evidence, 'null'::json)
          from json_to_recordset(${json(changes.links)}::json)
            as l(partition text, id text, kind text, state text, members json, evidence json)
          on conflict (enrichment_id, id) do update set partition = excluded.partition, kind = excluded.kind,
            state = excluded.state, members = excluded.members, evidence = excluded.evidence`.unprepared
        }
      })

      const held = (where: Fragment, lifted = false) =>
        Effect.map(
          storedInBulk(sql<{ readonly body: unknown }>`select body from ${t.enrichment_fact}
          where ${lifted ? sql`true` : sql`not lifted`} and ${where} order by id`),
          (rows) => rows.map(({ body }) => decodeFact(body))
        )

      return AnalysisStore.of({
        head: Effect.fn("AnalysisStore.head")(function* (scope) {
          const own = inScope(sql, scope)
          const [row] = yield* stored(sql<HeadRow>`select
          coalesce((select version from ${t.analysis} where ${own}), 0)::text as version,
          (select as_of from ${t.analysis} where ${own}) as as_of,
          (select planned from ${t.analysis} where ${own}) as planned,
          (select json_agg(json_build_object('accountId', account_id, 'changeNo', change_no, 'signature', signature)
            order by account_id) from ${t.analysis_mark} where ${own}) as marks,
          (select min(due) from ${t.analysis_partition} where ${own}) as due,
          exists (select from ${t.enrichment_fact} where ${own} and not lifted) as has_facts`)
          const { as_of: asOf, due, has_facts: hasFacts, marks, planned, version } = row!
          return { version: Number(version), asOf, planned: planned ?? {}, marks: marks ?? [], due, hasFacts }
        }),
        entries: Effect.fn("AnalysisStore.entries")((scope, enrichmentId, recordIds) =>
          placed.ofRecords(scope, enrichmentId, recordIds)
        ),
        accountRecords: Effect.fn("AnalysisStore.accountRecords")((scope, accountId, limit) =>
          placed.ofAccount(scope, accountId, limit)
        ),
        members: Effect.fn("AnalysisStore.members")((scope, enrichmentId, keys) =>
          placed.members(scope, enrichmentId, keys)
        ),
        partitions: Effect.fn("AnalysisStore.partitions")(function* (scope, enrichmentId, keys) {
          if (keys.length === 0) return []
          return yield* storedInBulk(sql<PartitionState>`select partition, tag, state, due from ${t.analysis_partition}
          where ${within(scope, enrichmentId, keys)} order by partition`)
        }),
        states: Effect.fn("AnalysisStore.states")(function* (scope, enrichmentId, { after, limit }) {
          return yield* storedInBulk(sql<PartitionState>`select partition, tag, state, due from ${t.analysis_partition}
          where ${inScope(sql, scope)} and enrichment_id = ${enrichmentId} and partition > ${after}
          order by partition limit ${limit}`)
        }),
        linksOf: Effect.fn("AnalysisStore.linksOf")(function* (scope, enrichmentId, { after, limit, state }) {
          return yield* storedInBulk(sql<AnalysisLink>`select ${sql.literal(linkColumns)} from ${t.record_link}
          where ${inScope(sql, scope)} and enrichment_id = ${enrichmentId} and id > ${after}
            ${state === undefined ? sql`` : sql`and state = ${state}`}
          order by id limit ${limit}`)
        }),
        outputs: Effect.fn("AnalysisStore.outputs")(function* (scope, enrichmentId, keys) {
          const outputs = new Map<string, { notes: Array<AnalysisNote>; links: Array<AnalysisLink> }>()
          if (keys.length === 0) return outputs as ReadonlyMap<string, PartitionOutput>
          const of = (key: string) => {
            const known = outputs.get(key) ?? { notes: [], links: [] }
            outputs.set(key, known)
            return known
          }
          const [notes, links] = yield* Effect.all(
            [
              storedInBulk(sql<AnalysisNote & { readonly partition: string }>`select
              partition, record_id as "recordId", account_id as "accountId", claims from ${t.annotation}
              where ${within(scope, enrichmentId, keys)} order by partition, record_id`),
              storedInBulk(sql<AnalysisLink & { readonly partition: string }>`select
              partition, ${sql.literal(linkColumns)} from ${t.record_link}
              where ${within(scope, enrichmentId, keys)} order by partition, id`)
            ],
            { concurrency: 2 }
          )
          for (const { partition, ...note } of notes) of(partition).notes.push(note)
          for (const { partition, ...link } of links) of(partition).links.push(link)
          return outputs
        }),
        stale: Effect.fn("AnalysisStore.stale")(function* (scope, enrichmentId, { limit, tag, today }) {
          const rows = yield* storedInBulk(sql<{
            readonly partition: string
          }>`select partition from ${t.analysis_partition}
          where ${inScope(sql, scope)} and enrichment_id = ${enrichmentId} and (due <= ${today}::date or tag <> ${tag})
          order by partition limit ${limit}`)
          return rows.map(({ partition }) => partition)
        }),
        addEvents: Effect.fn("AnalysisStore.addEvents")(function* ({ workspaceId }, enrichmentId, keys) {
          if (keys.length === 0) return new Set<string>()
          const rows = yield* storedInBulk(sql<{ readonly key: string }>`insert into ${t.analysis_event}
          (workspace_id, enrichment_id, key)
          select distinct ${workspaceId}, ${enrichmentId}, key from unnest(${[...keys]}::text[]) as k(key)
          on conflict (enrichment_id, key) do nothing returning key`)
          return new Set(rows.map(({ key }) => key))
        }),
        commit: Effect.fn("AnalysisStore.commit")((scope, version, changes) =>
          Effect.gen(function* () {
            const { dataType, workspaceId } = scope
            const planned = JSON.stringify(changes.planned)
            const rows =
              version === 0
                ? yield* sql`insert into ${t.analysis} (workspace_id, data_type, version, as_of, planned)
                  values (${workspaceId}, ${dataType}, 1, ${changes.asOf}, ${planned}::json)
                  on conflict (workspace_id, data_type) do nothing returning version`
                : yield* sql`update ${t.analysis} set version = version + 1, as_of = ${changes.asOf},
                  planned = ${planned}::json where ${inScope(sql, scope)} and version = ${version} returning version`
            if (rows.length === 0) return false
            if (changes.marks.length > 0) {
              yield* sql`insert into ${t.analysis_mark} (workspace_id, data_type, account_id, change_no, signature)
              select ${workspaceId}, ${dataType}, m."accountId", m."changeNo", m.signature
              from json_to_recordset(${json(changes.marks)}::json)
                as m("accountId" text, "changeNo" bigint, signature text)
              on conflict (workspace_id, data_type, account_id) do update set change_no = excluded.change_no,
                signature = excluded.signature`.unprepared
            }
            if (changes.unmarked.length > 0) {
              yield* sql`delete from ${t.analysis_mark}
              where ${inScope(sql, scope)} and account_id = any(${[...changes.unmarked]}::text[])`
            }
            // While one is written, what the next one writes is made into text.
            yield* Effect.forEach(changes.enrichments, (one) => put(scope, one), { discard: true, concurrency: 2 })
            return true
          }).pipe(inTransaction(sql))
        ),
        forget: Effect.fn("AnalysisStore.forget")((workspaceId, enrichmentId) =>
          Effect.forEach(
            [t.analysis_entry, t.analysis_partition, t.analysis_event, t.annotation, t.record_link, t.enrichment_fact],
            (table) =>
              sql`delete from ${table} where workspace_id = ${workspaceId} and enrichment_id = ${enrichmentId}`,
            { discard: true }
          ).pipe(inTransaction(sql))
        ),
        notes: Effect.fn("AnalysisStore.notes")(function* (workspaceId, recordIds) {
          if (recordIds.length === 0) return new Map()
          const ids = [...recordIds]
          const rows = yield* storedInBulk(sql<{
            readonly recordId: string
            readonly enrichmentId: string
            readonly partition: string
            readonly claims: AnalysisNote["claims"] | null
            readonly body: unknown
          }>`select record_id as "recordId", enrichment_id as "enrichmentId", partition, claims, null::json as body
            from ${t.annotation} where workspace_id = ${workspaceId} and record_id = any(${ids}::text[])
          union all
          select record_id, coalesce(enrichment_id, ''), '', null, body from ${t.enrichment_fact}
            where workspace_id = ${workspaceId} and record_id = any(${ids}::text[]) and not lifted`)
          return notesOf(
            rows.flatMap(({ claims, ...row }) => (claims === null ? [] : [{ ...row, claims }])),
            rows.flatMap(({ body, claims }) => (claims === null ? [decodeFact(body)] : []))
          )
        }),
        links: Effect.fn("AnalysisStore.links")(function* (workspaceId, ids) {
          if (ids.length === 0) return []
          return yield* storedInBulk(sql<AnalysisLink & { readonly enrichmentId: never }>`select
          enrichment_id as "enrichmentId", ${sql.literal(linkColumns)} from ${t.record_link}
          where workspace_id = ${workspaceId} and id = any(${[...ids]}::text[]) order by id`)
        }),
        addFacts: Effect.fn("AnalysisStore.addFacts")(function* (facts) {
          if (facts.length === 0) return
          const rows = facts.map((fact) => ({
            id: fact.id,
            workspace: fact.workspaceId,
            type: fact.dataType,
            enrichment: fact.enrichmentId ?? null,
            record: fact.recordId ?? null,
            other: fact.otherId ?? null,
            body: encodeFact(fact),
            lifted: fact.lifted !== undefined
          }))
          yield* storedInBulk(sql`insert into ${t.enrichment_fact}
          (id, workspace_id, data_type, enrichment_id, record_id, other_id, body, lifted)
          select f.id, f.workspace, f.type, f.enrichment, f.record, f.other, f.body, f.lifted
          from json_to_recordset(${json(rows)}::json) as f(id text, workspace text, type text, enrichment text,
            record text, other text, body json, lifted boolean)`)
        }),
        liftFacts: Effect.fn("AnalysisStore.liftFacts")(function* (workspaceId, ids, lifted) {
          if (ids.length === 0) return
          yield* stored(sql`update ${t.enrichment_fact} set lifted = true,
            body = (body::jsonb || jsonb_build_object('lifted', ${JSON.stringify(lifted)}::jsonb))::json
          where workspace_id = ${workspaceId} and id = any(${[...ids]}::text[]) and not lifted`)
        }),
        fact: Effect.fn("AnalysisStore.fact")(function* (workspaceId, id) {
          const [row] = yield* stored(sql<{ readonly body: unknown }>`select body from ${t.enrichment_fact}
          where workspace_id = ${workspaceId} and id = ${id}`)
          return row === undefined ? undefined : decodeFact(row.body)
        }),
        facts: Effect.fn("AnalysisStore.facts")(function* (scope, of) {
          const own = inScope(sql, scope)
          if ("enrichmentId" in of) {
            return yield* held(sql`${own} and (enrichment_id = ${of.enrichmentId} or enrichment_id is null)`)
          }
          const ids = [...of.recordIds]
          return yield* held(
            sql`${own} and (record_id = any(${ids}::text[]) or other_id = any(${ids}::text[]))`,
            of.lifted
          )
        }),
        countFacts: Effect.fn("AnalysisStore.countFacts")(function* (workspaceId) {
          const [row] = yield* stored(sql<{ readonly n: bigint }>`select count(*) as n from ${t.enrichment_fact}
          where workspace_id = ${workspaceId} and not lifted`)
          return Number(row?.n ?? 0)
        }),
        disturb: Effect.fn("AnalysisStore.disturb")((scope, recordIds, day) =>
          Effect.gen(function* () {
            if (recordIds.length === 0) return
            yield* bump(scope)
            yield* sql`update ${t.analysis_partition} p set due = least(p.due, ${day}::date)
            from (${placed.partitionsOf(scope, recordIds)}) e
            where p.workspace_id = ${scope.workspaceId} and p.enrichment_id = e.enrichment_id
              and p.partition = e.partition`.unprepared
          }).pipe(inTransaction(sql))
        )
      })
    })
  )

export const layer: Layer.Layer<AnalysisStore, never, SqlClient.SqlClient> = layerOf("")
