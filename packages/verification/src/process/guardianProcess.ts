/** The process behind `Guardian`: reads whom to watch until the one that started it is gone, and ends them then. */
import { execFileSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { createInterface } from "node:readline"
import { setTimeout as wait } from "node:timers/promises"
import type { Guarded, GuardianLine } from "./Guardian.ts"

/** Milliseconds that they get to end in order. */
const patienceMillis = 15_000

/** When it was started: its number may be another's by now. `undefined` where the platform does not tell. */
const startOf = (pid: number): string | undefined => {
  try {
    // What follows the name in brackets, which may hold anything.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(")").at(-1)?.split(" ")[20]
  } catch {
    return undefined
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended meanwhile.
  }
}

/** What these started, and what that did. */
const offspringOf = (pids: ReadonlyArray<number>): ReadonlyArray<number> => {
  if (pids.length === 0) return []
  const all = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
  const found: Array<number> = []
  for (const parents of [pids, found]) {
    for (const parent of parents)
      found.push(...all.flatMap(([pid, of]) => (of === parent && pid !== undefined ? [pid] : [])))
  }
  return found
}

const watched = new Map<number, Guarded & { readonly start: string | undefined }>()

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text) as GuardianLine
  if ("forget" in line) watched.delete(line.forget)
  else watched.set(line.watch.pid, { ...line.watch, start: startOf(line.watch.pid) })
}

const left = [...watched.values()].filter(({ pid, start }) => isAlive(pid) && startOf(pid) === start)
for (const { pid, signal } of left) {
  send(pid, signal)
  // One that stands still takes no other signal.
  send(pid, "SIGCONT")
}
const until = performance.now() + patienceMillis
while (performance.now() < until && left.some(({ pid }) => isAlive(pid))) await wait(50)
// One that is killed ends nothing that it started: a server would leave its PostgreSQL behind.
for (const child of offspringOf(left.map((one) => one.pid).filter(isAlive))) send(child, "SIGQUIT")
for (const { pid } of left) send(pid, "SIGKILL")
for (const { folder } of watched.values()) {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
