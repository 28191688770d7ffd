/** What `npm run quality` is asked for. */
import type { Size } from "./identity/Scene.ts"

export const usage = `usage: npm run quality -- [--seed N] [--quick] [--only SCENE]... [--record]

Plays scenes with the truth known and prints their figures beside what they have to reach. Ends with 1 where
one is not reached. Writes bench/results/quality.json.

  --seed N      first seed of the histories (default 1)
  --quick       fewer histories
  --only SCENE  this scene; may be given several times
  --record      keeps the figures in docs/quality.json, from which npm run docs makes docs/reference/quality.md; with --only
                those of these scenes, and leaves the others as they were
  --help        this text`

export interface Options {
  readonly seed: number
  readonly size: Size
  /** Names of scenes; empty for all. */
  readonly only: ReadonlyArray<string>
  readonly record: boolean
}

/** What is asked for, or what is wrong with it. */
export const parseOptions = (
  args: ReadonlyArray<string>,
  known: ReadonlyArray<string>
): Options | { readonly problem: string } => {
  let seed = 1
  let size: Size = "full"
  let record = false
  const only: Array<string> = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (arg === "--quick") size = "quick"
    else if (arg === "--record") record = true
    else if (arg === "--seed") {
      const text = args[++at] ?? ""
      if (!/^\d{1,9}$/.test(text)) return { problem: `--seed: give a whole number of up to 9 digits, not "${text}"` }
      seed = Number(text)
    } else if (arg === "--only") {
      const name = args[++at] ?? ""
      if (!known.includes(name))
        return { problem: `--only: there is no scene "${name}"; there are ${known.join(", ")}` }
      only.push(name)
    } else return { problem: `there is no option ${arg}\n${usage}` }
  }
  if (record && (seed !== 1 || size !== "full")) {
    return { problem: "--record: only figures in full and of the default seed are kept; leave the rest out" }
  }
  return { seed, size, only, record }
}
