import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { lock, userOf } from "../src/postgres/DataLock.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "data-lock-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

/** The number of a process that is gone. */
const gone = Effect.promise(async () => {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" })
  await once(child, "exit")
  return child.pid!
})

const filesOf = (path: string) => Effect.promise(() => readdir(path))

describe("the lock of a data folder", () => {
  it.effect("is one server's until that ends", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* lock(path)
          expect(yield* Effect.promise(() => userOf(path))).toBe(process.pid)
          const refused = yield* Effect.flip(Effect.scoped(lock(path)))
          expect(refused.message).toContain(`process ${process.pid}`)
          expect(yield* filesOf(path)).toEqual(["server.lock"])
        })
      )
      expect(yield* filesOf(path)).toEqual([])
    })
  )

  it.effect("is taken over from a process that was killed, with what that left while it took it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const dead = yield* gone
      yield* Effect.promise(async () => {
        await writeFile(join(path, "server.lock"), `${dead}\n1\n`)
        await writeFile(join(path, `server.lock.${dead}`), `${dead}\n`)
        await writeFile(join(path, "server.lock.1"), "1\n")
        await writeFile(join(path, "server.lock.notes"), "somebody's own")
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* lock(path)
          expect(yield* Effect.promise(() => userOf(path))).toBe(process.pid)
          // Process 1 runs, and may be taking it.
          expect((yield* filesOf(path)).toSorted()).toEqual(["server.lock", "server.lock.1", "server.lock.notes"])
        })
      )
    })
  )
})
