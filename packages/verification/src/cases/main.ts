/** `npm run cases`: see `--help`. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { properties, type Property } from "./Properties.ts"

const root = join(import.meta.dirname, "../../../..")
const kept = join(root, "bench/results/cases.json")

const usage = `usage: npm run cases -- [--only PROPERTY]... [--to N] [--minutes M] [--anew]

Tries properties on random worlds until N cases of each were tried, a part in each process. What was tried is kept in
bench/results/cases.json, and the next run goes on behind it. Ends with 1 where a property was violated.

  --only PROPERTY  this one; may be given several times: ${properties.map(({ name }) => name).join(", ")}
  --to N           cases of each (default 1,000,000)
  --minutes M      begins no further part after so many minutes
  --anew           forgets what was tried before
  --help           this text`

const Tried = Schema.Record(Schema.String, Schema.Struct({ worlds: Schema.Int, cases: Schema.Int }))
const readTried = Schema.decodeUnknownOption(Schema.fromJsonString(Tried))

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const refuse = (problem: string): never => {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}

const readKept = (): string => {
  try {
    return readFileSync(kept, "utf8")
  } catch {
    return "{}"
  }
}

const wholeOf = (name: string, text: string | undefined): number => {
  const value = Number((text ?? "").replaceAll(/[,_]/g, ""))
  return Number.isSafeInteger(value) && value > 0 ? value : refuse(`${name}: give a whole number above 0`)
}

/** Cases that one part tried; `undefined` where a property was violated. */
const tryPart = ({ file, title }: Property, first: number, worlds: number): number | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "cases-"))
  const counts = join(folder, "counts")
  writeFileSync(counts, "")
  const { status } = spawnSync("npx", ["vitest", "run", file, "-t", title, "--reporter=dot"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      MILLRACE_FROM: String(first),
      MILLRACE_CASES: String(worlds),
      MILLRACE_COUNTS: counts
    }
  })
  const tried = readFileSync(counts, "utf8")
    .split("\n")
    .reduce((sum, line) => sum + Number(line), 0)
  rmSync(folder, { recursive: true })
  if (status !== 0) return undefined
  return tried > 0 ? tried : refuse(`${file}: nothing was tried by the tests "${title}"`)
}

const main = (args: ReadonlyArray<string>): number => {
  const only: Array<string> = []
  let to = 1_000_000
  let minutes = Number.POSITIVE_INFINITY
  let fresh = false
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (arg === "--help") {
      print(usage)
      return 0
    }
    if (arg === "--only") only.push(args[++at] ?? "")
    else if (arg === "--to") to = wholeOf(arg, args[++at])
    else if (arg === "--minutes") minutes = wholeOf(arg, args[++at])
    else if (arg === "--anew") fresh = true
    else refuse(`there is no option ${arg}\n${usage}`)
  }
  const unknown = only.find((name) => !properties.some((one) => one.name === name))
  if (unknown !== undefined) refuse(`--only: there is no property "${unknown}"\n${usage}`)
  const tried = new Map(Object.entries(fresh ? {} : Option.getOrElse(readTried(readKept()), () => ({}))))
  const until = Date.now() + minutes * 60_000
  let violated = false
  // In turn, so that each has been tried when the time is over.
  let left = properties.filter(({ name }) => only.length === 0 || only.includes(name))
  while (left.length > 0 && Date.now() < until) {
    const round = left
    left = []
    for (const property of round) {
      const { cases, worlds } = tried.get(property.name) ?? { cases: 0, worlds: 0 }
      if (cases >= to) continue
      if (Date.now() >= until) break
      const more = tryPart(property, worlds, property.worlds)
      if (more === undefined) {
        violated = true
        print(`${property.name}: VIOLATED in worlds ${worlds} to ${worlds + property.worlds - 1}`)
        continue
      }
      left.push(property)
      tried.set(property.name, { worlds: worlds + property.worlds, cases: cases + more })
      mkdirSync(dirname(kept), { recursive: true })
      writeFileSync(kept, `${JSON.stringify(Object.fromEntries(tried), undefined, 2)}\n`)
      process.stderr.write(`${property.name}: ${cases + more} ${property.cases}\n`)
    }
  }
  for (const { cases: what, name } of properties) {
    const { cases, worlds } = tried.get(name) ?? { cases: 0, worlds: 0 }
    print(`${name.padEnd(24)} ${String(cases).padStart(10)} ${what} (${worlds} worlds)`)
  }
  return violated ? 1 : 0
}

process.exitCode = main(process.argv.slice(2))
