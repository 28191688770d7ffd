/**
 * `npm run bench -- <name> [--quick] [--only <text>]`: runs one benchmark, prints its ratios, writes `results/<name>.json` and
 * ends with 1 where a goal of `goals.json` is not reached. `--only` measures what has the text in its name, such as "to a file",
 * and nothing else.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { Bench, Overview } from "./harness/Bench.ts"
import { Goals, judge, type Judged } from "./harness/Goals.ts"
import { type Effort, measure, type MeasuredComparison } from "./harness/Measure.ts"
import { comparisonText, judgedText, overviewText } from "./harness/Report.ts"

const folder = import.meta.dirname
const suffix = ".bench.ts"

class Misused extends Schema.TaggedError<Misused>()("Misused", { message: Schema.String }) {}

const names = Effect.map(
  Effect.promise(() => readdir(folder)),
  (files) =>
    files
      .filter((file) => file.endsWith(suffix))
      .map((file) => file.slice(0, -suffix.length))
      .toSorted()
)

const load = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const known = yield* names
  const usage = `usage: npm run bench -- <name> [--quick] [--only <text>]\nbenchmarks: ${known.join(", ")}`
  const at = args.indexOf("--only")
  const only = at < 0 ? "" : args[at + 1]
  if (only === undefined) return yield* new Misused({ message: `--only which?\n${usage}` })
  const others = at < 0 ? args : args.toSpliced(at, 2)
  const unknownOption = others.find((arg) => arg.startsWith("-") && arg !== "--quick")
  if (unknownOption !== undefined) {
    return yield* new Misused({ message: `there is no option ${unknownOption}\n${usage}` })
  }
  const [name, ...more] = others.filter((arg) => !arg.startsWith("-"))
  if (name === undefined || more.length > 0) return yield* new Misused({ message: usage })
  if (!known.includes(name)) return yield* new Misused({ message: `there is no benchmark ${name}\n${usage}` })
  const module: { readonly bench: Bench } = yield* Effect.promise(() => import(join(folder, name + suffix)))
  return { bench: module.bench, quick: others.includes("--quick"), only }
})

const collector = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  return Effect.sync(collect)
})

const readGoals = Effect.promise(() => readFile(join(folder, "goals.json"), "utf8")).pipe(
  Effect.flatMap(Schema.decodeEffect(Schema.fromJsonString(Goals)))
)

const write = Effect.fnUntraced(function* (
  bench: Bench,
  quick: boolean,
  comparisons: ReadonlyArray<MeasuredComparison>,
  overviews: ReadonlyArray<Overview>,
  judged: ReadonlyArray<Judged>
) {
  const result = {
    name: bench.name,
    quick,
    node: process.version,
    cores: availableParallelism(),
    judged,
    comparisons,
    ...(overviews.length === 0 ? {} : { overviews })
  }
  yield* Effect.promise(() => mkdir(join(folder, "results"), { recursive: true }))
  yield* Effect.promise(() =>
    writeFile(join(folder, "results", `${bench.name}.json`), `${JSON.stringify(result, undefined, 2)}\n`)
  )
})

const program = Effect.gen(function* () {
  const { bench, only, quick } = yield* load(process.argv.slice(2))
  const goals = yield* readGoals
  const asked = ({ name }: { readonly name: string }): boolean => name.includes(only)
  const collect = yield* collector
  const effort: Effort = { rounds: quick ? 3 : 7, minMillis: quick ? 100 : 300, settle: collect }
  yield* Console.log(`${bench.title}${quick ? " (quick)" : ""}\n`)
  const { comparisons, figures = [], overviews = [] } = yield* bench.make({ quick, collect })
  const measured: Array<MeasuredComparison> = []
  for (const comparison of comparisons.filter((one) => asked(one) || one.ratios.some(asked))) {
    const result = yield* measure(comparison, effort)
    measured.push(result)
    yield* Console.log(`${comparisonText(result)}\n`)
  }
  const beside: Array<Overview> = []
  // Most of an overview is what figures are made of: made for one of them alone, it would measure all of them.
  for (const overview of only === "" ? overviews : []) {
    const found = yield* overview
    beside.push(found)
    yield* Console.log(`${overviewText(found)}\n`)
  }
  const counted = yield* Effect.forEach(figures.filter(asked), ({ name, value }) =>
    Effect.map(value, (found) => ({ name, value: found }))
  )
  const wanted = Object.fromEntries(Object.entries(goals[bench.name] ?? {}).filter(([name]) => asked({ name })))
  const judged = judge(wanted, [...measured.flatMap(({ ratios }) => ratios), ...counted])
  yield* Console.log(judgedText(judged))
  yield* write(bench, quick, measured, beside, judged)
  return judged.every(({ met }) => met)
}).pipe(Effect.scoped)

const exit = await Effect.runPromiseExit(program)
if (Exit.isSuccess(exit)) process.exitCode = exit.value ? 0 : 1
else {
  const fault = Cause.squash(exit.cause)
  process.stderr.write(`${fault instanceof Misused ? fault.message : Cause.pretty(exit.cause)}\n`)
  process.exitCode = fault instanceof Misused ? 2 : 1
}
