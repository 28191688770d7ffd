/** A local server that speaks the wire format of OpenAI, and says of each question what a test wants. */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { hostileServer } from "../outbound/HostileServer.ts"

const Sent = Schema.Struct({
  model: Schema.String,
  messages: Schema.Array(Schema.Struct({ role: Schema.String, content: Schema.String })),
  temperature: Schema.optionalKey(Schema.Finite),
  seed: Schema.Finite,
  stream: Schema.Boolean,
  max_tokens: Schema.optionalKey(Schema.Finite),
  max_completion_tokens: Schema.optionalKey(Schema.Finite),
  response_format: Schema.Struct({
    type: Schema.Literal("json_schema"),
    json_schema: Schema.Struct({ name: Schema.String, strict: Schema.Boolean, schema: Schema.Json })
  })
})
export type Sent = typeof Sent.Type
const Data = Schema.Struct({ data: Schema.Array(Schema.Struct({ key: Schema.String, record: Schema.Json })) })
const readSent = Schema.decodeUnknownSync(Schema.fromJsonString(Sent), { onExcessProperty: "error" })
const readData = Schema.decodeUnknownSync(Schema.fromJsonString(Data))

export interface Asked {
  readonly sent: Sent
  readonly headers: IncomingMessage["headers"]
  readonly url: string
  readonly questions: ReadonlyArray<(typeof Data.Type)["data"][number]>
}

/** What it says: the text of the answer, or anything at all. */
export type Says = (asked: Asked, response: ServerResponse) => string | undefined

export const answersOf = (asked: Asked, answer: (record: unknown) => string | null, confidence = 0.9): string =>
  JSON.stringify({ answers: asked.questions.map(({ key, record }) => ({ key, answer: answer(record), confidence })) })

export const completion = (
  content: string | null,
  usage: unknown = { prompt_tokens: 90, completion_tokens: 10 }
): string =>
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      { index: 0, message: { role: "assistant", content, refusal: null }, finish_reason: "stop", logprobs: null }
    ],
    usage
  })

/** `says` gives the text of the answer; where it gives nothing, it has answered itself. */
export const modelServer = Effect.fnUntraced(function* (says: Says) {
  const asked: Array<Asked> = []
  const { port } = yield* hostileServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => (body += chunk))
    request.on("end", () => {
      const sent = readSent(body)
      const { data } = readData(sent.messages.find(({ role }) => role === "user")!.content)
      const one = { sent, headers: request.headers, url: request.url ?? "", questions: data }
      asked.push(one)
      const text = says(one, response)
      if (text !== undefined) response.setHeader("content-type", "application/json").end(completion(text))
    })
  })
  return { asked, baseUrl: `http://127.0.0.1:${port}/v1`, host: `127.0.0.1:${port}` }
})
