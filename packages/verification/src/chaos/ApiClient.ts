/** A client of all servers at once: it asks any that is up, and says what must not happen to a request. */
import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import type { Seeded } from "@millrace/testing/model"
import { type Answer, call, type Sent } from "../process/ApiCaller.ts"
import { measureSlowness } from "../process/Slowness.ts"
import type { Fleet, Member } from "./Fleet.ts"
import type { OperationLog } from "./OperationLog.ts"
import type { ChaosFeed } from "./World.ts"

/** The longest that a server works on a request, 30 s, and as much again for a machine that is busy. */
export const deadlineMillis = 60_000

/** What a server promises that is asked to end. */
export const stopMillis = 10_000

const lateAnswers = 8

export interface Request extends Sent {
  /** One of those that are up when absent. */
  readonly member?: Member
  readonly requestId?: string
}

/** Statuses of jobs that are over. */
const over: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"])

export class ApiClient {
  private readonly parts: {
    readonly fleet: Fleet
    readonly apiKey: string
    readonly log: OperationLog
    readonly random: Seeded
  }

  constructor(parts: ApiClient["parts"]) {
    this.parts = parts
  }

  /** One request. `undefined` without an answer, which only a server that was disturbed meanwhile may owe. */
  async ask(
    path: string,
    { member: asked, requestId = randomUUID(), ...sent }: Request = {}
  ): Promise<Answer | undefined> {
    const { apiKey, fleet, log, random } = this.parts
    const { up } = fleet
    const member = asked ?? (up.length === 0 ? undefined : random.pick(up))
    if (member === undefined) return undefined
    const began = performance.now()
    const what = `${sent.method ?? (sent.json === undefined ? "GET" : "POST")} ${path} at ${member.name}`
    try {
      const answer = await call(member.url, apiKey, path, {
        ...sent,
        headers: { ...sent.headers, "x-request-id": requestId },
        signal: AbortSignal.timeout(deadlineMillis)
      })
      log.answered(what, answer)
      return answer
    } catch (cause) {
      if (member.isUp() && member.disturbedAt() < began) {
        log.breach(`${what}: no answer after ${Math.round(performance.now() - began)} ms: ${String(cause)}`)
      } else log.unanswered++
      return undefined
    }
  }

  /**
   * Measures until it is asked whether something took longer than it may, on this machine as it is: slower than a quiet
   * one, and late with everything by what a server takes for its shortest answer, several times over.
   */
  patience(): { readonly exceeds: (tookMillis: number, limitMillis: number) => Promise<boolean> } {
    const slowness = measureSlowness()
    const began = performance.now()
    const late = (async () => {
      for (let n = 0; n < lateAnswers; n++) await this.ask("/livez")
      return performance.now() - began
    })()
    return {
      exceeds: async (tookMillis, limitMillis) => tookMillis > limitMillis * slowness.end() + (await late)
    }
  }

  /** Asks until some server answers with one of the statuses. */
  async insist(path: string, statuses: ReadonlyArray<number>, sent: Request = {}): Promise<Answer> {
    const until = performance.now() + 180_000
    for (;;) {
      const answer = await this.ask(path, sent)
      if (answer !== undefined && statuses.includes(answer.status)) return answer
      if (performance.now() > until) {
        throw new Error(`${path}: not one of ${statuses.join(", ")} in time, but ${answer?.status} ${answer?.body}`)
      }
      await wait(100 + this.parts.random.below(200))
    }
  }

  /** Starts a job of the feed; `undefined` when it has an active one. */
  async trigger(feed: ChaosFeed, options: Readonly<Record<string, unknown>> = {}): Promise<string | undefined> {
    const answer = await this.insist(`/v1/feeds/${feed.id}/sync`, [201, 409], { json: options })
    if (answer.status === 409) return undefined
    const jobId = (answer.json() as { readonly data: { readonly id: string } }).data.id
    this.parts.log.acknowledged.push({ jobId, feed })
    return jobId
  }

  /** The status with which the job is over; `undefined` when it is not within that time. */
  async untilOver(feed: ChaosFeed, jobId: string, withinMillis = 180_000): Promise<string | undefined> {
    const until = performance.now() + withinMillis
    while (performance.now() < until) {
      const answer = await this.ask(`/v1/feeds/${feed.id}/jobs/${jobId}`)
      if (answer?.status === 404) this.parts.log.breach(`The job ${jobId} was acknowledged and is not there`)
      const status =
        answer?.status === 200
          ? (answer.json() as { readonly data: { readonly status: string } }).data.status
          : undefined
      if (status !== undefined && over.has(status)) return status
      await wait(200)
    }
    return undefined
  }
}
