/** Handlers of a collection: its use cases, and the shapes of their answers. */
import * as Effect from "effect/Effect"
import type { Caller, CollectionSurface } from "@millrace/core/access"
import type { CollectionContract, CollectionUseCases } from "@millrace/core/collection"
import { isIdOf, NotFound } from "@millrace/core"
import { deleted, done, many, one } from "../api/Envelope.ts"
import { demanded, versioned } from "./Versions.ts"
import type { AnyRun } from "./Serve.ts"

interface Asked {
  readonly caller: Caller
  readonly self: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly payload: unknown
}

/** A thing that has a version, as far as handlers look at it. */
interface Versioned {
  readonly version: number
}

/** A handler for each operation, under its id. */
export const collectionHandlers = <A, New, Change, Shown>(
  contract: CollectionContract<A, New, Change, Shown>,
  useCases: Omit<CollectionUseCases<A, New, Change>, "restore"> & Partial<CollectionUseCases<A, New, Change>>,
  /** The record of a thing of which the use cases tell more. */
  recordOf: (thing: A) => Versioned = (thing) => thing as unknown as Versioned
): Readonly<Record<string, AnyRun>> => {
  const { kind, saysDeleted, show } = contract
  const { restore } = useCases
  const { parameter, verbs, words }: CollectionSurface = contract.surface
  const idOf = ({ params }: Asked) => {
    const id = params[parameter]
    return isIdOf(kind, id) ? Effect.succeed(id) : Effect.fail(new NotFound({ resource: words.title }))
  }
  const shown = (thing: A) => one(show(thing))
  const handlers: Readonly<Record<string, (asked: Asked) => ReturnType<AnyRun>>> = {
    [verbs.list.id]: ({ caller, query: { cursor, limit, trashed, ...where }, self }) =>
      Effect.map(
        useCases.list(caller, {
          ...(typeof cursor === "string" ? { cursor } : {}),
          ...(typeof limit === "number" ? { limit } : {}),
          trashed: trashed === true,
          where: where as Readonly<Record<string, string | number | boolean>>
        }),
        (page) => many(self, page.rows.map(show), page)
      ),
    [verbs.create.id]: ({ caller, payload }) => Effect.map(useCases.create(caller, payload as New), shown),
    [verbs.get.id]: Effect.fnUntraced(function* (asked: Asked) {
      const thing = yield* useCases.get(asked.caller, yield* idOf(asked))
      return yield* versioned(recordOf(thing).version, asked.headers["if-none-match"], shown(thing))
    }),
    [verbs.update.id]: Effect.fnUntraced(function* (asked: Asked) {
      const { caller, headers, payload } = asked
      const version = demanded(headers["if-match"])
      return shown(yield* useCases.update(caller, yield* idOf(asked), payload as Change, version))
    }),
    [verbs.remove.id]: Effect.fnUntraced(function* (asked: Asked) {
      const { caller, headers, query } = asked
      const { permanent, ...own } = query
      const removal = { permanent: permanent === true, ifVersion: demanded(headers["if-match"]), asked: own }
      yield* useCases.remove(caller, yield* idOf(asked), removal)
      return saysDeleted ? deleted : done
    }),
    ...(contract.surface.trash && restore !== undefined
      ? {
          [verbs.restore.id]: (asked: Asked) =>
            Effect.map(
              Effect.flatMap(idOf(asked), (id) => restore(asked.caller, id)),
              shown
            )
        }
      : {})
  }
  return handlers as Readonly<Record<string, AnyRun>>
}
