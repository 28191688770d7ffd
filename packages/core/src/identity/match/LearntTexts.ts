/**
 * Which text a merchant's pending rows have, and which its booked ones: learnt of an account where links, ids or
 * amounts say that two rows are one, and counted as alike from then on.
 */
import { limits } from "../../shared/Limits.ts"

export interface LearntText {
  readonly pending: string
  readonly booked: string
  /** Grows with each time that it shows, and shrinks with each that speaks against it; below 0 a person said no. */
  readonly score: number
}

/** What one booking tells. */
export interface Lesson {
  readonly pending: string
  readonly booked: string
  /** The upstream said so itself; else only the amounts did. */
  readonly told: boolean
  /** The texts are alike anyway, so there is nothing to keep: it only speaks against others. */
  readonly alike: boolean
}

/** Amounts are a coincidence once, so they have to say it twice. */
const enough = 2
const most = 8
const refused = -4
/** Longer texts differ from row to row. */
const longest = 200

export const isLearnt = ({ score }: LearntText): boolean => score >= enough

/** The texts that pending rows of a text are booked under. */
export const bookedTexts = (learnt: ReadonlyArray<LearntText>): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  for (const one of learnt) {
    if (!isLearnt(one)) continue
    const texts = found.get(one.pending)
    if (texts === undefined) found.set(one.pending, new Set([one.booked]))
    else texts.add(one.booked)
  }
  return found
}

/** Least recently shown first; the first ones go where there are too many. */
const put = (learnt: ReadonlyArray<LearntText>, one: LearntText): ReadonlyArray<LearntText> =>
  [...learnt.filter(({ booked, pending }) => booked !== one.booked || pending !== one.pending), one].slice(
    -limits.learntTexts
  )

const after = (learnt: ReadonlyArray<LearntText>, { alike, booked, pending, told }: Lesson) => {
  if ([pending, booked].some((text) => text === "" || text.length > longest)) return learnt
  const doubted = learnt.flatMap((one) => {
    if (one.pending !== pending || one.booked === booked || one.score < 0) return [one]
    const score = told ? 0 : one.score - 1
    return score <= 0 ? [] : [{ ...one, score }]
  })
  if (alike) return doubted
  const before = learnt.find((one) => one.pending === pending && one.booked === booked)?.score ?? 0
  return put(doubted, { pending, booked, score: Math.min(most, before + (told ? enough : 1)) })
}

const isSame = (a: ReadonlyArray<LearntText>, b: ReadonlyArray<LearntText>): boolean =>
  a.length === b.length &&
  a.every((one, at) => {
    const other = b[at]!
    return one.pending === other.pending && one.booked === other.booked && one.score === other.score
  })

/** What is known after these lessons, in their order; the same list where they tell nothing new. */
export const learn = (learnt: ReadonlyArray<LearntText>, lessons: ReadonlyArray<Lesson>): ReadonlyArray<LearntText> => {
  const known = lessons.reduce(after, learnt)
  return isSame(known, learnt) ? learnt : known
}

/** A person says that the two are none: it takes more than coincidences to be learnt again. */
export const unlearn = (
  learnt: ReadonlyArray<LearntText>,
  pending: string,
  booked: string
): ReadonlyArray<LearntText> =>
  pending === "" || booked === "" ? learnt : put(learnt, { pending, booked, score: refused })
