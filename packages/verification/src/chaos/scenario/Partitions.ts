/**
 * The network between one worker and PostgreSQL is cut, broken or slow, and then heals: requests get an answer in
 * their time, the process lives, and what it was doing is done by others, once.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { ProxyMode } from "../../fault/TcpProxy.ts"
import { deadlineMillis, stopMillis } from "../ApiClient.ts"
import type { Member } from "../Fleet.ts"
import { type Installation, lease } from "../Installation.ts"
import { type Scenario, told } from "../Scenario.ts"
import { startWorkload } from "../Workload.ts"

interface Disturbance {
  readonly name: string
  readonly mode: ProxyMode
  readonly millis: number
  /** Whether the worker is without its database meanwhile. */
  readonly cut: boolean
}

/** The worker is asked to end while it is cut off, and starts again when it is not. */
const ended = "ended while cut off"

const disturbances: ReadonlyArray<Disturbance | typeof ended> = [
  { name: "cut for three leases", mode: "blackhole", millis: 3_000 * lease, cut: true },
  { name: "connections reset", mode: "reset", millis: 2_000, cut: true },
  { name: "20 ms each way", mode: { latencyMillis: 20 }, millis: 3_000, cut: false },
  { name: "bytes in small pieces", mode: { sliceBytes: 7 }, millis: 2_000, cut: false },
  ended,
  // Longer than any request may take.
  { name: "cut for long", mode: "blackhole", millis: deadlineMillis + 3_000, cut: true }
]

/** What is slow to notice is the network; the worker has this long to work again. */
const healMillis = 20_000
/** And is not waited for any longer than this. */
const giveUpMillis = 120_000

/** Asks a worker without its database, whose answers are owed all the same. */
const askCut = async ({ client, log, world }: Installation, member: Member): Promise<void> => {
  const patience = client.patience()
  const expect = async (path: string, statuses: ReadonlyArray<number>, withinMillis: number) => {
    const before = performance.now()
    const answer = await client.ask(path, { member })
    const took = Math.round(performance.now() - before)
    if (answer === undefined || !statuses.includes(answer.status)) {
      log.breach(`${path} of a worker that is cut off: ${answer?.status ?? "no answer"} after ${took} ms`)
    } else if (await patience.exceeds(took, withinMillis))
      log.breach(`${path} of a worker that is cut off took ${took} ms`)
  }
  // What is still open when the network heals is answered as if nothing had been.
  await Promise.all([
    expect("/livez", [200], 2_000),
    expect("/readyz", [503], 4_000),
    expect("/v1/feeds", [503, 200], deadlineMillis),
    expect(`/v1/feeds/${world.feeds[0]!.id}/jobs`, [503, 200], deadlineMillis)
  ])
}

/** Waits until it works again. */
const heal = async ({ client, fleet, log }: Installation, member: Member, after: string): Promise<void> => {
  const patience = client.patience()
  const healed = performance.now()
  while ((await client.ask("/readyz", { member }))?.status !== 200) {
    if (performance.now() - healed > giveUpMillis) {
      log.breach(`${member.name} does not work again after: ${after}`)
      break
    }
    await wait(200)
  }
  const took = performance.now() - healed
  if (await patience.exceeds(took, healMillis))
    log.breach(`${member.name} took ${Math.round(took)} ms to heal: ${after}`)
  fleet.restore(member)
}

/** Without this nobody would notice a proxy that lets everything through. */
const checkSlow = async ({ client, log }: Installation, member: Member, latencyMillis: number): Promise<void> => {
  const before = performance.now()
  await client.ask("/readyz", { member })
  const took = performance.now() - before
  if (took < 2 * latencyMillis) log.breach(`The network was not slow: a look at the database took ${took} ms`)
}

const disturb = async (installation: Installation, member: Member, one: Disturbance): Promise<void> => {
  if (one.cut) installation.fleet.disturb(member)
  member.proxy!.set(one.mode)
  const asked = one.cut ? askCut(installation, member) : Promise.resolve()
  if (typeof one.mode === "object" && "latencyMillis" in one.mode) {
    await checkSlow(installation, member, one.mode.latencyMillis)
  }
  await wait(one.millis)
  member.proxy!.set("pass")
  await asked
  if (one.cut) await heal(installation, member, one.name)
}

/** A worker that is cut off can be ended like any other. */
const endCut = async ({ client, fleet, log }: Installation, member: Member): Promise<void> => {
  fleet.disturb(member)
  member.proxy!.set("blackhole")
  await wait(500)
  const patience = client.patience()
  const before = performance.now()
  const { code, signal } = await fleet.kill(member, "SIGTERM")
  const took = performance.now() - before
  if ((await patience.exceeds(took, stopMillis)) || code !== 0) {
    log.breach(`${member.name} ended with ${signal ?? code} after ${Math.round(took)} ms while it was cut off`)
  }
  member.proxy!.set("pass")
  await fleet.startMember(member)
}

export const partitions: Scenario = {
  title: "a worker cut off from PostgreSQL",
  run: async (installation, count) => {
    const { bank, client, fleet, random, world } = installation
    const workload = startWorkload({ bank, client, feeds: [...world.feeds], random, writers: 6 })
    const member = fleet.members.find(({ proxy }) => proxy !== undefined)!
    const names = new Set<string>()
    for (let n = 0; n < count; n++) {
      const one = disturbances[n % disturbances.length]!
      await wait(500 + random.below(1_000))
      await (one === ended ? endCut(installation, member) : disturb(installation, member, one))
      names.add(one === ended ? ended : one.name)
    }
    await workload.stop()
    return {
      disturbances: count,
      as: [...names].join(", "),
      jobs: told(workload.ended)
    }
  }
}
