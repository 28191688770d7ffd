/**
 * The short form of `npm run chaos`: one of everything that can happen to the processes of an installation, with
 * real workers on a durable PostgreSQL, banks and destinations outside of them.
 *
 * MILLRACE_LONG=1 takes a few of each, and kills workers under one of the other ways to write as well: without it runs to
 * these die in `CrashPoints.test.ts` alone, in the simulator. MILLRACE_SEED repeats the choices of a run.
 */
import { check } from "@millrace/verification/chaos/Checker"
import { install, type Installation, patientLease } from "@millrace/verification/chaos/Installation"
import { isScenario, type ScenarioName, scenarios } from "@millrace/verification/chaos/run/Plan"
import type { FileModel } from "@millrace/verification/chaos/WorkerAdapters"
import { Seeded } from "@millrace/testing/model"
import { type PostgresServer, startPostgres } from "@millrace/verification/postgres/PostgresServer"
import { killServers } from "@millrace/verification/process/ServerProcess"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const seed = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 1_000_000)
/** Nothing waits for it but what hangs: a loaded machine takes minutes for what a quiet one does in seconds. */
const timeout = 600_000

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres({ durable: true })
})
afterAll(async () => {
  await killServers()
  await postgres.stop()
})

interface Given {
  readonly model: FileModel
  readonly counts: Readonly<Partial<Record<ScenarioName, number>>>
  readonly banks: number
  readonly lease?: number
}

/** Scenarios one after the other on one installation, and the check of what must hold after all of them. */
const holds = ({ banks, counts, lease, model }: Given) => {
  describe(`an installation whose files are written ${model} (seed ${seed}): ${Object.keys(counts).join(", ")}`, () => {
    let installation: Installation
    /** What a scenario was blamed for already: it is not the fault of those after it. */
    const told = new Set<string>()
    const news = (breaches: ReadonlyArray<string>): ReadonlyArray<string> => {
      const fresh = breaches.filter((breach) => !told.has(breach))
      for (const breach of fresh) told.add(breach)
      return fresh
    }
    beforeAll(async () => {
      const random = new Seeded(seed)
      const more = lease === undefined ? {} : { lease }
      installation = await install({ postgres, random, model, workers: 3, banks, rows: 300, ...more })
    }, timeout)
    afterAll(async () => {
      await postgres.up()
      await installation.end()
    }, timeout)

    for (const [name, count] of Object.entries(counts)) {
      if (!isScenario(name)) continue
      it(`bears: ${scenarios[name].title}`, { timeout }, async () => {
        // One that was given up may have left workers down.
        await postgres.up()
        await installation.fleet.startAll()
        await scenarios[name].run(installation, count)
        const { fleet, log } = installation
        expect(news([...log.breaches, ...fleet.surprises])).toEqual([])
      })
    }

    it("has lost nothing and doubled nothing, and everything is free", { timeout }, async () => {
      const { breaches, rows } = await check(installation)
      expect(news(breaches)).toEqual([])
      expect(rows).toBeGreaterThan(0)
    })
  })
}

const isLong = process.env["MILLRACE_LONG"] === "1"

/** Each run kills under one of the ways to write; `npm run chaos` under all of them. */
if (isLong) {
  const model = new Seeded(seed).pick(["upsertByKey", "wholeFile"] as const)
  holds({ model, counts: { "worker-kills": 2 }, banks: 2 })
}
holds({ model: "readBack", counts: { stops: 1 }, banks: 4, lease: patientLease })
holds({
  model: "readBack",
  counts: {
    "worker-kills": isLong ? 2 : 1,
    triggers: 1,
    // Two places: while records are committed, and while a second worker asks what has arrived.
    "stopped-workers": 2,
    "postgres-kills": isLong ? 2 : 1,
    partitions: 1
  },
  banks: 4
})
