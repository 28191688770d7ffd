/**
 * Questions of many that go to the database together. A few statements are on the way at once; while they are, further
 * questions wait, and those that wait go in the next one. What comes in one turn of the process goes together, and nothing
 * waits where nobody else has asked.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

export interface BatcherOptions<Question, Answer, E, R> {
  /** One answer for each question, in their order. It begins after all of them were asked. */
  readonly ask: (questions: ReadonlyArray<Question>) => Effect.Effect<ReadonlyArray<Answer>, E, R>
  /** Whether both may go in one statement. */
  readonly fit: (one: Question, other: Question) => boolean
  /** Questions of a statement. */
  readonly most: number
  /** Statements that are on the way at once. */
  readonly atOnce: number
  /** Milliseconds after which a statement no longer holds up others: it may be on a connection that is cut off. */
  readonly patience: number
}

interface Asked<Question, Answer, E> {
  readonly question: Question
  readonly resume: (answer: Effect.Effect<Answer, E>) => void
  /** The statement that it went with. */
  sent: Sent | undefined
}

/** A statement on the way, with those who still wait for it. */
interface Sent {
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  waiting: number
}

class RequestBatcher<Question, Answer, E, R> {
  private waiting: Array<Asked<Question, Answer, E>> = []
  private onTheWay = 0
  private isPlanned = false
  private readonly options: BatcherOptions<Question, Answer, E, R>
  private readonly fork: (asking: Effect.Effect<ReadonlyArray<Answer>, E, R>) => Fiber.Fiber<ReadonlyArray<Answer>, E>

  constructor(options: BatcherOptions<Question, Answer, E, R>, fork: RequestBatcher<Question, Answer, E, R>["fork"]) {
    this.options = options
    this.fork = fork
  }

  readonly ask = (question: Question): Effect.Effect<Answer, E> =>
    Effect.callback((resume) => {
      const asked: Asked<Question, Answer, E> = { question, resume, sent: undefined }
      this.waiting.push(asked)
      this.plan()
      return Effect.sync(() => this.leave(asked))
    })

  /** What else comes in this turn goes as well. */
  private plan(): void {
    if (this.isPlanned || this.waiting.length === 0 || this.onTheWay >= this.options.atOnce) return
    this.isPlanned = true
    setImmediate(() => {
      this.isPlanned = false
      this.send()
    })
  }

  private send(): void {
    const [first] = this.waiting
    if (first === undefined || this.onTheWay >= this.options.atOnce) return
    const { ask, fit, most, patience } = this.options
    let count = 1
    while (count < most && count < this.waiting.length && fit(first.question, this.waiting[count]!.question)) count++
    const members = this.waiting.splice(0, count)
    const sent: Sent = { fiber: undefined, waiting: count }
    for (const member of members) member.sent = sent
    let holds = true
    this.onTheWay++
    const free = (): void => {
      if (!holds) return
      holds = false
      this.onTheWay--
      // They have waited, and the database can work while those before them are answered.
      if (!this.isPlanned) this.send()
    }
    const timer = setTimeout(free, patience)
    const fiber = this.fork(Effect.suspend(() => ask(members.map(({ question }) => question))))
    sent.fiber = fiber
    fiber.addObserver((exit) => {
      clearTimeout(timer)
      free()
      for (let n = 0; n < count; n++) {
        members[n]!.resume(Exit.isSuccess(exit) ? Effect.succeed(exit.value[n]!) : Effect.failCause(exit.cause))
      }
    })
    this.plan()
  }

  /** Anyone who no longer waits does not stop what others wait for. */
  private leave(asked: Asked<Question, Answer, E>): void {
    const { sent } = asked
    if (sent === undefined) this.waiting.splice(this.waiting.indexOf(asked), 1)
    else if (--sent.waiting === 0) sent.fiber?.interruptUnsafe()
  }
}

/** Asks as the options say. What goes together runs with the services of its maker, and ends with its scope. */
export const make = Effect.fnUntraced(function* <Question, Answer, E, R>(
  options: BatcherOptions<Question, Answer, E, R>
): Effect.fn.Return<(question: Question) => Effect.Effect<Answer, E>, never, R | Scope.Scope> {
  const services: Context.Context<R> = yield* Effect.context<R>()
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(services)
  return new RequestBatcher(options, (asking) => Fiber.runIn(fork(asking), scope)).ask
})
