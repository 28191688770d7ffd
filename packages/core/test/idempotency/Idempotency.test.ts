import { callerOf, type Caller } from "../../src/access/Caller.ts"
import type { Principal } from "../../src/access/Principal.ts"
import { allScopes } from "../../src/access/Scope.ts"
import { Conflict, NotFound } from "../../src/failure/Failure.ts"
import { type FirstAnswer, Idempotency } from "../../src/idempotency/Idempotency.ts"
import { IdempotencyStore } from "../../src/idempotency/IdempotencyStore.ts"
import { CursorStore } from "../../src/cursor/CursorStore.ts"
import { limits } from "../../src/shared/Limits.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { StorageUnavailable } from "../../src/storage/StorageUnavailable.ts"
import { onceCommitted, onceUndone } from "../../src/storage/TransactionEnd.ts"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { makeApiKey, makeUser, makeWorkspace } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"

const layer = Layer.mergeAll(
  Idempotency.layer.pipe(Layer.provideMerge(MemoryStorage.layer), Layer.provide(NodeDigest.layer)),
  Ids.layer
)

const makeCaller = Effect.gen(function* () {
  const [workspace, user] = [yield* makeWorkspace(), yield* makeUser()]
  const key = { ...(yield* makeApiKey(workspace, user)), scopes: allScopes }
  const principal: Principal = { kind: "api_key", workspace, key }
  return callerOf(principal, "req")
})

const asked = { operation: "createFeed", key: "key", request: "request" } as const
/** Takes its key first. */
const waiting = { ...asked, operation: "readFeedUpload" } as const

/** An effect in storage that shows how often it took place. */
const effectOf = (caller: Caller, mark: string) =>
  Effect.flatMap(CursorStore, ({ keep }) => keep(caller.principal.workspace.id, { digest: mark, text: mark, hours: 5 }))
const took = (caller: Caller, mark: string) =>
  Effect.flatMap(CursorStore, ({ find }) => find(caller.principal.workspace.id, mark)).pipe(
    Effect.map((found) => found !== undefined)
  )

type Failing = NotFound | Conflict | StorageUnavailable
const answerTo = (error: Failing): Effect.Effect<string | undefined> =>
  Effect.succeed(error._tag === "StorageUnavailable" ? undefined : `failed ${error._tag}`)

const once = (
  caller: Caller,
  request: { readonly operation: typeof asked.operation | typeof waiting.operation; key: string; request: string },
  answer: Effect.Effect<FirstAnswer, Failing, CursorStore>
) =>
  Effect.flatMap(Idempotency, (idempotency) =>
    idempotency.once<Failing, CursorStore, never>(caller, request, answer, answerTo)
  )

const codeOf = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isFailure(exit)
    ? exit.cause.reasons.map((reason) => (reason as { error?: { code?: string } }).error?.code)[0]
    : "ok"

const oneOf = <A>(values: ReadonlyArray<A>) =>
  Effect.map(Random.nextIntBetween(0, values.length - 1), (n) => values[n]!)

