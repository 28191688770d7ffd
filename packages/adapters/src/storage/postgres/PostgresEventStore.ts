/** The log of events in PostgreSQL. */
import type { ActorRef } from "@millrace/core/access"
import type { LoggedEvent } from "@millrace/core/event"
import { type Backlog, EventsForgotten, EventStore } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import { PgClient } from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import { instant } from "./Column.ts"
import { inTransaction, stored, unavailable } from "./SqlFailure.ts"

interface EventRow {
  readonly workspace_id: WorkspaceId
  readonly sequence: string
  readonly type: string
  readonly subject_kind: string
  readonly subject_id: string
  readonly cause: ActorRef
  readonly data: Schema.Json
  readonly at: Date
}

const toEvent = (row: EventRow): LoggedEvent => ({
  workspaceId: row.workspace_id,
  sequence: Number(row.sequence),
  type: row.type,
  subject: { kind: row.subject_kind, id: row.subject_id },
  cause: row.cause,
  data: row.data,
  at: instant(row.at)
})

export const layer: Layer.Layer<EventStore, never, SqlClient.SqlClient | PgClient> = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pg = yield* PgClient

    /** Numbers what has taken effect and has no number yet, in all logs. */
    const numberAll = sql`select number_events(workspace_id) from (
      select distinct workspace_id from event where sequence is null
    ) as fresh order by workspace_id`

    const newest = Effect.fn("EventStore.newest")(function* (workspaceId: WorkspaceId) {
      const rows = yield* stored(sql<{ readonly newest: string }>`select number_events(${workspaceId})::text as newest`)
      return Number(rows[0]!.newest)
    })

    return EventStore.of({
      append: Effect.fn("EventStore.append")(function* (events) {
        if (events.length === 0) return
        const rows = events.map(({ cause, data, subject, type, workspaceId }) => ({
          workspaceId,
          type,
          ...subject,
          cause,
          data
        }))
        yield* stored(sql`insert into event (workspace_id, type, subject_kind, subject_id, cause, data)
          select e->>'workspaceId', e->>'type', e->>'kind', e->>'id', (e->'cause')::jsonb, (e->'data')::jsonb
          from json_array_elements(${JSON.stringify(rows)}::json) with ordinality as x(e, n) order by n`)
      }),
      read: Effect.fn("EventStore.read")(function* (workspaceId, after, limit) {
        yield* newest(workspaceId)
        const rows = yield* stored(sql<EventRow>`select workspace_id, sequence::text as sequence, type, subject_kind,
            subject_id, cause, data, at from event
          where workspace_id = ${workspaceId} and sequence > ${after}::bigint order by event.sequence limit ${limit}`)
        // What is read is whole where it goes on just behind `after`: nothing in between was forgotten.
        if (after > 0 && Number(rows[0]?.sequence ?? 0) !== after + 1) {
          const [log] = yield* stored(sql<{ readonly forgotten: string }>`select forgotten::text as forgotten
            from event_log where workspace_id = ${workspaceId}`)
          const forgotten = Number(log?.forgotten ?? 0)
          if (after < forgotten) return yield* new EventsForgotten({ workspaceId, forgotten })
        }
        return rows.map(toEvent)
      }),
      newest,
      arrivals: Stream.unwrap(
        Effect.map(pg.listen("event_arrival"), (notes) =>
          Stream.fromEffectRepeat(Queue.takeAll(notes)).pipe(
            Stream.map(() => undefined),
            Stream.prepend([undefined])
          )
        )
      ).pipe(Stream.mapError(unavailable)),

      register: Effect.fn("EventStore.register")(function* (consumer, start) {
        if (start === "now") yield* stored(numberAll)
        yield* stored(sql`with made as (
            insert into event_consumer (name) values (${consumer}) on conflict do nothing returning name
          )
          insert into event_position (consumer, workspace_id, sequence)
          select made.name, event_log.workspace_id, event_log.newest from made, event_log where ${start === "now"}`)
      }),
      unregister: Effect.fn("EventStore.unregister")(function* (consumer) {
        yield* stored(sql`delete from event_consumer where name = ${consumer}`)
      }),
      behind: Effect.fn("EventStore.behind")(function* (consumers, limit) {
        if (consumers.length === 0) return []
        yield* stored(numberAll)
        return yield* stored(sql<Backlog>`select c.name as consumer, l.workspace_id as "workspaceId"
          from event_consumer c cross join event_log l
            left join event_position p on p.consumer = c.name and p.workspace_id = l.workspace_id
          where c.name = any(${[...consumers]}::text[]) and l.newest > coalesce(p.sequence, 0)
          limit ${limit}`)
      }),
      position: Effect.fn("EventStore.position")(function* ({ consumer, workspaceId }) {
        const rows = yield* stored(sql<{ readonly sequence: string }>`select sequence::text as sequence
          from event_position where consumer = ${consumer} and workspace_id = ${workspaceId}`)
        return Number(rows[0]?.sequence ?? 0)
      }),
      advance: Effect.fn("EventStore.advance")(function* ({ consumer, workspaceId }, position) {
        yield* stored(sql`insert into event_position as p (consumer, workspace_id, sequence)
          select name, ${workspaceId}, ${position}::bigint from event_consumer where name = ${consumer}
          on conflict (consumer, workspace_id) do update set sequence = greatest(p.sequence, excluded.sequence)`)
      }),

      purge: Effect.fn("EventStore.purge")(function* (limit) {
        return yield* Effect.gen(function* () {
          yield* numberAll
          const rows = yield* sql<{ readonly count: number }>`with passed as materialized (
              select l.workspace_id, coalesce(min(coalesce(p.sequence, 0)) filter (where c.name is not null), l.newest) as n
              from event_log l left join event_consumer c on true
                left join event_position p on p.consumer = c.name and p.workspace_id = l.workspace_id
              group by l.workspace_id
            ), old as materialized (
              select tick from event join passed on passed.workspace_id = event.workspace_id
              where at < store_now() - make_interval(days => ${limits.eventDays}::int) and sequence is not null
                and (sequence <= passed.n or at < store_now() - make_interval(days => ${limits.eventWaitDays}::int))
              order by at, tick limit ${limit}
            ), gone as (
              delete from event using old where event.tick = old.tick returning event.workspace_id, event.sequence
            ), noted as (
              update event_log l set forgotten = greatest(forgotten, g.sequence)
              from (select workspace_id, max(sequence) as sequence from gone group by workspace_id) as g
              where l.workspace_id = g.workspace_id
            )
            select count(*)::int as count from gone`
          return rows[0]!.count
        }).pipe(inTransaction(sql))
      })
    })
  })
)
