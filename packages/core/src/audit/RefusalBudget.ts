/**
 * How many refusals a process leaves in the audit. Entries are kept for years, and anyone who is refused asks again as often as
 * the rate allows: what is left out here stands in the log of requests alone.
 */
import * as Refill from "../rate/Refill.ts"

/** Of a workspace: sixty at once after a rest, and one every three minutes, which is 480 a day. */
const ofWorkspace: Refill.Refill = { burst: 60, interval: 180 }
/** Of one credential that asks for one operation: one an hour. */
const ofRepetition: Refill.Refill = { burst: 1, interval: 3_600 }
/** Buckets that are remembered; those that were not asked for the longest go first. */
const remembered = 10_000

export class RefusalBudget {
  private readonly buckets = new Map<string, number>()

  private take(key: string, now: number, refill: Refill.Refill): boolean {
    const { granted, nextAt } = Refill.place(this.buckets.get(key) ?? -Infinity, now, refill, 0)
    this.buckets.delete(key)
    this.buckets.set(key, nextAt)
    return granted
  }

  /** Whether this one is to be written, at an instant in milliseconds. */
  allows(workspaceId: string, repetition: string, now: number): boolean {
    const allowed =
      this.take(`${workspaceId} ${repetition}`, now, ofRepetition) && this.take(workspaceId, now, ofWorkspace)
    for (const key of this.buckets.keys()) {
      if (this.buckets.size <= remembered) break
      this.buckets.delete(key)
    }
    return allowed
  }
}