describe("a request with an idempotency key", () => {
  for (const request of [asked, waiting]) {
    it.effect(`has one effect and one answer, however often it is repeated (${request.operation})`, () =>
      Effect.gen(function* () {
        const caller = yield* makeCaller
        let count = 0
        const run = Effect.sync(() => ({ text: `answer ${++count}` }))
        expect(yield* once(caller, request, run)).toEqual({ text: "answer 1", replayed: false })
        expect(yield* once(caller, request, run)).toEqual({ text: "answer 1", replayed: true })
        expect(codeOf(yield* Effect.exit(once(caller, { ...request, request: "another" }, run)))).toBe(
          "IDEMPOTENCY_KEY_REUSED"
        )
        // Another credential, and another operation, have keys of their own.
        expect(yield* once(yield* makeCaller, request, run)).toEqual({ text: "answer 2", replayed: false })
        const other = request === asked ? waiting : asked
        expect(yield* once(caller, other, run)).toEqual({ text: "answer 3", replayed: false })
      }).pipe(Effect.provide(layer))
    )

    it.effect(`repeats a failure that is final, and tries again after one that passes (${request.operation})`, () =>
      Effect.gen(function* () {
        const caller = yield* makeCaller
        const missing = Effect.fail(new NotFound({ resource: "Feed" }))
        expect(yield* once(caller, request, missing)).toEqual({ text: "failed NotFound", replayed: false })
        const replay = yield* once(caller, request, Effect.die("must not run"))
        expect(replay).toEqual({ text: "failed NotFound", replayed: true })
        const later = { ...request, key: "later" }
        const gone = Effect.fail(new StorageUnavailable({ message: "gone" }))
        expect(Exit.isFailure(yield* Effect.exit(once(caller, later, gone)))).toBe(true)
        expect(yield* once(caller, later, Effect.succeed({ text: "done" }))).toEqual({ text: "done", replayed: false })
      }).pipe(Effect.provide(layer))
    )

    it.effect(`never keeps a secret: the repeated request is told what was made (${request.operation})`, () =>
      Effect.gen(function* () {
        const caller = yield* makeCaller
        const run = Effect.succeed({ text: "the secret", secretOf: "key_1" })
        expect(yield* once(caller, request, run)).toEqual({ text: "the secret", replayed: false })
        const again = yield* Effect.flip(once(caller, request, run))
        expect(again).toMatchObject({ code: "SECRET_ALREADY_SHOWN", details: [{ field: "id", message: "key_1" }] })
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("is refused while the first one runs; what was cut short keeps its key", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller
      const go = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const run = Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Deferred.await(go)),
        Effect.as({ text: "done" })
      )
      const first = yield* Effect.forkChild(once(caller, waiting, run))
      yield* Deferred.await(begun)
      expect(codeOf(yield* Effect.exit(once(caller, waiting, run)))).toBe("IDEMPOTENCY_IN_PROGRESS")
      yield* Fiber.interrupt(first)
      expect(codeOf(yield* Effect.exit(once(caller, waiting, run)))).toBe("IDEMPOTENCY_IN_PROGRESS")
    }).pipe(Effect.provide(layer))
  )

  it.effect("undoes what failed, keeps the answer to it, and tells others of what holds alone", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller
      const told: Array<string> = []
      const tell = (what: string) =>
        Effect.andThen(
          onceCommitted(Effect.sync(() => void told.push(`${what} holds`))),
          onceUndone(Effect.sync(() => void told.push(`${what} undone`)))
        )
      const failing = Effect.andThen(
        Effect.andThen(effectOf(caller, "a"), tell("a")),
        Effect.fail(new Conflict({ code: "INVALID_STATE", message: "no", details: [] }))
      )
      expect(yield* once(caller, asked, failing)).toMatchObject({ text: "failed Conflict" })
      expect([yield* took(caller, "a"), told]).toEqual([false, ["a undone"]])
      const working = Effect.andThen(Effect.andThen(effectOf(caller, "b"), tell("b")), Effect.succeed({ text: "b" }))
      yield* once(caller, { ...asked, key: "b" }, working)
      expect([yield* took(caller, "b"), told]).toEqual([true, ["a undone", "b holds"]])
    }).pipe(Effect.provide(layer))
  )

  it.effect("has its effect and its answer together, or neither", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller
      const store = yield* IdempotencyStore
      const broken = IdempotencyStore.of({
        ...store,
        end: () => Effect.fail(new StorageUnavailable({ message: "cut off" }))
      })
      const run = Effect.as(effectOf(caller, "a"), { text: "a" })
      const cut = Effect.flatMap(Idempotency, (idempotency) =>
        idempotency.once<Failing, CursorStore, never>(caller, asked, run, answerTo)
      ).pipe(
        Effect.provide(
          Layer.fresh(Idempotency.layer).pipe(
            Layer.provide([Layer.succeed(IdempotencyStore, broken), NodeDigest.layer])
          )
        )
      )
      expect(Exit.isFailure(yield* Effect.exit(cut))).toBe(true)
      expect(yield* took(caller, "a")).toBe(false)
      expect(yield* once(caller, asked, run)).toEqual({ text: "a", replayed: false })
    }).pipe(Effect.provide(layer))
  )

  it.effect("needs a key of printable characters, and the scopes of its operation", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller
      const run = Effect.succeed({ text: "done" })
      for (const key of ["", "a\nb", "é", "x".repeat(limits.idempotencyKeyLength + 1)]) {
        expect(codeOf(yield* Effect.exit(once(caller, { ...asked, key }, run))), key).toBe("INVALID_REQUEST")
      }
      yield* once(caller, { ...asked, key: "x".repeat(limits.idempotencyKeyLength) }, run)
      const { principal } = caller
      if (principal.kind !== "api_key") return expect.unreachable()
      const narrow = callerOf({ ...principal, key: { ...principal.key, scopes: ["banks:read"] } }, "req")
      expect(codeOf(yield* Effect.exit(once(narrow, asked, run)))).toBe("INSUFFICIENT_SCOPE")
    }).pipe(Effect.provide(layer))
  )

  interface Twin {
    readonly key: string
    readonly request: string
    readonly waits: boolean
    readonly steps: number
    readonly ends: "well" | "badly" | "passing"
  }
  const twinOf: Effect.Effect<Twin> = Effect.all({
    key: oneOf(["a", "b"]),
    request: oneOf(["one", "one", "two"]),
    waits: oneOf([true, false]),
    steps: oneOf([0, 1, 2, 3, 4]),
    ends: oneOf(["well", "well", "badly", "passing"] as const)
  })

  const scene = Effect.fnUntraced(function* (seed: string) {
    const caller = yield* makeCaller
    const effects = new Map<string, number>()
    const answers = new Map<string, Set<string>>()
    const twins = yield* Effect.replicateEffect(twinOf, 10).pipe(Random.withSeed(seed))
    yield* Effect.forEach(
      twins,
      ({ ends, key, request, steps, waits }, mine) => {
        const place = `${seed} ${key} ${waits}`
        const run = Effect.gen(function* () {
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          if (ends === "passing") return yield* new StorageUnavailable({ message: "gone" })
          if (ends === "badly") return yield* new NotFound({ resource: "Feed" })
          effects.set(place, (effects.get(place) ?? 0) + 1)
          return { text: `${request} ${mine}` }
        })
        return Effect.gen(function* () {
          const exit = yield* Effect.exit(
            once(caller, { operation: waits ? "readFeedUpload" : "createFeed", key, request }, run)
          )
          if (Exit.isFailure(exit)) return
          answers.set(place, (answers.get(place) ?? new Set()).add(`${request}: ${exit.value.text}`))
        })
      },
      { concurrency: "unbounded", discard: true }
    )
    for (const [place, count] of effects) expect(count, place).toBe(1)
    for (const [place, told] of answers) expect([...told], place).toHaveLength(1)
    return answers.size
  })

  it.effect("has at most one effect and one answer, in every order of its twins", () =>
    Effect.gen(function* () {
      const scenes = process.env["MILLRACE_LONG"] === "1" ? 5_000 : 80
      let answered = 0
      for (let nth = 0; nth < scenes; nth++) answered += yield* scene(`scene ${nth}`)
      expect(answered).toBeGreaterThan(scenes)
    }).pipe(Effect.provide(layer))
  )
})
