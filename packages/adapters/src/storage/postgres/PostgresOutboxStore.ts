/** Messages on their way to people, in PostgreSQL. */
import { limits } from "@millrace/core"
import { Secrets } from "@millrace/core/bank"
import { type Endpoint, maskedAddress, Message, type MessageState } from "@millrace/core/message"
import { OutboxStore, StorageUnavailable } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { instant, optionalInstant, present } from "./Column.ts"
import { stored } from "./SqlFailure.ts"

/** Addresses of Slack and of webhooks are secrets: a mask stands in their place, and `sealed` holds the endpoint. */
export type StoredEndpoint = Endpoint & { readonly sealed?: string }

/** What the endpoint of a message is sealed for. */
export const contextOf = (workspaceId: string, id: string): string => `message|${workspaceId}|${id}`

/** As it is stored. */
const makeSealedEndpoint = Effect.map(Secrets, (secrets) =>
  Effect.fnUntraced(function* (endpoint: Endpoint, context: string) {
    const { channel, to } = endpoint
    if (channel !== "slack" && channel !== "webhook") return endpoint
    const { channel: _, ...secret } = endpoint
    return { channel, to: maskedAddress(to), sealed: yield* secrets.seal(secret, context) } satisfies StoredEndpoint
  })
)

interface MessageRow {
  readonly id: string
  readonly workspace_id: WorkspaceId
  readonly enrichment_id: Message["enrichmentId"]
  readonly lane: string
  readonly state: MessageState
  readonly cooldown_seconds: number
  readonly endpoint: StoredEndpoint
  readonly content: Message["content"]
  readonly told_by: string | null
  readonly error: string | null
  readonly created_at: Date
  readonly sent_at: Date | null
}

const toMessage = (row: MessageRow, endpoint: Endpoint): Message => ({
  id: row.id,
  workspaceId: row.workspace_id,
  enrichmentId: row.enrichment_id,
  lane: row.lane,
  state: row.state,
  cooldownSeconds: row.cooldown_seconds,
  endpoint,
  content: row.content,
  createdAt: instant(row.created_at),
  ...present({ into: row.told_by, error: row.error, sentAt: optionalInstant(row.sent_at) })
})

interface StateRow {
  readonly id: string
  readonly state: MessageState
}

