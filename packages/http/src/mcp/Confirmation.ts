/** What a person confirms before something is taken away, where their client can ask them. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Node, nodeOf } from "../openapi/Node.ts"
import type { Tool } from "./Tool.ts"

const Confirmation = Schema.Struct({
  confirm: Schema.Boolean.annotate({ title: "Do it", description: "Whether it is to be done." })
})

/** The same as JSON, for versions of the protocol that have no sessions. */
const form: Node = {
  type: "object",
  properties: { confirm: { type: "boolean", title: "Do it", description: "Whether it is to be done." } },
  required: ["confirm"]
}

const question = "confirmation"

/** Asks within the session. A person who closes the question has not confirmed. */
const askInSession = (message: string) =>
  McpServer.elicit({ message, schema: Confirmation }).pipe(
    Effect.map(({ confirm }) => confirm),
    Effect.catchTag("ElicitationDeclined", () => Effect.succeed(false)),
    Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.succeed(false) : Effect.failCause(cause)))
  )

/** Whether the tool may run. Without a session the client asks and calls again: then the question is the failure. */
export const isConfirmed = Effect.fnUntraced(function* ({ annotations, definition }: Tool) {
  const { clientCapabilities, inputResponses } = yield* McpSchema.McpRequestContext
  if (!annotations.destructiveHint || clientCapabilities.elicitation === undefined) return true
  const message = `${definition.summary}?`
  const client = yield* Effect.serviceOption(McpSchema.McpServerClient)
  if (Option.isSome(client)) {
    return yield* Effect.provideService(askInSession(message), McpSchema.McpServerClient, client.value)
  }
  const given = inputResponses?.[question]
  if (given !== undefined) return given["action"] === "accept" && nodeOf(given["content"])["confirm"] === true
  const params = { mode: "form", message, requestedSchema: form }
  return yield* Effect.fail(
    new McpSchema.InputRequired({ inputRequests: { [question]: { method: "elicitation/create", params } } })
  )
})
