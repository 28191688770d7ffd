/**
 * Records that come to a feed instead of being fetched for it: what an extractor read out of a document, what came by
 * mail, what an automation wrote.
 *
 * They are kept in the ledger of an account that is made for the feed, and its next job delivers them as it does all
 * else. Each has a key of its source's own, which says which record is meant: sent again it is the same one, with other
 * content a new version of it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ActorRef } from "../access/ActorRef.ts"
import { NotFound, Unprocessable, type Detail } from "../failure/Failure.ts"
import { declaredFields } from "../feed/Extraction.ts"
import { runsOnArrival, type Feed, type FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { MadeKind } from "../provider/ProviderKind.ts"
import { isDocumentType, type DataType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { Observation } from "../record/Observation.ts"
import type { RecordScope } from "../record/RecordStore.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import { StorageRoom } from "../storage/StorageRoom.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { cleanText } from "../text/CleanText.ts"
import { withinWorkspaces } from "../workspace/TenantScope.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { ingest } from "./Ingest.ts"
import { LedgerWriter } from "./LedgerWriter.ts"
import { SyntheticAccounts } from "./SyntheticAccounts.ts"
import type { SnapshotOfAccount } from "./SnapshotOfAccount.ts"

export interface PushedRecord {
  /** The source's key of the record, 1 to 128 characters; no other record of the feed from this kind of source has it. */
  readonly id: string
  /** By the field keys of the feed's data type. */
  readonly values: Fields
  /** What a document lists, in its order: the item fields of each. */
  readonly items?: ReadonlyArray<Fields>
}

/** At most 500 records, together with the keys of those that are gone. */
export interface Push {
  readonly records?: ReadonlyArray<PushedRecord>
  /** Keys of records that are no more; those that are not there do not count. */
  readonly removed?: ReadonlyArray<string>
}

export interface Pushed {
  /** New records, and those that say something else now. */
  readonly written: number
  readonly unchanged: number
  readonly removed: number
  /** What could not be taken in, and why; the others were. */
  readonly failed: ReadonlyArray<{ readonly id: string; readonly reason: string }>
}

/** Keeps keys apart from the ids of rows that files name themselves. */
const idPrefix = "key:"

const keyFault = (id: string): string | undefined =>
  id.length === 0 || id.length > limits.pushedKeyLength
    ? `must be 1 to ${limits.pushedKeyLength} characters`
    : cleanText(id) === id
      ? undefined
      : "must not begin or end with blanks, and has no control characters"

const faultsOf = ({ records = [], removed = [] }: Push): ReadonlyArray<Detail> => {
  const details: Array<Detail> = []
  if (records.length + removed.length > limits.pushedRecords)
    details.push({ field: "records", message: `takes at most ${limits.pushedRecords}, with those removed` })
  const named = new Set<string>()
  const check = (field: string, id: string): void => {
    const message = keyFault(id) ?? (named.has(id) ? "is named twice" : undefined)
    if (message !== undefined) details.push({ field, message })
    named.add(id)
  }
  for (const [at, { id }] of records.entries()) check(`records[${at}].id`, id)
  for (const [at, id] of removed.entries()) check(`removed[${at}]`, id)
  return details.slice(0, limits.errorDetails)
}

/**
 * Whether only its key says which record is meant. A document that was read comes as another file as well, under a key of
 * its own; what an automation writes is what it says.
 */
const meaningOf = (kind: MadeKind, dataType: DataType): Pick<SnapshotOfAccount, "byIdOnly" | "keyed"> =>
  kind !== "automation" && isDocumentType(dataType) ? { byIdOnly: false } : { byIdOnly: true, keyed: true }

const refusal = (message: string, details: ReadonlyArray<Detail>) =>
  new Unprocessable({ code: "VALIDATION_FAILED", message, details })

