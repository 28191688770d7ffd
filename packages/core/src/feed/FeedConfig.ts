/** Configuration blocks of a feed (decisions 7.2). Faults inside them are 422, so they decode apart. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type { DataType } from "../record/DataType.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Identifier } from "../shared/Identifier.ts"
import { Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { zoneOf } from "../shared/TimeZone.ts"
import { CsvOptions } from "./CsvOptions.ts"

export const feedSources = ["sync", "extractor", "upload"] as const
export const FeedSource = Schema.Literals(feedSources)
export type FeedSource = typeof FeedSource.Type

const SyncSourceConfig = Schema.Struct({
  type: Schema.Literal("sync"),
  accounts: Schema.Array(Schema.Struct({ bankId: Id("bank"), accountId: Id("account") })).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(limits.feedAccounts)
  )
})

const UploadSourceConfig = Schema.Struct({
  type: Schema.Literal("upload"),
  /** Name of the bank that is made for the files. */
  bankName: Schema.optionalKey(Schema.String),
  /** Book the rows on this existing account instead: history of a connected account. */
  accountId: Schema.optionalKey(Id("account")),
  csv: Schema.optionalKey(CsvOptions)
})

/** Records come in by themselves (`PushedRecords`): nothing is said of where from. */
const ExtractorSourceConfig = Schema.Struct({ type: Schema.Literal("extractor") })

export const SourceConfig = Schema.Union([SyncSourceConfig, UploadSourceConfig, ExtractorSourceConfig])
export type SourceConfig = typeof SourceConfig.Type

/** What every destination block may say besides what its type adds. */
export const DestinationSettings = Schema.Struct({
  onRemoved: Schema.optionalKey(Schema.Literals(["delete", "mark", "keep"]))
})

const AnyDestinationConfig = Schema.StructWithRest(Schema.Struct({ type: Identifier, ...DestinationSettings.fields }), [
  Schema.Record(Schema.String, Schema.Json)
])
type AnyDestinationConfig = typeof AnyDestinationConfig.Type

/**
 * Where a feed writes. The keys besides `type` and `onRemoved` are those of the destination that has the type; it alone
 * can tell what they mean, so a feed whose destination is not here can still be read.
 */
// By a name: written out in a declaration, an optional key beside all others is an error to programs that are less strict.
export interface DestinationConfig extends AnyDestinationConfig {}
export const DestinationConfig: Schema.Codec<DestinationConfig> = AnyDestinationConfig

const isTableId = Schema.is(Id("table"))

/** The table of ours that a feed writes to, if it does. */
export const tableOf = (config: DestinationConfig | undefined): Id<"table"> | undefined =>
  config?.type === "table" && isTableId(config["tableId"]) ? config["tableId"] : undefined

/** Types that destinations to come will have: known, and not to be had yet. */
const reservedDestinations: ReadonlySet<string> = new Set([
  "notion",
  "airtable",
  "webhook",
  "google_sheets",
  "excel",
  "database",
  "object_storage",
  "bigquery",
  "xero",
  "quickbooks",
  "ynab",
  "lunch_money",
  "actual"
])

/** Whether a destination of that type is to come; until then, and unless a program brings one, it cannot be had. */
export const isReserved = (type: string): boolean => reservedDestinations.has(type)

/** The type that a block of a request names, if it does. */
export const typeOf = (block: unknown): string | undefined =>
  typeof block === "object" && block !== null && "type" in block && typeof block.type === "string"
    ? block.type
    : undefined

const mappingKey = Schema.String

export const FieldMapping = Schema.Struct({ sourceField: mappingKey, destinationField: mappingKey })
export type FieldMapping = typeof FieldMapping.Type

export const FieldMappings = Schema.Array(FieldMapping).check(Schema.isMaxLength(limits.feedMappings))

const lookbackDays = Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 90 })))

/**
 * The first day for which a feed takes records; earlier ones are neither read for it nor delivered by it. Of a date-time the
 * first ten characters count. Set later, it removes nothing that was delivered.
 */
const startDate = Schema.optionalKey(
  Schema.String.pipe(
    Schema.refine((text): text is string => CalendarDate.ofText(text) !== undefined, {
      expected: "a date of the form YYYY-MM-DD or a date-time"
    }),
    Schema.decodeTo(CalendarDate.CalendarDate, {
      decode: SchemaGetter.transform((text: string) => text.slice(0, 10)),
      encode: SchemaGetter.transform((text: string) => text)
    })
  )
)

export const pendingModes = ["sync_all", "filter_pending", "track_and_update"] as const
export type PendingMode = (typeof pendingModes)[number]

/** Options of each data type; one shape each, so that the faults of one are not told together with those of another. */
export const optionsOf = {
  transactions: Schema.Struct({
    dataType: Schema.Literal("transactions"),
    pendingMode: Schema.Literals(pendingModes),
    lookbackDays,
    startDate
  }),
  balances: Schema.Struct({ dataType: Schema.Literal("balances"), mode: Schema.Literals(["append", "overwrite"]) }),
  trades: Schema.Struct({ dataType: Schema.Literal("trades"), lookbackDays, startDate }),
  holdings: Schema.Struct({ dataType: Schema.Literal("holdings") }),
  orders: Schema.Struct({ dataType: Schema.Literal("orders"), startDate }),
  loans: Schema.Struct({ dataType: Schema.Literal("loans") }),
  receipts: Schema.Struct({ dataType: Schema.Literal("receipts") }),
  invoices: Schema.Struct({ dataType: Schema.Literal("invoices") }),
  documents: Schema.Struct({ dataType: Schema.Literal("documents") })
} as const

export const DataTypeOptions = Schema.Union(Object.values(optionsOf))
export type DataTypeOptions = typeof DataTypeOptions.Type

/** The first day of a feed, where it has one. */
export const startOf = (options: DataTypeOptions): CalendarDate.CalendarDate | undefined =>
  "startDate" in options ? options.startDate : undefined

export const defaultOptions = (dataType: DataType): DataTypeOptions => {
  switch (dataType) {
    case "transactions":
      return { dataType, pendingMode: "track_and_update", lookbackDays: 7 }
    case "balances":
      return { dataType, mode: "overwrite" }
    case "trades":
      return { dataType, lookbackDays: 7 }
    default:
      return { dataType }
  }
}

/** Offsets such as +02:00 are no names: their clocks never change, which nobody means who names a zone. */
const isZone = (name: string): boolean => /^[A-Za-z]/.test(name) && zoneOf(name) !== undefined

const frequencies = ["hourly", "daily", "weekly", "monthly"] as const

export const Schedule = Schema.Struct({
  enabled: Schema.Boolean,
  frequency: Schema.Literals(frequencies),
  /** `HH:MM` on the clocks of `timezone`; hourly schedules use the minute, in UTC. */
  timeOfDay: Schema.String.check(Schema.isPattern(/^([01]\d|2[0-3]):[0-5]\d$/, { message: "must be HH:MM" })),
  /** 0 is Sunday. */
  dayOfWeek: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))),
  /** In a shorter month its last day. */
  dayOfMonth: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 31 }))),
  /** IANA name; UTC when absent. */
  timezone: Schema.optionalKey(
    Schema.String.check(Schema.makeFilter((name) => isZone(name) || "must be the name of a time zone"))
  )
})
export type Schedule = typeof Schedule.Type
