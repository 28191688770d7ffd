/**
 * Making, listing, reading, changing, trashing and restoring things of a collection. What a collection is made of says how
 * a request becomes a thing; who may ask, versions, pages, the trash and events are the same for all.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isNarrowed, permit, reach, shows } from "../access/Access.ts"
import type { ActorRef } from "../access/ActorRef.ts"
import { readableIds, type Caller } from "../access/Caller.ts"
import type { CollectionSurface } from "../access/CollectionOperations.ts"
import type { Operation } from "../access/Operation.ts"
import { Cursors } from "../cursor/Cursors.ts"
import { EventStore } from "../event/EventStore.ts"
import {
  Conflict,
  type CursorUnusable,
  type Forbidden,
  type InvalidInput,
  NotFound,
  PreconditionFailed,
  type Unprocessable
} from "../failure/Failure.ts"
import { bodyOf } from "../resource/Body.ts"
import type { AnyDefinition, Place, Plain } from "../resource/Resource.ts"
import type { KeyTaken, PageQuery, ResourceStore } from "../resource/Resources.ts"
import { limits } from "../shared/Limits.ts"
import { type Page, type PageRequest, sizeOf } from "../shared/Page.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { CollectionEvents } from "./CollectionEvents.ts"

/** What all things of a collection have. */
export interface Kept extends Plain {
  readonly updatedAt: Timestamp.Timestamp
  readonly version: number
  /** Set while it is in the trash. */
  readonly trashedAt?: Timestamp.Timestamp | null
}

/** Why a request cannot become a thing. */
export type Refused = InvalidInput | Unprocessable | Conflict | Forbidden | StorageUnavailable

type Wanted = string | number | boolean | null

export interface ListRequest extends PageRequest {
  readonly trashed?: boolean
  /** Values of the fields that the collection can be narrowed by. */
  readonly where?: Readonly<Record<string, Wanted>>
}

export interface Removal {
  /** Permanently, from the trash. Where there is no trash, everything is. */
  readonly permanent?: boolean
  readonly ifVersion?: number | undefined
  /** Parameters that the collection has of its own. */
  readonly asked?: Readonly<Record<string, unknown>>
}

/**
 * What the caller does not see is `NotFound`, and so is what is in the trash, except to `list`, `restore` and a permanent
 * `remove`. `ifVersion` is the version that the caller has read, when it said so. Each takes effect whole or not at all.
 */
export interface CollectionUseCases<A, New, Change> {
  readonly create: (caller: Caller, request: New) => Effect.Effect<A, Refused>
  readonly list: (
    caller: Caller,
    query?: ListRequest
  ) => Effect.Effect<Page<A>, CursorUnusable | InvalidInput | Forbidden | StorageUnavailable>
  readonly get: (caller: Caller, id: string) => Effect.Effect<A, NotFound | Forbidden | StorageUnavailable>
  readonly update: (
    caller: Caller,
    id: string,
    change: Change,
    ifVersion?: number | undefined
  ) => Effect.Effect<A, NotFound | PreconditionFailed | Refused>
  /** To the trash where there is one, and permanently where there is none. */
  readonly remove: (
    caller: Caller,
    id: string,
    removal?: Removal
  ) => Effect.Effect<void, NotFound | PreconditionFailed | Conflict | Forbidden | StorageUnavailable>
  readonly restore: (
    caller: Caller,
    id: string
  ) => Effect.Effect<A, NotFound | Conflict | Forbidden | StorageUnavailable>
}

/** What a collection is made of. */
export interface CollectionParts<A extends Kept, New, Change> {
  readonly surface: CollectionSurface
  readonly resource: AnyDefinition<A>
  readonly store: ResourceStore<A, KeyTaken>
  /** Who made it, where that is known. */
  readonly madeBy: (thing: A) => ActorRef | undefined
  /** The thing that a request asks for, at version 1. */
  readonly make: (caller: Caller, request: New) => Effect.Effect<A, Refused>
  /** The thing as a change has it; version and time are seen to. */
  readonly change: (caller: Caller, before: A, change: Change) => Effect.Effect<A, Refused>
  readonly events: CollectionEvents | undefined
}

