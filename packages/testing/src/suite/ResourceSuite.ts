/** Conformance of a plain store, fed with values that the Schema of its definition allows. */
import { Ids, Timestamp } from "@millrace/core"
import {
  type AnyDefinition,
  bodyOf,
  type Bounds,
  type Cell,
  type KeyedDefinition,
  type KeyedStore,
  KeyTaken,
  orderOf,
  type Plain,
  type Resources,
  type ResourceStore
} from "@millrace/core/resource"
import { Transactor } from "@millrace/core/storage"
import { withinWorkspaces, type WorkspaceId } from "@millrace/core/workspace"
import { expect, layer as withLayer, type Vitest } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { storeWorkspace } from "../fixture/Workspace.ts"
import type { StorageServices, SuiteOptions } from "./StorageTests.ts"

/** Every other store; whether it is these that are tested, the tests say themselves. */
type Beside = Exclude<StorageServices, Resources>
type Tests<R> = (it: Vitest.MethodsNonLive<Beside | Ids | R>) => void

/** Text that a column cannot hold: a body can. */
const fitsColumns = (cells: ReadonlyArray<unknown>): boolean =>
  cells.every((cell) => typeof cell !== "string" || (cell.isWellFormed() && !cell.includes("\0")))

/** JSON has no zero below zero: what holds one comes back as another value. */
const holdsNegativeZero = (value: unknown): boolean =>
  Object.is(value, -0) || (typeof value === "object" && value !== null && Object.values(value).some(holdsNegativeZero))

/** Drawn besides, so that enough are left of those that can be stored: of four values each may have text that none can. */
const spareValues = 16

/** Different values of one workspace, at version 1. Each call makes others. */
const sample = Effect.fnUntraced(function* <A extends Plain>(
  definition: AnyDefinition<A>,
  workspaceId: WorkspaceId,
  count: number
) {
  const { write } = bodyOf(definition)
  const seed = yield* (yield* Ids).next("request")
  const drawn = yield* Effect.orDie(
    Arbitrary.sampleEffect(Arbitrary.schema(definition.schema), {
      count: 4 * count + spareValues,
      seed,
      maxDiscards: 10_000
    })
  )
  const fits = Schema.is(definition.schema)
  const keys = (definition.unique ?? []).flatMap(({ fields }) => fields)
  const marks = yield* (yield* Ids).batch("request", drawn.length)
  const values = drawn
    .map((value, n): A => {
      const own = { ...value, workspaceId, ...(definition.versioned ? { version: 1 } : {}) }
      // Text that is drawn is short, and soon the same again. What is of all workspaces meets that of other tests, too.
      const marked = keys.map((field) => [field, `${String(own[field])} ${marks[n]}`] as const)
      const apart = { ...own, ...Object.fromEntries(marked) }
      return fits(apart) ? apart : own
    })
    .filter((value) => fitsColumns(Object.values(write(value).columns)) && !holdsNegativeZero(value))
    .slice(0, count)
  expect([seed, values.length]).toEqual([seed, count])
  return values
})

/** By their code points, one after the other. */
const compared = (a: unknown, b: unknown): number => {
  if (typeof a === "number" && typeof b === "number") return a - b
  const [x, y] = [a, b].map((text) => Array.from(String(text), (one) => one.codePointAt(0)!)) as [number[], number[]]
  const at = x.findIndex((code, n) => code !== y[n])
  return at === -1 ? x.length - y.length : x[at]! - (y[at] ?? -1)
}

const inOrder = <A extends Plain>(definition: AnyDefinition<A>, values: ReadonlyArray<A>): ReadonlyArray<A> => {
  const { write } = bodyOf(definition)
  const cellOf = (value: A, field: string) => (field === "id" ? value.id : write(value).columns[field])
  return values.toSorted((a, b) => {
    for (const { direction, field } of orderOf(definition)) {
      const [x, y] = [cellOf(a, field), cellOf(b, field)]
      if (x === y) continue
      if (x === null || y === null) return x === null ? 1 : -1
      return direction === "ascending" ? compared(x, y) : compared(y, x)
    }
    return 0
  })
}

/** The value with some fields of another one; those that the other one lacks are absent. */
const tiedTo = <A extends Plain>(other: A, value: A, fields: ReadonlyArray<string>): A => {
  const apart = Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field)))
  const same = Object.fromEntries(Object.entries(other).filter(([field]) => fields.includes(field)))
  return { ...apart, ...same } as A
}

