import { execFileSync, spawn } from "node:child_process"
import { rm } from "node:fs/promises"
import { resolve } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as wait } from "node:timers/promises"
import { sourceCondition } from "../../src/process/SourceCondition.ts"
import { describe, expect, it } from "vitest"

interface Process {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

const processes = (): ReadonlyArray<Process> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })
    .split("\n")
    .flatMap((line) => {
      const found = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)
      return found === null ? [] : [{ pid: Number(found[1]), parent: Number(found[2]), command: found[3]! }]
    })

/** The process with all that it started, and what these did. */
const familyOf = (pid: number): ReadonlyArray<Process> => {
  const all = processes()
  const family = all.filter((one) => one.pid === pid)
  for (const one of family) family.push(...all.filter(({ parent }) => parent === one.pid))
  return family
}

/** Several times what a server takes that has to be killed in the end. */
const patienceMillis = 120_000

describe("a program that starts servers", () => {
  it.concurrent.each(["SIGKILL", "SIGINT"] as const)(
    "takes all of them with it when it dies by %s",
    { timeout: 600_000 },
    async (signal) => {
      const parent = spawn(process.execPath, [sourceCondition, resolve(import.meta.dirname, "startsAll.ts")], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const { value } = await createInterface({ input: parent.stdout })[Symbol.asyncIterator]().next()
      const { folder, server } = JSON.parse(value as string) as { readonly server: number; readonly folder: string }
      const family = familyOf(parent.pid!).filter(({ pid }) => pid !== parent.pid)
      expect(family.map(({ pid }) => pid)).toContain(server)
      expect(family.filter(({ command }) => command.includes("postgres")).length).toBeGreaterThan(1)
      parent.kill(signal)
      const left = () => {
        const now = new Map(processes().map((one) => [one.pid, one.command]))
        return family.filter(({ command, pid }) => now.get(pid) === command)
      }
      const end = performance.now() + patienceMillis
      while (left().length > 0 && performance.now() < end) await wait(100)
      expect(left()).toEqual([])
      await rm(folder, { recursive: true, force: true })
    }
  )
})
