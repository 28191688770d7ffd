/** Seeds of scenarios that broke once: they are played before all others, for ever. */
import { readFileSync, writeFileSync } from "node:fs"

const file = new URL("seeds.json", import.meta.url)

export interface KeptSeed {
  readonly seed: number
  /** What broke. */
  readonly why: string
}

export const keptSeeds = (): ReadonlyArray<KeptSeed> =>
  JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<KeptSeed>

/** Answers whether it was new. */
export const keepSeed = (kept: KeptSeed): boolean => {
  const seeds = keptSeeds()
  if (seeds.some(({ seed }) => seed === kept.seed)) return false
  writeFileSync(file, `${JSON.stringify([...seeds, kept], undefined, 2)}\n`)
  return true
}
