/** Programs that use the installation while it is disturbed: they change banks, start syncs and wait for them. */
import { setTimeout as wait } from "node:timers/promises"
import type { Seeded } from "@millrace/testing/model"
import type { ApiClient } from "./ApiClient.ts"
import type { BankServer } from "./BankServer.ts"
import { mutate } from "./Mutation.ts"
import type { ChaosFeed } from "./World.ts"

export interface WorkloadOptions {
  readonly client: ApiClient
  readonly bank: BankServer
  readonly feeds: ReadonlyArray<ChaosFeed>
  readonly random: Seeded
  readonly writers: number
}

export interface Workload {
  /** Jobs by the status they ended with. */
  readonly ended: ReadonlyMap<string, number>
  /** Starts nothing more, and waits until the writers have seen the end of what they started. */
  readonly stop: () => Promise<void>
}

export const startWorkload = ({ bank, client, feeds, random, writers }: WorkloadOptions): Workload => {
  const ended = new Map<string, number>()
  const stopping = new AbortController()

  const write = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const feed = random.pick(feeds)
      if (random.once(2)) mutate(bank.bank(feed.ref), random)
      const jobId = await client.trigger(feed)
      if (jobId === undefined) {
        await wait(50)
        continue
      }
      const status = (await client.untilOver(feed, jobId)) ?? "not over in time"
      ended.set(status, (ended.get(status) ?? 0) + 1)
    }
  }

  const running = Array.from({ length: writers }, write)
  // Told by `stop`; without it nobody may be listening yet.
  for (const writer of running) writer.catch(() => undefined)
  return {
    ended,
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    }
  }
}
