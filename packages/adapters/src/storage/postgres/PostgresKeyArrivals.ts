/** A request with an API key in PostgreSQL: one statement finds key and workspace and counts the request. */
import { type ApiKey, apiKeyResource } from "@millrace/core/access"
import { bodyOf } from "@millrace/core/resource"
import { KeyArrivals, type RequestLimits } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { counting, decisionOf, type WindowRow } from "./PostgresRateLimiter.ts"
import { toWorkspace, workspaceColumns, type WorkspaceRow } from "./PostgresWorkspaceStore.ts"
import { stored } from "./SqlFailure.ts"

interface ArrivalRow extends WorkspaceRow, WindowRow {
  readonly body: string
  readonly most: number
}

/** A key that is no longer good must not use up what its workspace may ask, so the statement looks into its body. */
const arriveStatement = `
  with found as (
    select k.body::text as body, ($3::json ->> w.plan)::int as most, ${workspaceColumns
      .map((column) => `w.${column}`)
      .join(", ")}
    from api_key k join workspace w on w.id = k.workspace_id
    where k.hash = $1 and k.body->>'revokedAt' is null
      and (k.body->>'expiresAt' is null or (k.body->>'expiresAt') collate "C" > $2)
  ), counted as (${counting("select id, most, array[floor(extract(epoch from store_now()) * 1000)::float8] from found")})
  select * from found, counted`

/** Texts whose keys are remembered: reading one costs more than finding it. The oldest goes first. */
const remembered = 1_000

/** Keys by the text of their bodies. The same text is the same key, so nothing of it can be out of date. */
const readKeys = () => {
  const { read } = bodyOf(apiKeyResource)
  const known = new Map<string, ApiKey>()
  return (text: string): ApiKey => {
    const found = known.get(text)
    if (found !== undefined) return found
    const { hash: _, ...key } = read(text)
    known.set(text, key)
    if (known.size > remembered) known.delete(known.keys().next().value!)
    return key
  }
}

export const layer: Layer.Layer<KeyArrivals, never, SqlClient.SqlClient> = Layer.effect(
  KeyArrivals,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const keyOf = readKeys()
    let written: readonly [RequestLimits | undefined, string] = [undefined, ""]
    const textOf = (limits: RequestLimits): string => {
      if (written[0] !== limits) written = [limits, JSON.stringify(limits)]
      return written[1]
    }
    return KeyArrivals.of({
      arrive: Effect.fnUntraced(function* (hash, now, limits) {
        const [row] = yield* stored(sql.unsafe<ArrivalRow>(arriveStatement, [hash, now, textOf(limits)]))
        if (row === undefined) return Option.none()
        return Option.some({ key: keyOf(row.body), workspace: toWorkspace(row), decision: decisionOf(row, row.most) })
      })
    })
  })
)
