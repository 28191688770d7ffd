/** What a simulation prints. */
import { branches, faultKinds, type Happening } from "./Sometimes.ts"
import type { Failure, Totals } from "./Totals.ts"

const count = (value: number): string => Math.round(value).toLocaleString("en-US")

const line = (label: string, value: string): string => `${label.padEnd(46)} ${value.padStart(14)}`

/** Days of virtual time, or hours while there are few. */
const virtual = (seconds: number): string =>
  seconds < 3 * 86_400 ? `${count(seconds / 3_600)} hours` : `${count(seconds / 86_400)} days`

export const liveLine = (totals: Totals, elapsedSeconds: number): string =>
  [
    `${count(totals.syncs)} syncs`,
    `${count(totals.syncs / Math.max(0.001, elapsedSeconds))}/s`,
    `${virtual(totals.virtualSeconds)} of virtual time`,
    `${count(totals.failures.length)} broken`
  ].join("  ")

export const table = (
  totals: Totals,
  spent: { readonly seconds: number; readonly cpuSeconds: number },
  workers: number
): string => {
  const { sometimes, syncs } = totals
  const of = (kinds: ReadonlyArray<Happening>) => kinds.map((kind) => line(`  ${kind}`, count(sometimes.of(kind))))
  return [
    line("syncs (jobs that were run and ended)", count(syncs)),
    line("runs of them", count(totals.runs)),
    line("syncs a second", count(syncs / spent.seconds)),
    line("processor time of a sync", `${((spent.cpuSeconds * 1000) / Math.max(1, syncs)).toFixed(2)} ms`),
    line("workers", count(workers)),
    line("scenarios of one connection", count(totals.scenarios.script)),
    line("scenarios of an installation", count(totals.scenarios.engine)),
    line("places of the crash sweep", count(totals.sweptDeaths)),
    line("virtual time", virtual(totals.virtualSeconds)),
    line("digest of the scenarios", totals.digest),
    "faults",
    ...of(faultKinds),
    "sometimes",
    ...of(branches),
    line("broken invariants", count(totals.failures.length))
  ].join("\n")
}

export const failureText = ({ invariant, message, seed, story }: Failure, commit: string, withStory: boolean): string =>
  [
    "",
    `BROKEN: ${invariant}`,
    ...(withStory ? story.map((step) => `  ${step}`) : []),
    message,
    seed === undefined
      ? `at commit ${commit}; again with: npm run sim -- --sweep`
      : `seed ${seed} at commit ${commit}; again with: npm run sim -- --seed ${seed}`
  ].join("\n")