/** The same value with a later version, where there are versions. */
const later = <A extends Plain>(definition: AnyDefinition<A>, value: A, version: number): A =>
  definition.versioned ? { ...value, version } : value

/** What every plain store keeps. */
export const testsOf =
  <A extends Plain, E, R>(
    definition: AnyDefinition<A>,
    store: Effect.Effect<ResourceStore<A, E>, never, R>
  ): Tests<R> =>
  (it) => {
    const arrange = Effect.fnUntraced(function* (count: number) {
      const { id } = yield* storeWorkspace()
      return { id, values: yield* sample(definition, id, count), rows: yield* store }
    })

    it.effect("hands back what it was given, to the byte, and to its own workspace alone", () =>
      Effect.gen(function* () {
        const { id, rows, values } = yield* arrange(25)
        const stranger = (yield* storeWorkspace()).id
        const { write } = bodyOf(definition)
        for (const value of values) {
          yield* rows.insert(value)
          const read = Option.getOrThrow(yield* rows.get(id, value.id))
          expect(read).toEqual(value)
          expect(write(read).text).toBe(write(value).text)
          expect(yield* rows.get(stranger, value.id)).toEqual(Option.none())
          expect(yield* rows.remove(stranger, value.id)).toBe(false)
          expect(yield* rows.update({ ...later(definition, value, 2), workspaceId: stranger })).toBe(false)
        }
        expect(yield* rows.list([stranger])).toEqual([])
        expect(yield* rows.list([])).toEqual([])
      })
    )

    it.effect("lists in the order of the definition, of one workspace or several", () =>
      Effect.gen(function* () {
        const { id, rows, values } = yield* arrange(12)
        const other = yield* storeWorkspace()
        const [first] = values
        const unique = new Set<string>((definition.unique ?? []).flatMap(({ fields }) => fields))
        const same = Object.keys(definition.columns).filter((field) => !unique.has(field))
        // Some with the same values in what they are ordered by.
        const tied = values.map((value, n) => (n % 3 === 0 ? tiedTo(first!, value, same) : value)) as ReadonlyArray<A>
        const theirs = yield* sample(definition, other.id, 3)
        yield* Effect.forEach([...tied, ...theirs], rows.insert)
        expect(yield* rows.list([id])).toEqual(inOrder(definition, tied))
        expect(yield* rows.list([id, other.id])).toEqual(inOrder(definition, [...tied, ...theirs]))
      })
    )

    it.effect("lists page by page what it lists at once, whatever is the same and whatever is absent", () =>
      Effect.gen(function* () {
        const { id, rows, values } = yield* arrange(12)
        const { placeOf } = bodyOf(definition)
        const unique = new Set<string>((definition.unique ?? []).flatMap(({ fields }) => fields))
        const [first] = values
        const same = Object.keys(definition.columns).filter((field) => !unique.has(field))
        yield* Effect.forEach(values, (value, n) => rows.insert(n % 3 === 0 ? tiedTo(first!, value, same) : value))
        const all = yield* rows.list([id])
        for (const limit of [1, 5, 12]) {
          const paged: Array<A> = []
          for (;;) {
            const last = paged.at(-1)
            const page = yield* rows.page({
              workspaceIds: [id],
              limit,
              ...(last === undefined ? {} : { after: placeOf(last) })
            })
            expect(page.length).toBeLessThanOrEqual(limit)
            paged.push(...page)
            if (page.length < limit) break
          }
          expect(paged).toEqual(all)
        }
        expect(yield* rows.page({ workspaceIds: [], limit: 5 })).toEqual([])
      })
    )

    for (const field of definition.filters ?? []) {
      it.effect(`narrows a page to one ${field}`, () =>
        Effect.gen(function* () {
          const { id, rows, values } = yield* arrange(8)
          const { write } = bodyOf(definition)
          yield* Effect.forEach(values, rows.insert)
          const all = yield* rows.list([id])
          const cellOf = (value: A) => write(value).columns[field]!
          for (const cell of new Set([...all.map(cellOf), null])) {
            const found = yield* rows.page({ workspaceIds: [id], where: { [field]: cell } as never, limit: 100 })
            expect(found).toEqual(all.filter((value) => cellOf(value) === cell))
          }
        })
      )
    }

    it.effect("lists those alone whose columns are as they have to be", () =>
      Effect.gen(function* () {
        const { id, rows, values } = yield* arrange(8)
        const { write } = bodyOf(definition)
        yield* Effect.forEach(values, rows.insert)
        const all = yield* rows.list([id])
        for (const field of ["id", ...Object.keys(definition.columns)]) {
          const cellOf = (value: A): Cell => (field === "id" ? value.id : write(value).columns[field]!)
          const expectList = Effect.fnUntraced(function* (
            wanted: Cell | Bounds | undefined,
            isWanted: (cell: Cell) => boolean
          ) {
            const expected = all.filter((value) => isWanted(cellOf(value)))
            const where = { [field]: wanted } as never
            expect(yield* rows.list([id], where)).toEqual(expected)
            expect(yield* rows.page({ workspaceIds: [id], where, limit: 8 })).toEqual(expected)
          })
          yield* expectList(undefined, () => true)
          yield* expectList({}, () => true)
          yield* expectList(null, (cell) => cell === null)
          const cells = [...new Set(all.map(cellOf))].filter((cell) => cell !== null)
          for (const one of cells) {
            yield* expectList(one, (cell) => cell === one)
            if (typeof one === "boolean") continue
            yield* expectList({ from: one }, (cell) => cell !== null && compared(cell, one) >= 0)
            yield* expectList({ below: one }, (cell) => cell !== null && compared(cell, one) < 0)
          }
          const texts = cells.filter((cell) => typeof cell === "string")
          if (texts.length === 0) continue
          const some = texts.slice(0, 3)
          yield* expectList({ oneOf: [...some, "what none has"] }, (cell) => some.includes(cell as string))
          yield* expectList({ oneOf: some, below: texts[0]! }, (cell) =>
            some.some((one) => one === cell && compared(one, texts[0]) < 0)
          )
          yield* expectList({ oneOf: [] }, () => false)
        }
      })
    )

    if (definition.trash === true) {
      it.effect("tells what is in the trash from the rest, and purges what has been there for its time", () =>
        Effect.gen(function* () {
          const { id, rows, values } = yield* arrange(4)
          const other = yield* storeWorkspace()
          const theirs = yield* sample(definition, other.id, 1)
          const at = (text: string | null) => (value: A) => ({ ...value, trashedAt: text }) as A
          const [live, older, newer, edge] = values as unknown as readonly [A, A, A, A]
          const [early, late] = ["2026-01-01T00:00:00.000Z", "2026-01-03T00:00:00.000Z"]
          yield* rows.insert(at(null)(live))
          yield* rows.insert(at(early)(older))
          yield* rows.insert(at(early)(newer))
          yield* rows.insert(at(late)(edge))
          yield* rows.insert(at(early)(theirs[0]!))
          const idsOf = (trashed: boolean) =>
            Effect.map(rows.page({ workspaceIds: [id], trashed, limit: 10 }), (page) => page.map((one) => one.id))
          expect(yield* idsOf(false)).toEqual([live.id])
          expect((yield* idsOf(true)).toSorted()).toEqual([older.id, newer.id, edge.id].toSorted())
          const purge = withinWorkspaces(id)(rows.purge(Timestamp.make(late), 1))
          expect([yield* purge, yield* purge, yield* purge]).toEqual([1, 1, 0])
          expect(yield* idsOf(true)).toEqual([edge.id])
          expect(yield* rows.list([other.id])).toHaveLength(1)
        })
      )
    }

    it.effect("replaces what is there, and nothing else", () =>
      Effect.gen(function* () {
        const { id, rows, values } = yield* arrange(3)
        const [first, second, absent] = values as unknown as readonly [A, A, A]
        yield* rows.insert(first)
        const next = later(definition, { ...second, id: first.id }, 2)
        expect(yield* rows.update(next)).toBe(true)
        expect(yield* rows.get(id, first.id)).toEqual(Option.some(next))
        expect(yield* rows.update(later(definition, absent, 2))).toBe(false)
        expect(yield* rows.list([id])).toEqual([next])
      })
    )

    if (definition.versioned) {
      it.effect("replaces the version before alone, and lets one of many that come at once through", () =>
        Effect.gen(function* () {
          const { id, rows, values } = yield* arrange(1)
          const [value] = values as unknown as readonly [A]
          yield* rows.insert(value)
          expect(yield* rows.update(later(definition, value, 1))).toBe(false)
          expect(yield* rows.update(later(definition, value, 3))).toBe(false)
          const won = yield* Effect.forEach(
            Array.from({ length: 10 }, () => later(definition, value, 2)),
            rows.update,
            { concurrency: "unbounded" }
          )
          expect(won.filter(Boolean)).toHaveLength(1)
          expect(yield* rows.get(id, value.id)).toEqual(Option.some(later(definition, value, 2)))
        })
      )
    }

    it.effect("removes once, and keeps nothing of a transaction that failed", () =>
      Effect.gen(function* () {
        const { id, rows, values } = yield* arrange(2)
        const [value, other] = values as unknown as readonly [A, A]
        yield* rows.insert(value)
        const { atomically } = yield* Transactor
        const broken = Effect.all([rows.insert(other), rows.remove(id, value.id), Effect.fail("broken" as const)])
        expect(Exit.isFailure(yield* Effect.exit(atomically(broken)))).toBe(true)
        expect(yield* rows.list([id])).toEqual([value])
        expect(yield* rows.remove(id, value.id)).toBe(true)
        expect(yield* rows.remove(id, value.id)).toBe(false)
        expect(yield* rows.get(id, value.id)).toEqual(Option.none())
      })
    )

    it.effect("keeps what is of a workspace from the work of another", () =>
      Effect.gen(function* () {
        const { id, rows, values } = yield* arrange(2)
        const [value, other] = values as unknown as readonly [A, A]
        yield* rows.insert(value)
        const theirs = withinWorkspaces((yield* storeWorkspace()).id)
        expect(yield* theirs(rows.get(id, value.id))).toEqual(Option.none())
        expect(yield* theirs(rows.list([id]))).toEqual([])
        expect(yield* theirs(rows.update(later(definition, value, 2)))).toBe(false)
        expect(yield* theirs(rows.remove(id, value.id))).toBe(false)
        expect(Exit.hasDies(yield* Effect.exit(theirs(rows.insert(other))))).toBe(true)
        expect(yield* withinWorkspaces(id)(rows.list([id]))).toEqual([value])
      })
    )

    it.effect("puts new ones and replaces others at once, and the same again", () =>
      Effect.gen(function* () {
        const { id, rows, values } = yield* arrange(4)
        const [first, second, third, fourth] = values as unknown as readonly [A, A, A, A]
        const { write } = bodyOf(definition)
        expect(yield* rows.put([])).toBe(true)
        expect(yield* rows.put([first, second])).toBe(true)
        const next = later(definition, { ...third, id: first.id }, 2)
        expect(yield* rows.put([next, fourth])).toBe(true)
        expect(yield* rows.put([next, fourth])).toBe(true)
        const held = yield* rows.list([id])
        expect(held).toEqual(inOrder(definition, [next, second, fourth]))
        expect(held.map((one) => write(one).text)).toEqual(
          inOrder(definition, [next, second, fourth]).map((one) => write(one).text)
        )
      })
    )

    it.effect("puts none that is of another workspace, or that does not follow what is held", () =>
      Effect.gen(function* () {
        const { id, rows, values } = yield* arrange(3)
        const there = yield* storeWorkspace()
        const [first, second, third] = values as unknown as readonly [A, A, A]
        const { atomically } = yield* Transactor
        const putWhole = (...given: ReadonlyArray<A>) =>
          rows.put(given).pipe(
            Effect.flatMap((isPut) => (isPut ? Effect.succeed(true) : Effect.fail("not put" as const))),
            atomically,
            Effect.catch((error) => (error === "not put" ? Effect.succeed(false) : Effect.fail(error)))
          )
        yield* rows.put([first])
        expect(yield* putWhole(second, { ...third, id: first.id, workspaceId: there.id })).toBe(false)
        if (definition.versioned) {
          expect(yield* putWhole(second, later(definition, first, 3))).toBe(false)
          yield* rows.put([later(definition, first, 2)])
          expect(yield* putWhole(second, first)).toBe(false)
        }
        expect(yield* rows.list([id, there.id])).toEqual([later(definition, first, definition.versioned ? 2 : 1)])
        const theirs = withinWorkspaces(there.id)
        expect(Exit.hasDies(yield* Effect.exit(theirs(rows.put([second]))))).toBe(true)
        expect(yield* theirs(rows.put([{ ...first, workspaceId: there.id }]))).toBe(false)
        const unfit = yield* Effect.exit(rows.put([second, { ...third, workspaceId: 1 } as never]))
        expect(Exit.isFailure(unfit) && String(Cause.squash(unfit.cause))).toContain("workspaceId")
        expect(yield* rows.list([id, there.id])).toHaveLength(1)
      })
    )

    it.effect("removes all that are as asked, of their own workspace", () =>
      Effect.gen(function* () {
        const { id, rows, values } = yield* arrange(4)
        const there = yield* storeWorkspace()
        const [first, second, third, fourth] = values as unknown as readonly [A, A, A, A]
        yield* rows.put([first, second, third, { ...fourth, workspaceId: there.id }])
        const some = { id: { oneOf: [first.id, second.id, fourth.id] } } as never
        expect(yield* withinWorkspaces(there.id)(rows.removeAll(id, some))).toBe(0)
        expect(yield* rows.removeAll(id, some)).toBe(2)
        expect(yield* rows.removeAll(id, some)).toBe(0)
        expect((yield* rows.list([id, there.id])).map((one) => one.id).toSorted()).toEqual(
          [third.id, fourth.id].toSorted()
        )
      })
    )

    it.effect("refuses a value that does not fit, and names the field", () =>
      Effect.gen(function* () {
        const { id, rows, values } = yield* arrange(1)
        const exit = yield* Effect.exit(rows.insert({ ...values[0]!, workspaceId: 1 } as never))
        expect(Exit.isFailure(exit) && String(Cause.squash(exit.cause))).toContain("workspaceId")
        expect(yield* rows.list([id])).toEqual([])
      })
    )
  }

