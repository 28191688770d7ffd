/** The index of open deliveries, so that a walk begins where it had come to; that of a large table is made while the server works. */
import { makeIndexes, openDeliveries } from "./lateIndex.ts"

export const openDeliveriesByDay = makeIndexes(openDeliveries)
