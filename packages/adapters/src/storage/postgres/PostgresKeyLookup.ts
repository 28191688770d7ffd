/**
 * Requests with an API key in PostgreSQL: one statement finds keys and workspaces and counts the requests. Requests that
 * come together go in one statement (`RequestBatcher.ts`), and each is answered as if it had come alone.
 */
import { type ApiKey, apiKeyResource } from "@millrace/core/access"
import type { Timestamp } from "@millrace/core"
import type { RollingWindow } from "@millrace/core/rate"
import { bodyOf } from "@millrace/core/resource"
import { type CountedKey, KeyLookup, type RequestLimits } from "@millrace/core/storage"
import { acrossTenants, CurrentTenantScope, type Workspace, type WorkspaceId } from "@millrace/core/workspace"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as RequestBatcher from "./RequestBatcher.ts"
import { decisionOf } from "./PostgresRateLimiter.ts"
import { toWorkspace, workspaceColumns, type WorkspaceRow } from "./PostgresWorkspaceStore.ts"
import { stored } from "./SqlFailure.ts"

interface KeyLookupRow extends WorkspaceRow {
  readonly hash: string
  readonly body: string
  readonly most: number
  readonly at: number
  readonly blocking: number | null
  /** Of each request of the workspace, what `WindowRow` says of one: the last one first, as far as they are known. */
  readonly oldest: ReadonlyArray<number>
}

/**
 * Finds the keys with these hashes, and counts each request under its workspace: as many as the hash is there.
 *
 * A key that is no longer good must not use up what its workspace may ask, so the statement looks into its body. Of
 * a window as many stamps more are kept as requests were counted, so that it tells what each of them found. Windows are
 * taken in one order, so that two statements never wait for each other.
 */
const lookupStatement = `
  with found as (
    select k.hash, k.body::text as body, ($3::json ->> w.plan)::int as most,
      cardinality(array_positions($1::text[], k.hash::text)) as requests,
      ${workspaceColumns.map((column) => `w.${column}`).join(", ")}
    from api_key k join workspace w on w.id = k.workspace_id
    where k.hash = any($1::text[]) and k.body->>'revokedAt' is null
      and (k.body->>'expiresAt' is null or (k.body->>'expiresAt') collate "C" > $2)
  ), counted as (
    insert into request_window as w (key, size, stamps)
    select id, most, array_fill(floor(extract(epoch from store_now()) * 1000)::float8, array[sum(requests)::int])
    from found group by id, most order by id
    on conflict (key) do update set size = excluded.size,
      stamps = (array_fill(greatest(excluded.stamps[1], w.stamps[1]), array[cardinality(excluded.stamps)])
        || w.stamps[1:w.size])[1:excluded.size + cardinality(excluded.stamps)]
    returning key, stamps[1] as at, stamps[size] as blocking, stamps[size + 1:] as oldest
  )
  select found.*, counted.at, counted.blocking, counted.oldest from found join counted on counted.key = found.id`

interface Question {
  readonly hash: string
  readonly now: Timestamp.Timestamp
  readonly limits: RequestLimits
}

/** What the statement said of a key, and what it decided about one request. */
interface Answer {
  readonly found: Found
  readonly decision: RollingWindow.Decision
}

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

/** A key as it was found for some requests; read by the first of them. */
class Found {
  readonly row: KeyLookupRow
  private read: { readonly key: ApiKey; readonly workspace: Workspace } | undefined

  constructor(row: KeyLookupRow) {
    this.row = row
  }

  with(keyOf: (text: string) => ApiKey) {
    return (this.read ??= { key: keyOf(this.row.body), workspace: toWorkspace(this.row) })
  }
}

/** What each request found, in the order in which they came. */
const answersOf = (
  rows: ReadonlyArray<KeyLookupRow>,
  questions: ReadonlyArray<Question>
): ReadonlyArray<Option.Option<Answer>> => {
  const found = new Map(rows.map((row) => [row.hash, new Found(row)]))
  const left = new Map<WorkspaceId, number>()
  for (const { hash } of questions) {
    const id = found.get(hash)?.row.id
    if (id !== undefined) left.set(id, (left.get(id) ?? 0) + 1)
  }
  return questions.map(({ hash }) => {
    const one = found.get(hash)
    if (one === undefined) return Option.none()
    const { at, blocking, id, most, oldest } = one.row
    // Those that came behind it.
    const behind = left.get(id)! - 1
    left.set(id, behind)
    const decision = decisionOf(
      { at, oldest: oldest[behind] ?? null, blocking: behind === 0 ? blocking : (oldest[behind - 1] ?? null) },
      most
    )
    return Option.some({ found: one, decision })
  })
}

/**
 * Requests of a statement, and how long one may take before others no longer wait for it. Two at once would wait for each
 * other's windows.
 */
const gathering = { most: 64, atOnce: 1, patience: 100 }

export const layer: Layer.Layer<KeyLookup, never, SqlClient.SqlClient> = Layer.effect(
  KeyLookup,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keyOf = readKeys()
    let written: readonly [RequestLimits | undefined, string] = [undefined, ""]
    const textOf = (limits: RequestLimits): string => {
      if (written[0] !== limits) written = [limits, JSON.stringify(limits)]
      return written[1]
    }

    const ask = (questions: ReadonlyArray<Question>) => {
      // Whatever has expired when the last of them came is not good for those before it either.
      const { limits, now } = questions.at(-1)!
      const hashes = questions.map(({ hash }) => hash)
      return Effect.map(stored(sql.unsafe<KeyLookupRow>(lookupStatement, [hashes, now, textOf(limits)])), (rows) =>
        answersOf(rows, questions)
      )
    }

    const together = yield* RequestBatcher.make({
      ...gathering,
      ask: (questions: ReadonlyArray<Question>) => acrossTenants("key look-up")(ask(questions)),
      fit: (one, other) => one.limits === other.limits
    })
    const alone = (question: Question) => Effect.map(ask([question]), ([answer]) => answer!)

    const countedKeyOf = ({ decision, found }: Answer): CountedKey => ({ ...found.with(keyOf), decision })

    return KeyLookup.of({
      lookup: (hash, now, limits) =>
        Effect.withFiber((fiber) => {
          const question: Question = { hash, now, limits }
          // What may see less than everything, or what others do not see yet, sees it by itself.
          const isOpen =
            fiber.getRef(CurrentTenantScope) === "every" &&
            Context.getOrUndefined(fiber.context, sql.transactionService) === undefined
          return Effect.map(isOpen ? together(question) : alone(question), Option.map(countedKeyOf))
        })
    })
  })
)
