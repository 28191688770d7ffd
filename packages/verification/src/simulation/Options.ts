/** What `npm run sim` is asked for. */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"

export interface Options {
  /** How long scenarios are begun; the crash sweep and what has begun are always finished. */
  readonly seconds: number
  /** The first seed; a random one unless given. */
  readonly seed: number | undefined
  /** So many scenarios instead of so many seconds. */
  readonly scenarios: number | undefined
  readonly workers: number
  /** The crash sweep alone, with every way to die. */
  readonly sweep: boolean
}

export const help = `npm run sim -- [options]

Simulates scenarios of connections, feeds and whole installations on the real kernel, and crashes runs at every
place at which they can die. Ends with 1 when an invariant broke, or when a fault or a rare branch that should
happen now and then never did.

  --seconds N   for how long to simulate, default 60; the sweep is part of it from 60 on
  --seed N      begin with this seed; alone, play just this scenario and tell its story if it breaks
  --scenarios N so many scenarios instead of a time
  --workers N   threads, default one for each core
  --sweep       only the crash sweep, by crashes and by storage that goes away
  --help        this text`

/** A message for anyone who typed it. */
export class BadOption extends Error {
  override readonly name = "BadOption"
}

const flags = {
  seconds: { type: "string" },
  seed: { type: "string" },
  scenarios: { type: "string" },
  workers: { type: "string" },
  sweep: { type: "boolean" },
  help: { type: "boolean" }
} as const

const whole = (name: string, text: string | undefined, least: number, most: number): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d{1,10}$/.test(text) && value >= least && value <= most) return value
  throw new BadOption(`--${name} must be a whole number from ${least} to ${most}, not "${text}"`)
}

/** Largest seed. */
export const mostSeed = 0x7fff_ffff

/** `"help"` when that is asked for. Throws `BadOption`. */
export const parseOptions = (args: ReadonlyArray<string>): Options | "help" => {
  let values: { readonly [K in keyof typeof flags]?: string | boolean | undefined }
  try {
    values = parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new BadOption(error instanceof Error ? error.message.split(". ")[0]! : String(error))
  }
  if (values.help === true) return "help"
  const text = (name: keyof typeof flags) => values[name] as string | undefined
  const scenarios = whole("scenarios", text("scenarios"), 1, 100_000_000)
  const seconds = whole("seconds", text("seconds"), 1, 86_400)
  const seed = whole("seed", text("seed"), 0, mostSeed)
  const sweep = values.sweep === true
  if (scenarios !== undefined && seconds !== undefined)
    throw new BadOption("--scenarios and --seconds exclude each other")
  if (sweep && (scenarios ?? seconds ?? seed) !== undefined) {
    throw new BadOption("--sweep is a run of its own: it takes no --seconds, --seed and --scenarios")
  }
  return {
    seconds: seconds ?? 60,
    seed,
    scenarios: scenarios ?? (seed !== undefined && seconds === undefined ? 1 : undefined),
    workers: whole("workers", text("workers"), 1, 256) ?? availableParallelism(),
    sweep
  }
}
