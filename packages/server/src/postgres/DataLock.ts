/** One server per data folder: two would write over each other. */
import { link, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { PostgresFailure } from "./PostgresFailure.ts"

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // It runs, but belongs to somebody else.
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** When a process began: a pid that was given to another program is not the one that took the lock. */
const startedAt = async (pid: number): Promise<string | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  // Killed, but not yet buried by its parent.
  return fields[0] === "Z" || fields[0] === "X" ? undefined : (fields[19] ?? "")
}

const holder = async (path: string): Promise<number | undefined> => {
  const [pid, started] = (await readFile(path, "utf8").catch(() => "")).split("\n")
  const number = Number(pid)
  if (!Number.isInteger(number) || number <= 0 || !isRunning(number)) return undefined
  return (await startedAt(number)) === (started ?? "") ? number : undefined
}

/** The server that uses the folder now. */
export const userOf = (folder: string): Promise<number | undefined> => holder(join(folder, "server.lock"))

const isFull = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOSPC" || cause.code === "EDQUOT")

/** Files of processes that were killed while they took the lock. */
const clean = async (path: string): Promise<void> => {
  const folder = dirname(path)
  const own = `${basename(path)}.`
  for (const name of await readdir(folder)) {
    const pid = Number(name.startsWith(own) ? name.slice(own.length) : "")
    if (Number.isInteger(pid) && pid > 0 && !isRunning(pid)) await rm(join(folder, name), { force: true })
  }
}

const take = async (path: string): Promise<number | undefined> => {
  const own = `${path}.${process.pid}`
  await clean(path)
  try {
    await writeFile(own, `${process.pid}\n${await startedAt(process.pid)}\n`)
    // A link is made by one process only, and what it names is complete.
    for (;;) {
      try {
        await link(own, path)
        return undefined
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
      }
      const other = await holder(path)
      if (other !== undefined) return other
      await rm(path, { force: true })
    }
  } finally {
    await rm(own, { force: true })
  }
}

/** Holds the folder until the scope ends. A lock of a process that is gone is taken over. */
export const lock = (folder: string): Effect.Effect<void, PostgresFailure, Scope.Scope> => {
  const path = join(folder, "server.lock")
  return Effect.acquireRelease(
    Effect.tryPromise({
      try: () => take(path),
      catch: (cause) =>
        new PostgresFailure({
          message: isFull(cause)
            ? `The disk of ${folder} is full: free some space, then start again. Nothing that was stored is lost.`
            : `The data folder ${folder} cannot be written to. Set MILLRACE_DATA to one that can.`,
          cause
        })
    }).pipe(
      Effect.flatMap((other) =>
        other === undefined
          ? Effect.void
          : Effect.fail(
              new PostgresFailure({
                message:
                  `Another Millrace server (process ${other}) uses the data folder ${folder}. ` +
                  `Stop it, or set MILLRACE_DATA to another folder.`
              })
            )
      )
    ),
    () => Effect.promise(() => rm(path, { force: true }))
  )
}
