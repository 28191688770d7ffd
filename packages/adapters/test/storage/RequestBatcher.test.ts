import * as RequestBatcher from "../../src/storage/postgres/RequestBatcher.ts"
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"

interface Statement {
  readonly questions: ReadonlyArray<number>
  readonly end: Deferred.Deferred<ReadonlyArray<string>, string>
  /** Whether it was told to stop. */
  readonly stopped: Deferred.Deferred<void>
}

/** Longer than any test. */
const patient = 3_600_000

/** Statements that end when the test says so, in the order in which they are sent. Odd and even never go together. */
const arrange = Effect.fnUntraced(function* (options: { readonly most?: number; readonly patience?: number } = {}) {
  const sent = yield* Queue.unbounded<Statement>()
  const ask = yield* RequestBatcher.make({
    ask: (questions: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const statement: Statement = {
          questions,
          end: yield* Deferred.make<ReadonlyArray<string>, string>(),
          stopped: yield* Deferred.make<void>()
        }
        yield* Queue.offer(sent, statement)
        return yield* Effect.onInterrupt(Deferred.await(statement.end), () =>
          Deferred.succeed(statement.stopped, undefined)
        )
      }),
    fit: (one, other) => one % 2 === other % 2,
    most: options.most ?? 10,
    atOnce: 2,
    patience: options.patience ?? patient
  })
  return {
    next: Queue.take(sent),
    size: Queue.size(sent),
    ask: (...questions: ReadonlyArray<number>) =>
      Effect.forEach(questions, (question) => Effect.forkChild(ask(question), { startImmediately: true }))
  }
})

const answer = ({ end, questions }: Statement) =>
  Deferred.succeed(
    end,
    questions.map((question) => `answer ${question}`)
  )

it.live("sends what comes in one turn together, and gives each its own answer", () =>
  Effect.gen(function* () {
    const { ask, next } = yield* arrange()
    const asked = yield* ask(2, 4, 6)
    const statement = yield* next
    expect(statement.questions).toEqual([2, 4, 6])
    yield* answer(statement)
    expect(yield* Fiber.joinAll(asked)).toEqual(["answer 2", "answer 4", "answer 6"])
  }).pipe(Effect.scoped)
)

it.live("lets questions wait while as many statements as may be are on the way, and sends those together", () =>
  Effect.gen(function* () {
    const { ask, next, size } = yield* arrange()
    yield* ask(2)
    const first = yield* next
    yield* ask(4)
    yield* next
    const waiting = yield* ask(6, 8)
    yield* Effect.sleep(0)
    expect(yield* size).toBe(0)
    yield* answer(first)
    const third = yield* next
    expect(third.questions).toEqual([6, 8])
    yield* answer(third)
    expect(yield* Fiber.joinAll(waiting)).toEqual(["answer 6", "answer 8"])
  }).pipe(Effect.scoped)
)

it.live("sends no more in a statement than was said, and only what fits", () =>
  Effect.gen(function* () {
    const { ask, next } = yield* arrange({ most: 2 })
    const asked = yield* ask(2, 4, 6, 3, 5)
    const sent: Array<ReadonlyArray<number>> = []
    while (sent.flat().length < 5) {
      const statement = yield* next
      sent.push(statement.questions)
      yield* answer(statement)
    }
    expect(sent).toEqual([[2, 4], [6], [3, 5]])
    expect(yield* Fiber.joinAll(asked)).toHaveLength(5)
  }).pipe(Effect.scoped)
)

it.live("goes on for the others where somebody no longer waits, and stops where nobody does", () =>
  Effect.gen(function* () {
    const { ask, next } = yield* arrange()
    const [one, other] = yield* ask(2, 4)
    const statement = yield* next
    yield* Fiber.interrupt(one!)
    yield* answer(statement)
    expect(yield* Fiber.join(other!)).toBe("answer 4")
    const further = yield* ask(6, 8)
    const left = yield* next
    yield* Fiber.interruptAll(further)
    yield* Deferred.await(left.stopped)
  }).pipe(Effect.scoped)
)

it.live("asks nothing for those who went before it was sent", () =>
  Effect.gen(function* () {
    const { ask, next } = yield* arrange()
    const [gone] = yield* ask(2, 4)
    yield* Fiber.interrupt(gone!)
    expect((yield* next).questions).toEqual([4])
  }).pipe(Effect.scoped)
)

it.live("fails those that went together, and nobody else", () =>
  Effect.gen(function* () {
    const { ask, next } = yield* arrange()
    const failing = yield* ask(2, 4)
    const first = yield* next
    const [good] = yield* ask(6)
    const second = yield* next
    yield* Deferred.fail(first.end, "cut off")
    yield* answer(second)
    expect(yield* Effect.forEach(failing, Fiber.await)).toEqual([Exit.fail("cut off"), Exit.fail("cut off")])
    expect(yield* Fiber.join(good!)).toBe("answer 6")
  }).pipe(Effect.scoped)
)

it.live("does not wait for long for statements that never come back", () =>
  Effect.gen(function* () {
    const { ask, next } = yield* arrange({ patience: 1 })
    for (let lost = 2; lost <= 4; lost += 2) {
      yield* ask(lost)
      yield* next
    }
    const [asked] = yield* ask(6)
    yield* answer(yield* next)
    expect(yield* Fiber.join(asked!)).toBe("answer 6")
  }).pipe(Effect.scoped)
)

it.live("stops what is on the way when its scope ends", () =>
  Effect.gen(function* () {
    const { asked, statement } = yield* Effect.scoped(
      Effect.gen(function* () {
        const { ask, next } = yield* arrange()
        return { asked: yield* ask(2), statement: yield* next }
      })
    )
    yield* Deferred.await(statement.stopped)
    expect(Exit.hasInterrupts(yield* Fiber.await(asked[0]!))).toBe(true)
  })
)
