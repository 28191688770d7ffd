/** A thread of its own that does one thing at a time, under a limit of time and memory. */
import * as Effect from "effect/Effect"
import { type TransferListItem, Worker } from "node:worker_threads"

export interface ThreadLimits {
  /** Seconds that one thing may take. */
  readonly seconds: number
  /** Megabytes of values that it may hold; what is transferred, such as the bytes of a file, is not among them. */
  readonly megabytes: number
}

/** The thread ended on its own: it broke a limit, or failed. */
export interface Died {
  readonly kind: "died"
  readonly reason: "time" | "memory" | "failure"
  readonly message: string
}

/** Whether this runs as built JavaScript; a thread then runs the same. */
export const isBuilt = import.meta.url.endsWith(".js")

/** A thread has to load its modules before it can begin. */
const startSeconds = 300

const memoryCode = "ERR_WORKER_OUT_OF_MEMORY"

/** What runs in the thread sends `{ kind: "ready" }` once it can begin. */
export class LimitedThread<Question, Answer extends { readonly kind: string }> {
  private readonly worker: Worker
  private readonly limits: ThreadLimits
  private readonly waiting: Array<Answer | Died> = []
  private hear: ((answer: Answer | Died) => void) | undefined
  private timer: NodeJS.Timeout | undefined
  private isReady = false
  /** Something was begun and is not finished. */
  isBusy = false
  isAlive = true

  constructor(entry: URL, limits: ThreadLimits) {
    this.limits = limits
    this.worker = new Worker(entry, {
      // Small young generations: what of a large one survives at once exceeds the room that Node leaves to end a thread,
      // and then the whole process ends.
      resourceLimits: { maxOldGenerationSizeMb: limits.megabytes, maxYoungGenerationSizeMb: 16 },
      // It needs nothing of what the server knows.
      env: {},
      execArgv: isBuilt ? [] : ["--conditions=@millrace/source"]
    })
    this.worker.unref()
    this.worker.on("message", (answer: Answer | { readonly kind: "ready" }) => {
      if (answer.kind !== "ready") return this.tell(answer as Answer)
      this.isReady = true
      if (this.isBusy) this.limitTime()
    })
    this.worker.on("error", (error: NodeJS.ErrnoException) =>
      this.died(error.code === memoryCode ? "memory" : "failure", error.stack ?? error.message)
    )
    this.worker.on("exit", (code) => this.died("failure", `the thread ended with code ${code}`))
  }

  /** The process waits for the thread from now on, and its time counts. */
  begin(): void {
    this.isBusy = true
    this.worker.ref()
    this.limitTime()
  }

  finish(): void {
    this.isBusy = false
    clearTimeout(this.timer)
    this.worker.unref()
  }

  /** Ends the thread, and with it what is under way. */
  end(): Promise<unknown> {
    this.isAlive = false
    this.hear = undefined
    clearTimeout(this.timer)
    return this.worker.terminate()
  }

  send(question: Question, transferred: ReadonlyArray<TransferListItem> = []): void {
    this.worker.postMessage(question, transferred)
  }

  /** The next answer. */
  readonly next: Effect.Effect<Answer | Died> = Effect.callback((resume) => {
    const answer = this.waiting.shift()
    if (answer === undefined) this.hear = (heard) => resume(Effect.succeed(heard))
    else resume(Effect.succeed(answer))
  })

  private limitTime(): void {
    clearTimeout(this.timer)
    const seconds = this.isReady ? this.limits.seconds : startSeconds
    this.timer = setTimeout(() => {
      void this.worker.terminate()
      this.died("time", `took longer than ${seconds} seconds`)
    }, seconds * 1_000)
  }

  private died(reason: Died["reason"], message: string): void {
    if (!this.isAlive) return
    this.isAlive = false
    clearTimeout(this.timer)
    this.tell({ kind: "died", reason, message })
  }

  private tell(answer: Answer | Died): void {
    const { hear } = this
    this.hear = undefined
    if (hear === undefined) this.waiting.push(answer)
    else hear(answer)
  }
}
