/** What a whole run does: each scenario on an installation of its own. */
import type { Scenario } from "../Scenario.ts"
import { manyTriggers } from "../scenario/Triggers.ts"
import { partitions } from "../scenario/Partitions.ts"
import { postgresKills } from "../scenario/PostgresKills.ts"
import { restarts } from "../scenario/Restarts.ts"
import { stoppedWorkers } from "../scenario/StoppedWorkers.ts"
import { stops } from "../scenario/Stops.ts"
import { workerKills } from "../scenario/WorkerKills.ts"
import type { FileModel } from "../WorkerAdapters.ts"

export const scenarios = {
  "worker-kills": workerKills,
  "postgres-kills": postgresKills,
  "stopped-workers": stoppedWorkers,
  triggers: manyTriggers,
  stops,
  restarts,
  partitions
} as const satisfies Readonly<Record<string, Scenario>>

export type ScenarioName = keyof typeof scenarios

export const scenarioNames = Object.keys(scenarios) as ReadonlyArray<ScenarioName>

export const isScenario = (name: string): name is ScenarioName => Object.hasOwn(scenarios, name)

/** How often each scenario disturbs in a whole run. */
export const counts: Readonly<Record<ScenarioName, number>> = {
  "worker-kills": 100,
  "postgres-kills": 100,
  "stopped-workers": 12,
  triggers: 50,
  stops: 20,
  restarts: 12,
  partitions: 12
}

/** Parts of the count under each way to write to destinations outside of the database. */
const shares: Readonly<Record<ScenarioName, Readonly<Partial<Record<FileModel, number>>>>> = {
  "worker-kills": { readBack: 0.4, upsertByKey: 0.3, wholeFile: 0.3 },
  "postgres-kills": { readBack: 0.4, upsertByKey: 0.3, wholeFile: 0.3 },
  "stopped-workers": { readBack: 1 },
  triggers: { readBack: 1 },
  stops: { readBack: 1 },
  restarts: { readBack: 1 },
  partitions: { readBack: 1 }
}

export interface Step {
  readonly name: ScenarioName
  readonly model: FileModel
  readonly count: number
}

/** The steps of these scenarios; a count that is shared out stays whole. */
export const stepsOf = (
  names: ReadonlyArray<ScenarioName>,
  countOf: (name: ScenarioName) => number
): ReadonlyArray<Step> =>
  names.flatMap((name) => {
    let left = countOf(name)
    const models = Object.entries(shares[name]) as ReadonlyArray<readonly [FileModel, number]>
    return models.flatMap(([model, share], at): ReadonlyArray<Step> => {
      const count = at === models.length - 1 ? left : Math.min(left, Math.ceil(countOf(name) * share))
      left -= count
      return count === 0 ? [] : [{ name, model, count }]
    })
  })
