/**
 * Reads statement files in threads beside the one that answers requests, under a limit of time and memory. A file that
 * breaks a limit, or its thread, is refused; the next one has a new thread.
 */
import { type StatementOptions, StatementReader } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isBuilt } from "../../thread/LimitedThread.ts"
import { makeThreadPool, type ThreadPoolOptions } from "../../thread/ThreadPool.ts"
import type { Answer, Request } from "./Messages.ts"
import { readIn } from "./Reading.ts"

const ordinary: ThreadPoolOptions = {
  threads: 2,
  seconds: 60,
  megabytes: 512,
  entry: new URL(isBuilt ? "ReadingThread.js" : "ReadingThread.ts", import.meta.url)
}

/** The reader of `StatementReader.layer`, in threads. They begin with the first file. */
export const layer = (changed: Partial<ThreadPoolOptions> = {}): Layer.Layer<StatementReader> =>
  Layer.effect(
    StatementReader,
    Effect.map(makeThreadPool<Request, Answer>({ ...ordinary, ...changed }), (withThread) =>
      StatementReader.of({
        read: Effect.fn("StatementReader.read")((bytes: Uint8Array, options: StatementOptions) =>
          withThread((thread) => readIn(thread, bytes, options))
        )
      })
    )
  )
