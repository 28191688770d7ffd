import { describe, expect, it } from "@effect/vitest"
import { OutboundClient, privateHosts } from "@millrace/adapters"
import { type ModelEndpoint, ModelEndpoints } from "@millrace/adapters/model"
import { type DecisionModel, DecisionModels, type DecisionRequest, ModelFailure } from "@millrace/core/model"
import { DecisionModelSuite } from "@millrace/testing/suite/model"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { answersOf, completion, modelServer, type Says } from "./ModelServer.ts"

const labels = [
  { id: "GROCERIES", label: "Groceries", description: "food to cook" },
  { id: "COFFEE", label: "Coffee" }
]
const secret = "sk-very-secret"

const modelAt = (endpoint: ModelEndpoint, hosts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const models = yield* DecisionModels
    return models.get(endpoint.name)!
  }).pipe(
    Effect.provide(
      ModelEndpoints.layer([endpoint]).pipe(
        Layer.provide(OutboundClient.layer({ privateHosts: Result.getOrThrow(privateHosts(hosts)) }))
      )
    )
  )

/** A model behind a server; the client lives as long as the test. */
const served = Effect.fnUntraced(function* (says: Says, rest: Partial<ModelEndpoint> = {}) {
  const server = yield* modelServer(says)
  const { host, baseUrl } = server
  const endpoint = { name: "own", baseUrl, model: "small-1", apiKey: Redacted.make(secret), ...rest }
  const context = yield* Layer.build(
    ModelEndpoints.layer([endpoint]).pipe(
      Layer.provide(OutboundClient.layer({ privateHosts: Result.getOrThrow(privateHosts([host])) }))
    )
  )
  const models = yield* Effect.provide(DecisionModels, context)
  return { ...server, model: models.get("own") as DecisionModel }
})

const textOf = (record: unknown): string =>
  Predicate.hasProperty(record, "text") && typeof record.text === "string" ? record.text : ""
const sensible = (record: unknown): string | null =>
  /market/iu.test(textOf(record)) ? "GROCERIES" : /bean/iu.test(textOf(record)) ? "COFFEE" : null

DecisionModelSuite.suite("a model behind the protocol of OpenAI", {
  model: Effect.map(
    served((asked) => answersOf(asked, sensible)),
    ({ model }) => model
  ),
  inputs: [{ text: "Harbour market" }, { text: "Bean and roast" }, { text: "something" }],
  labels,
  inputOf: (text) => ({ text })
})

const request = (...texts: ReadonlyArray<string>): DecisionRequest => ({
  instructions: "Choose.",
  labels,
  questions: texts.map((text, n) => ({ key: `key${n}`, input: { text } })),
  maxTokens: 480
})

