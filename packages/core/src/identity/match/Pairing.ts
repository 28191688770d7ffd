/** The pairs found so far: one-to-one. */
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import type { MatchEvidence } from "./Matching.ts"

export class Pairing {
  readonly #entries: Array<IndexEntry | undefined>
  readonly #evidence: Array<MatchEvidence | undefined>
  readonly #taken = new Set<string>()

  constructor(observations: number) {
    this.#entries = Array.from({ length: observations }, () => undefined)
    this.#evidence = Array.from({ length: observations }, () => undefined)
  }

  /** Pairs an observation with a record, unless either has its counterpart already. */
  take(at: number, entry: IndexEntry | undefined, evidence: MatchEvidence): boolean {
    if (entry === undefined || this.#entries[at] !== undefined || this.#taken.has(entry.id)) return false
    this.#taken.add(entry.id)
    this.#entries[at] = entry
    this.#evidence[at] = evidence
    return true
  }

  release(at: number): void {
    const entry = this.#entries[at]
    if (entry !== undefined) this.#taken.delete(entry.id)
    this.#entries[at] = undefined
    this.#evidence[at] = undefined
  }

  isTaken(entry: Pick<IndexEntry, "id">): boolean {
    return this.#taken.has(entry.id)
  }

  entryOf(at: number): IndexEntry | undefined {
    return this.#entries[at]
  }

  evidenceOf(at: number): MatchEvidence | undefined {
    return this.#evidence[at]
  }

  /** Observations without a counterpart. */
  get open(): ReadonlyArray<number> {
    return this.#entries.flatMap((entry, at) => (entry === undefined ? [at] : []))
  }
}
