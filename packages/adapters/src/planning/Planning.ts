/** A thread of its own that makes one plan at a time, under a limit of time and memory. */
import { Worker } from "node:worker_threads"
import type { Answer, Request } from "./Messages.ts"

export interface PlanningLimits {
  /** Seconds that one plan may take. Work is counted, so only what is not counted, or a machine that stands still, comes so far. */
  readonly seconds: number
  /** Megabytes of values that one plan may become. */
  readonly megabytes: number
}

/** The thread ended on its own: it broke a limit, or failed. */
export interface Died {
  readonly kind: "died"
  readonly message: string
}

/** Whether this runs as built JavaScript; a thread then runs the same. */
export const isBuilt = import.meta.url.endsWith(".js")

/** A thread has to load the kinds before it can begin. */
const startSeconds = 300

export class Planning {
  private readonly worker: Worker
  private readonly limits: PlanningLimits
  private readonly waiting: Array<Answer | Died> = []
  private hear: ((answer: Answer | Died) => void) | undefined
  private timer: NodeJS.Timeout | undefined
  private isReady = false
  /** Whether it can make another plan. */
  isAlive = true
  /** The rates that it has. */
  ratesVersion: string | undefined

  constructor(entry: URL, limits: PlanningLimits) {
    this.limits = limits
    this.worker = new Worker(entry, {
      // As threads that read statements have it: of a large young generation too much can survive at once.
      resourceLimits: { maxOldGenerationSizeMb: limits.megabytes, maxYoungGenerationSizeMb: 16 },
      // It needs nothing of what the server knows.
      env: {},
      execArgv: isBuilt ? [] : ["--conditions=@millrace/source"]
    })
    this.worker.unref()
    this.worker.on("message", (answer: Answer) => this.take(answer))
    this.worker.on("error", (error) => this.died(error.message))
    this.worker.on("exit", (code) => this.died(`the thread ended with code ${code}`))
  }

  begin(): void {
    this.worker.ref()
    this.limitTime(this.isReady ? this.limits.seconds : startSeconds)
  }

  /** The plan is made. */
  finish(): void {
    clearTimeout(this.timer)
    this.worker.unref()
  }

  /** Ends the thread, and with it a plan that is under way. */
  end(): Promise<unknown> {
    this.isAlive = false
    this.hear = undefined
    clearTimeout(this.timer)
    return this.worker.terminate()
  }

  send(request: Request): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.worker.postMessage(request)
  }

  /** `hear` is called once, with the next answer. */
  next(hear: (answer: Answer | Died) => void): void {
    const answer = this.waiting.shift()
    if (answer === undefined) this.hear = hear
    else hear(answer)
  }

  private limitTime(seconds: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      void this.worker.terminate()
      this.died(`a plan took longer than ${seconds} seconds`)
    }, seconds * 1_000)
  }

  private take(answer: Answer): void {
    if (answer.kind !== "ready") return this.tell(answer)
    this.isReady = true
    if (this.timer !== undefined) this.limitTime(this.limits.seconds)
  }

  private died(message: string): void {
    if (!this.isAlive) return
    this.isAlive = false
    this.tell({ kind: "died", message })
  }

  private tell(answer: Answer | Died): void {
    const { hear } = this
    this.hear = undefined
    if (hear === undefined) this.waiting.push(answer)
    else hear(answer)
  }
}
