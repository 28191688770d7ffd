import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { sourceCondition } from "@millrace/verification/process/SourceCondition"
import { live } from "@millrace/verification/simulation/Scenario"
import { Totals } from "@millrace/verification/simulation/Totals"

const main = fileURLToPath(import.meta.resolve("@millrace/verification/simulation/main"))

/** What the command prints of some scenarios, without what depends on the time that it took. */
const played = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [sourceCondition, main, ...args], { env: { ...process.env, ...env } }, (error, stdout) =>
      error === null
        ? resolve(
            stdout
              .split("\n")
              .filter((line) => !/a second|processor time|workers/.test(line))
              .join("\n")
          )
        : reject(error)
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
    const args = ["--seed", "58", "--scenarios", "3"]
    const here = await played([...args, "--workers", "1"], { TZ: "UTC", LANG: "C" })
    const there = await played([...args, "--workers", "2"], { TZ: "Pacific/Apia", LANG: "de_CH.UTF-8" })
    expect(here).toContain("digest of the scenarios")
    expect(there).toBe(here)
  })
})
