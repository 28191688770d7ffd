/** What the sources of feeds give here. */
import * as Context from "effect/Context"
import { dataTypes, type DocumentDataType, syncDataTypes, type DataType } from "../record/DataType.ts"
import { feedSources, type FeedSource } from "./FeedConfig.ts"

const bundled = { sync: syncDataTypes, extractor: [], upload: ["transactions", "balances"] } as const

/**
 * The data types of each source, of those that decisions 7.1 pairs with it: a program that reads documents provides a
 * service in which its source carries them.
 */
export const FeedSources = Context.Reference<Readonly<Record<FeedSource, ReadonlyArray<DataType>>>>(
  "@millrace/core/feed/FeedSources",
  { defaultValue: () => bundled }
)

/** The sources of a program that reads documents of these types, and brings in what it read with `PushedRecords`. */
export const withExtractor = (reads: ReadonlyArray<DocumentDataType>): typeof FeedSources.Service => ({
  ...bundled,
  extractor: reads
})

type Carried = typeof FeedSources.Service

/** The sources that give a data type. */
export const sourcesOf = (carried: Carried, dataType: DataType): ReadonlyArray<FeedSource> =>
  feedSources.filter((source) => carried[source].includes(dataType))

/** Why a feed of that source and data type cannot be had; `undefined` where it can. */
export const pairFault = (carried: Carried, source: FeedSource, dataType: DataType): string | undefined =>
  carried[source].includes(dataType)
    ? undefined
    : carried[source].length === 0
      ? `${source} feeds are not available here`
      : `${source} feeds do not carry ${dataType}`

/** Every pair that can be had, sources and types in their order. */
export const carriedPairs = (carried: Carried): ReadonlyArray<readonly [FeedSource, DataType]> =>
  feedSources.flatMap((source) =>
    dataTypes.flatMap((dataType) => (carried[source].includes(dataType) ? [[source, dataType] as const] : []))
  )
