/** Places in lists that people order by numbers (decisions 1.7). */
import { limits } from "./Limits.ts"

/** Behind all others, or beside the last one where no number is larger. */
export const nextOrder = (others: ReadonlyArray<{ readonly order: number }>): number =>
  others.reduce((next, { order }) => Math.max(next, Math.min(order + 1, limits.largestInteger)), 0)
