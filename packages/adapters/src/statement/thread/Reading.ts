/** A thread of its own that reads one file at a time, and what it gives put together. */
import { Worker } from "node:worker_threads"
import {
  type RefusedRow,
  type Statement,
  StatementFault,
  type StatementOptions,
  type StatementRow
} from "@millrace/core/upload"
import * as Exit from "effect/Exit"
import { type Answer, type Head, type Request, unpack } from "./Messages.ts"

export interface ThreadLimits {
  /** Seconds that the reading of one file may take. */
  readonly seconds: number
  /** Megabytes of values that one file may become while it is read; its bytes and its text are not among them. */
  readonly megabytes: number
}

/** What came of a file. */
export interface Outcome {
  readonly exit: Exit.Exit<Statement, StatementFault>
  /** What went wrong in the thread itself: for whoever runs the server. */
  readonly failure?: string
}

class Parts {
  private head: Head | undefined
  private rows: ReadonlyArray<Array<StatementRow>> = []
  private readonly refused: Array<RefusedRow> = []

  /** The whole once everything has come. */
  take(answer: Answer): Statement | undefined {
    switch (answer.kind) {
      case "head":
        this.head = answer.head
        this.rows = answer.head.accounts.map(() => [])
        return undefined
      case "rows":
        unpack(answer.columns, answer.count, this.rows[answer.account]!)
        return undefined
      case "refused":
        for (const row of answer.rows) this.refused.push(row)
        return undefined
      default: {
        const { accounts, isRefusing, ...head } = this.head!
        return {
          ...head,
          accounts: accounts.map((account, at) => ({ ...account, rows: this.rows[at]! })),
          ...(isRefusing ? { refused: this.refused } : {})
        }
      }
    }
  }
}

/** A thread has to load the readers before it can begin. */
const startSeconds = 300

const memoryCode = "ERR_WORKER_OUT_OF_MEMORY"

/** Whether this runs as built JavaScript; a thread then runs the same. */
export const isBuilt = import.meta.url.endsWith(".js")

export class Reading {
  private readonly worker: Worker
  private readonly limits: ThreadLimits
  private settle: ((outcome: Outcome) => void) | undefined
  private parts = new Parts()
  private timer: NodeJS.Timeout | undefined
  private isReady = false
  /** Whether it can read another file. */
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
    this.worker.on("message", (answer: Answer) => this.take(answer))
    this.worker.on("error", (error: NodeJS.ErrnoException) => this.died(error))
    this.worker.on("exit", (code) => this.died(new Error(`the thread ended with code ${code}`)))
  }

  /** `settle` is called once. */
  read(bytes: Uint8Array, options: StatementOptions, settle: (outcome: Outcome) => void): void {
    this.settle = settle
    this.parts = new Parts()
    this.worker.ref()
    if (this.isReady) this.limitTime(this.limits.seconds)
    else this.limitTime(startSeconds)
    // The caller goes on with the bytes, and a part of a larger buffer would be sent with the whole of it.
    const copy = Uint8Array.from(bytes)
    this.send({ bytes: copy, options }, [copy.buffer])
  }

  /** Ends the thread, and with it a reading that is under way: then nothing is settled. */
  end(): Promise<unknown> {
    this.isAlive = false
    this.settle = undefined
    clearTimeout(this.timer)
    return this.worker.terminate()
  }

  private limitTime(seconds: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.isAlive = false
      void this.worker.terminate()
      this.refuse(`reading the file took longer than ${seconds} seconds and was ended: split the file by period`)
    }, seconds * 1_000)
  }

  private send(request: Request, transferred: ReadonlyArray<ArrayBuffer> = []): void {
    this.worker.postMessage(request, transferred)
  }

  private take(answer: Answer): void {
    if (answer.kind === "ready") this.isReady = true
    if (this.settle === undefined) return
    switch (answer.kind) {
      case "ready":
        return this.limitTime(this.limits.seconds)
      case "fault":
        return this.done({ exit: Exit.fail(new StatementFault(answer.fault)) })
      case "failure":
        return this.refuse(failed, answer.stack)
      default: {
        const statement = this.parts.take(answer)
        if (statement === undefined) this.send("next")
        else this.done({ exit: Exit.succeed(statement) })
      }
    }
  }

  private died(error: NodeJS.ErrnoException): void {
    this.isAlive = false
    if (error.code === memoryCode)
      this.refuse("reading the file needs more memory than it may have: split it by period")
    else this.refuse(failed, error.stack)
  }

  private refuse(message: string, failure?: string): void {
    const exit = Exit.fail(new StatementFault({ message }))
    this.done({ exit, ...(failure === undefined ? {} : { failure }) })
  }

  private done(outcome: Outcome): void {
    clearTimeout(this.timer)
    this.worker.unref()
    const { settle } = this
    this.settle = undefined
    this.parts = new Parts()
    settle?.(outcome)
  }
}

const failed = "reading the file failed, which is a fault of ours: export it anew in another format, and tell us of it"
