/** One step of a run: an installation, a scenario on it, and the check of what must hold afterwards. */
import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Seeded } from "@millrace/testing/model"
import type { PostgresServer } from "../../postgres/PostgresServer.ts"
import { check } from "../Checker.ts"
import { install, type Installation, patientLease } from "../Installation.ts"
import { scenarios, type Step } from "./Plan.ts"
import type { Outcome } from "./Report.ts"

const workers = 3
const rowsOfBank = 300

/** Enough banks for jobs to wait where a scenario wants that. */
const banksOf = ({ name }: Step): number => (name === "restarts" ? 16 : 8)

/** The logs of the workers, which end with their installation. Answers where they are. */
const keepLogs = async ({ fleet }: Installation): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "millrace-chaos-log-"))
  for (const { name, text } of fleet.logs()) await writeFile(join(folder, `${name}.log`), text)
  return folder
}

export const runStep = async (postgres: PostgresServer, step: Step, seed: number): Promise<Outcome> => {
  const scenario = scenarios[step.name]
  const began = performance.now()
  await postgres.up()
  const installation = await install({
    postgres,
    random: new Seeded(seed),
    model: step.model,
    workers,
    banks: banksOf(step),
    rows: rowsOfBank,
    ...(step.name === "stops" ? { lease: patientLease } : {})
  })
  const breaches: Array<string> = []
  try {
    const figures = await scenario.run(installation, step.count)
    const checked = await check(installation)
    breaches.push(...checked.breaches)
    return {
      step,
      title: scenario.title,
      seconds: (performance.now() - began) / 1_000,
      figures: { ...figures, "messages told": checked.messages },
      jobs: installation.log.acknowledged.length,
      rows: checked.rows,
      messages: checked.messages,
      breaches
    }
  } catch (cause) {
    breaches.push(...installation.log.breaches, ...installation.fleet.surprises, `It was given up: ${String(cause)}`)
    return {
      step,
      title: scenario.title,
      seconds: (performance.now() - began) / 1_000,
      figures: {},
      jobs: installation.log.acknowledged.length,
      rows: 0,
      messages: 0,
      breaches
    }
  } finally {
    if (breaches.length > 0) breaches.push(`The logs of the workers are in ${await keepLogs(installation)}`)
    await postgres.up()
    await installation.end()
  }
}
