/** `kill -9` of workers at random moments, while small banks change and a large one is read from the beginning. */
import { setTimeout as wait } from "node:timers/promises"
import type { Installation } from "../Installation.ts"
import type { Scenario } from "../Scenario.ts"
import { told } from "../Scenario.ts"
import { startWorkload } from "../Workload.ts"
import type { ChaosFeed } from "../World.ts"

/** More than one chunk of every kind: 5,000 records are written at once, 1,000 rows delivered. */
const largeRows = 6_000
/** Large banks are new at first, and read again from then on. */
const largeBanks = 3

interface Counted {
  readonly status: string
  readonly attempt: number
  readonly counts: Readonly<Record<string, number>>
}

const checkLarge = async (
  { client, log, model }: Installation,
  feed: ChaosFeed,
  jobId: string,
  fresh: boolean
): Promise<void> => {
  const answer = await client.insist(`/v1/feeds/${feed.id}/jobs/${jobId}`, [200])
  const { attempt, counts, status } = (answer.json() as { readonly data: Counted }).data
  // One that lost its worker too often is begun again by the next round.
  if (status !== "completed") return
  const { created = 0, failed = 0, updated = 0 } = counts
  // A row that had arrived when its worker died is found, and updated in place.
  const mayUpdate = feed.destination.kind === "file" && model === "readBack" && attempt > 1
  const right = fresh
    ? created + updated === largeRows && (updated === 0 || mayUpdate)
    : // A reset that is taken up again begins again: rows that it had written are written, and counted, again.
      created === 0 && (attempt === 1 ? updated === largeRows : updated >= largeRows)
  if (!right || failed > 0) log.breach(`The large job ${jobId} (${fresh ? "new" : "reset"}) counts ${answer.body}`)
}

/** New banks and resets, one after the other, until `stopped`. */
const syncLarge = async (installation: Installation, stopped: () => boolean): Promise<number> => {
  const { client, world } = installation
  const ready: Array<ReadonlyArray<ChaosFeed>> = []
  let rounds = 0
  while (!stopped()) {
    const fresh = ready.length < largeBanks
    const feeds = fresh ? await world.addBanks(1, largeRows) : ready[rounds % ready.length]!
    const ended = await Promise.all(
      feeds.map(async (feed) => {
        const jobId = await client.trigger(feed, { resetCursors: !fresh })
        if (jobId === undefined) return false
        const status = await client.untilOver(feed, jobId)
        await checkLarge(installation, feed, jobId, fresh)
        return status === "completed"
      })
    )
    // Only a bank whose first read was whole can be read again.
    if (fresh && ended.every((whole) => whole)) ready.push(feeds)
    rounds++
  }
  return rounds
}

export const workerKills: Scenario = {
  title: "kill -9 of workers",
  run: async (installation, count) => {
    const { bank, client, database, fleet, log, random, world } = installation
    const workload = startWorkload({ bank, client, feeds: [...world.feeds], random, writers: 5 })
    let kills = 0
    const large = syncLarge(installation, () => kills >= count)
    const starting = new Set<Promise<void>>()
    let longest = 0
    for (; kills < count; kills++) {
      await wait(200 + random.below(1_300))
      while (fleet.up.length < 2 && starting.size > 0) await wait(20)
      const member = random.pick(fleet.up)
      await fleet.kill(member, "SIGKILL")
      const began = performance.now()
      const start = fleet
        .startMember(member)
        .then(
          () => void (longest = Math.max(longest, performance.now() - began)),
          (cause: unknown) => log.breach(`${member.name} does not start again: ${String(cause)}`)
        )
        .finally(() => starting.delete(start))
      starting.add(start)
    }
    await Promise.all(starting)
    await workload.stop()
    const rounds = await large
    const [resumed] = await database.query(`select count(*)::int as n from job where attempt > 1`)
    const hits = Number(resumed?.["n"])
    // Otherwise the moments were badly chosen, and nothing was shown.
    if (hits < Math.floor(count / 4)) log.breach(`Only ${hits} jobs lost their worker in ${count} kills`)
    return {
      kills,
      "longest start, ms": Math.round(longest),
      "jobs that lost a worker": hits,
      "large rounds": rounds,
      jobs: told(workload.ended)
    }
  }
}
