/** What enrichments found, in PostgreSQL. */
import { Finding } from "@millrace/core/enrichment"
import { FindingStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { stored, storedInBulk } from "./SqlFailure.ts"

interface Row {
  readonly body: unknown
}

const encode = Schema.encodeSync(Schema.toCodecJson(Finding))
const decode = Schema.decodeUnknownSync(Schema.toCodecJson(Finding))

export const layer: Layer.Layer<FindingStore, never, SqlClient.SqlClient> = Layer.effect(
  FindingStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const read = (rest: Fragment) =>
      Effect.map(storedInBulk(sql<Row>`select body from finding where ${rest}`), (rows) =>
        rows.map(({ body }) => decode(body))
      )

    return FindingStore.of({
      list: Effect.fn("FindingStore.list")((workspaceId, enrichmentId, query) => {
        const { before, from, kind, limit, status, to } = query
        const wanted = [sql`workspace_id = ${workspaceId}`, sql`enrichment_id = ${enrichmentId}`]
        if (status !== undefined) wanted.push(sql`status = ${status}`)
        if (kind !== undefined) wanted.push(sql`kind = ${kind}`)
        // Instants are text of one form, so that text before a day is an instant before it.
        if (from !== undefined) wanted.push(sql`first_seen >= ${from}`)
        if (to !== undefined) wanted.push(sql`first_seen < ${`${to}U`}`)
        if (before !== undefined) wanted.push(sql`(first_seen, id) < (${before.firstSeenAt}, ${before.id})`)
        return read(sql`${sql.and(wanted)} order by first_seen desc, id desc limit ${limit}`)
      }),
      get: Effect.fn("FindingStore.get")((workspaceId, ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : read(sql`workspace_id = ${workspaceId} and id = any(${[...ids]}::text[]) order by id`)
      ),
      present: Effect.fn("FindingStore.present")((workspaceId, enrichmentId, partitions) => {
        const within = partitions === undefined ? sql`true` : sql`partition = any(${[...partitions]}::text[])`
        return read(
          sql`workspace_id = ${workspaceId} and enrichment_id = ${enrichmentId} and present and ${within} order by id`
        )
      }),
      putFindings: Effect.fn("FindingStore.putFindings")(function* (findings) {
        if (findings.length === 0) return true
        const rows = findings.map((one) => ({
          id: one.id,
          workspace: one.workspaceId,
          enrichment: one.enrichmentId,
          partition: one.partition,
          kind: one.kind,
          status: one.status,
          present: one.present,
          first_seen: one.firstSeenAt,
          version: one.version,
          body: encode(one)
        }))
        const written = yield* storedInBulk(sql`insert into finding
          (id, workspace_id, enrichment_id, partition, kind, status, present, first_seen, version, body)
          select f.id, f.workspace, f.enrichment, f.partition, f.kind, f.status, f.present, f.first_seen, f.version, f.body
          from json_to_recordset(${JSON.stringify(rows)}::json) as f(id text, workspace text, enrichment text,
            partition text, kind text, status text, present boolean, first_seen text, version bigint, body json)
          on conflict (id) do update set partition = excluded.partition, kind = excluded.kind, status = excluded.status,
            present = excluded.present, version = excluded.version, body = excluded.body
            where finding.version in (excluded.version, excluded.version - 1)
          returning id`)
        return written.length === findings.length
      }),
      forget: Effect.fn("FindingStore.forget")((workspaceId, enrichmentId) =>
        Effect.asVoid(
          stored(sql`delete from finding where workspace_id = ${workspaceId} and enrichment_id = ${enrichmentId}`)
        )
      )
    })
  })
)
