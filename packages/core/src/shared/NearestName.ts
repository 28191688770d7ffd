/** The name that somebody may have meant. */
import { stepsBetween } from "./TextSteps.ts"

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

/** Of names that differ in a letter of four at most, case and separators aside, the nearest; of equals the first. */
export const nearestName = (name: string, known: Iterable<string>): string | undefined => {
  const given = plain(name)
  let found: { readonly name: string; readonly steps: number } | undefined
  for (const one of known) {
    const other = plain(one)
    const most = Math.floor(Math.max(given.length, other.length) / 4)
    if (Math.abs(given.length - other.length) > most) continue
    const steps = stepsBetween(given, other)
    if (steps <= most && (found === undefined || steps < found.steps)) found = { name: one, steps }
  }
  return found?.name
}
