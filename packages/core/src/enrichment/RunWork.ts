/**
 * The work that enrichments do for the records of a run, a preview or a simulation (decision 74).
 *
 * An enrichment that needs more than its limit is set aside: it says nothing new of this record and of those behind it. What it said
 * before stays, and where it decides on delivery the records wait.
 */
import { limits } from "../shared/Limits.ts"
import { Work } from "../shared/Work.ts"

/** The same each time, so that a run that sets aside what the one before did says nothing new. */
export const asideMessage =
  "limit: it needs more work than a run gives it, and was set aside: what it said before stays, and what it decides on waits"

/** Units of work that every enrichment takes for a record, whatever it does. */
const stepWork = 200

interface Spent {
  records: number
  units: number
}

export class RunWork extends Work {
  private readonly ofEach = new Map<string, Spent>()
  private readonly aside = new Set<string>()
  private current: Spent = { records: 0, units: 0 }
  private began = 0
  /** What was spent when others had their last turn. */
  private before = 0

  /** `aside`: enrichments that are set aside from the start. */
  constructor(aside: Iterable<string> = []) {
    super()
    for (const id of aside) this.aside.add(id)
  }

  /** Enrichments that have done much work so far, and may do more. */
  get heavy(): ReadonlyArray<string> {
    return Array.from(this.ofEach).flatMap(([id, { units }]) =>
      units >= limits.markedWork && !this.aside.has(id) ? [id] : []
    )
  }

  /** Enrichments that were set aside, in the order in which they were. */
  get setAside(): ReadonlySet<string> {
    return this.aside
  }

  /** Whether so much was done that others should have their turn. */
  get isTurnOver(): boolean {
    return this.spent - this.before >= limits.turnWork
  }

  /** Others have their turn. Returns what was done since they had the last one. */
  beginTurn(): number {
    const done = this.spent - this.before
    this.before = this.spent
    return done
  }

  /** An enrichment begins on a record, for which it may do `most`; `false` where it was set aside. */
  begin(enrichmentId: string, most: number): boolean {
    if (this.aside.has(enrichmentId)) return false
    let spent = this.ofEach.get(enrichmentId)
    if (spent === undefined) this.ofEach.set(enrichmentId, (spent = { records: 0, units: 0 }))
    spent.records++
    this.spent += stepWork
    this.current = spent
    this.began = this.spent
    const left = limits.runWork + spent.records * limits.averageWork - spent.units
    this.allow(Math.min(most, left))
    return true
  }

  /** It is done with the record. */
  end(): void {
    this.current.units += this.spent - this.began
    this.allow(Infinity)
  }

  rest(enrichmentId: string): void {
    this.aside.add(enrichmentId)
  }
}
