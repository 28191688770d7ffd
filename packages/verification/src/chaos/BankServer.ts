/**
 * A bank behind HTTP: its truth is outside of every worker, goes on changing while they run, and remembers each page
 * that was fetched. `RemoteProvider` is the driver of it.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { ProviderError, PullRequest } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { eachCall, makeScriptedProvider, type ScriptedBank } from "@millrace/testing/fake"
import { Gate } from "./Gate.ts"
import { type JsonCall, serveJson } from "./JsonServer.ts"

export const instanceId = "demo:bank"

/** Rows of one page. */
export const pageSize = 250

/** Milliseconds that the bank takes for a page: runs last long enough to be hit. */
const pageMillis = 15

export interface Asked {
  readonly caller: string
  readonly ref: string
  readonly call: "inspect" | "accounts" | "pull"
  /** Of pulls. */
  readonly checkpoint?: string | undefined
  readonly position?: string | undefined
}

/** What a driver gets: the value, or the error by its tag. */
export type ProviderAnswer<A> =
  | { readonly value: A }
  | { readonly error: { readonly _tag: ProviderError["_tag"]; readonly message: string } }

export interface BankServer {
  readonly url: string
  /** The bank behind a connection; made with these accounts when it is first asked for. */
  readonly bank: (ref: string, accountIds?: ReadonlyArray<string>) => ScriptedBank
  /** Calls before they are answered. */
  readonly before: Gate<Asked>
  /** Calls whose answer is ready and not sent. */
  readonly after: Gate<Asked>
  readonly pages: ReadonlyArray<Asked>
  readonly close: () => Promise<void>
}

const tell = <A>(effect: Effect.Effect<A, ProviderError>): Promise<ProviderAnswer<A>> =>
  Effect.runPromise(
    Effect.map(Effect.result(effect), (result): ProviderAnswer<A> =>
      Result.isSuccess(result)
        ? { value: result.success }
        : { error: { _tag: result.failure._tag, message: result.failure.message } }
    )
  )

export const startBank = async (): Promise<BankServer> => {
  const { bank, driver } = makeScriptedProvider({
    instance: "bank",
    changeModel: "delta",
    scope: "connection",
    idTrust: "perStatus",
    pageSize,
    overlapDays: 10,
    historyDays: 400,
    saysHistory: true
  })
  const calls = eachCall(driver)
  const before = new Gate<Asked>()
  const after = new Gate<Asked>()
  const pages: Array<Asked> = []

  const ask = ({ call, ref }: Asked, request: PullRequest): Promise<ProviderAnswer<unknown>> => {
    const connection = { ref, secrets: {} }
    switch (call) {
      case "inspect":
        return tell(calls.inspect(connection))
      case "accounts":
        return tell(calls.listAccounts(connection))
      case "pull":
        return tell(calls.pull(connection, request))
    }
  }

  const answer = async ({ body, caller, path }: JsonCall) => {
    const { ref, request } = body as { readonly ref: string; readonly request: PullRequest }
    const call = path.slice(1) as Asked["call"]
    const asked: Asked = { caller, ref, call, checkpoint: request?.checkpoint, position: request?.position }
    await before.pass(asked)
    if (call === "pull") {
      pages.push(asked)
      await wait(pageMillis)
    }
    const told = await ask(asked, request)
    await after.pass(asked)
    return told
  }

  const server = await serveJson(answer)
  return { url: server.url, bank, before, after, pages, close: server.close }
}
