/** `kill -9` of PostgreSQL at random moments under load, and its recovery. */
import { setTimeout as wait } from "node:timers/promises"
import { type Scenario, told } from "../Scenario.ts"
import { startWorkload } from "../Workload.ts"

export const postgresKills: Scenario = {
  title: "kill -9 of PostgreSQL",
  run: async ({ bank, client, database, log, postgres, random, world }, count) => {
    const workload = startWorkload({ bank, client, feeds: [...world.feeds], random, writers: 8 })
    const downs: Array<number> = []
    for (let kills = 0; kills < count; kills++) {
      await wait(500 + random.below(3_000))
      const before = performance.now()
      await postgres.down("SIGKILL")
      await wait(random.below(500))
      await postgres.up()
      // The next kill hits servers that work again.
      await client.insist("/v1/feeds", [200])
      downs.push(performance.now() - before)
    }
    await workload.stop()
    const [resumed] = await database.query(`select count(*)::int as n from job where attempt > 1`)
    const hits = Number(resumed?.["n"])
    if (count >= 10 && hits < count / 5) log.breach(`Only ${hits} jobs lost their worker in ${count} kills`)
    return {
      kills: count,
      "jobs that were taken up again": hits,
      "longest until a request was answered again, ms": Math.round(Math.max(...downs)),
      jobs: told(workload.ended)
    }
  }
}
