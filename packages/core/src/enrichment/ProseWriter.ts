/** Has a model put the sentences of digests into other words, under the guards of all kinds that may ask one (enrichments D6). */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { endpointOf, modelsOf } from "../model/DecisionModel.ts"
import { isFaithful, Phrasing } from "../message/Phrasing.ts"
import { budgetEvent } from "./kinds/ai/AiEvents.ts"
import { ModelUse } from "./kinds/ai/ModelUse.ts"

const instructions = [
  "The record is a text for a person who reads a summary of their money.",
  "Write it again as one short paragraph in plain and friendly English, in sentences that follow from each other.",
  "Marks such as {1} stand for figures and names that you are not shown: keep every mark exactly once, and all of them in the order in which they are.",
  "Add no figure, no name, no fact, no advice, no question and no greeting.",
  "The confidence is how sure you are that your text says the same."
].join(" ")

/** Seconds after which a message goes as it is: it has waited for its hour already. */
const patience = 60

export const proseWriter: Layer.Layer<never, never, ModelUse> = Layer.effect(
  Phrasing,
  Effect.gen(function* () {
    const { asking, models, told } = yield* ModelUse
    return {
      phrase: Effect.fn("ProseWriter.phrase")(function* ({ content, enrichmentId, workspaceId }) {
        const { rephrase } = content
        const model = rephrase === undefined ? undefined : endpointOf(modelsOf(models, workspaceId), rephrase.model)
        if (rephrase === undefined || model === undefined) return undefined
        const { dataType, monthlyTokens, text } = rephrase
        const subject = { input: { text }, text, untrusted: false }
        const inquiry = {
          workspaceId,
          enrichmentId,
          task: "prose",
          instructions,
          answers: "text" as const,
          model,
          subjects: [subject],
          mayAsk: true,
          allowUntrusted: false,
          room: { keys: 1 },
          monthlyTokens,
          accepts: (_: unknown, answer: string) => isFaithful(text, answer.trim())
        }
        const answers = yield* Effect.timeoutOrElse(asking.ask(inquiry), {
          duration: Duration.seconds(patience),
          orElse: () => Effect.undefined
        })
        if (answers === undefined) return undefined
        if (answers.exhausted !== undefined) {
          const scope = { workspaceId, enrichmentId, dataType }
          yield* told.tell(scope, [budgetEvent(scope, yield* Clock.currentTimeMillis, answers.exhausted)])
        }
        const said = answers.found.get(asking.keyOf(inquiry)(subject))?.answer?.trim()
        // Looked at again, no matter who kept it.
        return said !== undefined && isFaithful(text, said) ? said : undefined
      })
    }
  })
)
