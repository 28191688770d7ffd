/**
 * Asks models what was not asked before, within a budget (enrichments D6.3 to D6.6): cache, then calls of 25 questions, four at
 * a time. What a model does not say, or says wrongly, stays without an answer, and anyone who asked goes on with the local classifier.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import { Digest } from "../shared/Digest.ts"
import type { Id } from "../shared/Ids.ts"
import { retryWithBackoff } from "../shared/RetryWithBackoff.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { AnswerCache, type CachedAnswer, type NewAnswer } from "./AnswerCache.ts"
import { type Decision, type DecisionModel, type DecisionRequest, ModelFailure } from "./DecisionModel.ts"
import {
  estimatedInputTokens,
  estimatedTokens,
  looksLikeInstruction,
  maxAnswerTokens,
  promptVersion
} from "./ModelPrompt.ts"
import { type BudgetScope, TokenBudget, type TokenLimits } from "./TokenBudget.ts"

/** Questions of one call, at most. */
export const questionsOfCall = 25
const inFlight = 4
const timeoutSeconds = 30
const retries = 2
/** Seconds that a provider may let us wait before its next answer; where it wants more, the local classifier goes on. */
const longestWait = 30
/** Seconds until the next try where the provider names none. */
const plainWait = 1

/** Seconds before another try, where the failure may pass. */
const waitAfter = (failure: ModelFailure | StorageUnavailable): number | undefined =>
  failure instanceof ModelFailure && (failure.reason === "unavailable" || failure.reason === "rateLimited")
    ? (failure.retryAfter ?? plainWait)
    : undefined
const abstentionDays = 180
const missingDays = 7

/** Something to be judged. Subjects with equal `input` are one question. */
export interface Subject {
  /** All that the answer may follow from. */
  readonly input: Schema.Json
  /** The text in it that others wrote. */
  readonly text: string
  /** Whether the text comes from somebody who may want to mislead: it is asked only where that is allowed. */
  readonly untrusted: boolean
}

export interface Inquiry {
  readonly workspaceId: WorkspaceId
  readonly enrichmentId: Id<"enrichment">
  /** Such as `categorize`. */
  readonly task: string
  readonly instructions: string
  readonly labels?: DecisionRequest["labels"]
  readonly answers?: DecisionRequest["answers"]
  /** Where the answers come from; without one only what is kept is looked up. */
  readonly model: DecisionModel | undefined
  readonly subjects: ReadonlyArray<Subject>
  /** Whether anything may be asked; otherwise what is kept answers, expired or not. */
  readonly mayAsk: boolean
  readonly allowUntrusted: boolean
  /** Questions that may still be asked in this run; counted down. */
  readonly room: { keys: number }
  /** Tokens of the enrichment in a month. */
  readonly monthlyTokens: number
  /** Whether an answer can be the answer to this subject. What cannot counts as an abstention. */
  readonly accepts: (subject: Subject, answer: string) => boolean
}

/** A question that nobody has answered, by its key. */
export interface PendingQuestion {
  readonly key: string
  /** Its part of the tokens of the call in which it would be asked. */
  readonly tokens: number
}

/** A limit of the month that kept a question from being asked. */
export interface ExhaustedLimit {
  readonly limit: keyof TokenLimits
  readonly monthlyTokens: number
}

export interface Answers {
  /** By the key of the subject; without those that nobody answered. */
  readonly found: ReadonlyMap<string, CachedAnswer & { readonly from: "cache" | "endpoint" }>
  readonly exhausted: ExhaustedLimit | undefined
  /** Why calls failed, each reason once. */
  readonly failures: ReadonlyArray<string>
  /** Where nothing may be asked: what a run would ask. */
  readonly pending: ReadonlyArray<PendingQuestion>
}

interface Asked {
  readonly key: string
  readonly subject: Subject
}

interface Answered {
  readonly answers: ReadonlyArray<NewAnswer>
  readonly exhausted: ExhaustedLimit | undefined
  readonly failure: string | undefined
}

const nothing: Answered = { answers: [], exhausted: undefined, failure: undefined }

const opaque = (key: string): string => key.slice(0, 12)

const together = (parts: ReadonlyArray<Answered>): Answered => ({
  answers: parts.flatMap(({ answers }) => answers),
  exhausted: parts.find(({ exhausted }) => exhausted !== undefined)?.exhausted,
  failure: parts.find(({ failure }) => failure !== undefined)?.failure
})

/** The first of each key, in the order of keys: the same calls whatever the order of the records. */
const distinct = (all: ReadonlyArray<Asked>): ReadonlyArray<Asked> =>
  [...new Map(all.toReversed().map((one) => [one.key, one])).values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))

