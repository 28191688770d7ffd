/**
 * `npm run chaos`: disturbs installations of real processes in every way, prints what held, and ends with 1 where
 * something did not.
 */
import { startPostgres } from "../../postgres/PostgresServer.ts"
import { killServers } from "../../process/ServerProcess.ts"
import { counts, isScenario, scenarioNames, scenarios, type ScenarioName, stepsOf } from "./Plan.ts"
import { type Outcome, outcomeText, tableText } from "./Report.ts"
import { runStep } from "./Step.ts"

const help = `Usage: npm run chaos [-- options]

  --only <scenario>       one scenario (repeat for more); all when absent
  --workers-kills <n>     kills of workers (${counts["worker-kills"]})
  --postgres-kills <n>    kills of PostgreSQL (${counts["postgres-kills"]})
  --times <n>             how often every other scenario disturbs
  --quick                 a tenth of everything
  --seed <n>              repeats the choices of a run, not its timing
  --help                  print this

Scenarios:
${scenarioNames.map((name) => `  ${name.padEnd(24)}${scenarios[name].title} (${counts[name]})`).join("\n")}
`

class Misused extends Error {}

interface Options {
  readonly names: ReadonlyArray<ScenarioName>
  readonly countOf: (name: ScenarioName) => number
  readonly seed: number
}

const numbers = { "--workers-kills": "worker-kills", "--postgres-kills": "postgres-kills" } as const

const parse = (args: ReadonlyArray<string>): Options => {
  const asked = new Map<string, number>()
  const names: Array<ScenarioName> = []
  let quick = false
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const value = arg === "--quick" ? "" : (rest.shift() ?? "")
    if (arg === "--quick") quick = true
    else if (arg === "--only") {
      if (!isScenario(value)) throw new Misused(`--only takes one of ${scenarioNames.join(", ")}`)
      names.push(value)
    } else if (["--seed", "--times", ...Object.keys(numbers)].includes(arg)) {
      if (!/^\d{1,9}$/.test(value)) throw new Misused(`${arg} takes a whole number`)
      asked.set(arg, Number(value))
    } else throw new Misused(`There is no option ${arg}. --help lists them.`)
  }
  const own: Readonly<Record<string, string | undefined>> = Object.fromEntries(
    Object.entries(numbers).map(([option, name]) => [name, option])
  )
  return {
    names: names.length === 0 ? scenarioNames : names,
    countOf: (name) =>
      asked.get(own[name] ?? "--times") ?? (quick ? Math.max(1, Math.ceil(counts[name] / 10)) : counts[name]),
    seed: asked.get("--seed") ?? Date.now() % 1_000_000
  }
}

/** Steps where at least one tells people something. */
const manySteps = 5

const say = (text: string) => void process.stdout.write(`${text}\n`)

const main = async ({ countOf, names, seed }: Options): Promise<boolean> => {
  const began = performance.now()
  const postgres = await startPostgres({ durable: true })
  const end = async () => {
    await killServers()
    await postgres.stop()
  }
  const interrupted = () => void end().finally(() => process.exit(130))
  process.once("SIGINT", interrupted)
  process.once("SIGTERM", interrupted)
  const outcomes: Array<Outcome> = []
  say(`seed ${seed}\n`)
  try {
    for (const [n, step] of stepsOf(names, countOf).entries()) {
      const outcome = await runStep(postgres, step, seed + n)
      outcomes.push(outcome)
      say(`${outcomeText(outcome)}\n`)
    }
  } finally {
    await end()
  }
  const breaches = outcomes.reduce((sum, outcome) => sum + outcome.breaches.length, 0)
  // One installation may have nobody to tell; where none of many has, messages were not tried at all.
  const isMute = outcomes.length >= manySteps && outcomes.every(({ messages }) => messages === 0)
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  say(
    `${tableText(outcomes)}\n\n${breaches === 0 ? "Everything held" : `${breaches} breaches`}${isMute ? ", but nobody was told anything" : ""}, ${minutes} minutes, seed ${seed}`
  )
  return breaches === 0 && !isMute
}

const args = process.argv.slice(2)
if (args.includes("--help")) process.stdout.write(help)
else {
  try {
    process.exitCode = (await main(parse(args))) ? 0 : 1
  } catch (fault) {
    process.stderr.write(
      `${fault instanceof Misused ? fault.message : String(fault instanceof Error ? fault.stack : fault)}\n`
    )
    process.exitCode = fault instanceof Misused ? 2 : 1
  }
}
