/**
 * Judging the configuration blocks of a feed: shape and meaning, all faults at once (decisions 7.1, 7.2 and
 * 3.1). Every fault in here is 422 with its path.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { defaultMappings, removedField } from "../destination/Columns.ts"
import type { Destination } from "../destination/Destinations.ts"
import type { Detail } from "../failure/Failure.ts"
import { dataTypes, isDocumentType, type DataType } from "../record/DataType.ts"
import { decodeBlock } from "../shared/BlockDecoding.ts"
import { limits } from "../shared/Limits.ts"
import { nameFault } from "../shared/Name.ts"
import type { Plan } from "../workspace/Plan.ts"
import { ExtractionConfig, extractionFaults, isItemized, recordFields, type RowsAsked } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import {
  DataTypeOptions,
  defaultOptions,
  type DestinationConfig,
  type FeedSource,
  feedSources,
  FieldMappings,
  Schedule,
  SourceConfig,
  type FieldMapping
} from "../feed/FeedConfig.ts"

/** The key of a block that says which form it has, and its values. */
interface Tag {
  readonly key: string
  readonly values: ReadonlyArray<string>
}

/** What is wrong with the key that says which form a block has: of no form, nothing else can be told. */
const tagFault = (root: string, { key, values }: Tag, input: unknown): Detail | undefined => {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return { field: root, message: "must be an object" }
  const value = Object.hasOwn(input, key) ? (input as Readonly<Record<string, unknown>>)[key] : undefined
  if (value === undefined) return { field: `${root}.${key}`, message: "is required" }
  return values.some((known) => known === value)
    ? undefined
    : { field: `${root}.${key}`, message: `must be one of ${values.join(", ")}` }
}

/** Decodes one block, and keeps its faults for the answer. */
const decode = <A>(
  root: string,
  schema: Schema.Decoder<A>,
  input: unknown,
  details: Array<Detail>,
  tag: Tag | undefined
): A | undefined => {
  const untagged = tag === undefined ? undefined : tagFault(root, tag, input)
  if (untagged !== undefined) {
    details.push(untagged)
    return undefined
  }
  const result = decodeBlock(root, schema, input)
  if (Result.isSuccess(result)) return result.success
  details.push(...result.failure)
  return undefined
}

/** Decodes the block of a destination by what its type says; a type that is not here is a fault that lists those that are. */
const decodeDestination = (
  input: unknown,
  destinations: ReadonlyArray<Destination>,
  details: Array<Detail>
): DestinationConfig | undefined => {
  const root = "destinationConfig"
  const untagged = tagFault(root, { key: "type", values: destinations.map(({ type }) => type) }, input)
  if (untagged !== undefined) {
    details.push(untagged)
    return undefined
  }
  const block = input as { readonly type: string }
  const result = destinations.find(({ type }) => type === block.type)!.decode(block)
  if (Result.isSuccess(result)) return result.success
  details.push(...result.failure.map(({ field, message }) => ({ field: `${root}.${field}`, message })))
  return undefined
}

const fasterThan: Readonly<Record<Schedule["frequency"], number>> = { hourly: 0, daily: 1, weekly: 2, monthly: 3 }

export const allowsSchedule = (plan: Plan, schedule: Schedule): boolean =>
  fasterThan[schedule.frequency] >= fasterThan[plan.fastestSchedule]

export interface Decoded {
  readonly sourceConfig: SourceConfig | undefined
  readonly destinationConfig: DestinationConfig | undefined
  readonly fieldMappings: ReadonlyArray<FieldMapping>
  readonly mappingsDefaulted: boolean
  readonly dataTypeOptions: DataTypeOptions
  readonly extractionConfig: ExtractionConfig | undefined
  readonly schedule: Schedule | undefined
}

/** A key, or one of a kind of enrichment, such as `transfer.kind`. */
const sourceForm = /^[a-z][A-Za-z0-9_]{0,63}(\.[a-z][A-Za-z0-9_]{0,63})?$/

const checkMappings = (feed: RowsAsked, mappings: ReadonlyArray<FieldMapping>, details: Array<Detail>): void => {
  const { dataType } = feed
  const known = recordFields(feed)
  const perItem = isItemized(feed)
  const seen = new Set<string>()
  for (const [at, { destinationField, sourceField }] of mappings.entries()) {
    // Whether an enrichment adds it is judged with the enrichments.
    const mappable = sourceField === removedField || sourceField in known
    if (known[sourceField]?.item === true && !perItem) {
      details.push({
        field: `fieldMappings[${at}].sourceField`,
        message: `"${sourceField}" is a field of items: it needs extractionConfig.itemizePerRow`
      })
    }
    if (!mappable && !sourceForm.test(sourceField)) {
      details.push({
        field: `fieldMappings[${at}].sourceField`,
        message: `"${sourceField}" is not a field of ${dataType}`
      })
    }
    if (seen.has(destinationField)) {
      details.push({
        field: `fieldMappings[${at}].destinationField`,
        message: `"${destinationField}" is written by an earlier mapping already`
      })
    }
    seen.add(destinationField)
  }
}