const ListCursor = Schema.Struct({
  after: Schema.Array(Schema.NullOr(Schema.Union([Schema.String, Schema.Finite]))),
  trashed: Schema.Boolean,
  where: Schema.Record(Schema.String, Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])))
})

const isTrashed = ({ trashedAt }: Kept): boolean => trashedAt !== undefined && trashedAt !== null

/** Fields that every change moves. */
const moving: ReadonlySet<string> = new Set(["updatedAt", "version", "revision"])

export const makeCollectionUseCases = Effect.fnUntraced(function* <A extends Kept, New, Change>(
  parts: CollectionParts<A, New, Change>
): Effect.fn.Return<CollectionUseCases<A, New, Change>, never, Transactor | EventStore | Cursors> {
  const { change, events, madeBy, make, resource, store, surface } = parts
  const transactor = yield* Transactor
  const eventLog = yield* EventStore
  const cursors = yield* Cursors
  const { many, trash, verbs, words } = surface
  const { placeOf, write } = bodyOf(resource)
  const missing = new NotFound({ resource: words.title })
  const state = (is: string) => new Conflict({ code: "INVALID_STATE", message: `${words.title} ${is}`, details: [] })
  const taken = <B, E, R>(
    effect: Effect.Effect<B, E | KeyTaken, R>
  ): Effect.Effect<B, Exclude<E, KeyTaken> | Conflict, R> =>
    Effect.catchTag(effect as Effect.Effect<B, KeyTaken, R>, "KeyTaken", (error) =>
      Effect.fail(error.conflictOf(words.one))
    ) as never
  const owned = (thing: A) => {
    const createdBy = madeBy(thing)
    return { workspaceId: thing.workspaceId, ...(createdBy === undefined ? {} : { createdBy }) }
  }
  const tell = (...[happening, thing, cause, more]: Parameters<CollectionEvents["of"]>) =>
    events === undefined ? Effect.void : eventLog.append([events.of(happening, thing, cause, more)])

  const findAny = Effect.fnUntraced(function* (caller: Caller, operation: Operation, id: string) {
    const found = yield* store.get(caller.principal.workspace.id, id as A["id"])
    yield* reach(caller, operation, words.title, Option.map(found, owned))
    return Option.getOrThrow(found)
  })
  const find = (caller: Caller, operation: Operation, id: string) =>
    Effect.filterOrFail(
      findAny(caller, operation, id),
      (thing) => !isTrashed(thing),
      () => missing
    )

  const changedOf = (before: A, after: A): ReadonlyArray<string> => {
    const [old, now] = [before, after].map((thing) => JSON.parse(write(thing).text) as Record<string, unknown>)
    return [...new Set([...Object.keys(old!), ...Object.keys(now!)])]
      .filter((key) => !moving.has(key) && JSON.stringify(old![key]) !== JSON.stringify(now![key]))
      .toSorted()
  }

  /** Writes what follows from the present state, also where others write meanwhile. `undefined` follows from a state that is right. */
  const rewrite = <E>(
    caller: Caller,
    load: Effect.Effect<A, E>,
    ifVersion: number | undefined,
    next: (before: A) => Effect.Effect<A | undefined, E | Refused>
  ): Effect.Effect<{ readonly before: A; readonly after: A }, E | PreconditionFailed | Refused> =>
    Effect.gen(function* () {
      for (;;) {
        const before = yield* load
        if (ifVersion !== undefined && ifVersion !== before.version) return yield* new PreconditionFailed()
        const wanted = yield* next(before)
        if (wanted === undefined) return { before, after: before }
        const after = { ...wanted, version: before.version + 1, updatedAt: yield* Timestamp.now }
        if (yield* taken(store.update(after))) return { before, after }
      }
    })

  const create: CollectionUseCases<A, New, Change>["create"] = Effect.fn(`${many}.create`)(
    function* (caller, request) {
      yield* permit(caller, verbs.create)
      const thing = yield* make(caller, request)
      yield* taken(store.insert(thing))
      yield* tell("created", thing, caller.cause)
      return thing
    },
    (effect) => transactor.atomically(effect)
  )

  const list: CollectionUseCases<A, New, Change>["list"] = Effect.fn(`${many}.list`)(function* (caller, query = {}) {
    yield* permit(caller, verbs.list)
    const bound = { workspaceId: caller.principal.workspace.id, list: verbs.list.id }
    const asked =
      query.cursor === undefined
        ? { after: undefined, trashed: query.trashed ?? false, where: query.where ?? {} }
        : yield* cursors.decode(bound, ListCursor, query.cursor)
    const limit = sizeOf(limits.page, query.limit)
    const isAll = !isNarrowed(caller, verbs.list)
    const rows: Array<A> = []
    let after: Place | undefined = asked.after
    // An app that sees only what it made reads on until its page is full.
    for (;;) {
      const batch: ReadonlyArray<A> = yield* store.page({
        workspaceIds: readableIds(caller),
        where: asked.where as NonNullable<PageQuery<A>["where"]>,
        ...(trash ? { trashed: asked.trashed } : {}),
        ...(after === undefined ? {} : { after }),
        limit: limit + 1
      })
      rows.push(...batch.filter((thing) => isAll || shows(caller, verbs.list, owned(thing))))
      if (rows.length > limit || batch.length <= limit) break
      after = placeOf(batch[batch.length - 1]!)
    }
    const page = rows.slice(0, limit)
    if (rows.length <= limit) return { rows: page, hasMore: false }
    const last = placeOf(page[page.length - 1]!)
    const payload = { after: last, trashed: asked.trashed, where: asked.where }
    return { rows: page, hasMore: true, cursor: yield* cursors.encode(bound, "page", payload) }
  })

  const update: CollectionUseCases<A, New, Change>["update"] = Effect.fn(`${many}.update`)(
    function* (caller, id, request, ifVersion) {
      const { after, before } = yield* rewrite(caller, find(caller, verbs.update, id), ifVersion, (thing) =>
        Effect.map(change(caller, thing, request), (wanted) =>
          changedOf(thing, wanted).length === 0 ? undefined : wanted
        )
      )
      if (after !== before) yield* tell("updated", after, caller.cause, { changed: changedOf(before, after) })
      return after
    },
    (effect) => transactor.atomically(effect)
  )

  const remove: CollectionUseCases<A, New, Change>["remove"] = Effect.fn(`${many}.remove`)(
    function* (caller, id, { ifVersion, permanent = false } = {}) {
      const load = Effect.flatMap(findAny(caller, verbs.remove, id), (thing) =>
        !isTrashed(thing) || permanent ? Effect.succeed(thing) : Effect.fail(missing)
      )
      const now = yield* Timestamp.now
      const { after } = yield* rewrite(caller, load, ifVersion, (thing) =>
        trash && permanent && !isTrashed(thing)
          ? Effect.fail(state("is not in the trash"))
          : Effect.succeed(trash && !permanent ? { ...thing, trashedAt: now } : thing)
      )
      // Its row is held by the change of its version: nobody else writes it before this ends.
      if (!trash || permanent) yield* store.remove(after.workspaceId, after.id)
      yield* tell("deleted", after, caller.cause, { permanent: !trash || permanent })
    },
    (effect) => transactor.atomically(effect)
  ) as CollectionUseCases<A, New, Change>["remove"]

  const restore: CollectionUseCases<A, New, Change>["restore"] = Effect.fn(`${many}.restore`)(
    function* (caller, id) {
      const load = findAny(caller, verbs.restore, id)
      const { after } = yield* rewrite(caller, load, undefined, (thing) =>
        isTrashed(thing) ? Effect.succeed({ ...thing, trashedAt: null }) : Effect.fail(state("is live"))
      )
      yield* tell("restored", after, caller.cause)
      return after
    },
    (effect) => transactor.atomically(effect)
  ) as CollectionUseCases<A, New, Change>["restore"]

  return { create, list, get: (caller, id) => find(caller, verbs.get, id), update, remove, restore }
})
