/** What was learnt of what people decided about pairs on earlier days (enrichments D2.2, D2.8). */
import { AccountLessons, type Lesson, noLesson } from "./AccountLessons.ts"
import { confidenceOf, type Judgement, plainScale } from "./Calibration.ts"
import { type Decision, showsFee } from "./Decisions.ts"
import type { Leg } from "./Leg.ts"

const keyOf = (out: string, into: string): string => `${out} ${into}`

export class Lessons {
  /** By the accounts of the two records. */
  private readonly byAccounts = new Map<string, AccountLessons>()
  /** By the two records. */
  private readonly places = new Map<string, readonly [AccountLessons, place: number]>()
  /** Whether a fee was accepted between any two accounts. */
  readonly showFees: boolean

  /** `decisions`: by day. */
  constructor(decisions: ReadonlyArray<Decision>, learn: boolean) {
    this.showFees = learn && decisions.some(showsFee)
    if (!learn) return
    for (const one of decisions) {
      const { in: into, out } = one
      const accounts = keyOf(out.accountId, into.accountId)
      let own = this.byAccounts.get(accounts)
      if (own === undefined) this.byAccounts.set(accounts, (own = new AccountLessons()))
      this.places.set(keyOf(out.recordId, into.recordId), [own, own.add(one)])
    }
  }

  /** Hears what decided pairs were worth without what was learnt. */
  hear(judgements: Iterable<Judgement>): void {
    for (const { base, in: into, out } of judgements) {
      const [own, place] = this.places.get(keyOf(out, into)) ?? []
      if (own !== undefined && place !== undefined) own.hear(place, confidenceOf(plainScale, base))
    }
  }

  get isEmpty(): boolean {
    return this.byAccounts.size === 0
  }

  private of(out: Leg, into: Leg): AccountLessons | undefined {
    return this.byAccounts.get(keyOf(out.accountId, into.accountId))
  }

  counts(out: Leg, into: Leg): Lesson {
    return this.of(out, into)?.counts(out, into) ?? noLesson
  }

  /** Whether a person has linked records of the two accounts before. */
  wereLinked(out: Leg, into: Leg): boolean {
    return this.of(out, into)?.wereLinked(out) ?? false
  }

  /** Whether a person has linked records of the two accounts before from which a fee was missing. */
  hadFee(out: Leg, into: Leg): boolean {
    return this.of(out, into)?.hadFee(out) ?? false
  }

  /** Whether that much was missing from a transfer of the two accounts before. */
  knowsFee(out: Leg, into: Leg): boolean {
    return this.of(out, into)?.knowsFee(out, into) ?? false
  }
}
