/** Sentences of messages by a model behind the protocol of OpenAI, as a server is put together. */
import { expect, it } from "@effect/vitest"
import { Adapters, privateHosts } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { Ids, Timestamp } from "@millrace/core"
import { Phrasing } from "@millrace/core/message"
import { makeMessage, storeWorkspace } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { answersOf, modelServer } from "./ModelServer.ts"

it.effect("has the sentences of a digest written by the first endpoint, which sees marks alone", () =>
  Effect.gen(function* () {
    const server = yield* modelServer((asked) => answersOf(asked, () => "You spent {1}, most of it with {2}."))
    const context = yield* Layer.build(
      Adapters.layer({
        providers: [],
        folder: undefined,
        models: [{ name: "own", baseUrl: server.baseUrl, model: "small-1", apiKey: Redacted.make("sk-x") }],
        privateHosts: { models: Result.getOrThrow(privateHosts([server.host])) }
      }).pipe(Layer.provideMerge(Layer.merge(MemoryStorage.layer, Ids.layer)))
    )
    yield* Effect.gen(function* () {
      const workspace = yield* storeWorkspace()
      const message = makeMessage(workspace.id, yield* (yield* Ids).next("enrichment"), "m")
      const rephrase = {
        text: "Went out: {1}. What stands out most is {2}.",
        values: ["€60.00", "Corner Shop"],
        model: "default",
        monthlyTokens: 10_000,
        dataType: "transactions"
      } as const
      const { phrase } = yield* Phrasing
      const createdAt = yield* Timestamp.now
      expect(yield* phrase({ ...message, createdAt, content: { ...message.content, rephrase } })).toBe(
        "You spent {1}, most of it with {2}."
      )
    }).pipe(Effect.provide(context))
    const [asked] = server.asked
    expect(asked!.questions.map(({ record }) => record)).toEqual([
      { text: "Went out: {1}. What stands out most is {2}." }
    ])
    expect(JSON.stringify(asked!.sent)).not.toMatch(/Corner|60\.00/)
  }).pipe(Effect.scoped)
)
