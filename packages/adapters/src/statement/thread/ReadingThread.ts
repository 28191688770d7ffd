/** A thread that reads the files it is given, one after the other. */
import { parentPort } from "node:worker_threads"
import * as Result from "effect/Result"
import { readStatement } from "../StatementReader.ts"
import { type Answer, pack, portion, type Request } from "./Messages.ts"

function* answers({ bytes, options }: Exclude<Request, "next">): Generator<Answer> {
  const result = readStatement(bytes, options)
  if (Result.isFailure(result)) {
    const { _tag, ...fault } = result.failure
    return yield { kind: "fault", fault: { ...fault, message: result.failure.message } }
  }
  const { accounts, refused = [], ...head } = result.success
  yield {
    kind: "head",
    head: { ...head, accounts: accounts.map((account) => ({ ...account, rows: [] })), isRefusing: refused.length > 0 }
  }
  for (const [account, { rows }] of accounts.entries()) {
    for (let from = 0; from < rows.length; from += portion) {
      const some = rows.slice(from, from + portion)
      yield { kind: "rows", account, count: some.length, columns: pack(some) }
    }
  }
  for (let from = 0; from < refused.length; from += portion) {
    yield { kind: "refused", rows: refused.slice(from, from + portion) }
  }
  yield { kind: "end" }
}

let current: Generator<Answer> | undefined

const nextAnswer = (): Answer => {
  try {
    const next = current?.next()
    return next?.value ?? { kind: "end" }
  } catch (error) {
    return { kind: "failure", stack: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

const send = (answer: Answer): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer)
}

parentPort?.on("message", (request: Request) => {
  if (request !== "next") current = answers(request)
  const answer = nextAnswer()
  // What was read is not held longer than needed.
  if (answer.kind === "end" || answer.kind === "fault" || answer.kind === "failure") current = undefined
  send(answer)
})

send({ kind: "ready" })
