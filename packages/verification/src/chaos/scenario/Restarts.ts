/** PostgreSQL is restarted every few seconds, in order or not, while jobs are queued and running. */
import { setTimeout as wait } from "node:timers/promises"
import { type Scenario, told } from "../Scenario.ts"
import { startWorkload } from "../Workload.ts"

export const restarts: Scenario = {
  title: "PostgreSQL restarts every 5 to 10 s",
  run: async ({ bank, client, log, postgres, random, world }, count) => {
    const feeds = [...world.feeds]
    // More than there are slots, so that jobs wait.
    const workload = startWorkload({ bank, client, feeds, random, writers: feeds.length })
    for (let restart = 0; restart < count; restart++) {
      await wait(5_000 + random.below(5_000))
      await postgres.down(random.pick(["SIGINT", "SIGQUIT", "SIGKILL"]))
      await wait(random.below(2_000))
      await postgres.up()
    }
    await workload.stop()
    return { restarts: count, jobs: told(workload.ended), answers: told(log.answers) }
  }
}
