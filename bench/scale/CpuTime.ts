/** Processor time that processes have taken so far: what work costs, whatever else the machine is doing. */
import { readdir, readFile } from "node:fs/promises"

/** Ticks of the clock in which Linux counts processor time. */
const ticksPerSecond = 100

interface Times {
  readonly parent: number
  readonly own: number
  /** Of children that have ended. */
  readonly ended: number
}

const timesOf = async (pid: number): Promise<Times | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  // The name of the process comes second and may hold blanks.
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number)
  return {
    parent: fields[1]!,
    own: (fields[11]! + fields[12]!) / ticksPerSecond,
    ended: (fields[13]! + fields[14]!) / ticksPerSecond
  }
}

/** Seconds of one process, all of its threads together. */
export const secondsOf = async (pid: number): Promise<number> => (await timesOf(pid))?.own ?? 0

/** Seconds of a process and of all children that it ever had. */
export const secondsOfFamily = async (pid: number): Promise<number> => {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number)
  let seconds = 0
  for (const times of await Promise.all(pids.map(timesOf))) if (times?.parent === pid) seconds += times.own
  const own = await timesOf(pid)
  return seconds + (own === undefined ? 0 : own.own + own.ended)
}

/** The process that began this one. */
export const parentOf = async (pid: number): Promise<number> => (await timesOf(pid))?.parent ?? 0
