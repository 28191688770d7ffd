/** The tools of an API, and how they are registered and called. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decide } from "@millrace/core/access"
import { invalidRequest, type Served, StrictJson } from "@millrace/core/operation"
import { bodyOf } from "../answer/errors.ts"
import type { AnyApi } from "../api/Api.ts"
import { type Node, nodeOf } from "../openapi/Node.ts"
import type { Answered, AskApi } from "./InProcess.ts"
import { type Message, messageHeader, type Messages } from "./Messages.ts"
import { type Arguments, type Tool, toolOf } from "./Tool.ts"
import { operationsOf, toolInput } from "./ToolSchema.ts"

/** A tool for each operation that has one. */
export const toolsOf = (api: AnyApi, { operations }: Served): ReadonlyArray<Tool> => {
  const document = OpenApi.fromApi(api) as unknown as Node
  const documented = operationsOf(document)
  const schemas = nodeOf(nodeOf(document["components"])["schemas"])
  return Object.values(operations).flatMap((definition) => {
    const { id, tool } = definition
    if (!("name" in tool)) return []
    return [toolOf(definition, tool.name, tool.annotations, toolInput(nodeOf(documented.get(id)), schemas))]
  })
}

const textOf = (value: unknown) => [{ type: "text" as const, text: JSON.stringify(value) }]

const failed = (error: unknown) => new McpSchema.CallToolResult({ isError: true, content: textOf(error) })

/** What went wrong, as the API says it. */
const faultOf = (field: string, message: string) => failed(bodyOf(invalidRequest([{ field, message }]), "mcp"))

type Json = Readonly<Record<string, unknown>>

/** The data of an answer; of a list, its rows with the cursor that leads on. */
const structured = ({ definition: { success } }: Tool, body: Json): Json => {
  const { data, meta } = body
  if (success.kind !== "list") return nodeOf(success.kind === "whole" ? body : (data ?? { success: true }))
  const { cursor, hasMore } = nodeOf(meta)
  return { data, hasMore, ...(cursor === undefined ? {} : { cursor }) }
}

const resultOf = (tool: Tool, { status, text }: Answered) => {
  const parsed = StrictJson.parse(text, Number.POSITIVE_INFINITY)
  if (Result.isFailure(parsed) || status >= 400) {
    return new McpSchema.CallToolResult({ isError: true, content: [{ type: "text", text }] })
  }
  const found = structured(tool, nodeOf(parsed.success))
  return new McpSchema.CallToolResult({ structuredContent: found, content: textOf(found) })
}

/** What is confirmed by a person before something is taken away, where their client can ask them. */
const Confirmation = Schema.Struct({
  confirm: Schema.Boolean.annotate({ title: "Do it", description: "Whether it is to be done." })
})

const isConfirmed = ({ annotations, definition }: Tool) =>
  Effect.gen(function* () {
    const { clientCapabilities } = yield* McpSchema.McpRequestContext
    if (!annotations.destructiveHint || clientCapabilities.elicitation === undefined) return true
    const client = yield* Effect.serviceOption(McpSchema.McpServerClient)
    if (client._tag === "None") return true
    return yield* McpServer.elicit({ message: `${definition.summary}?`, schema: Confirmation }).pipe(
      Effect.provideService(McpSchema.McpServerClient, client.value),
      Effect.map(({ confirm }) => confirm),
      Effect.catchTag("ElicitationDeclined", () => Effect.succeed(false))
    )
  })

const call = (ask: AskApi, tool: Tool, { caller, request }: Message, given: Arguments) =>
  Effect.gen(function* () {
    const { workspaceId } = given
    if (workspaceId !== undefined && workspaceId !== caller.principal.workspace.id) {
      return faultOf("workspaceId", "is not the workspace of the credential")
    }
    const asked = tool.requestOf(given)
    if ("fault" in asked) return faultOf(asked.fault.field, asked.fault.message)
    if (!(yield* isConfirmed(tool))) return failed({ success: false, error: "The person declined", code: "FORBIDDEN" })
    return resultOf(tool, yield* ask(request, asked))
  })

/** The message that is being handled. */
const CurrentMessage = Context.Reference<Message | undefined>("@millrace/http/mcp/Tools/CurrentMessage", {
  defaultValue: () => undefined
})

const register = (ask: AskApi, tool: Tool) =>
  Effect.gen(function* () {
    const server = yield* McpServer.McpServer
    // What stands around the tool, such as who may see it.
    const services = yield* Effect.context<never>()
    yield* server.addTool({
      services,
      tool: new McpSchema.Tool({
        name: tool.name,
        description: tool.description,
        inputSchema: tool.input as typeof McpSchema.ToolJson.Type,
        annotations: tool.annotations
      }),
      annotations: Context.empty(),
      handle: (payload: unknown) =>
        Effect.flatMap(CurrentMessage, (message) =>
          message === undefined ? Effect.die("a message without its sender") : call(ask, tool, message, nodeOf(payload))
        )
    })
  })

/** Tools with what stands around them: a caller sees and calls those that its scopes, plan and class of app allow. */
export const registrations = (tools: ReadonlyArray<Tool>, messages: Messages, ask: AskApi) => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const visible = McpServer.visibility(({ headers, target }) =>
    Effect.sync(() => {
      const message = messages.get(headers[messageHeader])
      const tool = byName.get(target)
      return message !== undefined && tool !== undefined && decide(message.caller, tool.definition).allowed
    })
  )
  const sender = McpServer.middleware((effect, { headers }) =>
    Effect.provideService(effect, CurrentMessage, messages.get(headers[messageHeader]))
  )
  return Layer.effectDiscard(Effect.forEach(tools, (tool) => register(ask, tool), { discard: true })).pipe(
    Layer.provide(visible.combine(sender).layer)
  )
}
