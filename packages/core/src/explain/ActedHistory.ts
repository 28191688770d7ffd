/** The history of values that a person's act changes, told at once and as theirs (enrichments A7). */
import * as Effect from "effect/Effect"
import type { Caller } from "../access/Caller.ts"
import { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
import { authorityIn, changesOf, withIds } from "../enrichment/history/RecordHistory.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { type Looked, RecordLooks, type RowLook } from "./RecordLooks.ts"

const valueOf = (fields: Fields | undefined, field: string): FieldValue =>
  fields !== undefined && Object.hasOwn(fields, field) ? (fields[field] ?? null) : null

/**
 * After the act, in its transaction. `before` is the record as it was: what changes otherwise meanwhile is not theirs, and the run that delivers it
 * reports it.
 */
export const actedHistory = Effect.gen(function* () {
  const looks = yield* RecordLooks
  const history = yield* RecordChangeStore
  const ids = yield* Ids
  return Effect.fnUntraced(function* (caller: Caller, looked: Looked, before: ReadonlyArray<RowLook>) {
    const { record } = looked
    const rows = yield* looks.rows(caller, looked, { changed: true })
    const at = yield* Timestamp.now
    for (const { feed, pipeline, result, rowId } of rows) {
      const last = new Map((yield* history.latest(feed.id, [rowId])).map((change) => [change.field, change]))
      const { changes: provenance, fields } = result.record
      const { accountId, version: recordVersion } = record
      const row = { recordId: rowId, accountId, recordVersion, fields, provenance }
      const former = before.find((one) => one.feed.id === feed.id && one.rowId === rowId)?.result.record.fields
      const { id: feedId, workspaceId } = feed
      const added = { workspaceId, feedId, actor: caller.cause, at }
      const changes = changesOf(row, last, authorityIn(pipeline), added).filter(
        ({ field }) => valueOf(former, field) !== valueOf(fields, field)
      )
      yield* history.append(withIds(changes, yield* ids.batch("change", changes.length)))
    }
    return rows
  })
})
