/** The index of the days of records, in the order in which days come. */
import { makeIndexes, recordDates } from "./lateIndex.ts"

export const recordDatesInOrder = makeIndexes(recordDates)