export const layer: Layer.Layer<OutboxStore, never, SqlClient.SqlClient | Secrets> = Layer.effect(
  OutboxStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const sealedEndpoint = yield* makeSealedEndpoint
    const read = Effect.fnUntraced(function* (row: MessageRow) {
      const { sealed, ...endpoint } = row.endpoint
      if (sealed === undefined) return toMessage(row, endpoint)
      const secret = yield* secrets
        .open(sealed, contextOf(row.workspace_id, row.id))
        .pipe(
          Effect.mapError(
            ({ reason }) => new StorageUnavailable({ message: `the address of a message cannot be opened: ${reason}` })
          )
        )
      return toMessage(row, { ...endpoint, ...secret })
    })
    const first = ([row]: ReadonlyArray<MessageRow>) => (row === undefined ? Effect.undefined : read(row))
    const columns =
      sql.literal(`id, workspace_id, enrichment_id, lane, state, cooldown_seconds, endpoint, content, told_by,
      error, created_at, sent_at`)

    return OutboxStore.of({
      insert: Effect.fn("OutboxStore.insert")(function* (messages) {
        if (messages.length === 0) return new Set<string>()
        const sealed = yield* Effect.forEach(messages, (message) =>
          Effect.map(sealedEndpoint(message.endpoint, contextOf(message.workspaceId, message.id)), (endpoint) => ({
            ...message,
            endpoint
          }))
        )
        const rows = yield* stored(sql<{ readonly id: string }>`
          insert into message (id, workspace_id, enrichment_id, lane, state, cooldown_seconds, endpoint, content)
          select m.id, m."workspaceId", m."enrichmentId", m.lane, m.state, m."cooldownSeconds", m.endpoint, m.content
          from json_to_recordset(${JSON.stringify(sealed)}::json) as m(id text, "workspaceId" text, "enrichmentId" text,
            lane text, state text, "cooldownSeconds" integer, endpoint json, content json)
          on conflict (id) do nothing returning id`)
        return new Set(rows.map(({ id }) => id))
      }),
      withdraw: Effect.fn("OutboxStore.withdraw")(function* (workspaceId, ids) {
        if (ids.length === 0) return new Map<string, MessageState>()
        // Who sends one of them has its row: what it is afterwards is what counts.
        yield* stored(sql`update message set state = 'withdrawn'
          where workspace_id = ${workspaceId} and id = any(${[...ids]}::text[]) and state in ('held', 'ready')`)
        const rows = yield* stored(
          sql<StateRow>`select id, state from message where workspace_id = ${workspaceId} and id = any(${[...ids]}::text[])`
        )
        return new Map(rows.map(({ id, state }) => [id, state]))
      }),
      silence: Effect.fn("OutboxStore.silence")(function* (workspaceId, enrichmentId) {
        const rows = yield* stored(sql`update message set state = 'withdrawn'
          where workspace_id = ${workspaceId} and enrichment_id = ${enrichmentId} and state in ('held', 'ready')
          returning id`)
        return rows.length
      }),
      get: Effect.fn("OutboxStore.get")(function* (workspaceId, id) {
        const rows = yield* stored(
          sql<MessageRow>`select ${columns} from message where workspace_id = ${workspaceId} and id = ${id}`
        )
        return yield* first(rows)
      }),
      start: Effect.fn("OutboxStore.start")(function* (workspaceId, id) {
        const rows = yield* stored(sql<MessageRow>`update message set state = 'sending'
          where workspace_id = ${workspaceId} and id = ${id} and state in ('ready', 'sending') returning ${columns}`)
        return yield* first(rows)
      }),
      reword: Effect.fn("OutboxStore.reword")(function* (workspaceId, id, content) {
        yield* stored(sql`update message set content = ${JSON.stringify(content)}::json
          where workspace_id = ${workspaceId} and id = ${id} and state = 'sending' and content->'rephrase' is not null`)
        const rows = yield* stored(
          sql<MessageRow>`select ${columns} from message where workspace_id = ${workspaceId} and id = ${id}`
        )
        return yield* first(rows)
      }),
      settle: Effect.fn("OutboxStore.settle")(function* (workspaceId, id, outcome) {
        yield* stored(sql`update message set state = ${outcome.state},
            sent_at = case when ${outcome.state} = 'sent' then store_now() end,
            error = ${outcome.state === "failed" ? outcome.error : null}
          where workspace_id = ${workspaceId} and id = ${id} and state = 'sending'`)
      }),
      lane: Effect.fn("OutboxStore.lane")(function* (workspaceId, lane, limit) {
        const held = yield* stored(sql<MessageRow>`select ${columns} from message
          where workspace_id = ${workspaceId} and lane = ${lane} and state = 'held' order by place limit ${limit}`)
        const [row] = yield* stored(sql<{ readonly busy: boolean; readonly silent: number | null }>`select
          exists (select from message
            where workspace_id = ${workspaceId} and lane = ${lane} and state in ('ready', 'sending')) as busy,
          (select extract(epoch from store_now() - max(sent_at))::float8 from message
            where workspace_id = ${workspaceId} and lane = ${lane} and state = 'sent') as silent`)
        return {
          held: yield* Effect.forEach(held, read),
          busy: row?.busy ?? false,
          silentSeconds: row?.silent ?? undefined
        }
      }),
      release: Effect.fn("OutboxStore.release")(function* (workspaceId, id) {
        yield* stored(sql`update message set state = 'ready'
          where workspace_id = ${workspaceId} and id = ${id} and state = 'held'`)
      }),
      collect: Effect.fn("OutboxStore.collect")(function* (workspaceId, ids, into) {
        yield* stored(sql`update message set state = 'collected', told_by = ${into}
          where workspace_id = ${workspaceId} and id = any(${[...ids]}::text[]) and state = 'held'`)
      }),
      list: Effect.fn("OutboxStore.list")(function* (workspaceId, { enrichmentId, limit }) {
        const rows = yield* stored(sql<MessageRow>`select ${columns} from message where workspace_id = ${workspaceId}
          ${enrichmentId === undefined ? sql`` : sql`and enrichment_id = ${enrichmentId}`}
          order by place desc limit ${limit}`)
        return yield* Effect.forEach(rows, read)
      }),
      purge: Effect.fn("OutboxStore.purge")(function* (limit) {
        const rows = yield* stored(sql`delete from message where id in (
          select id from message where created_at < store_now() - ${limits.messageDays} * interval '1 day'
          limit ${limit} for update skip locked) returning id`)
        return rows.length
      })
    })
  })
)