const checkSchedule = (schedule: Schedule, details: Array<Detail>): void => {
  if (schedule.frequency === "weekly" && schedule.dayOfWeek === undefined) {
    details.push({ field: "schedule.dayOfWeek", message: "is required for a weekly schedule" })
  }
  if (schedule.frequency === "monthly" && schedule.dayOfMonth === undefined) {
    details.push({ field: "schedule.dayOfMonth", message: "is required for a monthly schedule" })
  }
}

/** That of extractors is named where the feed has one: elsewhere there is none to be had. */
const sourceTag = (source: FeedSource): Tag => ({
  key: "type",
  values: feedSources.filter((type) => type !== "extractor" || type === source)
})
const optionsTag: Tag = { key: "dataType", values: dataTypes }

export interface Blocks {
  readonly sourceConfig?: unknown
  readonly destinationConfig?: unknown
  readonly fieldMappings?: unknown
  readonly dataTypeOptions?: unknown
  readonly extractionConfig?: unknown
  readonly schedule?: unknown
}

/** Decodes the blocks of a feed on top of what it has; absent blocks stay as they are, null clears. */
export const decodeBlocks = (
  source: FeedSource,
  dataType: DataType,
  blocks: Blocks,
  before: Feed | undefined,
  destinations: ReadonlyArray<Destination>,
  details: Array<Detail>,
  warnings: Array<string>
): Decoded => {
  const block = <A>(key: keyof Blocks, schema: Schema.Decoder<A>, kept: A | undefined, tag?: Tag): A | undefined => {
    const input = blocks[key]
    return input === undefined ? kept : input === null ? undefined : decode(key, schema, input, details, tag)
  }
  const named = (field: string, name: string, most?: number): void => {
    const message = nameFault(name, most)
    if (message !== undefined) details.push({ field, message })
  }
  const sourceConfig = block("sourceConfig", SourceConfig, before?.sourceConfig, sourceTag(source))
  if (blocks.sourceConfig !== undefined && sourceConfig?.type === "upload" && sourceConfig.bankName !== undefined)
    named("sourceConfig.bankName", sourceConfig.bankName)
  if (sourceConfig !== undefined && sourceConfig.type !== source) {
    details.push({ field: "sourceConfig.type", message: `must be "${source}", the source of the feed` })
  }
  const destinationBlock = blocks.destinationConfig
  const destinationConfig =
    destinationBlock === undefined
      ? before?.destinationConfig
      : destinationBlock === null
        ? undefined
        : decodeDestination(destinationBlock, destinations, details)
  const extractionConfig = block("extractionConfig", ExtractionConfig, before?.extractionConfig)
  if (blocks.extractionConfig !== undefined && extractionConfig !== undefined) {
    for (const { field, message } of extractionFaults(dataType, extractionConfig))
      details.push({ field: field === "" ? "extractionConfig" : `extractionConfig.${field}`, message })
    for (const [at, { name }] of extractionConfig.extractionFields.entries())
      named(`extractionConfig.extractionFields[${at}].name`, name, limits.mappingKeyLength)
  }
  const rows: RowsAsked = isDocumentType(dataType) ? { dataType, extractionConfig } : { dataType }
  const mappings = block(
    "fieldMappings",
    FieldMappings,
    before?.mappingsDefaulted === true ? [] : before?.fieldMappings
  )
  if (blocks.fieldMappings !== undefined)
    for (const [at, { destinationField }] of (mappings ?? []).entries())
      named(`fieldMappings[${at}].destinationField`, destinationField, limits.mappingKeyLength)
  const defaulted = mappings === undefined || mappings.length === 0
  const fieldMappings = mappings === undefined || mappings.length === 0 ? defaultMappings(rows) : mappings
  if (defaulted) warnings.push("No field mappings were given: every field is written under its label")
  checkMappings(rows, fieldMappings, details)
  const dataTypeOptions =
    block("dataTypeOptions", DataTypeOptions, before?.dataTypeOptions, optionsTag) ?? defaultOptions(dataType)
  if (dataTypeOptions.dataType !== dataType) {
    details.push({ field: "dataTypeOptions.dataType", message: `must be "${dataType}", the data type of the feed` })
  }
  const schedule = block("schedule", Schedule, before?.schedule)
  if (schedule !== undefined) checkSchedule(schedule, details)
  if (sourceConfig === undefined) warnings.push("The feed has no source yet")
  if (destinationConfig === undefined) warnings.push("The feed has no destination yet")
  return {
    sourceConfig,
    destinationConfig,
    fieldMappings,
    mappingsDefaulted: defaulted,
    dataTypeOptions,
    extractionConfig,
    schedule
  }
}

/** The accounts of a sync feed exist, belong to the workspace and to the banks they are named with. */
export const checkAccounts = <E, R>(
  config: SourceConfig | undefined,
  exists: (bankId: string, accountId: string) => Effect.Effect<Option.Option<unknown>, E, R>
) =>
  Effect.gen(function* () {
    const details: Array<Detail> = []
    if (config?.type !== "sync") return details
    const seen = new Set<string>()
    for (const [at, { accountId, bankId }] of config.accounts.entries()) {
      if (seen.has(accountId)) {
        details.push({ field: `sourceConfig.accounts[${at}].accountId`, message: "is listed twice" })
      } else if (Option.isNone(yield* exists(bankId, accountId))) {
        details.push({ field: `sourceConfig.accounts[${at}].accountId`, message: "is not an account of this bank" })
      }
      seen.add(accountId)
    }
    return details
  })
