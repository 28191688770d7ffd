/** graphile-worker with its defaults, which already listen for new jobs. */
import { randomUUID } from "node:crypto"
import { makeWorkerUtils, run, runMigrations } from "graphile-worker"
import { Pool } from "pg"
import type { Contestant } from "./Contestant.ts"
import { handle } from "./Handler.ts"
import type { Place } from "./Shape.ts"

const task = "sync"

interface Payload {
  readonly job: string
}

const poolOf = ({ database, password, port, username }: Place, max: number) =>
  new Pool({ host: "127.0.0.1", port, user: username, password, database, max })
    .on("error", () => undefined)
    .on("connect", (client) => void client.on("error", () => undefined))

export const contestant: Contestant = {
  name: "graphile-worker",
  module: "graphileWorker.ts",
  install: async (place) => {
    const pgPool = poolOf(place, 1)
    await runMigrations({ pgPool })
    await pgPool.end()
  },
  open: async (place) => {
    const pgPool = poolOf(place, 10)
    const utils = await makeWorkerUtils({ pgPool })
    const ids = new Map<string, string>()
    const trigger = async () => {
      const job = randomUUID()
      ids.set(job, (await utils.addJob(task, { job })).id)
      return job
    }
    return {
      trigger,
      triggerElsewhere: trigger,
      queue: async (count) => {
        for (let at = 0; at < count; at += 1_000) {
          const specs = Array.from({ length: Math.min(1_000, count - at) }, () => ({
            identifier: task,
            payload: { job: randomUUID() }
          }))
          await utils.addJobs(specs)
        }
      },
      cancel: async (job) => {
        await utils.permanentlyFailJobs([ids.get(job)!], "cancelled")
      },
      unfinished: async () => {
        const { rows } = await pgPool.query("select count(*)::int as n from graphile_worker._private_jobs")
        return (rows[0] as { readonly n: number }).n
      },
      close: async () => {
        await utils.release()
        await pgPool.end()
      }
    }
  },
  run: async (place, hooks) => {
    const pool = poolOf(place, place.slots)
    const pgPool = poolOf(place, place.slots + 2)
    const runner = await run({
      pgPool,
      concurrency: place.slots,
      noHandleSignals: true,
      gracefulShutdownAbortTimeout: 4_000,
      taskList: {
        [task]: async (payload, { abortSignal, job: { attempts } }) => {
          const { job } = payload as Payload
          await handle(pool, hooks, job, { isRetry: attempts > 1, signal: abortSignal })
        }
      }
    })
    return async () => {
      await runner.stop()
      await pool.end()
      await pgPool.end()
    }
  }
}
