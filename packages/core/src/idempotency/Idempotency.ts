/** Requests that may be repeated: the same key and the same request have one effect and one answer (decisions 1.9). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type AnyOperation, operationOf, permit } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import { credentialOf } from "../access/Principal.ts"
import { Conflict, InvalidInput, Unprocessable, type Forbidden } from "../failure/Failure.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { makeTogether } from "../storage/TransactionEnd.ts"
import { Transactor } from "../storage/Transactor.ts"
import { withinWorkspaces } from "../workspace/TenantScope.ts"
import { IdempotencyStore, type KeyedRequest, type KeyState } from "./IdempotencyStore.ts"

/** A request as its caller would repeat it. */
export interface Repeatable {
  /** Operations that may be asked twice anyway ignore the key. */
  readonly operation: AnyOperation
  /** 1 to `limits.idempotencyKeyLength` printable ASCII characters, chosen by the caller. */
  readonly key: string
  /** What is asked, as text that is equal for requests that ask the same. */
  readonly request: string
  /** What is asked besides, such as the content of a file. */
  readonly bytes?: Uint8Array
}

/** An answer as text, in whatever form its reader has. */
export interface FirstAnswer {
  readonly text: string
  /** The id of what was made, where the text shows a secret of it: then the id is kept, and the text is not. */
  readonly secretOf?: string
}

export interface RecordedResponse {
  readonly text: string
  /** Whether an earlier request had this answer. */
  readonly replayed: boolean
}

export type RepeatRefused = InvalidInput | Conflict | Unprocessable | Forbidden | StorageUnavailable

const Kept = Schema.fromJsonString(
  Schema.Union([Schema.Struct({ text: Schema.String }), Schema.Struct({ secretOf: Schema.String })])
)
const keep = Schema.encodeSync(Kept)
const kept = Schema.decodeSync(Kept)

const keptOf = ({ secretOf, text }: FirstAnswer): string => keep(secretOf === undefined ? { text } : { secretOf })

const keyForm = /^[\x20-\x7e]+$/

const checkKey = (key: string): Effect.Effect<void, InvalidInput> => {
  if (keyForm.test(key) && key.length <= limits.idempotencyKeyLength) return Effect.void
  const message = `must be 1 to ${limits.idempotencyKeyLength} printable ASCII characters`
  return Effect.fail(
    new InvalidInput({
      code: "INVALID_REQUEST",
      message: `Request is invalid: Idempotency-Key ${message}`,
      details: [{ field: "Idempotency-Key", message }]
    })
  )
}

const inProgress = new Conflict({
  code: "IDEMPOTENCY_IN_PROGRESS",
  message: "The first request with this Idempotency-Key has not ended",
  details: []
})

const reused = new Unprocessable({
  code: "IDEMPOTENCY_KEY_REUSED",
  message: "The Idempotency-Key was used for another request; use a new one",
  details: [{ field: "Idempotency-Key", message: "was used for another request" }]
})

const secretShown = (id: string) =>
  new Conflict({
    code: "SECRET_ALREADY_SHOWN",
    message: "The answer showed a secret, which is shown once",
    details: [{ field: "id", message: id }]
  })

/** The answer to a request whose key somebody has. */
const tellAgain = (
  state: Exclude<KeyState, { readonly state: "begun" }>,
  request: string
): Effect.Effect<RecordedResponse, Conflict | Unprocessable> => {
  if (state.state === "running") return Effect.fail(inProgress)
  if (state.request !== request) return Effect.fail(reused)
  const answer = kept(state.answer)
  return "secretOf" in answer
    ? Effect.fail(secretShown(answer.secretOf))
    : Effect.succeed({ text: answer.text, replayed: true })
}

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Runs `answer` unless the caller has asked the same with the same key within `limits.idempotencyHours`: then the answer is
     * the first one. Fails with IDEMPOTENCY_IN_PROGRESS while there is none, with IDEMPOTENCY_KEY_REUSED where the
     * key was another request's, and with SECRET_ALREADY_SHOWN where the answer held a secret.
     *
     * What `answer` does takes effect together with its answer, and is undone where it fails. Operations that call out or
     * wait take their key first; where the process dies before the answer is kept, the key stays in progress until its
     * time is over.
     *
     * @param answerTo The answer to a failure, which is kept as well; `undefined` for one that passes, after which the
     * key is free again.
     */
    readonly once: <E, R, R2>(
      caller: Caller,
      asked: Repeatable,
      answer: Effect.Effect<FirstAnswer, E, R>,
      answerTo: (error: E | StorageUnavailable) => Effect.Effect<string | undefined, never, R2>
    ) => Effect.Effect<RecordedResponse, E | RepeatRefused, R | R2>
  }
