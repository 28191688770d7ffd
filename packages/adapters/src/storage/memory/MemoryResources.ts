/** Plain things in memory. */
import {
  type AnyDefinition,
  bodyOf,
  type KeyedStore,
  KeyTaken,
  orderOf,
  type Place,
  type Plain,
  Resources,
  type UniqueKey
} from "@millrace/core/resource"
import { CurrentReach, reaches } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"
import { ForeignWorkspace } from "./MemoryWall.ts"

type Cell = string | number | null

interface Held<A> {
  readonly value: A
  readonly place: Place
  readonly columns: Readonly<Record<string, Cell>>
}

/** Characters beyond 16 bits come after all others, as they do in UTF-8. */
const byCodePoint = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (x === y) continue
    const [high, other] = [x >= 0xd800 && x <= 0xdfff, y >= 0xd800 && y <= 0xdfff]
    return high === other ? x - y : high ? 1 : -1
  }
  return a.length - b.length
}

const compared = (a: Cell, b: Cell): number =>
  typeof a === "number" && typeof b === "number" ? a - b : byCodePoint(String(a), String(b))

const comparing =
  <A extends Plain>(definition: AnyDefinition<A>) =>
  (a: Place, b: Place): number => {
    for (const [at, { direction }] of orderOf(definition).entries()) {
      const [x, y] = [a[at]!, b[at]!]
      if (x === y) continue
      if (x === null || y === null) return x === null ? 1 : -1
      return direction === "ascending" ? compared(x, y) : compared(y, x)
    }
    return 0
  }

const collides = <A extends Plain>({ fields, within }: UniqueKey<A>, one: Held<A>, other: Held<A>): boolean =>
  one.value.id !== other.value.id &&
  (within === "installation" || one.value.workspaceId === other.value.workspaceId) &&
  fields.every((field) => one.columns[field] !== null && one.columns[field] === other.columns[field])

export const layer: Layer.Layer<Resources, never, Memory> = Layer.effect(
  Resources,
  Effect.map(Memory, ({ attempt, call, remove, set }) => {
    const tables = new Map<string, Map<string, unknown>>()

    const storeOf = <A extends Plain>(definition: AnyDefinition<A>): KeyedStore<A> => {
      const { name, unique = [], versioned } = definition
      const held = (tables.get(name) ?? new Map<string, unknown>()) as Map<string, Held<A>>
      tables.set(name, held)
      const body = bodyOf(definition)
      const compare = comparing(definition)
      const versionOf = (value: A): unknown => (value as { readonly version?: unknown }).version

      const put = (value: A): Exit.Exit<void, KeyTaken> => {
        const { columns, text } = body.write(value)
        const next = { value: frozen(body.read(text)), place: body.placeOf(value), columns }
        const key = unique.find((one) => [...held.values()].some((other) => collides(one, next, other)))
        if (key !== undefined) return Exit.fail(new KeyTaken({ resource: name, fields: key.fields }))
        set(held, value.id, next)
        return Exit.void
      }
      /** Runs with a look-up that finds what the work may touch. */
      const within = <B>(run: (mine: (value: Pick<A, "workspaceId">) => boolean) => B): Effect.Effect<B> =>
        Effect.withFiber((fiber) => {
          const reach = fiber.getRef(CurrentReach)
          return call(() => run(({ workspaceId }) => reaches(reach, workspaceId)))
        })
      const own = (workspaceId: A["workspaceId"], id: string) => {
        const found = held.get(id)
        return found?.value.workspaceId === workspaceId ? found.value : undefined
      }

      return {
        insert: (value) =>
          Effect.withFiber((fiber) => {
            if (!reaches(fiber.getRef(CurrentReach), value.workspaceId)) {
              return Effect.die(new ForeignWorkspace(`"${name}" is for a workspace that the work is not for`))
            }
            return attempt(() => put(value))
          }),
        update: (value) =>
          Effect.withFiber((fiber) => {
            const mine = reaches(fiber.getRef(CurrentReach), value.workspaceId)
            return attempt((): Exit.Exit<boolean, KeyTaken> => {
              const before = own(value.workspaceId, value.id)
              if (!mine || before === undefined) return Exit.succeed(false)
              if (versioned && versionOf(before) !== Number(versionOf(value)) - 1) return Exit.succeed(false)
              return Exit.map(put(value), () => true)
            })
          }),
        get: (workspaceId, id) => within((mine) => Option.filter(Option.fromUndefinedOr(own(workspaceId, id)), mine)),
        list: (workspaceIds) =>
          within((mine) =>
            [...held.values()]
              .filter(({ value }) => workspaceIds.includes(value.workspaceId) && mine(value))
              .toSorted((a, b) => compare(a.place, b.place))
              .map(({ value }) => value)
          ),
        page: ({ after, limit, trashed, where = {}, workspaceIds }) =>
          within((mine) =>
            [...held.values()]
              .filter(({ columns, place, value }) => {
                const isThere = trashed === undefined || trashed === (columns["trashedAt"] !== null)
                return (
                  workspaceIds.includes(value.workspaceId) &&
                  mine(value) &&
                  isThere &&
                  Object.entries(where).every(([field, wanted]) => columns[field] === wanted) &&
                  (after === undefined || compare(place, after) > 0)
                )
              })
              .toSorted((a, b) => compare(a.place, b.place))
              .slice(0, limit)
              .map(({ value }) => value)
          ),
        purge: (before, limit) =>
          within((mine) => {
            const old = [...held.values()].filter(({ columns, value }) => {
              const { trashedAt } = columns
              return typeof trashedAt === "string" && trashedAt < before && mine(value)
            })
            for (const { value } of old.slice(0, limit)) remove(held, value.id)
            return Math.min(old.length, limit)
          }),
        remove: (workspaceId, id) =>
          within((mine) => {
            const found = own(workspaceId, id)
            if (found === undefined || !mine(found)) return false
            remove(held, id)
            return true
          }),
        find: (key) =>
          within((mine) => {
            const found = [...held.values()].find(
              ({ columns, value }) =>
                mine(value) && Object.entries(key).every(([field, wanted]) => columns[field] === wanted)
            )
            return Option.map(Option.fromUndefinedOr(found), ({ value }) => value)
          })
      }
    }

    return Resources.of({
      open: (definition) => {
        const { find: _, ...store } = storeOf(definition)
        // Without keys none can be taken.
        return store as never
      },
      openKeyed: storeOf
    })
  })
)
