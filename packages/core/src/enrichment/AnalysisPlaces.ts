/** Where the records of accounts stand in the enrichments of set kinds (enrichments A4). */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Account } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import { ownerOf } from "../bank/PublicRecord.ts"
import { recordFields } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import type { FieldSpecs } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { decode } from "../shared/StrictDecoding.ts"
import type { Enrichment } from "./Enrichment.ts"
import type { CompiledPipeline, Step } from "./Pipeline.ts"
import { setSteps } from "./Pipeline.ts"
import { covers, FeedPipelines } from "./FeedPipelines.ts"
import type { Surrounding } from "./kinds/SetKind.ts"
import { revisionOf, type SetStep, tagOf } from "./SetStep.ts"

/** An enrichment, and the pipeline of the feed through which it sees an account. */
export interface Place {
  readonly pipeline: CompiledPipeline
  /** Its place there. */
  readonly at: number
  readonly step: Step
  /** The fields that its records have there. */
  readonly specs: FieldSpecs | undefined
}

export interface PlacedAccount {
  readonly bank: Bank
  readonly account: Account
  readonly owner: Fields
  /** By enrichment. */
  readonly places: ReadonlyMap<string, Place>
  /** Everything besides the records that decides what set kinds see of the account. */
  readonly signature: string
}

/** Whether the feed shows the account. */
export const showsAccount = (
  { fileBankId, sourceConfig }: Feed,
  { bankId, id }: Pick<Account, "bankId" | "id">
): boolean => {
  if (sourceConfig === undefined) return false
  if (sourceConfig.type === "sync") return sourceConfig.accounts.some(({ accountId }) => accountId === id)
  const existing = sourceConfig.type === "upload" ? sourceConfig.accountId : undefined
  return existing === undefined ? fileBankId === bankId : existing === id
}

/** What an enrichment is planned under: its revision, and how its kind keeps state. */
const revisionTag = ({ revision }: Enrichment, version: number): string => `${revision}.${version}`

/** The same for kinds that start again less often than their configuration changes; `undefined` for the others. */
const beginningOf = (
  { config }: Enrichment,
  { Config, State, begins }: SetStep["kind"],
  hash: (text: string) => string
): string | undefined => {
  if (begins === undefined) return undefined
  const decoded = decode(Config, config)
  return Result.isFailure(decoded) ? undefined : `${hash(begins(decoded.success))}.${State.version}`
}

/** What an enrichment is planned under, whatever stands around it. */
const tagWithin = (enrichment: Enrichment, kind: SetStep["kind"], hash: (text: string) => string): string =>
  beginningOf(enrichment, kind, hash) ?? revisionTag(enrichment, kind.State.version)

/** Whether everything was planned once under the enrichment as it is; `tag` is what it was planned under last. */
export const isPlannedUnder = (
  tag: string | undefined,
  enrichment: Enrichment,
  kind: SetStep["kind"],
  hash: (text: string) => string
): boolean => tag !== undefined && revisionOf(tag) === tagWithin(enrichment, kind, hash)

/** The set kinds of a data type in one workspace. */
export const placing = Effect.fnUntraced(function* (
  enrichments: ReadonlyArray<Enrichment>,
  /** Those that a set kind looks at, by order, then age. */
  feeds: ReadonlyArray<Feed>,
  hash: (text: string) => string,
  surroundings: Readonly<Record<Surrounding, string>>,
  /** Names the status of all accounts. */
  accounts: Effect.Effect<string, StorageUnavailable>
) {
  const pipelines = yield* FeedPipelines
  const opened = new Map<Feed["id"], CompiledPipeline>()
  const pipelineOf = Effect.fnUntraced(function* (feed: Feed) {
    const known = opened.get(feed.id)
    if (known !== undefined) return known
    const pipeline = yield* pipelines.among(enrichments, feed)
    opened.set(feed.id, pipeline)
    return pipeline
  })

  // As the first of its feeds compiled it; in the order of all pipelines.
  const steps: Array<SetStep & { readonly stage: number; readonly catalog: CompiledPipeline["catalog"] }> = []
  for (const feed of feeds) {
    const pipeline = yield* pipelineOf(feed)
    for (const { kind, step } of setSteps(pipeline)) {
      const { enrichment, prepared, stage } = step
      if (steps.some((other) => other.enrichment.id === enrichment.id)) continue
      const tag = tagOf(
        tagWithin(enrichment, kind, hash),
        (kind.watches ?? []).map((one) => surroundings[one]).join(",")
      )
      steps.push({
        enrichment,
        kind,
        prepared,
        preparedFor: step.catalog,
        stage,
        tag,
        wholeTag: kind.pulse === undefined ? tag : `${tag}!${yield* accounts}`,
        catalog: pipeline.catalog
      })
    }
  }
  steps.sort(
    (a, b) =>
      a.stage - b.stage ||
      a.enrichment.order - b.enrichment.order ||
      (a.enrichment.id < b.enrichment.id ? -1 : a.enrichment.id > b.enrichment.id ? 1 : 0)
  )

  const place = Effect.fnUntraced(function* (bank: Bank, account: Account) {
    const owner = ownerOf(bank, account)
    const places = new Map<string, Place>()
    const signatures: Array<string> = []
    for (const { enrichment } of steps) {
      const feed = feeds.find((one) => covers(enrichment, one) && showsAccount(one, account))
      if (feed === undefined) continue
      const pipeline = yield* pipelineOf(feed)
      const found = setSteps(pipeline).find(({ step }) => step.enrichment.id === enrichment.id)
      if (found === undefined) continue
      places.set(enrichment.id, { pipeline, at: found.at, step: found.step, specs: recordFields(feed) })
      signatures.push(`${enrichment.id}@${feed.id}:${pipeline.signature}`)
    }
    return {
      bank,
      account,
      owner,
      places,
      signature: hash(JSON.stringify([owner, signatures, steps.map(({ tag }) => revisionOf(tag))]))
    } satisfies PlacedAccount as PlacedAccount
  })

  return {
    steps,
    place,
    isShown: (account: Pick<Account, "bankId" | "id">) => feeds.some((feed) => showsAccount(feed, account))
  }
})
export type Placing = Effect.Success<ReturnType<typeof placing>>
