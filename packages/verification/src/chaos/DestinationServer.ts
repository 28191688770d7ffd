/**
 * A destination behind HTTP, outside of the database: it remembers every write that it acknowledged, and by whom.
 * `RemoteDestination` is the driver of it. Each path is a place of its own.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { Outgoing, Receipt } from "@millrace/core/destination"
import { ScriptedPlace, writeOne } from "@millrace/testing/fake"
import { Gate } from "./Gate.ts"
import { type JsonCall, serveJson } from "./JsonServer.ts"

/** Without keys of its own (`readBack`) a destination makes another row of a record that is created twice. */
export type RemoteModel = "upsertByKey" | "readBack"

export interface Written {
  readonly caller: string
  readonly path: string
  readonly key: string
  readonly op: Outgoing["op"]
}

export interface Asked {
  readonly caller: string
  readonly path: string
  readonly call: "write" | "lookup"
}

export interface DestinationServer {
  readonly url: string
  readonly at: (path: string) => ScriptedPlace
  /** Calls before anything is done about them. */
  readonly before: Gate<Asked>
  /** Calls whose rows are written and whose answer is not sent. */
  readonly after: Gate<Asked>
  /** In the order in which they were made. */
  readonly writes: ReadonlyArray<Written>
  /** Messages to people: what came under each id, as often as it came. */
  readonly messages: ReadonlyMap<string, ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

export interface RemoteWrite {
  readonly path: string
  readonly model: RemoteModel
  readonly records: ReadonlyArray<Outgoing>
}

export interface RemoteLookup {
  readonly path: string
  readonly keys: ReadonlyArray<string>
}

/** What a worker hands over to tell somebody. */
export interface RemoteMessage {
  readonly id: string
  readonly content: unknown
}

/** Milliseconds in which a worker may be lost that has sent a message and does not know it yet. */
const answerMillis = 30

export const startDestination = async (): Promise<DestinationServer> => {
  const places = new Map<string, ScriptedPlace>()
  const before = new Gate<Asked>()
  const after = new Gate<Asked>()
  const writes: Array<Written> = []
  const messages = new Map<string, ReadonlyArray<string>>()
  const at = (path: string): ScriptedPlace => {
    let place = places.get(path)
    if (place === undefined) places.set(path, (place = new ScriptedPlace()))
    return place
  }

  const write = (caller: string, { model, path, records }: RemoteWrite): ReadonlyArray<Receipt> =>
    records.map((one) => {
      writes.push({ caller, path, key: one.key, op: one.op })
      return writeOne(at(path), model, one)
    })

  const answer = async ({ body, caller, isGone, path }: JsonCall) => {
    if (path === "/message") {
      const { content, id } = body as RemoteMessage
      messages.set(id, [...(messages.get(id) ?? []), JSON.stringify(content)])
      await wait(answerMillis)
      return true
    }
    const asked: Asked = {
      caller,
      path: (body as { readonly path: string }).path,
      call: path === "/write" ? "write" : "lookup"
    }
    await before.pass(asked)
    if (isGone()) throw new Error("The caller is gone: nothing is done for it")
    const value =
      asked.call === "write"
        ? write(caller, body as RemoteWrite)
        : [...at(asked.path).find((body as RemoteLookup).keys, Date.now())]
    await after.pass(asked)
    return value
  }

  const server = await serveJson(answer)
  return { url: server.url, at, before, after, writes, messages, close: server.close }
}
