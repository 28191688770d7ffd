/** Places in lists that people order by numbers (decisions 1.7). */
import { limits } from "./Limits.ts"

/** Behind all others by a step, or at the last place there is, beside what exists already. */
export const nextOrder = (
  others: ReadonlyArray<{ readonly order: number }>,
  { first = 0, last = limits.largestInteger, step = 1 }: { first?: number; last?: number; step?: number } = {}
): number => others.reduce((next, { order }) => Math.max(next, Math.min(order + step, last)), first)
