/** Conformance of `DecisionModel`: `suite(name, options)` registers the tests. */
import type { DecisionModel, DecisionRequest, Question } from "@millrace/core/model"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { difficultTexts } from "../fixture/Text.ts"

export interface DecisionModelSuiteOptions {
  readonly model: Effect.Effect<DecisionModel, never, Scope.Scope>
  /** Inputs that it has an answer to. */
  readonly inputs: ReadonlyArray<Question["input"]>
  readonly labels: NonNullable<DecisionRequest["labels"]>
  /** What a text looks like as an input. */
  readonly inputOf: (text: string) => Question["input"]
}

const keyOf = (n: number): string => `key${String(n).padStart(9, "0")}`

const questionsOf = (all: ReadonlyArray<Question["input"]>) => all.map((input, n) => ({ key: keyOf(n), input }))

const byKey = (one: { readonly key: string }, other: { readonly key: string }) => (one.key < other.key ? -1 : 1)

export const suite = (name: string, { inputOf, inputs, labels, model }: DecisionModelSuiteOptions): void => {
  const request = (questions: ReadonlyArray<Question>): DecisionRequest => ({
    instructions: "Say which label fits.",
    labels,
    questions,
    maxTokens: 1_000
  })
  const allowed = new Set<string | null>([null, ...labels.map(({ id }) => id)])

  describe(name, () => {
    it.effect("answers what it is asked, each key once, with labels of the list", () =>
      Effect.gen(function* () {
        const questions = questionsOf(inputs)
        const { decisions, tokens } = yield* (yield* model).decide(request(questions))
        expect(decisions.map(({ key }) => key).toSorted()).toEqual(questions.map(({ key }) => key))
        for (const { answer, probability } of decisions) {
          expect(allowed).toContain(answer)
          expect(probability).toBeGreaterThanOrEqual(0)
          expect(probability).toBeLessThanOrEqual(1)
        }
        expect(decisions.some(({ answer }) => answer !== null)).toBe(true)
        expect(tokens === undefined || (Number.isInteger(tokens) && tokens >= 0)).toBe(true)
      }).pipe(Effect.scoped)
    )

    it.effect("answers the same again, whatever the order of the questions", () =>
      Effect.gen(function* () {
        const { decide } = yield* model
        const questions = questionsOf(inputs)
        const { decisions: first } = yield* decide(request(questions))
        const { decisions: second } = yield* decide(request(questions.toReversed()))
        expect(second.toSorted(byKey)).toEqual(first.toSorted(byKey))
      }).pipe(Effect.scoped)
    )

    it.effect("takes any text, and invents no key for it", () =>
      Effect.gen(function* () {
        const questions = questionsOf(difficultTexts.map(inputOf))
        const { decisions } = yield* (yield* model).decide(request(questions))
        const keys = new Set(questions.map(({ key }) => key))
        for (const { answer, key } of decisions) {
          expect(keys.delete(key)).toBe(true)
          expect(allowed).toContain(answer)
        }
      }).pipe(Effect.scoped)
    )

    it.effect("says nothing where nothing is asked", () =>
      Effect.gen(function* () {
        expect((yield* (yield* model).decide(request([]))).decisions).toEqual([])
      }).pipe(Effect.scoped)
    )
  })
}
