/** Joins of accounts in memory. */
import type { AccountJoin } from "@millrace/core/bank"
import { AccountJoinStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { Memory, removeWhere } from "./MemoryTransactor.ts"
import { ascending } from "./Order.ts"

/** What the stores of records, identity, enrichments, files and banks keep by account they move themselves. */
export const layer: Layer.Layer<AccountJoinStore, never, Memory> = Layer.effect(
  AccountJoinStore,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { accountHooks, call, remove, set } = memory
    const joins = new Map<string, { readonly join: AccountJoin; readonly uploads: ReadonlyArray<string> }>()
    const newestFirst = (which: (join: AccountJoin) => boolean): ReadonlyArray<AccountJoin> =>
      [...joins.values()]
        .map(({ join }) => join)
        .filter(which)
        .toSorted((a, b) => ascending(b.id, a.id))

    memory.bankDestroyed.push(({ accountIds }) =>
      removeWhere(memory, joins, ({ join }) => accountIds.has(join.accountId) || accountIds.has(join.joinedId))
    )

    return AccountJoinStore.of({
      insert: (join) =>
        call(() => {
          const uploads = accountHooks.uploads.flatMap((follow) => follow(join.joinedId, join.accountId))
          set(joins, join.id, frozen({ join, uploads }))
          for (const mark of accountHooks.joined) mark(join.accountId, join.joinedId, true)
        }),
      remove: ({ accountId, id, joinedId, matches }) =>
        call(() => {
          const held = joins.get(id)
          if (held === undefined) return
          remove(joins, id)
          const made = new Set(matches.flatMap(({ ids }) => ids))
          for (const forget of accountHooks.forgotten) forget(made)
          const only = new Set(held.uploads)
          for (const follow of accountHooks.uploads) follow(accountId, joinedId, only)
          for (const mark of accountHooks.joined) mark(accountId, joinedId, false)
        }),
      of: (workspaceId, accountId) =>
        call(() => newestFirst((join) => join.workspaceId === workspaceId && join.accountId === accountId)),
      into: (workspaceId, joinedId) =>
        call(() =>
          Option.fromUndefinedOr(
            newestFirst((join) => join.workspaceId === workspaceId && join.joinedId === joinedId)[0]
          )
        ),
      exchange: (_, one, other, at) =>
        call(() => {
          for (const exchange of accountHooks.exchanged) exchange(one, other, at)
        }),
      move: ({ ids, ...where }) =>
        call(() => {
          const moving = { ...where, ids: new Set(ids) }
          if (moving.ids.size > 0) for (const move of accountHooks.moved) move(moving)
        })
    })
  })
)
