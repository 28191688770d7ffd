/** Reads one file in a thread, and puts together what it gives. */
import {
  type RefusedRow,
  type Statement,
  StatementFault,
  type StatementOptions,
  type StatementRow
} from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import type { Died, LimitedThread } from "../../thread/LimitedThread.ts"
import { type Answer, type Head, type Request, unpack } from "./Messages.ts"

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

const failed = "reading the file failed, which is a fault of ours: export it again in another format, and tell us of it"

const faultOf = ({ message, reason }: Died): string =>
  reason === "memory"
    ? "reading the file needs more memory than it may have: split it by period"
    : reason === "time"
      ? `reading the file ${message} and was ended: split the file by period`
      : failed

/** For the operator of the server. */
const logFailure = (detail: string) => Effect.logError("A statement file could not be read", detail)

/** The statement of the file; fails with what is wrong with it, also where it breaks a limit of the thread. */
export const readIn = Effect.fnUntraced(function* (
  thread: LimitedThread<Request, Answer>,
  bytes: Uint8Array,
  options: StatementOptions
): Effect.fn.Return<Statement, StatementFault> {
  const parts = new Parts()
  thread.begin()
  // The caller goes on with the bytes, and a part of a larger buffer would be sent with the whole of it.
  const copy = Uint8Array.from(bytes)
  thread.send({ bytes: copy, options }, [copy.buffer])
  for (;;) {
    const answer = yield* thread.next
    switch (answer.kind) {
      case "died":
        if (answer.reason === "failure") yield* logFailure(answer.message)
        return yield* new StatementFault({ message: faultOf(answer) })
      case "fault":
        thread.finish()
        return yield* new StatementFault(answer.fault)
      case "failure":
        thread.finish()
        yield* logFailure(answer.stack)
        return yield* new StatementFault({ message: failed })
      default: {
        const statement = parts.take(answer)
        if (statement === undefined) thread.send("next")
        else {
          thread.finish()
          return statement
        }
      }
    }
  }
})