/** Calls: texts that may be meant for the model are alone in theirs. */
const batchesOf = (asked: ReadonlyArray<Asked>): ReadonlyArray<ReadonlyArray<Asked>> => {
  const alone = ({ subject }: Asked) => subject.untrusted || looksLikeInstruction(subject.text)
  const plain = asked.filter((one) => !alone(one))
  return [
    ...Array.from({ length: Math.ceil(plain.length / questionsOfCall) }, (_, n) =>
      plain.slice(n * questionsOfCall, (n + 1) * questionsOfCall)
    ),
    ...asked.filter(alone).map((one) => [one])
  ]
}

const requestOf = ({ answers, instructions, labels }: Inquiry, batch: ReadonlyArray<Asked>): DecisionRequest => ({
  instructions,
  ...(answers === undefined ? {} : { answers }),
  ...(labels === undefined ? {} : { labels }),
  questions: batch.map(({ key, subject }) => ({ key: opaque(key), input: subject.input })),
  maxTokens: maxAnswerTokens(batch.length)
})

const pendingOf = (inquiry: Inquiry, wanted: ReadonlyArray<Asked>): ReadonlyArray<PendingQuestion> =>
  batchesOf(wanted).flatMap((batch) => {
    const tokens = Math.ceil(estimatedTokens(requestOf(inquiry, batch)) / batch.length)
    return batch.map(({ key }) => ({ key, tokens }))
  })

const monthOf = (millis: number): string => new Date(millis).toISOString().slice(0, 7)

/** What is kept of the answers to a call; `undefined` where so few were answered that none counts. */
const judged = (
  inquiry: Inquiry,
  batch: ReadonlyArray<Asked>,
  decisions: ReadonlyArray<Decision>
): ReadonlyArray<NewAnswer> | undefined => {
  const labels = inquiry.labels === undefined ? undefined : new Set(inquiry.labels.map(({ id }) => id))
  const byKey = new Map<string, Decision>()
  for (const one of decisions) if (!byKey.has(one.key)) byKey.set(one.key, one)
  const valid = (one: Decision | undefined): one is Decision =>
    one !== undefined &&
    one.probability >= 0 &&
    one.probability <= 1 &&
    (one.answer === null || labels === undefined || labels.has(one.answer))
  const found = batch.map(({ key }) => byKey.get(opaque(key)))
  if (found.filter(valid).length * 2 < batch.length) return undefined
  return batch.map(({ key, subject }, n): NewAnswer => {
    const one = found[n]
    if (!valid(one)) return { key, answer: null, probability: 0, days: missingDays }
    const { answer, probability } = one
    if (answer === null || !inquiry.accepts(subject, answer)) {
      return { key, answer: null, probability, days: abstentionDays }
    }
    return { key, answer, probability }
  })
}

export class Asking extends Context.Service<
  Asking,
  {
    /** Where the answer to a subject is found: the same for equal inputs under the same model, labels and instructions. */
    readonly keyOf: (
      inquiry: Pick<Inquiry, "workspaceId" | "task" | "instructions" | "labels" | "model">
    ) => (subject: Pick<Subject, "input">) => string
    readonly ask: (inquiry: Inquiry) => Effect.Effect<Answers, StorageUnavailable>
  }
