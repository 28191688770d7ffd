/** Many start a sync of the same feed at once, at several servers; then many who each cancel what is there. */
import { setTimeout as wait } from "node:timers/promises"
import type { Installation } from "../Installation.ts"
import type { Scenario } from "../Scenario.ts"
import type { ChaosFeed } from "../World.ts"

const triggers = 200
const storm = 50

const activeOf = async ({ database }: Installation, feed: ChaosFeed): Promise<number> => {
  const [row] = await database.query(
    `select count(*)::int as n from job where feed_id = '${feed.id}' and status in ('created', 'in_progress', 'paused')`
  )
  return Number(row?.["n"])
}

/** Jobs of the feed that were active at the same time, by the clock of the database. */
const overlapping = async ({ database }: Installation, feed: ChaosFeed): Promise<number> => {
  const [row] = await database.query(
    `select count(*)::int as n from job a join job b on b.feed_id = a.feed_id and b.id > a.id
     where a.feed_id = '${feed.id}' and a.queued_at < b.completed_at and b.queued_at < a.completed_at`
  )
  return Number(row?.["n"])
}

const acknowledge = ({ log }: Installation, feed: ChaosFeed, body: unknown): string => {
  const jobId = (body as { readonly data: { readonly id: string } }).data.id
  log.acknowledged.push({ jobId, feed })
  return jobId
}

/** One is made, and everybody else is informed so. */
const triggerAtOnce = async (installation: Installation, feed: ChaosFeed): Promise<void> => {
  const { bank, client, log } = installation
  // The job cannot end before all have asked.
  const held = bank.before.close(({ call, ref }) => call === "pull" && ref === feed.ref)
  const answers = await Promise.all(
    Array.from({ length: triggers }, () => client.ask(`/v1/feeds/${feed.id}/sync`, { json: {} }))
  )
  const made = answers.filter((answer) => answer?.status === 201)
  const refused = answers.filter(
    (answer) => answer?.status === 409 && (answer.json() as { readonly code: string }).code === "SYNC_ALREADY_RUNNING"
  )
  const active = await activeOf(installation, feed)
  if (made.length !== 1 || refused.length !== triggers - 1 || active !== 1) {
    log.breach(
      `Of ${triggers} triggers ${made.length} made a job, ${refused.length} were refused; ${active} are active`
    )
  }
  held.open()
  for (const answer of made) {
    const status = await client.untilOver(feed, acknowledge(installation, feed, answer!.json()))
    if (status !== "completed") log.breach(`The job of ${triggers} triggers is ${status}`)
  }
}

/** Each cancels what there is: the last one runs to its end, and never are there two. */
const forceAtOnce = async (installation: Installation, feed: ChaosFeed): Promise<void> => {
  const { client, log } = installation
  const asked = new AbortController()
  let most = 0
  const watch = async () => {
    while (!asked.signal.aborted) {
      most = Math.max(most, await activeOf(installation, feed))
      // Each look is a connection of its own; what passes between two of them is reported by `overlapping`.
      await wait(20)
    }
  }
  const watching = watch()
  const answers = await Promise.all(
    Array.from({ length: storm }, () => client.ask(`/v1/feeds/${feed.id}/sync`, { json: { forceCancelActive: true } }))
  )
  asked.abort()
  await watching
  const ended: Array<string | undefined> = []
  for (const answer of answers) {
    if (answer?.status !== 201) log.breach(`A forced trigger was answered ${answer?.status}: ${answer?.body}`)
    else ended.push(await client.untilOver(feed, acknowledge(installation, feed, answer.json())))
  }
  const others = ended.filter((status) => status !== "cancelled")
  // A job may be over before the next trigger cancels it.
  if (others.length < 1 || !others.every((status) => status === "completed")) {
    log.breach(`Of ${storm} forced jobs these were not cancelled: ${others.join(", ")}`)
  }
  if (most > 1) log.breach(`${most} jobs of one feed were active at once`)
}

export const manyTriggers: Scenario = {
  title: `${triggers} triggers at once, then ${storm} that force`,
  run: async (installation, count) => {
    const { log, random, world } = installation
    for (let round = 0; round < count; round++) {
      const feed = random.pick(world.feeds)
      await triggerAtOnce(installation, feed)
      await forceAtOnce(installation, feed)
      const overlaps = await overlapping(installation, feed)
      if (overlaps > 0) log.breach(`${overlaps} pairs of jobs of ${feed.id} were active at the same time`)
    }
    return { rounds: count }
  }
}