export class PushedRecords extends Context.Service<
  PushedRecords,
  {
    /**
     * Takes records in, all or none but those that cannot be read: the same call again changes nothing. A feed without
     * a schedule runs as soon as it can when something has changed; another one delivers it with its next run.
     */
    readonly push: (
      feed: Pick<Feed, "id" | "workspaceId">,
      kind: MadeKind,
      push: Push,
      cause: ActorRef
    ) => Effect.Effect<Pushed, NotFound | Unprocessable | StorageUnavailable>
  }
>()("@millrace/core/sync/PushedRecords") {
  static readonly layer: Layer.Layer<
    PushedRecords,
    never,
    SyntheticAccounts | FeedStore | WorkspaceStore | LedgerWriter | Transactor | Digest
  > = Layer.effect(
    PushedRecords,
    Effect.gen(function* () {
      const made = yield* SyntheticAccounts
      const feeds = yield* FeedStore
      const workspaces = yield* WorkspaceStore
      const writer = yield* LedgerWriter
      const { atomically } = yield* Transactor
      const digest = yield* Digest
      const room = yield* StorageRoom

      const feedOf = Effect.fnUntraced(function* (id: FeedId) {
        const feed = yield* feeds.byId(id)
        if (Option.isNone(feed)) return yield* new NotFound({ resource: "Feed" })
        const workspace = yield* workspaces.get(feed.value.workspaceId)
        if (Option.isNone(workspace)) return yield* new NotFound({ resource: "Workspace" })
        return { feed: feed.value, currency: workspace.value.baseCurrency }
      })

      const read = ({ dataType, extractionConfig }: Feed, records: ReadonlyArray<PushedRecord>) => {
        const declared = declaredFields(extractionConfig)
        const observations: Array<Observation> = []
        const failed: Array<Pushed["failed"][number]> = []
        for (const { id, items = [], values } of records) {
          const observed = { providerAccountId: "", providerId: idPrefix + id, pending: values["pending"] === true }
          const result = ingest(dataType, { ...observed, fields: values, items }, digest, declared)
          if ("quarantined" in result) failed.push({ id, reason: result.quarantined.reason })
          else observations.push(result.observation)
        }
        return { observations, failed }
      }

      const push: PushedRecords["Service"]["push"] = Effect.fn("PushedRecords.push")(
        function* (named, kind, given, cause) {
          const faults = faultsOf(given)
          if (faults.length > 0) return yield* refusal("The records cannot be taken in", faults)
          const { records = [], removed = [] } = given
          yield* room.need(new TextEncoder().encode(JSON.stringify(records)).length)
          return yield* atomically(
            Effect.gen(function* () {
              const { currency, feed } = yield* feedOf(named.id)
              const { dataType } = feed
              const { failed, observations } = read(feed, records)
              const { account, bank } = yield* made.hold({ currency }, feed, kind)
              const scope: RecordScope = { workspaceId: feed.workspaceId, accountId: account.id, dataType }
              const written = yield* writer
                .write(
                  { bankId: bank.id, cause, held: true },
                  {
                    scope,
                    observations,
                    removed: new Set(removed.map((id) => idPrefix + id)),
                    unread: new Set(),
                    coverage: { kind: "delta" },
                    idTrust: "stable",
                    changeModel: "delta",
                    ...meaningOf(kind, dataType)
                  }
                )
                .pipe(Effect.catchTag(["Fenced", "LeaseLost"], Effect.die))
              // In the transaction that changes something: whatever dies after it, the feed runs.
              if (written.changed + written.gone > 0 && runsOnArrival(feed)) {
                yield* feeds.wake(feed.id, { reason: "arrival", type: "manual", afterSeconds: 0, retry: 0 })
              }
              return { written: written.changed, unchanged: written.unchanged, removed: written.gone, failed }
            })
          )
        },
        (effect, { workspaceId }) => withinWorkspaces(workspaceId)(effect)
      )

      return PushedRecords.of({ push })
    })
  )
}