>()("@millrace/core/model/Asking") {
  static readonly layer: Layer.Layer<Asking, never, AnswerCache | TokenBudget | Digest> = Layer.effect(
    Asking,
    Effect.gen(function* () {
      const cache = yield* AnswerCache
      const budget = yield* TokenBudget
      const { sha256 } = yield* Digest

      const keyOf: Asking["Service"]["keyOf"] = ({ instructions, labels, model, task, workspaceId }) => {
        const taxonomy = sha256(JSON.stringify(labels ?? null))
        const prompt = sha256(JSON.stringify([promptVersion, instructions]))
        const head = [task, workspaceId, model?.id ?? "", prompt, taxonomy]
        return ({ input }) => sha256(JSON.stringify([...head, input]))
      }

      /** One call under one reservation. */
      const call = Effect.fnUntraced(function* (
        scope: BudgetScope,
        limits: TokenLimits,
        model: DecisionModel,
        request: DecisionRequest
      ) {
        const estimate = estimatedTokens(request)
        const reservation = yield* budget.reserve(scope, estimate, limits)
        if ("exceeded" in reservation) {
          const limit = reservation.exceeded
          return { exhausted: { limit, monthlyTokens: limits[limit] ?? 0 } }
        }
        // What was sent was used, whatever the endpoint says.
        const sent = estimatedInputTokens(request)
        const settle = (used: number) => budget.settle(scope, reservation.id, used)
        return yield* Effect.timeoutOrElse(model.decide(request), {
          duration: Duration.seconds(timeoutSeconds),
          orElse: () =>
            Effect.fail(
              new ModelFailure({
                reason: "unavailable",
                message: `the model did not answer in ${timeoutSeconds} seconds`,
                sent: true
              })
            )
        }).pipe(
          Effect.tap(({ tokens }) => settle(Math.max(sent, tokens ?? estimate))),
          Effect.tapError((error) => (error instanceof ModelFailure ? settle(error.sent ? estimate : 0) : Effect.void))
        )
      })

      /** The same, tried again where the failure may pass. */
      const calls = (scope: BudgetScope, limits: TokenLimits, model: DecisionModel, request: DecisionRequest) =>
        retryWithBackoff(call(scope, limits, model, request), {
          retries,
          longestWait,
          waitAfter: (failure) => Effect.succeed(waitAfter(failure)),
          sleep: (seconds) => Effect.sleep(Duration.seconds(seconds))
        })

      const askBatch = (
        inquiry: Inquiry,
        model: DecisionModel,
        scope: BudgetScope,
        batch: ReadonlyArray<Asked>,
        isHalf: boolean
      ): Effect.Effect<Answered, StorageUnavailable> =>
        Effect.gen(function* () {
          const { perWorkspace, total } = model.budget ?? {}
          const limits = { enrichment: inquiry.monthlyTokens, workspace: perWorkspace, total }
          const request = requestOf(inquiry, batch)
          const reply = yield* Effect.result(calls(scope, limits, model, request))
          if (reply._tag === "Success") {
            if ("exhausted" in reply.success) return { ...nothing, exhausted: reply.success.exhausted }
            const answers = judged(inquiry, batch, reply.success.decisions)
            if (answers !== undefined) return { ...nothing, answers }
          } else {
            if (!(reply.failure instanceof ModelFailure)) return yield* Effect.fail(reply.failure)
            if (reply.failure.reason !== "invalidOutput") return { ...nothing, failure: reply.failure.message }
          }
          if (isHalf || batch.length === 1)
            return { ...nothing, failure: "the model answered something else than was asked" }
          const middle = Math.ceil(batch.length / 2)
          const halves = [batch.slice(0, middle), batch.slice(middle)]
          return together(yield* Effect.forEach(halves, (half) => askBatch(inquiry, model, scope, half, true)))
        })

      return Asking.of({
        keyOf,
        ask: Effect.fn("Asking.ask")(function* (inquiry) {
          const { allowUntrusted, enrichmentId, mayAsk, model, room, subjects, workspaceId } = inquiry
          const key = keyOf(inquiry)
          const asked = distinct(subjects.map((subject) => ({ key: key(subject), subject })))
          const keys = asked.map((one) => one.key)
          const known = keys.length === 0 ? new Map() : yield* cache.find(workspaceId, keys, !mayAsk)
          const found = new Map<string, CachedAnswer & { readonly from: "cache" | "endpoint" }>()
          for (const [id, answer] of known) found.set(id, { ...answer, from: "cache" })
          if (model === undefined) {
            return { found, exhausted: undefined, failures: [], pending: [] } satisfies Answers as Answers
          }
          const wanted = asked.filter((one) => !known.has(one.key) && (allowUntrusted || !one.subject.untrusted))
          if (!mayAsk) {
            const pending = pendingOf(inquiry, wanted)
            return { found, exhausted: undefined, failures: [], pending } satisfies Answers as Answers
          }
          const missing = wanted.slice(0, Math.max(0, room.keys))
          room.keys -= missing.length
          const month = monthOf(yield* Clock.currentTimeMillis)
          const scope = { workspaceId, enrichmentId, endpoint: model.budget?.endpoint, month }
          const parts = yield* Effect.forEach(
            batchesOf(missing),
            (batch) =>
              Effect.tap(askBatch(inquiry, model, scope, batch, false), ({ answers }) =>
                // Kept at once: what was paid for is not asked again, no matter what happens to the others.
                answers.length === 0 ? Effect.void : cache.keep(workspaceId, answers)
              ),
            { concurrency: inFlight }
          )
          const { answers, exhausted } = together(parts)
          for (const { answer, key: id, probability } of answers) {
            found.set(id, { answer, probability, from: "endpoint" })
          }
          const failures = [...new Set(parts.flatMap(({ failure }) => (failure === undefined ? [] : [failure])))]
          return { found, exhausted, failures, pending: [] } satisfies Answers as Answers
        })
      })
    })
  )
}
