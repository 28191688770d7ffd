/** The local classifier behind the port: the layer that is always there (enrichments D6.1). */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { DecisionModel } from "./DecisionModel.ts"
import { decided, type NaiveBayes } from "./NaiveBayes.ts"

/** What a question to the local classifier holds; one that holds anything else is not answered. */
export const LocalInput = Schema.Struct({
  textKey: Schema.String,
  sign: Schema.Literals(["in", "out", "none"]),
  mcc: Schema.optionalKey(Schema.String),
  providerCategory: Schema.optionalKey(Schema.String),
  accountType: Schema.optionalKey(Schema.String),
  amount: Schema.optionalKey(Schema.String)
})
const decode = Schema.decodeUnknownOption(LocalInput)

/** Answers labels alone, and costs no tokens. */
export const localDecisions = (classifier: NaiveBayes): DecisionModel => ({
  id: "local",
  decide: ({ labels, questions }) =>
    Effect.sync(() => {
      const allowed = new Set(labels?.map(({ id }) => id))
      return {
        decisions: questions.flatMap(({ input, key }) => {
          const features = decode(input)
          if (Option.isNone(features)) return []
          const verdict = classifier.rank(features.value)
          const best = verdict.top[0]
          const answer = decided(verdict, 0) ?? null
          return [
            { key, answer: answer !== null && allowed.has(answer) ? answer : null, probability: best?.probability ?? 0 }
          ]
        }),
        tokens: 0
      }
    })
})
