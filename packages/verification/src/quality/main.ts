/** `npm run quality`: see `--help`. */
import { randomInt } from "node:crypto"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { parseOptions, usage } from "./Options.ts"
import * as Schema from "effect/Schema"
import { Report, reportOf, rowsOf, tableText, withRows, type Row } from "./Report.ts"
import { scenes } from "./Scenes.ts"

const root = join(import.meta.dirname, "../../../..")

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const kept = "docs/quality.json"

const write = async (file: string, report: Report): Promise<void> => {
  await mkdir(dirname(join(root, file)), { recursive: true })
  await writeFile(join(root, file), `${JSON.stringify(report, undefined, 2)}\n`)
}

const measure = async (args: ReadonlyArray<string>): Promise<number> => {
  if (args.includes("--help")) {
    print(usage)
    return 0
  }
  const options = parseOptions(
    args,
    scenes.map(({ name }) => name)
  )
  if ("problem" in options) {
    process.stderr.write(`${options.problem}\n`)
    return 2
  }
  // Worlds whose parameters are drawn: other ones each time, unless a seed asks for the same.
  const drawn = args.includes("--seed") ? options.seed : randomInt(1_000_000_000)
  process.stderr.write(`worlds are drawn from ${drawn}; --seed ${drawn} draws the same\n`)
  const rows: Array<Row> = []
  for (const scene of scenes) {
    if (options.only.length > 0 && !options.only.includes(scene.name)) continue
    const missing = scene.missing?.()
    process.stderr.write(`${scene.name}: ${missing === undefined ? scene.title : `left out, ${missing}`}\n`)
    if (missing !== undefined) continue
    rows.push(...rowsOf(scene, await Effect.runPromise(scene.play({ ...options, drawn }))))
  }
  print(tableText(rows))
  const report = reportOf(new Date().toISOString().slice(0, 10), options, rows)
  await write("bench/results/quality.json", report)
  if (options.record) {
    const order = scenes.map(({ name }) => name)
    const before = options.only.length === 0 ? undefined : await readFile(join(root, kept), "utf8")
    await write(
      kept,
      before === undefined ? report : withRows(Schema.decodeUnknownSync(Report)(JSON.parse(before)), report, order)
    )
  }
  return rows.every(({ met }) => met) ? 0 : 1
}

process.exitCode = await measure(process.argv.slice(2))
