/** What people say of warnings, and what follows for the next ones (enrichments D4.5). */
import type { Id } from "../../../shared/Ids.ts"
import type { EnrichmentFact, FactRequest } from "../EnrichmentFact.ts"
import type { Detector } from "./AnomalyConfig.ts"

const fieldOf = (detector: string): string => `anomaly.${detector}`

/** Those warnings were wrong: it is usual. */
export const calledNormal = (
  enrichmentId: Id<"enrichment">,
  recordId: string,
  detectors: ReadonlyArray<string>
): ReadonlyArray<FactRequest> =>
  detectors.map((detector) => ({ kind: "accept", enrichmentId, recordId, field: fieldOf(detector) }))

/** Those warnings were right: what is usual is not measured by it. */
export const calledCorrect = (
  enrichmentId: Id<"enrichment">,
  recordId: string,
  detectors: ReadonlyArray<string>
): ReadonlyArray<FactRequest> =>
  detectors.map((detector) => ({ kind: "reject", enrichmentId, recordId, field: fieldOf(detector) }))

const halfLife = 180
const [step, back, largest] = [1.25, 1.1, 4]

export class Feedback {
  private readonly normal = new Set<string>()
  private readonly correct = new Set<string>()
  private readonly said = new Set<string>()
  /** By merchant and detector: the factor as it was after the last word, and when that was. */
  private readonly factors = new Map<string, { readonly day: number; readonly factor: number }>()

  constructor(facts: ReadonlyArray<EnrichmentFact>) {
    for (const { field, kind, recordId } of facts) {
      if (recordId === undefined || field === undefined) continue
      if (kind === "accept") this.normal.add(`${recordId} ${field}`)
      else if (kind === "reject") this.correct.add(`${recordId} ${field}`)
      else continue
      this.said.add(recordId)
    }
  }

  isNormal(recordId: string, detector: Detector): boolean {
    return this.normal.has(`${recordId} ${fieldOf(detector)}`)
  }

  /** Whether a person says that it is none of what is usual. */
  isFaulty(recordId: string): boolean {
    return this.said.has(recordId) && this.correct.has(`${recordId} ${fieldOf("amount")}`)
  }

  /** By what the threshold is raised for a record of that day. */
  factor(merchant: string, detector: Detector, day: number): number {
    const known = this.factors.get(`${merchant} ${detector}`)
    return known === undefined ? 1 : 1 + (known.factor - 1) * 2 ** (-(day - known.day) / halfLife)
  }

  /** Lets what was said of a record count for those after it; records come in the order of time. */
  learn(merchant: string, recordId: string, day: number, detectors: ReadonlyArray<Detector>): void {
    if (!this.said.has(recordId)) return
    for (const detector of detectors) {
      const now = this.factor(merchant, detector, day)
      const key = `${merchant} ${detector}`
      if (this.isNormal(recordId, detector)) this.factors.set(key, { day, factor: Math.min(largest, now * step) })
      else if (this.correct.has(`${recordId} ${fieldOf(detector)}`)) {
        this.factors.set(key, { day, factor: Math.max(1, now / back) })
      }
    }
  }
}
