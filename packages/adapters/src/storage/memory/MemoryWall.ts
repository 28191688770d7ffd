/**
 * The second wall between workspaces, in memory: what is not of the workspaces that the work is for is taken for what
 * does not exist.
 *
 * Whose an id is was told when it was stored, beside its workspace. A call that names an id of another workspace is made
 * with ids that nobody has, and undone: so it answers and fails as it would for what is not there.
 */
import { CurrentTenantScope, isInScope } from "@millrace/core/workspace"
import { isId } from "@millrace/core"
import { Transactor } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** Something for a workspace that the work is not for: a fault of the program, no matter when it is tried. */
export class ForeignWorkspace extends TypeError {
  override readonly name = "ForeignWorkspace"
}

/** Whose what is that has been stored, by its id. */
class Owners extends Context.Service<Owners, Map<string, WorkspaceId>>()(
  "@millrace/adapters/storage/memory/MemoryWall/Owners"
) {
  static readonly layer: Layer.Layer<Owners> = Layer.sync(Owners, () => new Map())
}

/** Calls that make what was not there. */
const making = new Set([
  "addEvents",
  "addFact",
  "addFacts",
  "append",
  "begin",
  "create",
  "end",
  "enqueue",
  "holdMade",
  "insert",
  "logMatches",
  "putAccounts",
  "suggest"
])

/** Calls for the whole installation. */
const installation = new Set([
  "behind",
  "overview",
  "register",
  "unregister",
  "dispatch",
  "ofConnection",
  "purgeable",
  "dueWakes",
  "purge",
  "removeFiles",
  "scheduleDue",
  "seal",
  "sweep",
  "unchecked",
  "waiting"
])

const named = ["id", "accountId", "bankId", "feedId", "jobId", "tableId", "taskId"] as const

/** Calls that look up by something else than an id: whose it is stands in the answer. */
const found = new Set(["all", "byRef", "byState"])

type Plain = Readonly<Record<string, unknown>>
const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)

/** A call that names something of another workspace, undone. */
class Undone {
  readonly exit: Exit.Exit<unknown, unknown>
  constructor(exit: Exit.Exit<unknown, unknown>) {
    this.exit = exit
  }
}

type Call = (...given: ReadonlyArray<unknown>) => unknown

const started = (call: Call, given: ReadonlyArray<unknown>): Effect.Effect<unknown, unknown> => {
  const result = call(...given)
  return Stream.isStream(result) ? Effect.succeed(result) : (result as Effect.Effect<unknown, unknown>)
}

/** Looked up by something else than an id, or all of them: whose it is stands in the answer. */
const seen = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(effect, (answer) =>
    Effect.withFiber((fiber) => {
      const reach = fiber.getRef(CurrentTenantScope)
      const mine = (one: unknown) => {
        const id = isPlain(one) ? (one["workspaceId"] ?? one["id"]) : undefined
        return !isId("workspace", id) || isInScope(reach, id)
      }
      if (Option.isOption(answer)) return Effect.succeed(Option.filter(answer, mine) as A)
      return Effect.succeed((Array.isArray(answer) ? answer.filter(mine) : answer) as A)
    })
  )

const make = Effect.gen(function* () {
  const owners = yield* Owners
  const { atomically } = yield* Transactor

  /** What is stored beside its workspace is of that workspace from then on. */
  const learn = (given: unknown): void => {
    if (Array.isArray(given)) return given.forEach((one) => isPlain(one) && learn(one))
    if (!isPlain(given) || !isId("workspace", given["workspaceId"])) return
    for (const name of named) {
      const id = given[name]
      if (typeof id === "string" && !owners.has(id)) owners.set(id, given["workspaceId"])
    }
  }

  const guard = (name: string, call: Call, given: ReadonlyArray<unknown>) =>
    Effect.withFiber((fiber) => {
      const reach = fiber.getRef(CurrentTenantScope)
      const isForeign = (id: unknown): boolean => {
        if (typeof id !== "string") return false
        const owner = isId("workspace", id) ? id : owners.get(id)
        return owner !== undefined && !isInScope(reach, owner)
      }
      if (reach === undefined || reach === "every") {
        return Effect.tap(started(call, given), () => Effect.sync(() => given.forEach(learn)))
      }
      if (installation.has(name)) {
        return Effect.die(new ForeignWorkspace(`"${name}" is for all workspaces: call it with acrossTenants`))
      }
      /** With names that nobody has in the place of foreign ones. */
      let foreign = false
      const hidden = (value: unknown): unknown => {
        if (isForeign(value)) {
          foreign = true
          return `${String(value)}~`
        }
        if (Array.isArray(value))
          return value.map((one) => (typeof one === "object" && !isPlain(one) ? one : hidden(one)))
        if (!isPlain(value)) return value
        const names = [...named, "workspaceId"].filter((key) => isForeign(value[key]))
        // A scan of rows names its table within.
        const { table } = value
        const within = isPlain(table) ? hidden(table) : table
        if (names.length === 0 && within === table) return value
        foreign = true
        const changed = Object.fromEntries(names.map((key) => [key, `${String(value[key])}~`]))
        return within === table ? { ...value, ...changed } : { ...value, ...changed, table: within }
      }
      const args = given.map(hidden)
      if (!foreign) return Effect.tap(started(call, given), () => Effect.sync(() => given.forEach(learn)))
      if (making.has(name)) {
        return Effect.die(new ForeignWorkspace(`"${name}" is for a workspace that the work is not for`))
      }
      return Effect.exit(started(call, args)).pipe(
        Effect.flatMap((exit) => Effect.fail(new Undone(exit))),
        atomically,
        Effect.catch((undone) => (undone instanceof Undone ? undone.exit : Effect.die(undone)))
      )
    })

  const walled = (name: string, member: unknown): unknown => {
    if (found.has(name)) {
      return typeof member === "function"
        ? (...given: ReadonlyArray<unknown>) => seen(guard(name, member as never, given))
        : seen(member as Effect.Effect<unknown>)
    }
    if (Effect.isEffect(member) && installation.has(name)) return guard(name, () => member, [])
    if (typeof member !== "function") return member
    if (name === "current") {
      return (...given: ReadonlyArray<unknown>) =>
        Stream.unwrap(guard(name, member as never, given) as Effect.Effect<Stream.Stream<unknown>>)
    }
    return (...given: ReadonlyArray<unknown>) => guard(name, member as never, given)
  }
  return <S extends object>(service: S): S =>
    Object.fromEntries(Object.entries(service).map(([name, member]) => [name, walled(name, member)])) as S
})

/** The stores of a memory behind the wall. */
export const wall = <I, S extends object, E, R>(
  service: Context.Service<I, S>,
  layer: Layer.Layer<I, E, R>
): Layer.Layer<I, E, R | Owners | Transactor> =>
  Layer.effect(
    service,
    Effect.gen(function* () {
      const behind = yield* make
      return behind<S>(yield* service)
    })
  ).pipe(Layer.provide(layer))

export const layerOwners = Owners.layer
