/** The collections of an installation, bundled ones and those that a program adds, with their use cases. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Caller } from "../access/Caller.ts"
import { nouns } from "../access/Operation.ts"
import { operations } from "../access/catalogue.generated.ts"
import { type AuditedAs, makeAuditing } from "../audit/Auditing.ts"
import { AuditStore } from "../audit/AuditStore.ts"
import { Cursors } from "../cursor/Cursors.ts"
import { EventStore } from "../event/EventStore.ts"
import { Unprocessable } from "../failure/Failure.ts"
import type { AnyDefinition, KeyedDefinition } from "../resource/Resource.ts"
import { Resources, type KeyTaken, type ResourceStore } from "../resource/Resources.ts"
import { idKindFault, Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { purgeBefore } from "../shared/Trash.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { withinCaller } from "../workspace/Reach.ts"
import * as bundled from "./bundled.ts"
import type { AnyCollection, Collection, CollectionContract } from "./Collection.ts"
import { makeCollectionUseCases, type CollectionUseCases, type Kept } from "./CollectionUseCases.ts"

/** The bundled collections, by name. One more is a file beside this one and a line in `bundled.ts`. */
export const bundledCollections: ReadonlyArray<AnyCollection> = Object.values(bundled)

/** A collection with what is done to it. */
export interface ServedCollection {
  readonly contract: CollectionContract<unknown, unknown, unknown>
  readonly useCases: CollectionUseCases<unknown, unknown, unknown>
}

const isKeyed = <A extends Kept>(definition: AnyDefinition<A>): definition is KeyedDefinition<A> =>
  definition.unique !== undefined

/** What is wrong with these collections beside what is bundled: each fault as a sentence. */
export const collectionFaults = (added: ReadonlyArray<AnyCollection>): ReadonlyArray<string> => {
  const known = Object.values(operations)
  const taken: Readonly<Record<string, Map<string, string>>> = {
    operation: new Map(known.map(({ id }) => [id, "a bundled operation"])),
    noun: new Map(Object.keys(nouns).map((noun) => [noun, "a bundled noun"])),
    path: new Map(),
    "prefix of ids": new Map(),
    table: new Map()
  }
  const faults: Array<string> = []
  for (const collection of [...bundledCollections, ...added]) {
    const { kind, resource, surface } = collection
    const wrong = idKindFault(kind)
    // What is bundled has a prefix that is bundled, too.
    if (wrong !== undefined && added.includes(collection)) faults.push(`the collection "${surface.many}": ${wrong}`)
    const own: ReadonlyArray<readonly [string, string]> = [
      ...Object.keys(surface.entries).map((id) => ["operation", id] as const),
      ["noun", surface.noun],
      ["path", surface.path],
      ["prefix of ids", kind.prefix],
      ["table", resource.name]
    ]
    for (const [what, name] of own) {
      const holder = taken[what]!.get(name)
      if (holder !== undefined)
        faults.push(`the collection "${surface.many}": the ${what} "${name}" belongs to ${holder}`)
      taken[what]!.set(name, `the collection "${surface.many}"`)
    }
  }
  return faults
}

/** The methods of its use cases that change something. */
const auditedMethods = ({ trash, verbs }: CollectionContract<never, never, never>["surface"]) => ({
  create: { operation: verbs.create.id, makes: true } satisfies AuditedAs,
  update: { operation: verbs.update.id, read: "get" } satisfies AuditedAs,
  remove: { operation: verbs.remove.id } satisfies AuditedAs,
  ...(trash ? { restore: { operation: verbs.restore.id } satisfies AuditedAs } : {})
})

/** The store of a collection and its use cases: audited, and reaching no further than their caller. */
export const openCollection = Effect.fnUntraced(function* <A extends Kept, New, Change>(
  collection: Collection<A, New, Change>
) {
  const ids = yield* Ids
  const resources = yield* Resources
  const { changed, check, events, kind, made, resource, surface } = collection
  const judged = (thing: A) => {
    const details = check(thing)
    return details.length === 0
      ? Effect.succeed(thing)
      : Effect.fail(new Unprocessable({ code: "VALIDATION_FAILED", message: "Validation failed", details }))
  }
  const store: ResourceStore<A, KeyTaken> = isKeyed(resource) ? resources.openKeyed(resource) : resources.open(resource)
  const useCases = yield* makeCollectionUseCases<A, New, Change>({
    surface,
    resource,
    store,
    madeBy: (thing) => (thing as { readonly createdBy?: Caller["cause"] }).createdBy,
    make: Effect.fnUntraced(function* (caller, request) {
      const now = yield* Timestamp.now
      const { id: workspaceId } = caller.principal.workspace
      const base = { workspaceId, createdBy: caller.cause, createdAt: now, updatedAt: now, version: 1 }
      return yield* judged(made(request, { id: yield* ids.nextOf(kind), ...base }))
    }),
    change: (_, before, request) => judged(changed(before, request)),
    events
  })
  const audited = (yield* makeAuditing)([kind])(useCases, auditedMethods(surface))
  return { store, useCases: withinCaller(audited) }
})

/** The collections that a program adds: none unless something is provided. */
export const AddedCollections = Context.Reference<ReadonlyArray<AnyCollection>>(
  "@millrace/core/collection/Collections/AddedCollections",
  { defaultValue: () => [] }
)

export class Collections extends Context.Service<
  Collections,
  {
    readonly all: ReadonlyArray<ServedCollection>
    /** Its use cases. Dies where it is neither bundled nor added by the program. */
    readonly of: <A extends Kept, New, Change>(
      collection: Collection<A, New, Change>
    ) => CollectionUseCases<A, New, Change>
    /** Removes what has been in the trash for its time. Returns how much. */
    readonly purge: Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/collection/Collections") {
  /** The bundled ones, then `AddedCollections`. Those that contradict each other or what is bundled are a defect of the program. */
  static readonly layer: Layer.Layer<
    Collections,
    never,
    Resources | Transactor | EventStore | AuditStore | Ids | Cursors
  > = Layer.effect(
    Collections,
    Effect.gen(function* () {
      const added = yield* AddedCollections
      const faults = collectionFaults(added)
      if (faults.length > 0) return yield* Effect.die(new RangeError(faults.join("; ")))
      const opened = yield* Effect.forEach([...bundledCollections, ...added], (contract) =>
        Effect.map(openCollection(contract), (found) => ({ contract, ...found }))
      )
      return Collections.of({
        all: opened,
        of: (collection) => {
          const found = opened.find(({ contract }) => contract === collection)
          if (found === undefined) throw new RangeError(`the collection "${collection.surface.many}" was not added`)
          return found.useCases
        },
        purge: Effect.gen(function* () {
          const before = purgeBefore(yield* Timestamp.now)
          let purged = 0
          for (const { contract, store } of opened) {
            if (contract.surface.trash) purged += yield* store.purge(before, limits.commitChunk)
          }
          return purged
        }).pipe(Effect.withSpan("Collections.purge"))
      })
    })
  )
}
