/** Answers of models in PostgreSQL. */
import { AnswerCache, type CachedAnswer } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { stored, storedInBulk } from "./SqlFailure.ts"

export const layer: Layer.Layer<AnswerCache, never, SqlClient.SqlClient> = Layer.effect(
  AnswerCache,
  Effect.map(SqlClient.SqlClient, (sql) =>
    AnswerCache.of({
      find: Effect.fn("AnswerCache.find")(function* (workspaceId, keys, evenExpired) {
        if (keys.length === 0) return new Map<string, CachedAnswer>()
        const rows = yield* storedInBulk(sql<CachedAnswer & { readonly key: string }>`select key, answer, probability
          from model_answer where workspace_id = ${workspaceId} and key = any(${[...keys]}::text[])
            and (${evenExpired} or kept_until is null or kept_until > store_now())`)
        return new Map(rows.map(({ answer, key, probability }) => [key, { answer, probability }]))
      }),
      keep: Effect.fn("AnswerCache.keep")(function* (workspaceId, answers) {
        if (answers.length === 0) return
        // The last of each key; in the order of keys, so that two who keep the same answers do not wait for each other.
        const rows = [...new Map(answers.map((one) => [one.key, one])).values()]
        yield* storedInBulk(sql`insert into model_answer (workspace_id, key, answer, probability, kept_until)
          select ${workspaceId}, a.key, a.answer, a.probability, store_now() + a.days * interval '1 day'
          from json_to_recordset(${JSON.stringify(rows)}::json)
            as a(key text, answer text, probability float8, days float8)
          order by a.key
          on conflict (workspace_id, key) do update set answer = excluded.answer, probability = excluded.probability,
            kept_until = excluded.kept_until, turn = excluded.turn`)
      }),
      purge: Effect.fn("AnswerCache.purge")(function* (limit) {
        const expired = yield* stored(sql`delete from model_answer where (workspace_id, key) in (
          select workspace_id, key from model_answer where kept_until < store_now() - interval '1 day'
          limit ${limit} for update skip locked) returning 1`)
        if (expired.length === limit) return limit
        const over = yield* stored(sql`delete from model_answer where (workspace_id, key) in (
          select workspace_id, key from model_answer where (workspace_id, key) in (
            select workspace_id, key from (
              select workspace_id, key, row_number() over (partition by workspace_id order by turn desc) as place
              from model_answer where workspace_id in (
                select workspace_id from model_answer group by workspace_id having count(*) > ${limits.modelAnswers})
            ) ranked where place > ${limits.modelAnswers})
          limit ${limit - expired.length} for update skip locked) returning 1`)
        return expired.length + over.length
      })
    })
  )
)
