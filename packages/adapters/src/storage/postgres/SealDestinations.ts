/** Seals the addresses that older versions stored in the open: those of enrichments, and of messages on their way. */
import { Secrets } from "@millrace/core/bank"
import { sealedFor } from "@millrace/core/enrichment"
import { type Endpoint, maskedConfig, secretsIn } from "@millrace/core/message"
import type { StorageUnavailable } from "@millrace/core/storage"
import { acrossWorkspaces } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { contextOf, makeSealedEndpoint } from "./PostgresOutboxStore.ts"
import { withSealed } from "./SealedEnrichments.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

interface BodyRow {
  readonly id: string
  readonly workspace: string
  readonly body: string
}

interface EndpointRow {
  readonly id: string
  readonly workspace: string
  readonly endpoint: Endpoint
}

/** Messages of one transaction. */
const batch = 500

/** Returns how many there were. Safe to run from several processes at once, and to be killed. */
export const sealDestinations: Effect.Effect<number, StorageUnavailable, SqlClient.SqlClient | Secrets> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const sealedEndpoint = yield* makeSealedEndpoint

    const enrichments = Effect.gen(function* () {
      const rows = yield* stored(sql<BodyRow>`select id, workspace_id as workspace, body::text as body from enrichment
        where body::text like '%"destinations"%' and body::text not like '%"sealed":"v1.%"}' for update`)
      let sealed = 0
      for (const { body, id, workspace } of rows) {
        const enrichment = JSON.parse(body) as { readonly config: Schema.Json }
        const found = secretsIn(enrichment.config)
        if (Object.keys(found).length === 0) continue
        const text = yield* secrets.seal(found, sealedFor({ id, workspaceId: workspace }))
        const masked = JSON.stringify({ ...enrichment, config: maskedConfig(enrichment.config) })
        yield* stored(sql`update enrichment set body = ${withSealed(masked, text)} where id = ${id}`)
        sealed++
      }
      return sealed
    }).pipe(inTransaction(sql))

    const messages = Effect.gen(function* () {
      const rows = yield* stored(sql<EndpointRow>`select id, workspace_id as workspace, endpoint from message
        where endpoint ->> 'channel' in ('slack', 'webhook') and endpoint ->> 'sealed' is null
        limit ${batch} for update skip locked`)
      for (const { endpoint, id, workspace } of rows) {
        const sealed = yield* sealedEndpoint(endpoint, contextOf(workspace, id))
        yield* stored(sql`update message set endpoint = ${JSON.stringify(sealed)} where id = ${id}`)
      }
      return rows.length
    }).pipe(inTransaction(sql))

    let sealed = yield* enrichments
    for (let more = yield* messages; more > 0; more = yield* messages) sealed += more
    return sealed
  }
).pipe(acrossWorkspaces("sealing"), Effect.withSpan("PostgresStorage.sealDestinations"))
