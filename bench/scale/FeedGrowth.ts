/** What feeds with schedules cost as there are more of them: while none is due, and when all are due at once. */
import { setTimeout as wait } from "node:timers/promises"
import type { PostgresAddress } from "@millrace/verification/postgres/PostgresServer"
import { booksOf, connect } from "./Books.ts"
import { startServer } from "./ServerUnderTest.ts"

export interface FeedCosts {
  readonly feeds: number
  readonly idleStatementsPerSecond: number
  /** From the moment at which all are due to the end of the last one; infinite where that did not come in time. */
  readonly burstSeconds: number
  /** Of the server and of the database, from the moment at which all are due to the end of the last. */
  readonly processorSeconds: number
  readonly statementsPerJob: number
  /** Jobs of the burst that have not completed in time. */
  readonly left: number
  /** Longest wait of a job of another workspace that is triggered meanwhile. */
  readonly elsewhereSeconds: number
  readonly peakMegabytes: number
}

/** Three looks for what is due, and every other habit of an idle server. */
const idleSeconds = 24
const settleMillis = 8_000
const lookEvery = 500
const patienceMillis = 1_800_000
const megabyte = 1_048_576

interface Burst {
  readonly done: number
  readonly ended: number
  readonly last: string | null
}

export const feedCosts = async (address: PostgresAddress, feeds: number): Promise<FeedCosts> => {
  const database = `feeds_${feeds}`
  const admin = await connect(address, "postgres")
  await admin.query(`create database ${database}`).finally(() => admin.end())
  const books = await booksOf(address, database)
  const server = await startServer(address, database)
  const client = await connect(address, database)
  try {
    await server.ask({ kind: "schedule", feeds })
    const bystander = (await server.ask({ kind: "bystander" })) as string
    // Everything compiles, connects and plans before it counts.
    await server.ask({ kind: "sync", feedId: bystander })
    await wait(settleMillis)
    const before = await books.statements()
    await wait(idleSeconds * 1_000)
    const idleStatementsPerSecond = ((await books.statements()) - before) / idleSeconds

    await server.forgetPeak()
    const processor = async () => (await server.processorSeconds()) + (await books.processorSeconds())
    const processorBefore = await processor()
    const earlier = await books.statements()
    const due = await client.query(
      "update feed set next_run_at = now() where next_run_at is not null returning clock_timestamp() as at"
    )
    if (due.rowCount !== feeds) throw new Error(`${due.rowCount} of ${feeds} feeds have a schedule`)
    const at = (due.rows[0] as { readonly at: Date }).at.getTime()
    const look = async (): Promise<Burst> => {
      const { rows } = await client.query(
        `select (count(*) filter (where status = 'completed'))::int as done,
          (count(*) filter (where status in ('completed', 'failed', 'cancelled')))::int as ended,
          max(completed_at)::text as last from job where feed_id <> $1`,
        [bystander]
      )
      return rows[0] as Burst
    }
    let looks = 1
    let triggered = 0
    const over = new AbortController()
    const meanwhile = (async () => {
      while (!over.signal.aborted) {
        await server.ask({ kind: "sync", feedId: bystander })
        triggered++
        await wait(lookEvery)
      }
    })()
    let burst = await look()
    for (const end = performance.now() + patienceMillis; burst.ended < feeds && performance.now() < end; looks++) {
      await wait(lookEvery)
      burst = await look()
    }
    const processorSeconds = (await processor()) - processorBefore
    over.abort()
    await meanwhile
    const { rows } = await client.query(
      "select max(extract(epoch from started_at - queued_at))::float8 as longest from job where feed_id = $1 and queued_at >= $2",
      [bystander, new Date(at)]
    )
    const statements = (await books.statements()) - earlier - looks - 2
    const inTime = burst.ended >= feeds
    return {
      feeds,
      idleStatementsPerSecond,
      burstSeconds: inTime ? (Date.parse(burst.last!) - at) / 1_000 : Infinity,
      processorSeconds: inTime ? processorSeconds : Infinity,
      statementsPerJob: statements / (burst.ended + triggered),
      left: feeds - burst.done,
      elsewhereSeconds: (rows[0] as { readonly longest: number }).longest,
      peakMegabytes: (await server.peakMemory()) / megabyte
    }
  } finally {
    await client.end()
    await server.end()
    await books.close()
  }
}
