/**
 * What was lately found out about keys, so that guesses cost little: a key that nobody has is not looked up again for a
 * few seconds, and first look-ups are few at a time, so that they leave the database to those who have a key.
 */
import * as Semaphore from "effect/Semaphore"

/** Hashes that are remembered of each sort; the oldest goes first. */
const remembered = 10_000
/** How long a key counts as unknown. Keys are random: one that is made later was not asked for before. */
const unknownMillis = 5_000
/** First look-ups at once. */
const firstLookups = 4

export class KeyMemory {
  private readonly unknown = new Map<string, number>()
  private readonly seen = new Set<string>()
  private readonly first = Semaphore.makeUnsafe(firstLookups)

  isUnknown(hash: string, now: number): boolean {
    const until = this.unknown.get(hash)
    return until !== undefined && now < until
  }

  /** Limits look-ups of keys that were not found before; those of known keys pass. */
  get limitFirst() {
    return this.first.withPermit
  }

  isSeen(hash: string): boolean {
    return this.seen.has(hash)
  }

  found(hash: string): void {
    this.unknown.delete(hash)
    this.seen.add(hash)
    if (this.seen.size > remembered) this.seen.delete(this.seen.values().next().value!)
  }

  missed(hash: string, now: number): void {
    this.seen.delete(hash)
    this.unknown.delete(hash)
    this.unknown.set(hash, now + unknownMillis)
    if (this.unknown.size > remembered) this.unknown.delete(this.unknown.keys().next().value!)
  }
}
