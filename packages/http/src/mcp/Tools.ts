/** The tools of an API, and how they are registered and called. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import { decide } from "@millrace/core/access"
import { type Answer, invalidRequest, type Served } from "@millrace/core/operation"
import { bodyOf } from "../answer/errors.ts"
import type { AnyApi } from "../api/Api.ts"
import { type Node, nodeOf } from "../openapi/Node.ts"
import { aroundOf, type Asking, withBankTools } from "./BankTools.ts"
import { isConfirmed } from "./Confirmation.ts"
import type { AskApi, Body } from "./InProcess.ts"
import { type Message, messageHeader, type Messages } from "./Messages.ts"
import { Refusal } from "./Refusal.ts"
import { type Arguments, isUnusable, type Tool, toolOf, type Unusable } from "./Tool.ts"
import { operationsOf, toolInput } from "./ToolSchema.ts"

/** A tool for each operation that has one. */
export const toolsOf = (api: AnyApi, { operations }: Served): ReadonlyArray<Tool> => {
  const document = OpenApi.fromApi(api) as unknown as Node
  const documented = operationsOf(document)
  const schemas = nodeOf(nodeOf(document["components"])["schemas"])
  const tools = Object.values(operations).flatMap((definition) => {
    const { id, tool } = definition
    if (!("name" in tool)) return []
    const operation = documented.get(id)
    if (operation === undefined) throw new RangeError(`the document of the API lacks ${id}`)
    return [toolOf(definition, tool.name, tool.annotations, toolInput(operation, schemas))]
  })
  return withBankTools(tools)
}

const textOf = (value: unknown) => [{ type: "text" as const, text: JSON.stringify(value) }]

/** Why arguments cannot be used, as the API says it. */
const faultOf = (message: Message, { fault }: Unusable): Refusal =>
  new Refusal({ text: JSON.stringify(bodyOf(invalidRequest([fault]), message.caller.requestId)) })

const declined: Answer = {
  status: 403,
  code: "CONFIRMATION_DECLINED",
  message: "The person declined, so nothing was done"
}

/** The data of an answer; of a list, its rows with the cursor that leads on. */
const structured = ({ definition: { success } }: Tool, body: Body): Node => {
  const { data, meta } = body
  if (success.kind !== "list") return nodeOf(success.kind === "whole" ? body : (data ?? { success: true }))
  const { cursor, hasMore } = nodeOf(meta)
  return { data, hasMore, ...(cursor === undefined ? {} : { cursor }) }
}

const askingFor =
  (ask: AskApi, request: Message["request"]): Asking =>
  (what) =>
    ask(request, what)

/** The data that a tool answers with. */
const called = Effect.fnUntraced(function* (ask: AskApi, tool: Tool, message: Message, given: Arguments) {
  const { caller, request } = message
  const { workspaceId } = given
  if (workspaceId !== undefined && workspaceId !== caller.principal.workspace.id) {
    const fault = { field: "workspaceId", message: "is not the workspace of the credential" }
    return yield* faultOf(message, { fault })
  }
  const asking = askingFor(ask, request)
  const { extend, prepare } = aroundOf(tool.name)
  const prepared = prepare === undefined ? given : yield* prepare(asking, given)
  const asked = isUnusable(prepared) ? prepared : tool.requestOf(prepared)
  if (isUnusable(asked)) return yield* faultOf(message, asked)
  if (!(yield* isConfirmed(tool))) {
    return yield* new Refusal({ text: JSON.stringify(bodyOf(declined, caller.requestId)) })
  }
  const found = structured(tool, yield* asking(asked))
  return extend === undefined ? found : yield* extend(asking, found, given)
})

const call = (ask: AskApi, tool: Tool, message: Message, given: Arguments) =>
  called(ask, tool, message, given).pipe(
    Effect.map((found) => new McpSchema.CallToolResult({ structuredContent: found, content: textOf(found) })),
    Effect.catchTag("Refusal", ({ text }) =>
      Effect.succeed(new McpSchema.CallToolResult({ isError: true, content: [{ type: "text", text }] }))
    ),
    Effect.catchTag("InputRequired", (question) => Effect.succeed(question))
  )

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
