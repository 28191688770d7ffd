/** Whether a feed may be saved as it is asked for (decisions 7.1 and 7.2). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { AccountId } from "../bank/Account.ts"
import type { BankId } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import { columnsOf } from "../destination/Columns.ts"
import { Destinations } from "../destination/Destinations.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { Kinds } from "../enrichment/Kinds.ts"
import { PlanLimitReached, type Detail } from "../failure/Failure.ts"
import type { BoundColumns } from "../feed/BoundColumns.ts"
import { catalogOfFeed } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import { type DestinationConfig, type FeedSource, isReserved, typeOf } from "../feed/FeedConfig.ts"
import { FeedSources, pairFault } from "../feed/FeedSources.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { DataType } from "../record/DataType.ts"
import { plans } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { FeedPlaces } from "./FeedPlaces.ts"
import { allowsSchedule, checkAccounts, decodeBlocks } from "./FeedValidation.ts"
import { customFields, unwritten, writtenFields } from "./FeedViews.ts"
import { invalidFeed } from "./InvalidFeed.ts"

/**
 * Configuration blocks come undecoded: every fault inside them is 422 with all faults at once, so the
 * kernel decodes and judges them itself.
 */
export interface FeedBlocks {
  readonly sourceConfig?: unknown
  readonly destinationConfig?: unknown
  readonly fieldMappings?: unknown
  readonly dataTypeOptions?: unknown
  /** Of feeds of documents. */
  readonly extractionConfig?: unknown
  /** `null` removes the schedule. */
  readonly schedule?: unknown
}

export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** A destination without what it says about how to write: where the rows are. */
export const placeOf = (config: DestinationConfig | undefined) => {
  if (config === undefined) return undefined
  const { createMissingColumns: _c, onRemoved: _o, ...place } = { createMissingColumns: undefined, ...config }
  return place
}

const make = Effect.gen(function* () {
  const store = yield* FeedStore
  const banks = yield* BankStore
  const enrichments = yield* EnrichmentStore
  const kinds = yield* Kinds
  const destinations = yield* Destinations
  const { claimOf } = yield* FeedPlaces
  const carried = yield* FeedSources

  /** Fields that no record has must be written by a rule. A mapping that the feed has already is only warned of. */
  const checkCustom = Effect.fnUntraced(function* (
    workspace: Workspace,
    feed: Pick<Feed, "dataType" | "fieldMappings" | "extractionConfig">,
    before: Feed | undefined,
    details: Array<Detail>
  ) {
    const held = new Set(before?.fieldMappings.map(({ sourceField }) => sourceField))
    const fields = customFields(feed).filter(({ sourceField }) => !held.has(sourceField))
    if (fields.length === 0) return
    const written = writtenFields(yield* enrichments.list([workspace.id]), feed.dataType, before?.id, kinds)
    for (const { at, sourceField } of fields) {
      if (written.has(sourceField)) continue
      const message = unwritten(sourceField, feed.dataType)
      details.push({ field: `fieldMappings[${at}].sourceField`, message })
    }
  })

  const ownsAccount = Effect.fnUntraced(function* (workspace: Workspace, accountId: AccountId) {
    for (const bank of yield* banks.list([workspace.id])) {
      if (Option.isSome(yield* banks.account(workspace.id, bank.id, accountId))) return true
    }
    return false
  })

  /** Decodes and judges everything about a feed; fails with all faults at once. */
  const judge = Effect.fnUntraced(function* (
    workspace: Workspace,
    source: FeedSource,
    dataType: DataType,
    blocks: FeedBlocks,
    before: Feed | undefined,
    details: Array<Detail>
  ) {
    const warnings: Array<string> = []
    const unpaired = pairFault(carried, source, dataType)
    if (unpaired !== undefined) return yield* invalidFeed([{ field: "dataType", message: unpaired }], warnings)
    const type = typeOf(blocks.destinationConfig)
    if (type !== undefined && isReserved(type)) yield* destinations.get(type)
    const decoded = decodeBlocks(source, dataType, blocks, before, destinations.all, details, warnings)
    details.push(
      ...(yield* checkAccounts(decoded.sourceConfig, (bankId, accountId) =>
        banks.account(workspace.id, bankId as BankId, accountId as AccountId)
      ))
    )
    if (decoded.sourceConfig?.type === "upload" && decoded.sourceConfig.accountId !== undefined) {
      if (!(yield* ownsAccount(workspace, decoded.sourceConfig.accountId))) {
        details.push({ field: "sourceConfig.accountId", message: "is not an account of this workspace" })
      }
    }
    const { extractionConfig, fieldMappings } = decoded
    const mapped = { dataType, fieldMappings, ...(extractionConfig === undefined ? {} : { extractionConfig }) }
    yield* checkCustom(workspace, mapped, before, details)
    const destination = decoded.destinationConfig
    const claimed =
      blocks.destinationConfig === undefined ? undefined : yield* claimOf(workspace, destination, before?.id, details)
    let bound: BoundColumns | undefined
    if (destination !== undefined && (blocks.destinationConfig !== undefined || blocks.fieldMappings !== undefined)) {
      const driver = yield* destinations.get(destination.type)
      // Names that the feed has mapped already mean what they meant, whatever the columns are called by now.
      const known =
        before !== undefined && same(placeOf(before.destinationConfig), placeOf(destination))
          ? yield* store.boundColumns(before.id)
          : new Map<string, string>()
      const columns = columnsOf(mapped, catalogOfFeed(mapped), known)
      const faults = yield* driver.check(workspace.id, destination, columns, decoded.mappingsDefaulted)
      bound = (yield* driver.bind?.(workspace.id, destination, columns) ?? Effect.undefined) ?? new Map()
      details.push(
        ...faults.map(({ field, message }) => ({ field: `destinationConfig.${field}`.replace(/\.$/, ""), message }))
      )
    }
    if (details.length > 0) return yield* invalidFeed(details, warnings)
    const plan = plans[workspace.plan]
    if (decoded.schedule?.enabled === true && !allowsSchedule(plan, decoded.schedule)) {
      return yield* new PlanLimitReached({ what: `schedules are at most ${plan.fastestSchedule}`, limit: 1 })
    }
    return { decoded, warnings, claimed, bound }
  })

  return { judge }
})

export class FeedValidator extends Context.Service<FeedValidator>()("@millrace/core/usecase/FeedValidator", { make }) {
  static readonly layer: Layer.Layer<
    FeedValidator,
    never,
    FeedStore | BankStore | EnrichmentStore | Kinds | Destinations | FeedPlaces
  > = Layer.effect(FeedValidator, make)
}
