/** The MCP server of an installation for clients that talk over standard input and output (decisions 10.1). */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Option from "effect/Option"
import { CredentialMissing, decodeEnvelope } from "../program/Failure.ts"
import { program } from "../program/Program.ts"
import { Settings } from "../program/Settings.ts"
import { reasonOf } from "../request/Api.ts"
import { version } from "../program/Version.ts"

interface Message {
  readonly id?: unknown
  readonly method?: string
}

interface Connection {
  readonly url: string
  readonly key: string
  session: string | undefined
  protocol: string | undefined
}

/** The messages of an answer: JSON, or events of a stream. */
const messagesOf = async function* (response: Response): AsyncGenerator<string> {
  if (response.body === null) return
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    const text = await response.text()
    if (text.trim() !== "") yield text
    return
  }
  let rest = ""
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split(/\r?\n\r?\n/)
    rest = events.pop() ?? ""
    for (const event of events) {
      const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"))
      const data = lines.map((line) => line.slice("data:".length).trimStart()).join("\n")
      if (data !== "") yield data
    }
  }
}

/** The error that answers a message where the server did not. */
const errorOf = (id: unknown, message: string, data?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_000, message, ...(data === undefined ? {} : { data }) } })

/** An answer of the server that is none of the protocol, such as 401, or of something between, such as a proxy. */
const refusalOf = (status: number, text: string, id: unknown): string =>
  Option.match(decodeEnvelope(text), {
    onNone: () => errorOf(id, `The server answered ${status} without saying why`),
    onSome: ({ code, error }) => errorOf(id, error, { code })
  })

const isOfProtocol = (text: string): boolean => /"jsonrpc"\s*:/.test(text)

const write = (line: string): void => void process.stdout.write(`${line.replaceAll(/\r?\n/g, " ").trim()}\n`)

const headersOf = ({ key, protocol, session }: Connection): Record<string, string> => ({
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "user-agent": `millrace-cli/${version}`,
  "x-api-key": key,
  ...(session === undefined ? {} : { "mcp-session-id": session }),
  ...(protocol === undefined ? {} : { "mcp-protocol-version": protocol })
})

/** The headers that a message of a version without sessions is routed by. */
const routingOf = (message: Message & { readonly params?: { readonly name?: unknown; readonly _meta?: unknown } }) =>
  message.method === undefined || message.params?._meta === undefined
    ? {}
    : {
        "mcp-method": message.method,
        ...(typeof message.params.name === "string" ? { "mcp-name": message.params.name } : {})
      }

const versionOf = (text: string): string | undefined =>
  (JSON.parse(text) as { readonly result?: { readonly protocolVersion?: string } }).result?.protocolVersion

const versionAsked = (message: unknown): string | undefined => {
  const meta = (message as { readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> } }).params?._meta
  const asked = meta?.["io.modelcontextprotocol/protocolVersion"]
  return typeof asked === "string" ? asked : undefined
}

const send = async (connection: Connection, line: string, message: Message): Promise<void> => {
  const asked = versionAsked(message)
  // oxlint-disable-next-line no-restricted-globals -- a stream of events, which the client of the API does not read
  const response = await fetch(connection.url, {
    method: "POST",
    headers: {
      ...headersOf(connection),
      ...(asked === undefined ? {} : { "mcp-protocol-version": asked, ...routingOf(message) })
    },
    body: line
  })
  const session = response.headers.get("mcp-session-id")
  if (session !== null) connection.session = session
  for await (const text of messagesOf(response)) {
    if (message.method === "initialize" && isOfProtocol(text)) connection.protocol = versionOf(text)
    if (isOfProtocol(text)) write(text)
    else if (message.id !== undefined) write(refusalOf(response.status, text, message.id))
  }
}

const lines = async function* (): AsyncGenerator<string> {
  let rest = ""
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    const parts = (rest + String(chunk)).split("\n")
    rest = parts.pop() ?? ""
    yield* parts.filter((part) => part.trim() !== "")
  }
  if (rest.trim() !== "") yield rest
}

const unreadable = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_700, message: "Not JSON" } })

const parsed = (line: string): Message | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Passes a message on. Each request gets an answer, also where the server cannot be reached or breaks off. */
const pass = async (connection: Connection, line: string): Promise<void> => {
  const message = parsed(line)
  if (message === undefined) return write(unreadable)
  try {
    await send(connection, line, message)
  } catch (error) {
    const why = `Cannot reach ${connection.url}: ${reasonOf(error)}`
    if (message.id === undefined) process.stderr.write(`millrace: ${why}\n`)
    else write(errorOf(message.id, why))
  }
}

/** Passes each message on; a client may ask again before it is answered. */
const bridge = async (connection: Connection): Promise<void> => {
  const underWay = new Set<Promise<void>>()
  for await (const line of lines()) {
    const sent = pass(connection, line).finally(() => underWay.delete(sent))
    underWay.add(sent)
    // A session has to be there before anything is asked in it.
    if (connection.session === undefined) await sent
  }
  await Promise.all(underWay)
}

export const mcp = Command.make("mcp", {}, () =>
  Effect.gen(function* () {
    const { apiKey, baseUrl } = yield* Settings
    if (apiKey === undefined) {
      return yield* new CredentialMissing({
        message: `No API key. Run: ${program} login   or set MILLRACE_API_KEY.`
      })
    }
    const connection = { url: `${baseUrl}/mcp`, key: Redacted.value(apiKey), session: undefined, protocol: undefined }
    yield* Effect.promise(() => bridge(connection))
  })
).pipe(
  Command.withDescription("Serve the tools of the server to an MCP client, over standard input and output"),
  Command.withExamples([
    { command: "millrace mcp", description: "In the settings of a client: the command and its one argument" }
  ])
)