>()("@millrace/core/idempotency/Idempotency") {
  static readonly layer: Layer.Layer<Idempotency, never, IdempotencyStore | Transactor | Digest> = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const transactor = yield* Transactor
      const together = yield* makeTogether
      const { sha256 } = yield* Digest

      const keyedOf = ({ principal }: Caller, { bytes, key, operation, request }: Repeatable): KeyedRequest => ({
        workspaceId: principal.workspace.id,
        key: sha256(JSON.stringify([principal.kind, credentialOf(principal), operationOf(operation).id, key])),
        request: sha256(bytes === undefined ? request : `${request} ${sha256(bytes)}`)
      })

      /** Keeps the answer to a failure, or fails with it where it has none that is kept. */
      const endFailed = Effect.fnUntraced(function* <E, R>(
        keyed: KeyedRequest,
        cause: Cause.Cause<E>,
        answerTo: (error: E) => Effect.Effect<string | undefined, never, R>
      ) {
        const error = Cause.findErrorOption(cause)
        const text = Option.isSome(error) ? yield* answerTo(error.value) : undefined
        if (text === undefined) return yield* Effect.failCause(cause)
        yield* store.end(keyed, keep({ text }))
        return { text, replayed: false } satisfies RecordedResponse
      })

      const atOnce = <E, R, R2>(
        keyed: KeyedRequest,
        answer: Effect.Effect<FirstAnswer, E, R>,
        answerTo: (error: E | StorageUnavailable) => Effect.Effect<string | undefined, never, R2>
      ) =>
        together(answer, (useCase) =>
          Effect.gen(function* () {
            const state = yield* store.begin(keyed)
            if (state.state !== "begun") return yield* tellAgain(state, keyed.request)
            const exit = yield* Effect.exit(useCase)
            if (Exit.isFailure(exit)) return yield* endFailed(keyed, exit.cause, answerTo)
            yield* store.end(keyed, keptOf(exit.value))
            return { text: exit.value.text, replayed: false } satisfies RecordedResponse
          })
        )

      const keyFirst = <E, R, R2>(
        keyed: KeyedRequest,
        answer: Effect.Effect<FirstAnswer, E, R>,
        answerTo: (error: E | StorageUnavailable) => Effect.Effect<string | undefined, never, R2>
      ) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const state = yield* transactor.atomically(store.begin(keyed))
            if (state.state !== "begun") return yield* tellAgain(state, keyed.request)
            const exit = yield* Effect.exit(restore(answer))
            if (Exit.isSuccess(exit)) {
              // What was done is done: its caller is informed so also where nobody can be told again.
              yield* Effect.catch(store.end(keyed, keptOf(exit.value)), (error) =>
                Effect.logError("The answer to a request with an idempotency key could not be kept", error)
              )
              return { text: exit.value.text, replayed: false } satisfies RecordedResponse
            }
            // What died or was interrupted may have had its effect: its key is not free before its time is over.
            const isKnown = Option.isSome(Cause.findErrorOption(exit.cause))
            return yield* Effect.onError(endFailed(keyed, exit.cause, answerTo), () =>
              isKnown ? Effect.ignore(store.release(keyed)) : Effect.void
            )
          })
        )

      const once: Idempotency["Service"]["once"] = Effect.fn("Idempotency.once")(
        function* (caller, asked, answer, answerTo) {
          yield* permit(caller, asked.operation)
          const operation = operationOf(asked.operation)
          if (operation.idempotency !== "key") return { text: (yield* answer).text, replayed: false }
          yield* checkKey(asked.key)
          const keyed = keyedOf(caller, asked)
          const run = operation.waits ? keyFirst : atOnce
          return yield* run(keyed, answer, answerTo).pipe(withinWorkspaces(keyed.workspaceId))
        }
      )

      return Idempotency.of({ once })
    })
  )
}