/** What one with keys keeps besides. */
export const keyedTestsOf =
  <A extends Plain, R>(definition: KeyedDefinition<A>, store: Effect.Effect<KeyedStore<A>, never, R>): Tests<R> =>
  (it) => {
    testsOf(definition, store)(it)
    for (const { fields, within } of definition.unique) {
      it.effect(`has each ${fields.join(" and ")} once, and finds by it`, () =>
        Effect.gen(function* () {
          const [here, there] = [yield* storeWorkspace(), yield* storeWorkspace()]
          const rows = yield* store
          const [first, second] = (yield* sample(definition, here.id, 2)) as unknown as readonly [A, A]
          const [foreign] = (yield* sample(definition, there.id, 1)) as unknown as readonly [A]
          const key = Object.fromEntries(fields.map((field) => [field, first[field]])) as unknown as Partial<A>
          const taken = new KeyTaken({ resource: definition.name, fields })
          yield* rows.insert(first)
          yield* rows.insert(second)
          const { atomically } = yield* Transactor
          // The transaction around goes on.
          const twice = Effect.gen(function* () {
            const [third] = (yield* sample(definition, here.id, 1)) as unknown as readonly [A]
            expect(yield* Effect.flip(rows.insert({ ...third, ...key }))).toEqual(taken)
            expect(yield* Effect.flip(rows.update(later(definition, { ...second, ...key }, 2)))).toEqual(taken)
            expect(yield* Effect.flip(rows.put([second, { ...third, ...key }]))).toEqual(taken)
            return yield* rows.update(later(definition, first, 2))
          })
          expect(yield* atomically(twice)).toBe(true)
          expect((yield* rows.list([here.id])).length).toBe(2)
          const elsewhere = yield* Effect.exit(rows.insert({ ...foreign, ...key }))
          expect(Exit.isSuccess(elsewhere)).toBe(within === "workspace")
          const found = withinWorkspaces(here.id)(rows.find(key))
          expect(yield* found).toEqual(Option.some(later(definition, first, 2)))
          yield* rows.remove(here.id, first.id)
          expect(yield* found).toEqual(Option.none())
          yield* rows.insert({ ...first, ...key })
        })
      )
    }
  }

/** Runs these tests on a storage. */
export const suite = <R, E>(
  name: string,
  tests: Tests<R>,
  layer: Layer.Layer<Beside | R, E>,
  options?: SuiteOptions
): void => {
  withLayer(Layer.merge(layer, Ids.layer), {
    excludeTestServices: options?.liveClock ?? false,
    timeout: "60 seconds"
  })(name, tests)
}