describe("a model behind the protocol of OpenAI", () => {
  it.effect("is asked with its key, its name, a closed list of labels and a bound", () =>
    Effect.gen(function* () {
      const { asked, model } = yield* served((one) => answersOf(one, sensible))
      const { tokens } = yield* model.decide(request("Harbour market"))
      expect(tokens).toBe(100)
      const [{ headers, sent, url }] = asked as [(typeof asked)[number]]
      expect([url, headers.authorization]).toEqual(["/v1/chat/completions", `Bearer ${secret}`])
      expect(sent).toMatchObject({ model: "small-1", temperature: 0, seed: 1, stream: false, max_tokens: 480 })
      const schema = JSON.stringify(sent.response_format.json_schema)
      expect(sent.response_format.json_schema).toMatchObject({ name: "answers", strict: true })
      expect(schema).toContain('"GROCERIES"')
      expect(schema).toContain('"additionalProperties":false')
      expect(sent.messages.map(({ role }) => role)).toEqual(["system", "user"])
      expect(sent.messages[0]!.content).not.toContain("Harbour")
    }).pipe(Effect.scoped)
  )

  it.effect("is asked without a key, without a temperature and with the other bound where the endpoint says so", () =>
    Effect.gen(function* () {
      const { asked, model } = yield* served((one) => answersOf(one, sensible), {
        apiKey: undefined,
        temperature: null,
        tokensField: "max_completion_tokens"
      })
      yield* model.decide(request("Harbour market"))
      expect(asked[0]!.headers.authorization).toBeUndefined()
      expect(asked[0]!.sent).not.toHaveProperty("temperature")
      expect(asked[0]!.sent).not.toHaveProperty("max_tokens")
      expect(asked[0]!.sent.max_completion_tokens).toBe(480)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps good answers among bad ones, whatever stands around them", () =>
    Effect.gen(function* () {
      const { model } = yield* served(
        ({ questions }) =>
          `Here you are:\n\`\`\`json\n${JSON.stringify({
            answers: [
              { key: questions[0]!.key, answer: "GROCERIES", confidence: 0.9 },
              { key: questions[0]!.key, answer: "COFFEE", confidence: 1 },
              { key: "nobody", answer: "COFFEE", confidence: 1 },
              { key: questions[1]!.key, answer: "TRANSFER ALL MONEY", confidence: 1 },
              { key: questions[2]!.key, answer: "COFFEE", confidence: 12 },
              "nonsense",
              { key: questions[3]!.key, answer: null, confidence: 0.2 }
            ]
          })}\n\`\`\``
      )
      const { decisions } = yield* model.decide(request("a", "b", "c", "d"))
      expect(decisions).toEqual([
        { key: "key0", answer: "GROCERIES", probability: 0.9 },
        { key: "key3", answer: null, probability: 0.2 }
      ])
    }).pipe(Effect.scoped)
  )

  const failing: ReadonlyArray<readonly [string, Says, Partial<ModelFailure>]> = [
    [
      "has had too many requests",
      (_, to) => void to.writeHead(429, { "retry-after": "7" }).end("{}"),
      { reason: "rateLimited", retryAfter: 7, sent: false }
    ],
    [
      "has no money left",
      (_, to) => void to.writeHead(429).end('{"error":{"code":"insufficient_quota"}}'),
      { reason: "overBudget", sent: false }
    ],
    [
      "does not know the key",
      (_, to) => void to.writeHead(401).end(`{"error":{"message":"${secret} is wrong"}}`),
      { reason: "refused", sent: false }
    ],
    ["does not know the model", (_, to) => void to.writeHead(404).end("no"), { reason: "refused", sent: false }],
    ["is broken", (_, to) => void to.writeHead(503).end("down"), { reason: "unavailable", sent: true }],
    ["hangs up", (_, to) => void to.destroy(), { reason: "unavailable", sent: true }],
    ["sends no JSON", (_, to) => void to.end("<html>"), { reason: "invalidOutput", sent: true }],
    ["sends another shape", (_, to) => void to.end('{"choices":[]}'), { reason: "invalidOutput", sent: true }],
    [
      "claims an impossible use",
      (_, to) => void to.end(completion("{}", { prompt_tokens: -5 })),
      { reason: "invalidOutput", sent: true }
    ],
    ["says nothing", (_, to) => void to.end(completion(null)), { reason: "invalidOutput", sent: true }],
    ["writes prose", () => "I would rather not.", { reason: "invalidOutput", sent: true }],
    ["answers with a list of another name", () => '{"labels":[]}', { reason: "invalidOutput", sent: true }]
  ]
  for (const [what, says, expected] of failing) {
    it.effect(`says what is wrong with a provider that ${what}, and repeats nothing that it wrote`, () =>
      Effect.gen(function* () {
        const { model } = yield* served(says)
        const error = yield* Effect.flip(model.decide(request("Harbour market")))
        expect(error).toMatchObject(expected)
        expect(error.message).not.toContain(secret)
        expect(error.message).not.toContain("Harbour")
      }).pipe(Effect.scoped)
    )
  }

  it.effect("is cut off where its answer does not end", () =>
    Effect.gen(function* () {
      let written = 0
      const { model } = yield* served((_, to) => {
        const chunk = "x".repeat(65_536)
        const more = () => {
          while (!to.destroyed && to.write(chunk)) written += chunk.length
          if (!to.destroyed) to.once("drain", more)
        }
        to.on("close", () => undefined)
        more()
        return undefined
      })
      const error = yield* Effect.flip(model.decide(request("Harbour market")))
      expect(error).toMatchObject({ reason: "unavailable", sent: true })
      expect(written).toBeLessThan(64 * 1_048_576)
    }).pipe(Effect.scoped)
  )

  it.effect("costs nothing where it could not be asked: a private host that nobody named, a closed port", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* modelServer(() => "")
      const endpoint = { name: "own", baseUrl, model: "small-1" }
      const refused = yield* Effect.flip(Effect.flatMap(modelAt(endpoint, []), ({ decide }) => decide(request("x"))))
      expect(refused).toMatchObject({ reason: "unavailable", sent: false })
      expect(refused.message).toContain("127.0.0.1")
    }).pipe(Effect.scoped)
  )
})
