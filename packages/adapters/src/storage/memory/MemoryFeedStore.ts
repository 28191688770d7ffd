/** Feeds in memory. */
import type { AccountId } from "@millrace/core/bank"
import type { BoundColumns, DueWake, Feed, FeedId, FeedState } from "@millrace/core/feed"
import { type FeedMark, FeedStore } from "@millrace/core/storage"
import { type Job, storageFull } from "@millrace/core/job"
import { Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { JobTable } from "./MemoryJobTable.ts"
import { Memory, removeWhere } from "./MemoryTransactor.ts"
import { ascending, byOrderThenAge } from "./Order.ts"

const reasonOf = (failed: Job): Pick<FeedState, "reason"> => {
  const error = failed.errors.find(({ severity }) => severity === "fatal") ?? failed.errors[0]
  if (error === undefined) return {}
  const { code, message, recovery } = error
  return { reason: { code, message, ...(recovery === undefined ? {} : { recovery }) } }
}

/** `jobs` newest first. */
const stateOf = (jobs: ReadonlyArray<Job>, active: Job | undefined, wake: DueWake | undefined): FeedState => {
  const telling = jobs.filter(({ status }) => status === "completed" || status === "failed")
  const succeeded = telling.findIndex(({ status }) => status === "completed")
  const failures = succeeded < 0 ? telling.length : succeeded
  const failing = active === undefined && failures > 0
  const lastSuccessAt = telling[succeeded]?.completedAt
  return {
    status: failing
      ? "failing"
      : active === undefined
        ? "ready"
        : active.status === "in_progress"
          ? "running"
          : "waiting",
    ...(failing ? reasonOf(telling[0]!) : {}),
    ...(active?.pauseReason === "storage_full" ? { reason: storageFull } : {}),
    ...(active === undefined ? {} : { activeJobId: active.id }),
    ...(jobs[0] === undefined ? {} : { lastJobId: jobs[0].id }),
    ...(lastSuccessAt === undefined ? {} : { lastSuccessAt }),
    ...(wake === undefined ? {} : { nextRunAt: wake.dueAt }),
    consecutiveFailures: failures,
    warnings: []
  }
}

export const layer: Layer.Layer<FeedStore, never, Memory | JobTable> = Layer.effect(
  FeedStore,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { call, set, remove, feedRemoved } = memory
    const table = yield* JobTable
    const feeds = new Map<FeedId, Feed>()
    const marks = new Map<FeedId, Map<AccountId, FeedMark>>()
    const bound = new Map<FeedId, BoundColumns>()
    const places = new Map<string, FeedId>()
    const placeOf = new Map<FeedId, string>()
    const wakes = new Map<FeedId, DueWake & { readonly afterJob: string }>()
    memory.bankDestroyed.push(({ accountIds }) =>
      [...marks.values()].reduce((found, own) => found + removeWhere(memory, own, (_, id) => accountIds.has(id)), 0)
    )
    feedRemoved.push((id) => {
      remove(marks, id)
      remove(wakes, id)
      remove(bound, id)
      leavePlace(id)
    })

    const leavePlace = (id: FeedId) => {
      const place = placeOf.get(id)
      if (place === undefined) return
      remove(places, place)
      remove(placeOf, id)
    }

    const newestJob = (id: FeedId): string => table.ofFeed(id)[0]?.id ?? ""
    const wakeOf = (id: FeedId): DueWake | undefined => {
      const wake = wakes.get(id)
      return wake === undefined || wake.afterJob !== newestJob(id) ? undefined : wake
    }

    return FeedStore.of({
      insert: (feed) => call(() => set(feeds, feed.id, frozen(feed))),
      update: (feed) =>
        call(() => {
          if (feeds.get(feed.id)?.version !== feed.version - 1) return false
          set(feeds, feed.id, frozen(feed))
          return true
        }),
      get: (workspaceId, id) =>
        call(() =>
          Option.fromUndefinedOr(feeds.get(id)).pipe(Option.filter((feed) => feed.workspaceId === workspaceId))
        ),
      hold: (id) => call(() => feeds.has(id)),
      byId: (id) => call(() => Option.fromUndefinedOr(feeds.get(id))),
      list: (workspaceIds, { dataType, source }) =>
        call(() =>
          [...feeds.values()]
            .filter(
              (feed) =>
                workspaceIds.includes(feed.workspaceId) &&
                (dataType === undefined || feed.dataType === dataType) &&
                (source === undefined || feed.source === source)
            )
            .toSorted(byOrderThenAge)
        ),
      remove: (workspaceId, id) =>
        call(() => {
          if (feeds.get(id)?.workspaceId !== workspaceId) return false
          remove(feeds, id)
          for (const removed of feedRemoved) removed(id)
          return true
        }),
      states: (ids) =>
        call(() => {
          const states = new Map<FeedId, FeedState>()
          for (const id of ids) {
            const activeId = table.active.get(id)
            states.set(
              id,
              stateOf(table.ofFeed(id), activeId === undefined ? undefined : table.jobs.get(activeId)!.job, wakeOf(id))
            )
          }
          return states
        }),
      scheduleDue: (limit) =>
        call((now) => {
          const at = Timestamp.fromMillis(now)
          const due: Array<Feed & { readonly nextRunAt: Timestamp.Timestamp }> = []
          for (const feed of feeds.values()) {
            const { nextRunAt } = feed
            if (feed.schedule?.enabled !== true || nextRunAt === undefined || nextRunAt > at) continue
            if (!table.active.has(feed.id)) due.push({ ...feed, nextRunAt })
          }
          return due.toSorted((a, b) => ascending(a.nextRunAt, b.nextRunAt) || ascending(a.id, b.id)).slice(0, limit)
        }),
      advanceSchedule: (id, from, to) =>
        call(() => {
          const feed = feeds.get(id)
          if (feed?.nextRunAt !== from) return false
          const { nextRunAt: _, ...rest } = feed
          set(feeds, id, Object.freeze(to === undefined ? rest : { ...rest, nextRunAt: to }))
          return true
        }),
      claimPlace: (id, place) =>
        call(() => {
          const holder = place === undefined ? undefined : places.get(place)
          if (holder !== undefined && holder !== id) return false
          leavePlace(id)
          if (place === undefined) return true
          set(places, place, id)
          set(placeOf, id, place)
          return true
        }),
      boundColumns: (id) => call(() => bound.get(id) ?? new Map()),
      bindColumns: (id, columns) => call(() => set(bound, id, new Map([...(bound.get(id) ?? []), ...columns]))),
      unbindColumns: (id) => call(() => remove(bound, id)),
      marks: (id) => call(() => [...(marks.get(id)?.values() ?? [])]),
      setMarks: (id, given) =>
        call(() => {
          if (given.length === 0) return
          let ofFeed = marks.get(id)
          if (ofFeed === undefined) set(marks, id, (ofFeed = new Map()))
          for (const mark of given) set(ofFeed, mark.accountId, frozen(mark))
        }),
      clearMarks: (id) => call(() => remove(marks, id)),

      wake: (id, { afterSeconds, ...wake }) =>
        call((now) => {
          if (!feeds.has(id)) return
          const dueAt = Timestamp.fromMillis(now + afterSeconds * 1000)
          const before = wakeOf(id)
          const kept = before !== undefined && before.dueAt <= dueAt ? before : { ...wake, feedId: id, dueAt }
          set(wakes, id, Object.freeze({ ...kept, afterJob: newestJob(id) }))
        }),
      dueWakes: (limit) =>
        call((now) =>
          [...wakes.keys()]
            .flatMap((id): ReadonlyArray<DueWake> => {
              const wake = wakeOf(id)
              return wake === undefined || table.active.has(id) || Timestamp.toMillis(wake.dueAt) > now ? [] : [wake]
            })
            .toSorted((a, b) => ascending(a.dueAt, b.dueAt) || ascending(a.feedId, b.feedId))
            .slice(0, limit)
            .map(({ feedId, dueAt, reason, type, retry }) => ({ feedId, dueAt, reason, type, retry }))
        ),
      takeWake: (id, dueAt) =>
        call(() => {
          if (wakes.get(id)?.dueAt !== dueAt) return false
          remove(wakes, id)
          return true
        })
    })
  })
)
