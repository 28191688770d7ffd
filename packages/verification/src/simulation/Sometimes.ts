/**
 * What must have happened now and then: a simulation in which a fault never struck, or a rare branch was never
 * taken, has shown nothing about it.
 */

/** What the simulation does to the kernel. */
export const faultKinds = [
  "crash",
  "storage away",
  "storage answer lost",
  "slow call",
  "provider error",
  "provider answers short",
  "bank shows less than it claims",
  "provider repeats an edge row",
  "provider forgets the checkpoint",
  "bank changes while it is paged",
  "bank shows a row that cannot be read",
  "bank lists an account no longer",
  "connection unhealthy",
  "destination away",
  "destination answer lost",
  "destination refuses a row",
  "person deletes a row",
  "cancel",
  "forced replacement",
  "machine frozen past its lease",
  "machine drained",
  "machine clock wrong",
  "store clock jumps ahead",
  "store clock jumps back",
  "feed deleted"
] as const

/** What the kernel did about it, and what the bank did. */
export const branches = [
  "worker lost and its job taken over",
  "job given up after lost workers",
  "job waited too long in the queue",
  "write of a shut out run refused",
  "job paused for the provider",
  "job paused by a person",
  "job resumed",
  "job handed back",
  "pages handed over to the next run",
  "pages put aside",
  "feed was locked",
  "pagination restarted",
  "pagination given up",
  "checkpoint lost",
  "coverage suspect",
  "row quarantined",
  "older record kept that the bank no longer shows",
  "record revived",
  "record removed",
  "look-up found a row",
  "delivery carried over",
  "rows delivered again",
  "row skipped that a person deleted",
  "whole file written",
  "range of dates",
  "full read",
  "dedupe skipped",
  "enrichment changed",
  "sets analysed",
  "enrichment of sets turned on or off",
  "message sent",
  "message handed over again",
  "scheduled run",
  "day with a change of daylight saving time",
  "leap day",
  "records pushed",
  "task tried again",
  "task of a lost process taken over",
  "backdated row",
  "row corrected",
  "row corrected in all it says",
  "another event under the same id",
  "real twin",
  "row removed",
  "pending row dropped",
  "settled with a link",
  "settled without a link",
  "settled with another amount",
  "row under a new id",
  "all rows under new ids"
] as const

export type Happening = (typeof faultKinds)[number] | (typeof branches)[number]

const all: ReadonlyArray<Happening> = [...faultKinds, ...branches]

export class Sometimes {
  readonly counts = new Map<Happening, number>()

  happened(what: Happening, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times)
  }

  of(what: Happening): number {
    return this.counts.get(what) ?? 0
  }

  add(other: Sometimes | ReadonlyArray<readonly [Happening, number]>): void {
    for (const [what, times] of other instanceof Sometimes ? other.counts : other) this.happened(what, times)
  }

  /** What has not happened at all. */
  get never(): ReadonlyArray<Happening> {
    return all.filter((what) => this.of(what) === 0)
  }
}
