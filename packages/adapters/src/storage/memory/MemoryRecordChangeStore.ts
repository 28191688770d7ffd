/** The history of delivered values, in memory. */
import type { RecordChange } from "@millrace/core/enrichment"
import { RecordChangeStore } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { frozen } from "./Frozen.ts"
import { Memory, removeWhere } from "./MemoryTransactor.ts"

const keptMillis = limits.changeDays * 86_400_000
const keyOf = ({ feedId, recordId }: Pick<RecordChange, "feedId" | "recordId">): string => `${feedId} ${recordId}`
/** The record that a row is, or is a line of. */
const recordOf = (rowId: string): string => rowId.split(":", 1)[0]!

export const layer: Layer.Layer<RecordChangeStore, never, Memory> = Layer.effect(
  RecordChangeStore,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { call, remove, set } = memory
    /** Feed and row -> its entries, the oldest first. */
    const rows = new Map<string, ReadonlyArray<RecordChange>>()
    /** Accounts whose records are gone, and since when. */
    const gone = new Map<string, number>()
    /** The order in which entries came. */
    const turns = new Map<string, number>()

    const those = (isAmong: (one: RecordChange) => boolean): ReadonlyArray<RecordChange> => {
      const found: Array<RecordChange> = []
      for (const changes of rows.values()) for (const one of changes) if (isAmong(one)) found.push(one)
      return found.toSorted((a, b) => turns.get(a.id)! - turns.get(b.id)!)
    }

    memory.bankDestroyed.push(
      ({ accountIds }) =>
        removeWhere(memory, rows, ([first]) => first !== undefined && accountIds.has(first.accountId)) +
        removeWhere(memory, gone, (_, id) => accountIds.has(id))
    )

    memory.accountHooks.moved.push(({ from, ids, to }) => {
      for (const [key, changes] of Array.from(rows)) {
        const isMoved = ({ accountId, recordId }: RecordChange) => accountId === from && ids.has(recordOf(recordId))
        if (changes.some(isMoved)) {
          set(
            rows,
            key,
            changes.map((one) => (isMoved(one) ? frozen({ ...one, accountId: to }) : one))
          )
        }
      }
    })

    return RecordChangeStore.of({
      append: (changes) =>
        call(() => {
          for (const change of changes) {
            const key = keyOf(change)
            set(turns, change.id, turns.size)
            set(rows, key, [...(rows.get(key) ?? []), frozen(change)])
          }
        }),
      latest: (feedId, recordIds) =>
        call(() =>
          recordIds.flatMap((recordId) => {
            const last = new Map<string, RecordChange>()
            for (const change of rows.get(keyOf({ feedId, recordId })) ?? []) last.set(change.field, change)
            return [...last.values()]
          })
        ),
      ofRecord: (workspaceId, recordId, limit) =>
        call(() =>
          those(
            (one) =>
              one.workspaceId === workspaceId && (one.recordId === recordId || one.recordId.startsWith(`${recordId}:`))
          )
            .toReversed()
            .slice(0, limit)
        ),
      ofJob: (workspaceId, jobId, { after, limit }) =>
        call(() => {
          const own = those((one) => one.workspaceId === workspaceId && one.jobId === jobId)
          const start = after === undefined ? 0 : own.findIndex(({ id }) => id === after) + 1
          return own.slice(start, start + limit)
        }),
      release: (workspaceId, accountId) =>
        call((now) => {
          const own = those((one) => one.accountId === accountId && one.workspaceId === workspaceId)
          if (own.length === 0 || gone.has(accountId)) return 0
          set(gone, accountId, now)
          return own.length
        }),
      purge: (limit) =>
        call((now) => {
          const over = those(({ accountId }) => (gone.get(accountId) ?? Infinity) < now - keptMillis).slice(0, limit)
          for (const change of over) {
            const key = keyOf(change)
            const rest = (rows.get(key) ?? []).filter(({ id }) => id !== change.id)
            if (rest.length === 0) remove(rows, key)
            else set(rows, key, rest)
          }
          return over.length
        })
    })
  })
)
