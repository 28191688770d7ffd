/**
 * What people decided about records of two accounts, by day, summed so that what was decided before a day is known without
 * going through all of it: there may be thousands of decisions, and each pair of the two accounts asks.
 */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { lowerBound } from "../../../shared/LowerBound.ts"
import { type Decision, type Located, located, showsFee } from "./Decisions.ts"
import type { Leg } from "./Leg.ts"
import { centibits, type Counts } from "./PairScore.ts"

/** What people decided about two accounts, beside what was to be expected. */
export type Lesson = Pick<Counts, "accepted" | "rejected" | "expected" | "pattern">

export const noLesson: Lesson = { accepted: 0, rejected: 0, expected: 0, pattern: 0 }

const halfLifeDays = 180
const feesKept = 20

/** What is known of a decision that was about no pair that could be scored: as likely as not. */
const unjudged = 5_000

const amountClass = (units: number): number => Math.floor(Math.log2(Math.max(1, units)))

/** Equal for pairs with the same texts and amounts of the same size. */
const patternOf = (out: Located, into: Located): string =>
  JSON.stringify([out.pattern, into.pattern, amountClass(out.units)])

type Day = CalendarDate.CalendarDate

export class AccountLessons {
  private readonly days: Array<Day> = []
  /** Of so many decisions, those that were accepted. */
  private readonly accepted: Array<number> = [0]
  /** What was stated of each decision, in ten-thousandths, and the sum of so many; the sums up to `summed` are right. */
  private readonly stated: Array<number> = []
  private readonly sums: Array<number> = [0]
  private summed = 0
  /** Of those that were accepted in one currency: the day, and what was missing. */
  private readonly paidOn: Array<Day> = []
  private readonly missing: Array<number> = []
  private readonly rejectedOn = new Map<string, Array<Day>>()
  private firstLink: Day | undefined
  private firstFee: Day | undefined

  /** Decisions come by day. Answers the place of this one. */
  add(decision: Decision): number {
    const { accepted, in: into, out } = decision
    const place = this.days.push(out.date) - 1
    this.accepted.push(this.accepted[place]! + (accepted ? 1 : 0))
    this.stated.push(unjudged)
    if (accepted) {
      this.firstLink ??= out.date
      if (showsFee(decision)) this.firstFee ??= out.date
      if (into.currency === out.currency) {
        this.paidOn.push(out.date)
        this.missing.push(out.units - into.units)
      }
    } else {
      const pattern = patternOf(out, into)
      const list = this.rejectedOn.get(pattern)
      if (list === undefined) this.rejectedOn.set(pattern, [out.date])
      else list.push(out.date)
    }
    return place
  }

  /** What was stated of the decision at a place before it was one. */
  hear(place: number, stated: number): void {
    this.stated[place] = stated
    if (place < this.summed) this.summed = place
  }

  private sumOf(count: number): number {
    for (; this.summed < count; this.summed++) {
      this.sums[this.summed + 1] = this.sums[this.summed]! + this.stated[this.summed]!
    }
    return this.sums[count]!
  }

  counts(out: Leg, into: Leg): Lesson {
    const count = lowerBound(this.days, out.date)
    if (count === 0) return noLesson
    const accepted = this.accepted[count]!
    let pattern = 0
    if (accepted < count) {
      for (const day of this.rejectedOn.get(patternOf(located(out), located(into))) ?? []) {
        if (day >= out.date) break
        pattern -= 3 * 2 ** (-CalendarDate.daysBetween(day, out.date) / halfLifeDays)
      }
    }
    return {
      accepted,
      rejected: count - accepted,
      expected: Math.round(this.sumOf(count) / 100),
      pattern: centibits(pattern)
    }
  }

  wereLinked({ date }: Leg): boolean {
    return this.firstLink !== undefined && this.firstLink < date
  }

  hadFee({ date }: Leg): boolean {
    return this.firstFee !== undefined && this.firstFee < date
  }

  knowsFee(out: Leg, into: Leg): boolean {
    const count = lowerBound(this.paidOn, out.date)
    const last = this.missing.lastIndexOf(out.units - into.units, count - 1)
    return count > 0 && last >= 0 && last >= count - feesKept
  }
}
