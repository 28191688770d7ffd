import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { sourceCondition } from "@millrace/verification/process/SourceCondition"
import { table } from "@millrace/verification/simulation/Report"
import { live } from "@millrace/verification/simulation/Scenario"
import { Totals } from "@millrace/verification/simulation/Totals"

const main = fileURLToPath(import.meta.resolve("@millrace/verification/simulation/main"))

/** Without what depends on the time that it took. */
const lasting = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !/a second|processor time|workers/.test(line))
    .join("\n")

/** What the command prints of some scenarios. */
const played = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [sourceCondition, main, ...args], { env: { ...process.env, ...env } }, (error, stdout) =>
      error === null ? resolve(lasting(stdout)) : reject(error)
    )
  })

describe("a simulated scenario", () => {
  it("is the same on every play: order, counts and all that happened", () => {
    for (const seed of [3, 11, 32]) expect(live(seed)).toEqual(live(seed))
  })

  it("differs from that of another seed", () => {
    expect(new Set([1, 2, 3, 32, 96].map((seed) => live(seed).digest)).size).toBe(5)
  })

  it("has the digest that follows from its seeds, in whatever order they were played", () => {
    const totals = [new Totals(), new Totals()]
    const reports = [5, 6, 7, 8].map(live)
    for (const report of reports) totals[0]!.addScenario(report)
    for (const report of reports.toReversed()) totals[1]!.addScenario(report)
    expect(totals[0]!.digest).toBe(totals[1]!.digest)
  })

  it("is the same in another process, time zone and number of threads", { timeout: 600_000 }, async () => {
    const totals = new Totals()
    for (const seed of [58, 59, 60]) totals.addScenario(live(seed))
    const here = lasting(table(totals, { seconds: 1, cpuSeconds: 1 }, 1))
    const args = ["--seed", "58", "--scenarios", "3", "--workers", "2"]
    const there = await played(args, { TZ: "Pacific/Apia", LANG: "de_CH.UTF-8" })
    expect(here).toContain("digest of the scenarios")
    expect(there.trimEnd()).toBe(`first seed 58\n${here}`)
  })
})
