/** The index of the days of records, in the order in which days come; that of a large table is made while the server works. */
import { makeWhereSmall, recordDates } from "./lateIndex.ts"

export const recordDatesInOrder = makeWhereSmall(recordDates)
