/** Plain things in memory. */
import {
  type AnyDefinition,
  bodyOf,
  type Bounds,
  type Cell,
  type KeyedStore,
  KeyTaken,
  orderOf,
  type Place,
  type Plain,
  Resources,
  type UniqueKey
} from "@millrace/core/resource"
import { findingResource } from "@millrace/core/enrichment"
import { CurrentTenantScope, isInScope } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { Memory, removeWhere } from "./MemoryTransactor.ts"
import { ForeignWorkspace } from "./MemoryWall.ts"

interface Held<A> {
  readonly value: A
  readonly place: Place
  /** With the id. */
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

type Conditions = Readonly<Record<string, Cell | Bounds | undefined>>

/** What is absent is within no bounds. */
const meets = (columns: Held<never>["columns"], where: Conditions): boolean =>
  Object.entries(where).every(([field, wanted]) => {
    const cell = columns[field]!
    if (wanted === undefined) return true
    if (wanted === null || typeof wanted !== "object") return cell === wanted
    const { below, from, oneOf } = wanted
    return (
      (oneOf === undefined || (typeof cell === "string" && oneOf.includes(cell))) &&
      (from === undefined || (cell !== null && compared(cell, from) >= 0)) &&
      (below === undefined || (cell !== null && compared(cell, below) < 0))
    )
  })

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
  Effect.map(Memory, (memory) => {
    const { attempt, bankDestroyed, remove, set } = memory
    const tables = new Map<string, Map<string, unknown>>()
    // What was found names accounts and records wherever it says something of them.
    bankDestroyed.push(({ accountIds, recordIds }) =>
      removeWhere(memory, tables.get(findingResource.name) ?? new Map<string, unknown>(), (finding) =>
        (JSON.stringify(finding).match(/[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}/g) ?? []).some(
          (id) => accountIds.has(id) || recordIds.has(id)
        )
      )
    )

    const storeOf = <A extends Plain>(definition: AnyDefinition<A>): KeyedStore<A> => {
      const { name, unique = [], versioned } = definition
      const held = (tables.get(name) ?? new Map<string, unknown>()) as Map<string, Held<A>>
      tables.set(name, held)
      const body = bodyOf(definition)
      const compare = comparing(definition)
      const versionOf = (value: A): number => (value as unknown as { readonly version: number }).version
      const foreign = () => new ForeignWorkspace(`"${name}" is for a workspace that the work is not for`)
      const heldOf = (value: A): Held<A> => {
        const { columns, text } = body.write(value)
        return { value: frozen(body.read(text)), place: body.placeOf(value), columns: { ...columns, id: value.id } }
      }
      /** All of them, or none. */
      const keep = (values: ReadonlyArray<A>): Exit.Exit<boolean, KeyTaken> => {
        const nexts = values.map(heldOf)
        const all = unique.length === 0 ? [] : [...held.values()]
        const key = unique.find((one) => nexts.some((next) => all.some((other) => collides(one, next, other))))
        if (key !== undefined) return Exit.fail(new KeyTaken({ resource: name, fields: key.fields }))
        for (const next of nexts) set(held, next.value.id, next)
        return Exit.succeed(true)
      }
      /** Runs with a look-up that finds what the work may touch. */
      const trying = <B, E>(run: (mine: (value: Pick<A, "workspaceId">) => boolean) => Exit.Exit<B, E>) =>
        Effect.withFiber((fiber) => {
          const reach = fiber.getRef(CurrentTenantScope)
          return attempt(() => run(({ workspaceId }) => isInScope(reach, workspaceId)))
        })
      const within = <B>(run: (mine: (value: Pick<A, "workspaceId">) => boolean) => B): Effect.Effect<B> =>
        trying((mine) => Exit.succeed(run(mine)))
      const among = (mine: (value: A) => boolean, workspaceIds: ReadonlyArray<string>, where: Conditions = {}) =>
        [...held.values()]
          .filter(
            ({ columns, value: one }) => workspaceIds.includes(one.workspaceId) && mine(one) && meets(columns, where)
          )
          .toSorted((a, b) => compare(a.place, b.place))
      const own = (workspaceId: A["workspaceId"], id: string) => {
        const found = held.get(id)
        return found?.value.workspaceId === workspaceId ? found.value : undefined
      }

      return {
        insert: (value) => trying((mine) => (mine(value) ? Exit.asVoid(keep([value])) : Exit.die(foreign()))),
        update: (value) =>
          trying((mine) => {
            const before = mine(value) ? own(value.workspaceId, value.id) : undefined
            const follows = before !== undefined && (!versioned || versionOf(before) === versionOf(value) - 1)
            return follows ? keep([value]) : Exit.succeed(false)
          }),
        put: (values) =>
          trying((mine) => {
            if (!values.every(mine)) return Exit.die(foreign())
            const follow = values.every((value) => {
              const before = held.get(value.id)?.value
              if (before === undefined) return true
              const step = versionOf(value) - versionOf(before)
              return before.workspaceId === value.workspaceId && (!versioned || step === 0 || step === 1)
            })
            return follow ? keep(values) : Exit.succeed(false)
          }),
        get: (workspaceId, id) => within((mine) => Option.filter(Option.fromUndefinedOr(own(workspaceId, id)), mine)),
        list: (workspaceIds, where) => within((mine) => among(mine, workspaceIds, where).map(({ value }) => value)),
        page: ({ after, limit, trashed, where, workspaceIds }) =>
          within((mine) =>
            among(mine, workspaceIds, where)
              .filter(
                ({ columns, place }) =>
                  (trashed === undefined || trashed === (columns["trashedAt"] !== null)) &&
                  (after === undefined || compare(place, after) > 0)
              )
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
        removeAll: (workspaceId, where) =>
          within((mine) => {
            const found = among(mine, [workspaceId], where)
            for (const { value } of found) remove(held, value.id)
            return found.length
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
