/** Calls of a served API as any program makes them: plain HTTP, with the numbers of answers kept as text. */
import { request, type IncomingHttpHeaders } from "node:http"

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The body, parsed; exact only as far as doubles are. */
  readonly json: () => unknown
}

export interface Sent {
  readonly method?: string
  readonly json?: unknown
  /** A JSON body as it is, for numbers that no double holds. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Gives up when it aborts. */
  readonly signal?: AbortSignal
  /** One file, sent as the part `file` of a form. */
  readonly file?: { readonly name: string; readonly type: string; readonly bytes: Uint8Array }
}

const boundary = "----millrace-test-boundary"

const formOf = (file: NonNullable<Sent["file"]>): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\n` +
        `Content-Type: ${file.type}\r\n\r\n`
    ),
    file.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`)
  ])

const bodyOf = ({
  file,
  json,
  text = json === undefined ? undefined : JSON.stringify(json)
}: Sent): { readonly type: string; readonly bytes: Buffer } | undefined => {
  if (file !== undefined) return { type: `multipart/form-data; boundary=${boundary}`, bytes: formOf(file) }
  return text === undefined ? undefined : { type: "application/json", bytes: Buffer.from(text) }
}

export const call = (origin: string, apiKey: string, path: string, sent: Sent = {}): Promise<Answer> =>
  new Promise((answer, refuse) => {
    const body = bodyOf(sent)
    const outgoing = request(
      new URL(path, origin),
      {
        method: sent.method ?? (body === undefined ? "GET" : "POST"),
        agent: false,
        ...(sent.signal === undefined ? {} : { signal: sent.signal }),
        headers: {
          "x-api-key": apiKey,
          ...sent.headers,
          ...(body === undefined ? {} : { "content-type": body.type, "content-length": String(body.bytes.length) })
        }
      },
      (incoming) => {
        const chunks: Array<Buffer> = []
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
        incoming.once("error", refuse)
        incoming.once("end", () => {
          const text = Buffer.concat(chunks).toString("utf8")
          answer({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: text,
            json: () => JSON.parse(text) as unknown
          })
        })
      }
    )
    outgoing.once("error", refuse)
    outgoing.end(body?.bytes)
  })

/** The `data` of an answer; refused where the call was. Loosely typed: what is in it is for the caller to say. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers are read as whatever they turn out to be
export const dataOf = async (origin: string, apiKey: string, path: string, sent: Sent = {}): Promise<any> => {
  const { body, json, status } = await call(origin, apiKey, path, sent)
  if (status >= 300) throw new Error(`${sent.method ?? "GET"} ${path} was answered with ${status}: ${body}`)
  return (json() as { readonly data: unknown }).data
}
