/** In which order the parts of a filter are asked (performance 1). Legal because no part can fail. */
import { costOf, type FilterPlan } from "./FilterPlan.ts"

/** Puts the parts of one group in order; `all` says whether every one of them must hold. */
export type Order = (parts: ReadonlyArray<FilterPlan>, all: boolean) => ReadonlyArray<FilterPlan>

/** As long as nothing is known of the rows: the cheap ones first. */
export const byCost: Order = (parts) => parts.toSorted((a, b) => costOf(a) - costOf(b))

/** How often each part held among rows that were looked at. */
export class Selectivity {
  private readonly held = new Map<FilterPlan, number>()
  private rows = 0

  /** Notes one row: `holds` tells of each part that is given whether it held. */
  note(parts: Iterable<readonly [FilterPlan, boolean]>): void {
    this.rows++
    for (const [part, holds] of parts) if (holds) this.held.set(part, (this.held.get(part) ?? 0) + 1)
  }

  /** How often the part decides its group, at least once in a while. */
  private deciding(part: FilterPlan, all: boolean): number {
    const held = ((this.held.get(part) ?? 0) + 0.5) / (this.rows + 1)
    return all ? 1 - held : held
  }

  /** What decides most for what it costs comes first. */
  readonly order: Order = (parts, all) => {
    const price = new Map(parts.map((part) => [part, costOf(part) / this.deciding(part, all)]))
    return parts.toSorted((a, b) => price.get(a)! - price.get(b)!)
  }
}
