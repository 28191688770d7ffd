/**
 * How long processes have had a processor, from /proc: what others do on the machine takes nothing of it, so a ratio of it
 * holds where requests a second do not.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"

/** Linux tells it, others do not. */
export const isKnown = existsSync("/proc/self/schedstat")

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // It has ended meanwhile.
    return ""
  }
}

const threadsOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Nanoseconds of all its threads. */
export const ofProcess = (pid: number): number =>
  threadsOf(pid).reduce((sum, thread) => sum + Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]), 0)

export const parentOf = (pid: number): number => Number(textOf(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ")[1])

const isChildOf = (parent: number) => (pid: number) => parentOf(pid) === parent

/** The processes that it started and that still run. */
const childrenOf = (parent: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isSafeInteger(pid) && isChildOf(parent)(pid))

/** Nanoseconds of what it started. */
export const ofChildren = (parent: number, except: number): number =>
  childrenOf(parent).reduce((sum, pid) => (pid === except ? sum : sum + ofProcess(pid)), 0)
