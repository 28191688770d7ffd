/** The process behind `Guardian`: reads whom to watch until the one that started it is gone, and ends them then. */
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
for (const { pid } of left) send(pid, "SIGKILL")
for (const { folder } of watched.values()) {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
