/** A data folder for a server under test, and what a killed server leaves in it. */
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"

export interface DataFolder {
  readonly path: string
  /** The PostgreSQL that runs in it. */
  readonly postgres: () => Promise<number | undefined>
  /** Ends that PostgreSQL and removes everything. */
  readonly remove: () => Promise<void>
}

export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Somebody who was killed and not yet buried runs no more. */
const isAlive = async (pid: number): Promise<boolean> => {
  if (!isRunning(pid)) return false
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z"
}

export const makeDataFolder = async (): Promise<DataFolder> => {
  const path = await mkdtemp(join(tmpdir(), "millrace-server-"))
  // Where the tests run as root, PostgreSQL runs as another user, who has to be able to pass.
  await chmod(path, 0o755)
  const postgres = async () => {
    const text = await readFile(join(path, "postgres", "postmaster.pid"), "utf8").catch(() => "")
    const pid = Number(text.split("\n")[0])
    return pid > 0 && (await isAlive(pid)) ? pid : undefined
  }
  const remove = async () => {
    const pid = await postgres()
    if (pid !== undefined) {
      process.kill(pid, "SIGQUIT")
      for (let tries = 0; tries < 100 && (await isAlive(pid)); tries++) await wait(50)
    }
    await rm(path, { recursive: true, force: true, maxRetries: 5 })
  }
  return { path, postgres, remove }
}
