/** What the outside was told during a run, and what of it must not have happened. */
import type { Answer } from "../process/ApiCaller.ts"
import type { ChaosFeed } from "./World.ts"

export interface Acknowledged {
  readonly jobId: string
  readonly feed: ChaosFeed
}

const isRetry = (answer: Answer): boolean => {
  const { recovery } = answer.json() as { readonly recovery?: { readonly action: string } }
  return recovery?.action === "retry" && answer.headers["retry-after"] !== undefined
}

export class OperationLog {
  /** Jobs that a server said it has made. */
  readonly acknowledged: Array<Acknowledged> = []
  /** Answers by status. */
  readonly answers = new Map<number, number>()
  readonly breaches: Array<string> = []
  /** Requests without an answer to servers that were being killed or were gone. */
  unanswered = 0

  breach(text: string): void {
    this.breaches.push(text)
  }

  /** Keeps an answer. Servers may say that they cannot now, but then with a time to come again. */
  answered(request: string, answer: Answer): void {
    this.answers.set(answer.status, (this.answers.get(answer.status) ?? 0) + 1)
    if (answer.status === 503) {
      if (!isRetry(answer)) this.breach(`${request}: 503 without a time to retry: ${answer.body}`)
    } else if (answer.status >= 500) this.breach(`${request}: ${answer.status} ${answer.body}`)
  }
}
