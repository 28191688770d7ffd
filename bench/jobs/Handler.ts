/** The handler of the peers: pages in transactions that are fenced by how far the job has come. */
import { setTimeout as wait } from "node:timers/promises"
import type { Pool } from "pg"
import type { Hooks } from "./Contestant.ts"
import { writeRows } from "./Shape.ts"

/** The page is not the next one of its job: somebody else has written it. */
class Fenced extends Error {
  override readonly name = "Fenced"
}

const pagesDone = async (pool: Pool, job: string): Promise<number> => {
  const { rows } = await pool.query("select page from public.page_done where job = $1", [job])
  return (rows[0] as { readonly page: number } | undefined)?.page ?? 0
}

const commitPage = async (pool: Pool, job: string, page: number, rows: number): Promise<void> => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const { rowCount } = await client.query(
      `insert into public.page_done as d (job, page) values ($1, $2)
       on conflict (job) do update set page = excluded.page where d.page = excluded.page - 1`,
      [job, page + 1]
    )
    if (rowCount !== 1) throw new Fenced(`page ${page} of ${job} is written already`)
    await client.query(writeRows, [job, page, rows])
    await client.query("commit")
  } catch (cause) {
    await client.query("rollback")
    throw cause
  } finally {
    client.release()
  }
}

/**
 * `isRetry`: somebody began the job before, so how far it has come is looked up. `signal` is the engine's word that
 * the handler should stop.
 */
export const handle = async (
  pool: Pool,
  hooks: Hooks,
  job: string,
  { isRetry, signal }: { readonly isRetry: boolean; readonly signal?: AbortSignal | undefined }
): Promise<void> => {
  const { fetchMillis, pages, rows } = hooks.shape()
  hooks.begun(job)
  let page = 0
  try {
    if (isRetry) page = await pagesDone(pool, job)
    for (; page < pages; page++) {
      signal?.throwIfAborted()
      hooks.fetching(job, page)
      if (fetchMillis > 0) await wait(fetchMillis, undefined, signal === undefined ? {} : { signal })
      await commitPage(pool, job, page, rows)
      await hooks.committed()
    }
  } finally {
    hooks.ended(job, page >= pages)
  }
}
