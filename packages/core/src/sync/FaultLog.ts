/** What enrichments failed on during a run. */
import type { PipelineFault } from "../enrichment/Pipeline.ts"

/** Each message of an enrichment is kept once; how often it failed is counted. */
export class FaultLog {
  private readonly told = new Map<string, PipelineFault>()
  private readonly failed = new Map<string, number>()

  readonly note = (fault: PipelineFault): void => {
    const { enrichmentId, message } = fault
    this.told.set(`${enrichmentId}\n${message}`, fault)
    this.failed.set(enrichmentId, (this.failed.get(enrichmentId) ?? 0) + 1)
  }

  get faults(): ReadonlyArray<PipelineFault> {
    return [...this.told.values()]
  }

  /** By enrichment. */
  get counts(): ReadonlyMap<string, number> {
    return this.failed
  }
}
