/** Feeds: where they read, where they deliver, when they run. */
export type { BoundColumns } from "../feed/BoundColumns.ts"
export { type CsvField, csvFields, CsvOptions, type DosEncoding } from "../feed/CsvOptions.ts"
export { catalogOfFeed, ExtractionConfig, isItemized } from "../feed/Extraction.ts"
export { Feed, type FeedId, FeedState } from "../feed/Feed.ts"
export { DestinationConfig, FeedSource } from "../feed/FeedConfig.ts"
export { FeedSources, withExtractor } from "../feed/FeedSources.ts"
export { feedLease } from "../feed/FeedLease.ts"
export type { DueWake } from "../feed/Wake.ts"
