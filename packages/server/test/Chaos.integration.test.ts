/**
 * The short form of `npm run chaos`: a few of everything that can happen to the processes of an installation, with
 * real workers on a durable PostgreSQL, banks and destinations outside of them.
 *
 * MILLRACE_SEED repeats the choices of a run.
 */
import { check } from "@millrace/testing/chaos/Checker"
import { install, type Installation } from "@millrace/testing/chaos/Installation"
import { isScenario, type ScenarioName, scenarios } from "@millrace/testing/chaos/Plan"
import type { FileModel } from "@millrace/testing/chaos/WorkerAdapters"
import { Seeded } from "@millrace/testing/model/Seeded"
import { type PostgresServer, startPostgres } from "@millrace/testing/postgres/PostgresServer"
import { killServers } from "@millrace/testing/process/ServerProcess"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const seed = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 1_000_000)
const timeout = 240_000

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres({ durable: true })
})
afterAll(async () => {
  await killServers()
  await postgres.stop()
})

/** Scenarios one after the other on one installation, and the check of what must hold after all of them. */
const holds = (model: FileModel, counts: Readonly<Partial<Record<ScenarioName, number>>>, banks: number) => {
  describe(`an installation whose files are written ${model} (seed ${seed})`, () => {
    let installation: Installation
    beforeAll(async () => {
      installation = await install({ postgres, random: new Seeded(seed), model, workers: 3, banks, rows: 300 })
    }, timeout)
    afterAll(async () => {
      await postgres.up()
      await installation.end()
    }, timeout)

    for (const [name, count] of Object.entries(counts)) {
      if (!isScenario(name)) continue
      it(`bears: ${scenarios[name].title}`, { timeout }, async () => {
        await scenarios[name].run(installation, count)
        const { fleet, log } = installation
        expect([...log.breaches, ...fleet.surprises]).toEqual([])
      })
    }

    it("has lost nothing and doubled nothing, and everything is free", { timeout }, async () => {
      const { breaches, rows } = await check(installation)
      expect(breaches).toEqual([])
      expect(rows).toBeGreaterThan(0)
    })
  })
}

holds("wholeFile", { "worker-kills": 4 }, 2)
holds(
  "readBack",
  { stops: 1, triggers: 1, "stopped-workers": 3, "worker-kills": 2, "postgres-kills": 2, partitions: 1 },
  4
)
