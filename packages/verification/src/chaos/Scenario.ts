/** One way to disturb an installation. What must not happen is written down as a breach in its log. */
import type { Installation } from "./Installation.ts"

/** What was done and seen, by name. */
export type Figures = Readonly<Record<string, number | string>>

export interface Scenario {
  readonly title: string
  /** `count` is how often it disturbs. Leaves every worker and the database running. */
  readonly run: (installation: Installation, count: number) => Promise<Figures>
}

/** Counts as a figure: `completed 12, failed 1`. */
export const told = (counts: ReadonlyMap<string | number, number>): string =>
  [...counts]
    .toSorted(([a], [b]) => String(a).localeCompare(String(b)))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")
