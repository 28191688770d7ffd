/**
 * pg-boss, woken by NOTIFY and with the shortest heartbeat it takes. Workers of two jobs each, since only batches that
 * come back full are followed by the next one at once.
 */
import { randomUUID } from "node:crypto"
import { Pool } from "pg"
import { PgBoss } from "pg-boss"
import type { Contestant } from "./Contestant.ts"
import { handle } from "./Handler.ts"
import type { Place } from "./Shape.ts"

const queue = "sync"
const batchSize = 2

interface Payload {
  readonly job: string
}

const addressOf = ({ database, password, port, username }: Place) => ({
  host: "127.0.0.1",
  port,
  user: username,
  password,
  database
})

const quietly = (boss: PgBoss): PgBoss => boss.on("error", () => undefined)

export const contestant: Contestant = {
  name: "pg-boss",
  module: "pgBoss.ts",
  install: async (place) => {
    const boss = quietly(new PgBoss({ ...addressOf(place), supervise: false, schedule: false }))
    await boss.start()
    await boss.createQueue(queue, { notify: true, heartbeatSeconds: 10, retryLimit: 5 })
    await boss.stop({ graceful: false })
  },
  open: async (place) => {
    const pool = new Pool({ ...addressOf(place), max: 10 })
    const boss = quietly(new PgBoss({ ...addressOf(place), supervise: false, schedule: false, migrate: false }))
    await boss.start()
    const ids = new Map<string, string>()
    const trigger = async () => {
      const job = randomUUID()
      ids.set(job, (await boss.send(queue, { job }))!)
      return job
    }
    return {
      trigger,
      triggerElsewhere: trigger,
      queue: async (count) => {
        for (let at = 0; at < count; at += 1_000) {
          const jobs = Array.from({ length: Math.min(1_000, count - at) }, () => ({ data: { job: randomUUID() } }))
          await boss.insert(queue, jobs)
        }
      },
      cancel: async (job) => {
        await boss.cancel(queue, ids.get(job)!)
      },
      unfinished: async () => {
        const { rows } = await pool.query(
          "select count(*)::int as n from pgboss.job where name = $1 and state in ('created', 'retry', 'active')",
          [queue]
        )
        return (rows[0] as { readonly n: number }).n
      },
      close: async () => {
        await boss.stop({ graceful: false })
        await pool.end()
      }
    }
  },
  run: async (place, hooks) => {
    const pool = new Pool({ ...addressOf(place), max: place.slots })
    const boss = quietly(
      new PgBoss({
        ...addressOf(place),
        useListenNotify: true,
        schedule: false,
        migrate: false,
        superviseIntervalSeconds: 5,
        monitorIntervalSeconds: 5
      })
    )
    await boss.start()
    await boss.work(
      queue,
      {
        localConcurrency: place.slots / batchSize,
        batchSize,
        burstWhenBatchFull: true,
        perJobResults: true,
        pollingIntervalSeconds: 0.5,
        notifyPollingIntervalSeconds: 2
      },
      (jobs) =>
        Promise.all(
          jobs.map(async ({ data, id, retryCount, signal }) => {
            const { job } = data as Payload
            await handle(pool, hooks, job, { isRetry: retryCount > 0, signal })
            return { id, status: "completed" as const }
          })
        )
    )
    return async () => {
      await boss.stop({ graceful: true, timeout: 4_000 })
      await pool.end()
    }
  }
}
