/** SIGTERM of workers under load: what they had begun is answered, and what they ran goes on elsewhere. */
import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import { call } from "../../process/ApiCaller.ts"
import { deadlineMillis, stopMillis } from "../ApiClient.ts"
import { untilQuiet } from "../Checker.ts"
import type { Member } from "../Fleet.ts"
import type { Installation } from "../Installation.ts"
import { type Scenario, told } from "../Scenario.ts"
import { startWorkload } from "../Workload.ts"
import type { ChaosFeed } from "../World.ts"

/** Programs that call the server without a pause. */
const callers = 4

/** Calls one server until it takes no more calls; says which of them it owes an answer. */
const callUntilClosed = async (
  { log, random, world }: Installation,
  member: Member,
  owed: Set<string>
): Promise<void> => {
  for (;;) {
    const requestId = randomUUID()
    const feed = random.pick(world.feeds)
    const trigger = random.once(4)
    const path = trigger ? `/v1/feeds/${feed.id}/sync` : "/v1/feeds"
    owed.add(requestId)
    try {
      const answer = await call(member.url, world.apiKey, path, {
        ...(trigger ? { json: {} } : {}),
        headers: { "x-request-id": requestId },
        signal: AbortSignal.timeout(deadlineMillis)
      })
      owed.delete(requestId)
      log.answered(`${path} at ${member.name}`, answer)
      if (trigger && answer.status === 201) {
        const { id } = (answer.json() as { readonly data: { readonly id: string } }).data
        log.acknowledged.push({ jobId: id, feed })
      }
    } catch {
      log.unanswered++
      return
    }
  }
}

/** A run that cannot end before its worker does. */
const holdRun = async (installation: Installation, feed: ChaosFeed) => {
  const { bank, client, fleet } = installation
  let first: string | undefined
  const held = bank.before.close(({ call: asked, caller, ref }) => {
    if (asked !== "pull" || ref !== feed.ref) return false
    first ??= caller
    return caller === first
  })
  const jobId = await client.trigger(feed)
  if (jobId === undefined) {
    held.open()
    return undefined
  }
  const { caller } = await held.first
  return { jobId, open: held.open, member: fleet.members.find(({ name }) => name === caller)! }
}

const end = async (installation: Installation, member: Member): Promise<number> => {
  const { client, fleet, log } = installation
  const owed = new Set<string>()
  const calling = Array.from({ length: callers }, () => callUntilClosed(installation, member, owed))
  await wait(200 + installation.random.below(600))
  const patience = client.patience()
  const before = performance.now()
  const { code, signal } = await fleet.kill(member, "SIGTERM")
  const took = performance.now() - before
  await Promise.all(calling)
  if (code !== 0) log.breach(`${member.name} ended with ${signal ?? code}: ${member.process().stderr().slice(-500)}`)
  if (await patience.exceeds(took, stopMillis)) log.breach(`${member.name} took ${Math.round(took)} ms to end`)
  const printed = member.process().stdout()
  for (const requestId of owed) {
    if (printed.includes(requestId)) log.breach(`${member.name} took the request ${requestId} and did not answer it`)
  }
  return took
}

export const stops: Scenario = {
  title: "SIGTERM of workers",
  run: async (installation, count) => {
    const { bank, client, database, fleet, log, random, world } = installation
    const [slow, ...others] = world.feeds
    const feeds = others.filter(({ ref }) => ref !== slow!.ref)
    const workload = startWorkload({ bank, client, feeds, random, writers: 5 })
    const took: Array<number> = []
    const moved: Array<number> = []
    for (let n = 0; n < count; n++) {
      const held = n % 2 === 0 ? await holdRun(installation, slow!) : undefined
      const member = held?.member ?? random.pick(fleet.up)
      took.push(await end(installation, member))
      if (held !== undefined) {
        const before = performance.now()
        const status = await client.untilOver(slow!, held.jobId)
        moved.push(performance.now() - before)
        held.open()
        if (status !== "completed") log.breach(`The job ${held.jobId} of a worker that ended is ${status ?? "active"}`)
      }
      await fleet.startMember(member)
    }
    await workload.stop()
    // A job that was not given back is taken up after its lease, and counts as lost only then.
    log.breaches.push(...(await untilQuiet(installation)))
    const [lost] = await database.query(`select count(*)::int as n from job where attempt > 1`)
    if (lost?.["n"] !== 0) log.breach(`${String(lost?.["n"])} jobs were lost by workers that ended in order`)
    return {
      stops: count,
      "longest stop, ms": Math.round(Math.max(...took)),
      "runs given back": moved.length,
      "longest until they were over, ms": Math.round(Math.max(0, ...moved)),
      jobs: told(workload.ended)
    }
  }
}
