/** `npm run sim`: see `--help`. */
import { execFileSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { sweepCells, type Places } from "./CrashSweep.ts"
import { BadOption, help, mostSeed, parseOptions, type Options } from "./Options.ts"
import { runPool } from "./Pool.ts"
import { failureText, liveLine, table } from "./Report.ts"
import { keepSeed, keptSeeds } from "./Seeds.ts"
import { Totals } from "./Totals.ts"
import type { Task } from "./worker.ts"

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", [...args], {
    encoding: "utf8",
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "ignore"]
  }).trim()

const commit = (): string => {
  try {
    const changed = git("status", "--porcelain", "--untracked-files=no") !== ""
    return `${git("rev-parse", "--short", "HEAD")}${changed ? " with changes" : ""}`
  } catch {
    return "unknown"
  }
}

/** Lives that a thread plays before it asks for more. */
const batch = 8
/** A shorter run has no time for the sweep, and may miss what is rare. */
const wholeRun = 60

/** Beside scenarios the sweep passes most places over, others in every run: all of them take longer than a minute. */
const strideBesideLives = 10

const sweepOf = (options: Options, first: number): ReadonlyArray<Task> => {
  if (options.sweep) return sweepCells.map((_, cell) => ({ cell, places: { first: 1, stride: 1 } }))
  if (options.scenarios !== undefined || options.seconds < wholeRun) return []
  const stride = strideBesideLives
  const places = (cell: number): Places => ({ first: 1 + ((first + cell) % stride), stride })
  return sweepCells.flatMap(({ by }, cell) => (by === "crash" ? [{ cell, places: places(cell) }] : []))
}

/** The tasks in order: seeds that broke once, the sweep, then scenarios until time or their number is up. */
const tasksOf = function* (options: Options, first: number, begun: number): Generator<Task> {
  const replays = options.sweep || options.seed !== undefined ? [] : keptSeeds().map(({ seed }) => seed)
  for (const seed of replays) yield { seeds: [seed] }
  yield* sweepOf(options, first)
  if (options.sweep) return
  const last = options.scenarios === undefined ? Infinity : first + options.scenarios
  for (let seed = first; seed < last; seed += batch) {
    if (options.scenarios === undefined && performance.now() - begun > options.seconds * 1000) return
    yield { seeds: Array.from({ length: Math.min(batch, last - seed) }, (_, n) => (seed + n) % mostSeed) }
  }
}

const watchOf = (totals: Totals, begun: number) => {
  const terminal = process.stderr.isTTY
  const tell = () => {
    const text = liveLine(totals, (performance.now() - begun) / 1000)
    process.stderr.write(terminal ? `\r\u001b[K${text}` : `${text}\n`)
  }
  const timer = setInterval(tell, terminal ? 500 : 10_000)
  return () => {
    clearInterval(timer)
    if (terminal) process.stderr.write("\r\u001b[K")
  }
}

const simulate = async (options: Options): Promise<number> => {
  const totals = new Totals()
  const begun = performance.now()
  const first = options.seed ?? randomInt(mostSeed)
  if (!options.sweep) print(`first seed ${first}`)
  const stop = watchOf(totals, begun)
  const tasks = tasksOf(options, first, begun)
  await runPool(
    options.workers,
    () => tasks.next().value ?? undefined,
    (answer) => {
      if ("sweep" in answer) totals.addSweep(answer.sweep)
      else for (const report of answer.scenarios) totals.addScenario(report)
    }
  )
  stop()
  const { system, user } = process.cpuUsage()
  const spent = { seconds: (performance.now() - begun) / 1000, cpuSeconds: (system + user) / 1e6 }
  print(table(totals, spent, options.workers))
  const at = commit()
  const alone = options.scenarios === 1
  for (const failure of totals.failures.slice(0, 5)) {
    print(failureText(failure, at, alone))
    if (failure.seed !== undefined && keepSeed({ seed: failure.seed, why: failure.invariant })) {
      print(`seed ${failure.seed} was added to seeds.json: commit it`)
    }
  }
  const { never } = totals.sometimes
  const whole = !options.sweep && options.scenarios === undefined && options.seconds >= wholeRun
  if (whole && never.length > 0) print(`\nNEVER HAPPENED: ${never.join(", ")}`)
  return totals.failures.length > 0 || (whole && never.length > 0) ? 1 : 0
}

try {
  const options = parseOptions(process.argv.slice(2))
  if (options === "help") print(help)
  else process.exitCode = await simulate(options)
} catch (error) {
  if (!(error instanceof BadOption)) throw error
  process.stderr.write(`${error.message}\nnpm run sim -- --help tells what there is.\n`)
  process.exitCode = 2
}
