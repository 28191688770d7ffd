/** The lease of a feed: anyone who has it is the only one that works out and delivers its rows. */
import type { FeedId } from "./Feed.ts"

/** The resource to take it by (`Leases.take`). A job that is claimed has it, and a local run takes it. */
export const feedLease = (id: FeedId): string => `feed:${id}`
