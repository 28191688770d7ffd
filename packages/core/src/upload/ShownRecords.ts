/**
 * Which records a file showed, and which of them nobody else shows: what goes when the file is deleted or read with
 * other options.
 *
 * What is kept are ids of records, some thousands in one value. While a file is being read it is the ids that its rows
 * have in the file, noted before anything of them is written: wherever a run dies, nothing is left that no file answers
 * for.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AccountId } from "../bank/Account.ts"
import { isOfFile } from "../identity/match/Coverage.ts"
import { IdentityStore, type LogQuery } from "../identity/IdentityStore.ts"
import type { MatchId } from "../identity/LoggedMatch.ts"
import type { HeldRecord, RecordWrite } from "../record/LedgerRecord.ts"
import { type RecordScope, RecordStore } from "../record/RecordStore.ts"
import { limits } from "../shared/Limits.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Upload } from "./Upload.ts"
import { UploadStore } from "./UploadStore.ts"

/** Types of records that files show. */
export type FileDataType = "transactions" | "balances"

/** Where an upload showed something. */
export interface ShownScope {
  readonly accountId: AccountId
  readonly dataType: FileDataType
}

export interface Shown extends ShownScope {
  readonly recordIds: ReadonlyArray<string>
}

const inChunks = function* <A>(all: ReadonlyArray<A>): Iterable<ReadonlyArray<A>> {
  for (let at = 0; at < all.length; at += limits.commitChunk) yield all.slice(at, at + limits.commitChunk)
}

const make = Effect.gen(function* () {
  const records = yield* RecordStore
  const identity = yield* IdentityStore
  const uploads = yield* UploadStore

  /** Where rows of a file went: by the ids that they have, or that they had when they met another record. */
  const ofRows = Effect.fnUntraced(function* (scope: RecordScope, rowIds: Iterable<string>) {
    const found = new Set<string>()
    for (const some of inChunks([...new Set(rowIds)])) {
      const left = new Set(some)
      for (const { id, providerId } of yield* records.index(scope, { providerIds: some })) {
        found.add(id)
        left.delete(providerId)
      }
      if (left.size === 0) continue
      for (const recordId of (yield* identity.aliases(scope, [...left])).values()) found.add(recordId)
    }
    return found
  })

  /** What people made of records since: joined into others, parted from others. */
  const followed = Effect.fnUntraced(function* (scope: RecordScope) {
    const joined = yield* records.merged(scope)
    const parted = new Map<string, Array<string>>()
    let before: MatchId | undefined
    for (;;) {
      const query: LogQuery<"undone", MatchId> = { state: "undone", limit: limits.page.max }
      const matches = yield* identity.matches(scope, before === undefined ? query : { ...query, before })
      for (const { recordId, separateId } of matches) {
        if (separateId !== undefined) parted.set(recordId, [...(parted.get(recordId) ?? []), separateId])
      }
      before = matches.at(-1)?.id
      if (matches.length < limits.page.max) break
    }
    return (ids: Iterable<string>): Set<string> => {
      const all = new Set<string>()
      for (const id of ids) {
        for (let now: string | undefined = id; now !== undefined && !all.has(now); now = joined.get(now)) {
          all.add(now)
          for (const separate of parted.get(now) ?? []) all.add(separate)
        }
      }
      return all
    }
  })

  /** Everything that a file showed, rows of a reading that never came to its end included. */
  const of = Effect.fnUntraced(function* (workspaceId: WorkspaceId, id: Upload["id"]) {
    const shown: Array<Shown> = []
    for (const { recordIds, rowIds, ...place } of yield* uploads.shown(id)) {
      const own = new Set(recordIds)
      for (const recordId of yield* ofRows({ workspaceId, ...place }, rowIds)) own.add(recordId)
      shown.push({ ...place, recordIds: [...own] })
    }
    return shown
  })

  /**
   * Live records among `ids` that neither a connection nor another file shows, that are not among those that stay, and
   * that no person keeps.
   *
   * What another file showed is asked by the ids that it has noted, so the ways of records are followed back.
   */
  const onlyOf = Effect.fnUntraced(function* (
    scope: RecordScope,
    id: Upload["id"],
    ids: Iterable<string>,
    staying: Iterable<string>
  ) {
    const follow = yield* followed(scope)
    const candidates = follow(ids)
    if (candidates.size === 0) return []
    const place: ShownScope = { accountId: scope.accountId, dataType: scope.dataType as FileDataType }
    const elsewhere = follow(staying)
    for (const other of yield* uploads.shownElsewhere(place, id)) {
      for (const recordId of follow(other.recordIds)) elsewhere.add(recordId)
      for (const recordId of yield* ofRows(scope, other.rowIds)) elsewhere.add(recordId)
    }
    const kept = new Set(
      (yield* identity.facts(scope)).flatMap(({ kind, recordId }) => (kind === "keep" ? [recordId] : []))
    )
    const alone: Array<HeldRecord> = []
    for (const some of inChunks([...candidates].filter((one) => !elsewhere.has(one) && !kept.has(one)))) {
      for (const record of yield* records.held(scope, some)) {
        if (record.state === "live" && isOfFile(record)) alone.push(record)
      }
    }
    return alone
  })

  return { ofRows, of, onlyOf }
})

/** Finds the records that a file showed. */
export class ShownRecords extends Context.Service<ShownRecords>()("@millrace/core/upload/ShownRecords", { make }) {
  static readonly layer: Layer.Layer<ShownRecords, never, RecordStore | IdentityStore | UploadStore> = Layer.effect(
    ShownRecords,
    make
  )
}
/** A tombstone keeps what the record said: it may come back, and destinations may still show it. */
export const tombstoneOf = ({ date, fields, hash, id, pending, providerId }: HeldRecord): RecordWrite => ({
  id,
  providerId,
  date,
  pending,
  state: "removed",
  hash,
  fields
})
